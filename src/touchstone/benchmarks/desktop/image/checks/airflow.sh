can_import airflow airflow cosmos pytest pandas psycopg2 airflow.providers.postgres.hooks.postgres \
    airflow.providers.airbyte.operators.airbyte
as_user '/usr/local/airflow/dbt_venv/bin/dbt --version'
answers http://127.0.0.1:8080/health \
    "env PATH=$environments/airflow/bin:$PATH AIRFLOW_HOME=/home/user/.astro/airflow airflow webserver --port 8080 --workers 1"
