can_import airflow airflow cosmos pytest pandas psycopg2 airflow.providers.postgres.hooks.postgres \
    airflow.providers.airbyte.operators.airbyte
as_user '/usr/local/airflow/dbt_venv/bin/dbt --version'
home=/home/user/.astro/airflow
as_user "/usr/lib/postgresql/15/bin/pg_ctl -w -D $home/db -l /tmp/db.log start"
settings="AIRFLOW_HOME=$home AIRFLOW__CORE__EXECUTOR=LocalExecutor"
settings+=" AIRFLOW__DATABASE__SQL_ALCHEMY_CONN=postgresql://airflow@/airflow?host=$home/run"
answers http://127.0.0.1:8080/health \
    "env PATH=$environments/airflow/bin:$PATH $settings airflow webserver --port 8080 --workers 1"
