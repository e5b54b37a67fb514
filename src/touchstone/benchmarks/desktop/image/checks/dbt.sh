can_import dbt dbt.cli.main dbt.adapters.duckdb duckdb
as_user "$environments/dbt/bin/dbt --version"
duckdb -c 'select 1'
