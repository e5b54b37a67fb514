can_import superset superset psycopg2 pymysql duckdb_engine
as_user '/usr/lib/postgresql/15/bin/pg_ctl -w -D .superset/db -l /tmp/db.log start'
as_user 'PGPASSWORD=superset psql -h 172.18.0.2 -U superset -c "select count(*) from ab_user"'
settings='SUPERSET_CONFIG_PATH=/home/user/.superset/superset_config.py DATABASE_HOST=172.18.0.2'
answers http://127.0.0.1:8088/health \
    "env PATH=$environments/superset/bin:$PATH $settings gunicorn -b 127.0.0.1:8088 --timeout 300 'superset.app:create_app()'"
