"""Tasks of our own in Spider2-V's form, one for each kind of service that its set-up and evaluation scripts work with.

    superset   compose up, the wait for "Init Step 4/4", a table by docker cp and exec psql, a database at db:5432 over the API
    airflow    a project archive with cosmos and a dbt project, tasks at the same time, PostgreSQL at 172.17.0.1, astro dev
               start, docker exec airflow
    dagster    a project scaffolded under a name that makes Dagster ask the package index, assets, run list
    mysql      tables from a script by sudo mysql, an export to /var/lib/mysql-files

Set-up scripts begin like the published ones: what they print goes nowhere. The solutions are scripts for the guest's shell.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

QUIET = "#!/bin/bash\nexec 1>/dev/null\nexec 2>/dev/null\n"
TOKEN = """token=$(curl -s -X POST http://localhost:8088/api/v1/security/login -H "Content-Type: application/json" \
-d '{"username": "admin", "password": "admin", "provider": "db"}' | jq -rM .access_token)
"""
CONDA = "source /home/user/anaconda3/etc/profile.d/conda.sh\n"
SUPERSET = {
    "init.sh": f"""{QUIET}cd /home/user/projects/superset
docker compose -f docker-compose-image-tag.yml up --detach
for _ in $(seq 11); do sleep 2; docker compose logs | grep "Init Step 4/4" && break; done
cd /home/user
echo 'create table sales (day date, amount int); insert into sales values (now(), 3);' > all.sql
docker cp all.sql superset_db:/all.sql
docker exec -t superset_db psql -U superset -f /all.sql
{TOKEN}
curl -X POST http://localhost:8088/api/v1/database/ -H "Content-Type: application/json" -H "Authorization: Bearer $token" \
    -d '{{"database_name": "Shop", "sqlalchemy_uri": "postgresql://superset:superset@db:5432/superset"}}'
""",
    "eval.sh": f"""{TOKEN}
tables=$(curl -s http://localhost:8088/api/v1/dataset/ -H "Authorization: Bearer $token" | jq -r '.result[].table_name')
if echo "$tables" | grep -qx sales; then echo "dataset succeed"; else echo "dataset failed"; fi
""",
    "solution.sh": f"""{TOKEN}
id=$(curl -s http://localhost:8088/api/v1/database/ -H "Authorization: Bearer $token" \
    | jq '.result[] | select(.database_name == "Shop").id')
curl -sf -X POST http://localhost:8088/api/v1/dataset/ -H "Content-Type: application/json" -H "Authorization: Bearer $token" \
    -d "{{\\"database\\": $id, \\"schema\\": \\"public\\", \\"table_name\\": \\"sales\\"}}"
""",
}
AIRFLOW = {
    "init.sh": f"""{QUIET}cd /home
echo password | sudo -S -u postgres createuser --superuser user
echo password | sudo -S -u postgres createdb shop
echo password | sudo -S -u postgres psql -c "ALTER USER \\"user\\" WITH PASSWORD 'password';"
{CONDA}conda activate airflow
cd /home/user/projects
mv /home/user/shop.zip .
unzip -q shop.zip
cd shop
yes | astro dev init
rm -f dags/exampledag.py
astro dev start --no-browser > start.log 2> start.log
curl -X POST http://localhost:8080/api/v1/connections -H "Content-Type: application/json" -u admin:admin -d '{{
    "connection_id": "postgres_conn", "conn_type": "postgres", "host": "172.17.0.1", "login": "user", "schema": "shop",
    "port": 5432, "password": "password"}}'
""",
    "eval.sh": """cd /home/user/projects/shop
container=$(docker ps | grep webserver | awk '{print $1}')
state=$(docker exec -i $container airflow dags list-runs -o plain --dag-id shop | grep -m 1 manual | awk '{print $3}')
if [ "$state" = success ]; then echo "run succeed"; else echo "run failed"; exit 0; fi
rows=$(PGPASSWORD=password psql -h 172.17.0.1 -U user shop -Atc 'select count(*) from public.orders')
if [ "$rows" = 2 ]; then echo "table succeed"; else echo "table failed"; fi
""",
    "solution.sh": """dag=http://localhost:8080/api/v1/dags/shop
for _ in $(seq 60); do curl -sf -o /dev/null -u admin:admin $dag && break; sleep 1; done
curl -sf -X PATCH $dag -H "Content-Type: application/json" -u admin:admin -d '{"is_paused": false}'
curl -sf -X POST $dag/dagRuns -H "Content-Type: application/json" -u admin:admin -d '{}'
# ---
for _ in $(seq 80); do
    curl -s -u admin:admin http://localhost:8080/api/v1/dags/shop/dagRuns | grep -q '"state": "success"' && exit 0
    sleep 1
done
# ---
for _ in $(seq 80); do
    curl -s -u admin:admin http://localhost:8080/api/v1/dags/shop/dagRuns | grep -q '"state": "success"' && exit 0
    sleep 1
