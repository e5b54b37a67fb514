"""Snowflake with the official connector, over its own protocol, on fakesnow."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.getters import RESULTS
from touchstone.benchmarks.desktop.metrics.snowflake import check_snowflake_log_message, is_snowflake_user_created
from touchstone.benchmarks.desktop.steps import run_steps
from touchstone.benchmarks.desktop.tasks import SetupStep
from touchstone.errors import WorkerFailure

from ..support import LocalGuest, make_dataset, make_scene
from .snowflake_account import OWNER, SnowflakeAccount, User, serving

pytest.importorskip("snowflake.connector", reason="Snowflake's connector is not installed; `make test-clouds` installs it")
fakesnow = pytest.importorskip("fakesnow", reason="fakesnow is not installed; `make test-clouds` installs it")


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[SnowflakeAccount]:
    import fakesnow.server

    monkeypatch.setattr(fakesnow.server, "shared_fs", fakesnow.FakeSnow())
    with serving(SnowflakeAccount(fakesnow.server)) as account:
        yield account


@pytest.fixture
def evaluation(tmp_path: Path, guest: LocalGuest, account: SnowflakeAccount) -> EvaluationContext:
    dataset = make_dataset(tmp_path)
    settings = dataset.root / "settings" / "snowflake" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(account.connection))
    return make_scene(dataset, tmp_path, guest)


async def prepare(evaluation: EvaluationContext, *actions: dict[str, Any]) -> None:
    await run_steps([SetupStep("snowflake_init", {"actions": list(actions)})], evaluation)


async def get(evaluation: EvaluationContext, name: str, **parameters: Any) -> Any:
    return await RESULTS.find(name)(evaluation, **parameters)


async def test_a_database_is_made_filled_and_read(evaluation: EvaluationContext, account: SnowflakeAccount) -> None:
    await prepare(
        evaluation,
        {"type": "create_database", "database": "development", "schema": "customers", "delete_first": True},
        {"type": "create_table", "database": "development", "table": "PEOPLE", "sql": "SELECT 1 AS ID, 'a, b' AS NAME"},
        {"type": "execute_script", "sql_command": "INSERT INTO development.public.people VALUES (2, NULL)"},
    )
    assert account.databases == ["DEVELOPMENT"]
    path = await get(evaluation, "snowflake_table_to_csv", database="DEVELOPMENT", table="PEOPLE")
    assert path.read_bytes() == b'ID,NAME\r\n1,"a, b"\r\n2,\r\n'
    bare = await get(
        evaluation, "snowflake_table_to_csv", database="DEVELOPMENT", table="people", dest="out.csv", include_header=False
    )
    assert bare.read_text() == '1,"a, b"\n2,\n'
    assert bare.name == "out.csv"
    assert await get(evaluation, "snowflake_table_to_csv", database="DEVELOPMENT", table="ABSENT") is None


async def test_delete_first_begins_anew(evaluation: EvaluationContext) -> None:
    make = {"type": "create_database", "database": "COVID19", "delete_first": True}
    await prepare(evaluation, make, {"type": "create_table", "database": "COVID19", "table": "T", "sql": "SELECT 1 AS A"})
    await prepare(evaluation, {**make, "delete_first": False})
    assert await get(evaluation, "snowflake_table_to_csv", database="COVID19", table="T") is not None
    await prepare(evaluation, make)
    assert await get(evaluation, "snowflake_table_to_csv", database="COVID19", table="T") is None


async def test_all_databases_but_snowflakes_own_are_dropped_in_any_case(
    evaluation: EvaluationContext, account: SnowflakeAccount
) -> None:
    names = ["SNOWFLAKE_SAMPLE_DATA", "SALES", '"lower"']
    await prepare(evaluation, *({"type": "execute_script", "sql_command": f"CREATE DATABASE {name}"} for name in names))
    account.run("ATTACH ':memory:' AS \"my base\"")
    assert account.databases == ["SALES", "SNOWFLAKE_SAMPLE_DATA", "lower", "my base"]
    await prepare(evaluation, {"type": "delete_database"})
    assert account.databases == ["SNOWFLAKE_SAMPLE_DATA"]


async def test_one_database_is_dropped_by_its_name(evaluation: EvaluationContext, account: SnowflakeAccount) -> None:
    await prepare(evaluation, *({"type": "create_database", "database": name} for name in ("ONE", "TWO")))
    await prepare(evaluation, {"type": "delete_database", "database": "one"}, {"type": "delete_database", "database": "absent"})
    assert account.databases == ["TWO"]


async def test_a_script_and_the_ids_of_its_queries(evaluation: EvaluationContext) -> None:
    script = "-- made; up\nCREATE DATABASE SHOP;\nCREATE TABLE SHOP.PUBLIC.T (A INT, B TEXT);\n"
    (evaluation.dataset.root / "init.sql").write_text(script + "INSERT INTO SHOP.PUBLIC.T VALUES (1, 'x;y');\n")
    await prepare(
        evaluation,
        {"type": "execute_script", "sql_script": "evaluation_examples/init.sql"},
        {"type": "execute_script", "sql_command": "DELETE FROM SHOP.PUBLIC.T WHERE A = 6", "query_ids_path": "ids.txt"},
    )
    assert len(evaluation.cached("ids.txt").read_text().strip().split("-")) == 5
    query = "SELECT A, B FROM SHOP.PUBLIC.T"
    assert await get(evaluation, "snowflake_execution_result", sql_command=query) == "A,B\n1,x;y"
    assert await get(evaluation, "snowflake_execution_result", sql_command=query, include_header=False) == "1,x;y"
    assert (
        await get(evaluation, "snowflake_execution_result", sql_command=query, return_string=False)
        == "[['A', 'B'], [1, 'x;y']]"
    )
    assert (await get(evaluation, "snowflake_execution_result", sql_command=query, dest="r.csv")).read_text() == "A,B\n1,x;y\n"
    assert await get(evaluation, "snowflake_execution_result", sql_command="SELECT * FROM SHOP.PUBLIC.NONE") is None


async def test_the_columns_of_databases(evaluation: EvaluationContext) -> None:
    await prepare(
        evaluation,
        *({"type": "create_database", "database": name} for name in ("ONE", "TWO")),
        {"type": "create_table", "database": "TWO", "table": "T", "sql": "SELECT 1 AS B, 'x' AS A"},
        {"type": "create_table", "database": "ONE", "table": "U", "sql": "SELECT 'x' AS C"},
    )
    path = await get(
        evaluation,
        "snowflake_database_schema_to_csv",
        database=["ONE", "TWO"],
        schema="PUBLIC",
        dest="s.csv",
        include_type=True,
    )
    rows = path.read_text().splitlines()
    assert rows[:2] == ["database,schema,table,column,type", "ONE,PUBLIC,U,C,TEXT"]
    assert [row.rpartition(",")[0] for row in rows[2:]] == ["TWO,PUBLIC,T,A", "TWO,PUBLIC,T,B"]


async def test_a_statement_that_fails_is_an_error_of_the_setup(evaluation: EvaluationContext) -> None:
    with pytest.raises(WorkerFailure, match="snowflake_init"):
        await prepare(evaluation, {"type": "execute_script", "sql_command": "INSERT INTO NO.SUCH.TABLE_ VALUES (1)"})


async def test_users(evaluation: EvaluationContext, account: SnowflakeAccount) -> None:
    account.users["SNOWMAN"] = User("Winter1", {"FIRST_NAME": "Snow", "EMAIL": "a@b.c"}, ["ANALYST"])
    found = await get(evaluation, "snowflake_user_info", username="snowman")
    assert found["ROLE"] == ["PUBLIC", "ANALYST"]
    assert found["EMAIL"] == "a@b.c"
    assert "PASSWORD" not in found
    expected = {"LOGIN_NAME": "SNOWMAN", "FIRST_NAME": "Snow", "ROLE": "ANALYST", "PASSWORD": "Winter1"}
    assert is_snowflake_user_created(found, expected, evaluation).score == 1
    assert "password" in is_snowflake_user_created(found, {**expected, "PASSWORD": "other"}, evaluation).reason
    assert "role" in is_snowflake_user_created(found, {**expected, "ROLE": "SYSADMIN"}, evaluation).reason
    await prepare(evaluation, {"type": "delete_user", "username": "snowman"})
    assert await get(evaluation, "snowflake_user_info", username="snowman") is None
    assert is_snowflake_user_created(None, expected, evaluation).score == 0


async def test_all_other_users_are_dropped(evaluation: EvaluationContext, account: SnowflakeAccount) -> None:
    account.users |= {"SNOWMAN": User("x"), "small": User("y")}
    await prepare(evaluation, {"type": "delete_user"})
    assert set(account.users) == {OWNER, "SNOWFLAKE"}


async def test_a_functions_result_and_its_log(evaluation: EvaluationContext, account: SnowflakeAccount) -> None:
    await prepare(evaluation, {"type": "create_database", "database": "LOGS"})
    account.run("CREATE FUNCTION LOGS.PUBLIC.ANSWER() AS 42")
    assert await get(evaluation, "snowflake_function_result", database="LOGS", table="EVENTS", function="ANSWER") == 42
    assert account.settings == [
        "ALTER ACCOUNT SET EVENT_TABLE = LOGS.public.EVENTS",
        "ALTER SESSION SET LOG_LEVEL = INFO",
    ]
    assert await get(evaluation, "snowflake_function_result", database="LOGS", table="EVENTS", function="ABSENT") is None
    await prepare(
        evaluation,
        {
            "type": "execute_script",
            "sql_command": "CREATE TABLE LOGS.PUBLIC.EVENTS (RECORD_TYPE TEXT, SCOPE OBJECT, RECORD OBJECT, VALUE VARIANT)",
        },
        {
            "type": "execute_script",
            "sql_command": "INSERT INTO LOGS.PUBLIC.EVENTS SELECT 'LOG', PARSE_JSON('{\"name\": \"mine\"}'), "
            'PARSE_JSON(\'{"severity_text": "INFO"}\'), TO_VARIANT(\'it "ran"\')',
        },
    )
    found = await get(evaluation, "snowflake_log_message", database="LOGS", table="EVENTS", logger="mine")
    assert found == {"severity": "INFO", "message": 'it "ran"'}
    assert check_snowflake_log_message(found, {"severity": "INFO", "message": 'it "ran"'}).score == 1


async def test_without_an_event_table_there_is_no_message_to_wait_for(evaluation: EvaluationContext) -> None:
    await prepare(evaluation, {"type": "create_database", "database": "LOGS"})
    assert await get(evaluation, "snowflake_log_message", database="LOGS", table="EVENTS", logger="mine") is None


async def test_the_key_is_copied_to_the_guest(
    evaluation: EvaluationContext, guest: LocalGuest, account: SnowflakeAccount
) -> None:
    await prepare(evaluation, {"type": "copy_keyfile", "dest": "/home/user/key.json"})
    assert json.loads((guest.home / "key.json").read_text()) == account.connection
