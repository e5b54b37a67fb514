# As published, with the packages of its time. mysqlclient must be compiled; the compiler does not stay, its library does.
. ./apt.sh
. ./python.sh
install_packages g++ python3-dev pkg-config libmariadb-dev libmariadb3
make_environment dagster dagster==1.7.2 dagster-graphql==1.7.2 dagster-pipes==1.7.2 dagster-webserver==1.7.2 \
    dagster-airflow==1.7.2 dagster-cloud==1.7.2 dagster-airbyte==0.23.2 dagster-dbt==0.23.2 dagster-duckdb==0.23.2 \
    dagster-duckdb-pandas==0.23.2 dagstermill==0.23.2 'papermill-origami>=0.0.8' apache-airflow==2.9.0 \
    apache-airflow-providers-mysql==5.5.4 mysqlclient==2.2.4 duckdb==0.10.2 dbt-duckdb==1.7.4 pandas==2.0.3 'numpy<2' \
    pytest==8.2.0 pyarrow==16.0.0 scikit-learn==1.4.2 notebook==7.1.2 matplotlib==3.8.4 seaborn==0.13.2 scipy==1.13.0 \
    PyJWT==2.8.0 'setuptools<70'
note_environment dagster dagster dagster-webserver dagster-airflow dagster-dbt dagster-duckdb duckdb pandas numpy
install -d -o user -g user /home/user/.dagster
install -o user -g user -m 644 /dev/null /home/user/.dagster/dagster.yaml
apt-get purge -q -y --autoremove g++ python3-dev pkg-config libmariadb-dev
