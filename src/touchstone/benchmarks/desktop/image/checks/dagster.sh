can_import dagster dagster dagster_webserver dagster_airflow dagster_dbt dagster_duckdb_pandas dagstermill dagster_airbyte pandas \
    MySQLdb sklearn.cluster seaborn pytest pyarrow airflow.providers.mysql.hooks.mysql
printf 'import dagster\n\n@dagster.asset\ndef one(): return 1\n\ndefs = dagster.Definitions([one])\n' > /tmp/assets.py
as_user "DAGSTER_HOME=/home/user/.dagster $environments/dagster/bin/dagster asset materialize -f /tmp/assets.py --select one"
answers http://127.0.0.1:3000/server_info "env PATH=$environments/dagster/bin:$PATH dagster dev -f /tmp/assets.py -p 3000"