done
exit 1
""",
}
SHOP = {
    "shop/.astro/config.yaml": "project:\n    name: shop\npostgres:\n  port: 5431\n",
    "shop/Dockerfile": "FROM my-astro:1.0\n",
    "shop/dags/shop_dag.py": '''"""A dbt project as a DAG, and two tasks that wait for each other: they must run at once."""

import os
from datetime import datetime

from airflow.operators.bash import BashOperator
from cosmos import DbtDag, ExecutionConfig, ProfileConfig, ProjectConfig
from cosmos.profiles import PostgresUserPasswordProfileMapping

profile = PostgresUserPasswordProfileMapping(conn_id="postgres_conn", profile_args={"schema": "public"})
shop = DbtDag(
    project_config=ProjectConfig(f"{os.environ['AIRFLOW_HOME']}/dags/dbt/shop"),
    profile_config=ProfileConfig(profile_name="default", target_name="dev", profile_mapping=profile),
    execution_config=ExecutionConfig(dbt_executable_path=f"{os.environ['AIRFLOW_HOME']}/dbt_venv/bin/dbt"),
    schedule_interval=None,
    start_date=datetime(2024, 1, 1),
    catchup=False,
    dag_id="shop",
)
for mine, other in (("one", "two"), ("two", "one")):
    meet = f"touch /tmp/{mine}; timeout 60 sh -c 'until [ -e /tmp/{other} ]; do sleep 0.2; done'"
    BashOperator(task_id=mine, bash_command=meet, dag=shop)
''',
    "shop/dags/dbt/shop/dbt_project.yml": "name: shop\nprofile: default\nmodels:\n  +materialized: table\n",
    "shop/dags/dbt/shop/models/orders.sql": "select 1 as id union all select 2\n",
}
DAGSTER = {
    "init.sh": f"""{QUIET}cd /home/user
{CONDA}conda activate dagster
export DAGSTER_HOME=/home/user/.dagster
dagster project scaffold --name dagster-shop
cp assets.py dagster-shop/dagster_shop/assets.py
cd /home/user/dagster-shop
dagster dev -p 3000 >start.log 2>start.log &
for _ in $(seq 30); do sleep 2; grep -i "Serving dagster-webserver on" start.log && break; done
""",
    "eval.sh": f"""cd /home/user/dagster-shop
{CONDA}conda activate dagster
export DAGSTER_HOME=/home/user/.dagster
run=$(dagster run list | grep -oP 'Run: \\K.*' | head -n 1)
dagster debug export $run run_log.gz > /dev/null 2>&1
gunzip -qf run_log.gz
if grep -q '"total"' run_log && [ "$(cat total.txt)" = 6 ]; then echo "asset succeed"; else echo "asset failed"; fi
""",
    "solution.sh": f"""cd /home/user/dagster-shop
{CONDA}conda activate dagster
DAGSTER_HOME=/home/user/.dagster dagster asset materialize --select total -m dagster_shop
""",
    "assets.py": """import pandas as pd
from dagster import asset


@asset
def total() -> None:
    with open("total.txt", "w") as file:
        file.write(str(pd.DataFrame({"n": [1, 2, 3]})["n"].sum()))
""",
}
MYSQL = {
    "init.sh": f"""{QUIET}cd /home/user
echo password | sudo -S ls
sudo -S mysql < init.sql
gnome-terminal --maximize --working-directory=/home/user
""",
    "init.sql": "create database shop; create table shop.orders (id int, name varchar(9)); "
    "insert into shop.orders values (1, 'a'), (2, 'b');\n",
    "eval.sh": """printf '1\\ta\\n2\\tb\\n' > gold.csv
echo password | sudo -S diff gold.csv /var/lib/mysql-files/orders.csv > /dev/null 2>&1
if [ $? -eq 0 ]; then echo "export succeed"; else echo "export failed"; fi
""",
    "solution.sh": """file=/var/lib/mysql-files/orders.csv
echo password | sudo -S mysql -e "select * from shop.orders into outfile '$file'"
""",
}


def write_tasks(root: Path) -> Path:
    """The dataset below this folder."""
    examples = root / "evaluation_examples"
    _task(
        examples,
        "superset",
        1,
        SUPERSET,
        ["chromium", "superset"],
        "Register the table sales of the database Shop.",
        browser=True,
    )
    airflow = ["chromium", "airflow", "docker", "postgresql"]
    folder = _task(examples, "airflow", 2, AIRFLOW, airflow, "Run the DAG shop until it has succeeded.", copied=["shop.zip"])
    with ZipFile(folder / "shop.zip", "w") as archive:
        for name, text in SHOP.items():
            archive.writestr(name, text)
    _task(examples, "dagster", 3, DAGSTER, ["chromium", "dagster"], "Materialize the asset total.", copied=["assets.py"])
    _task(examples, "mysql", 4, MYSQL, ["mysql", "terminal"], "Export shop.orders to orders.csv.", copied=["init.sql"])
    return root


def _task(
    examples: Path, domain: str, number: int, files: dict[str, str], apps: list[str], said: str,
    *, copied: list[str] | None = None, browser: bool = False,
) -> Path:  # fmt: skip
    key, other = (f"00000000-0000-4000-9000-0000000000{number}{form}" for form in "12")
    folder = examples / "examples" / domain / key
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    named = f"evaluation_examples/examples/{domain}/{key}"
    config: list[dict[str, Any]] = [
        {"type": "copyfile_from_host_to_guest", "parameters": {"src": f"{named}/{name}", "dest": f"/home/user/{name}"}}
        for name in copied or []
    ]
    if browser:
        config.append({"type": "google_chrome_browser", "parameters": {"urls": []}})
    config.append({"type": "script_and_execute", "parameters": {"src": f"{named}/init.sh", "dest": "/home/user/init.sh"}})
    result = {"type": "vm_script_output", "src": f"{named}/eval.sh", "dest": "/home/user/eval.sh"}
    rules = {"type": "rule", "rules": {"include": ["succeed"], "exclude": ["failed"]}}
    form = {
        "id": key, "snapshot": domain, "instruction": said, "source": [], "action_number": 3, "config": config,
        "related_apps": apps, "tags": ["abstract", "gui", "data_orchestration"], "counterpart": other,
        "evaluator": {"func": "check_include_exclude", "result": result, "expected": rules},
    }  # fmt: skip
    (folder / f"{key}.json").write_text(json.dumps(form))
    return folder
