. ./python.sh
make_environment dbt dbt-core==1.7.13 dbt-duckdb==1.7.4 duckdb==0.10.2
note_environment dbt dbt-core dbt-duckdb duckdb
. ./duckdb.sh
