# dagster-airflow and mysqlclient, which some published environments have, cannot be built without a compiler, and no task
# that can run here needs them.
. ./python.sh
make_environment dagster dagster==1.7.2 dagster-graphql==1.7.2 dagster-pipes==1.7.2 dagster-webserver==1.7.2 \
    dagster-airbyte==0.23.2 dagster-dbt==0.23.2 dagster-duckdb==0.23.2 dagster-duckdb-pandas==0.23.2 dagstermill==0.23.2 \
    duckdb==0.10.2 dbt-duckdb==1.7.4 pandas==2.0.3 pytest==8.2.0 pyarrow==16.0.0 scikit-learn==1.4.2 notebook==7.1.2 \
    matplotlib==3.8.4 seaborn==0.13.2 scipy==1.13.0 PyJWT==2.8.0 'setuptools<70'
note_environment dagster dagster dagster-webserver dagster-dbt dagster-duckdb duckdb pandas
