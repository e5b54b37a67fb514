duckdb -c 'select 1'
