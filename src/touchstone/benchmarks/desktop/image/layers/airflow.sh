# With the packages of its time, and its database made ready, on a PostgreSQL as there: the environment of the published machine and the contents of its
# image my-astro:1.0 in one. /usr/local/airflow is what astro's containers have there; the project is put into it by astro.
. ./apt.sh
. ./python.sh
. ./cluster.sh
install_server
make_environment airflow apache-airflow==2.9.1 apache-airflow-providers-airbyte==3.8.0 apache-airflow-providers-postgres==5.6.0 \
    apache-airflow-providers-sqlite apache-airflow-providers-http apache-airflow-providers-common-sql astronomer-cosmos==1.0.4 \
    psycopg2-binary pandas 'numpy<2' pytest 'setuptools<70'
# Its servers import thousands of modules: compiled here, once, and not by every desktop anew.
"$environments/airflow/bin/python" -m compileall -q -j 0 "$environments/airflow/lib"
chown -R user:user "$environments/airflow"
note_environment airflow apache-airflow apache-airflow-providers-airbyte apache-airflow-providers-postgres astronomer-cosmos

install -d -o user -g user /home/user/.astro /home/user/.astro/airflow /usr/local/airflow
"$uv" venv -q --seed --python /usr/bin/python3 /usr/local/airflow/dbt_venv
"$uv" pip install --python /usr/local/airflow/dbt_venv/bin/python --exclude-newer "$newest" dbt-postgres==1.7.10
chown -R user:user /usr/local/airflow

echo "$cluster" > /tmp/ready.sh
cat >> /tmp/ready.sh << 'END'
set -e
export HOME=/home/user AIRFLOW_HOME=/home/user/.astro/airflow AIRFLOW__CORE__LOAD_EXAMPLES=False
export PATH="/home/user/anaconda3/envs/airflow/bin:$PATH"
cd
make_cluster "$AIRFLOW_HOME" airflow
export AIRFLOW__DATABASE__SQL_ALCHEMY_CONN="postgresql://airflow@/airflow?host=$AIRFLOW_HOME/run"
airflow db migrate
airflow users create --username admin --password admin --firstname admin --lastname admin --role Admin --email admin@example.com
airflow sync-perm  # which the first webserver would do otherwise, on every desktop
$bin/createdb -h "$AIRFLOW_HOME/run" -U airflow -T airflow fresh  # for 'astro dev kill'
END
su user -c "bash /tmp/ready.sh"
