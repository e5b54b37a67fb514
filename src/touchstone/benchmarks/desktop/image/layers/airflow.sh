# With the packages of its time, and its database made ready. A project of astro is what /usr/local/airflow points to.
. ./python.sh
make_environment airflow --exclude-newer 2024-06-15 apache-airflow==2.9.1 apache-airflow-providers-airbyte==3.8.0 \
    apache-airflow-providers-postgres==5.6.0 astronomer-cosmos==1.0.4 psycopg2-binary pandas 'setuptools<70'
note_environment airflow apache-airflow apache-airflow-providers-airbyte apache-airflow-providers-postgres astronomer-cosmos

install -d -o user -g user /home/user/.astro /home/user/.astro/airflow
ln -s /home/user/.astro/project /usr/local/airflow

cat > /tmp/ready.sh << 'END'
set -e
export HOME=/home/user AIRFLOW_HOME=/home/user/.astro/airflow AIRFLOW__CORE__LOAD_EXAMPLES=False
export PATH="/home/user/anaconda3/envs/airflow/bin:$PATH"
cd
airflow db migrate
airflow users create --username admin --password admin --firstname admin --lastname admin --role Admin --email admin@example.com
cp "$AIRFLOW_HOME/airflow.db" "$AIRFLOW_HOME/airflow.db.fresh"
END
su user -c "bash /tmp/ready.sh"
