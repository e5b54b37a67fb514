"""Snowflake with the official connector on fakesnow: it is only read, by a role that can do nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from touchstone.cli import main
from touchstone.engines.cloud import CloudEngine
from touchstone.engines.judging_connection import JudgingConnection
from touchstone.engines.snowflake import SnowflakeClient
from touchstone.errors import DatabaseFailure, InputError, SqlError
from touchstone.protocols import Limits

pytest.importorskip("snowflake.connector", reason="Snowflake's connector is not installed; `make test-clouds` installs it")
pytest.importorskip("fakesnow")
server = pytest.importorskip("fakesnow.server")

from fakesnow.info_schema import per_db_creation_sql  # noqa: E402

from tests.benchmarks.desktop.clouds.snowflake_account import OWNER, PASSWORD, SnowflakeAccount, _table, serving  # noqa: E402

LIMITS = Limits(seconds=20)
GRANTS = ["created_on", "privilege", "granted_on", "name"]
ROLES = {
    "READER": [["0", "USAGE", "DATABASE", "SHOP"], ["0", "SELECT", "TABLE", "SHOP.PUBLIC.ITEM"]],
    "WRITER": [["0", "USAGE", "ROLE", "EDITORS"]],
    "EDITORS": [["0", "INSERT", "TABLE", "SHOP.PUBLIC.ITEM"]],
    "BOSS": [["0", "USAGE", "ROLE", "SYSADMIN"]],
}


class Account(SnowflakeAccount):
    """With roles, which fakesnow has not."""

    role = "READER"

    def _answer(self, sql: str) -> dict[str, Any] | None:
        if sql == "USE SECONDARY ROLES NONE":
            return _table(["status"], [["Statement executed successfully."]])
        if sql == "SELECT CURRENT_ROLE()":
            return _table(["CURRENT_ROLE()"], [[self.role]])
        if found := re.fullmatch(r'SHOW GRANTS TO ROLE "(\w+)"', sql):
            return _table(GRANTS, ROLES[found[1]])
        return super()._answer(sql)


@pytest.fixture(scope="module")
def account() -> Iterator[Account]:
    with serving(Account(server)) as account:
        account._duckdb.execute("ATTACH DATABASE ':memory:' AS SHOP")
        account._duckdb.execute(per_db_creation_sql("SHOP"))
        account.run("CREATE TABLE SHOP.PUBLIC.ITEM (ID INTEGER, NAME VARCHAR)")
        account.run("INSERT INTO SHOP.PUBLIC.ITEM VALUES (1, 'bowl'), (2, 'cup'), (3, 'jug')")
        yield account


def opened(account: Account, more: str = "") -> SnowflakeClient:
    host = f"host=127.0.0.1&port={account.port}&protocol=http{more}"
    return SnowflakeClient(f"snowflake://{OWNER}:{PASSWORD}@local/SHOP/PUBLIC?{host}")


@pytest.fixture(scope="module")
def client(account: Account) -> Iterator[SnowflakeClient]:
    client = opened(account)
    yield client
    client.close()


def total(bench: JudgingConnection, table: str) -> int:
    return bench.run(f"SELECT count(*) FROM {table}").rows[0][0]


async def test_a_schema_is_read(client: SnowflakeClient) -> None:
    engine = CloudEngine("snowflake", client, {})
    assert "bowl" in (await engine.database("").show("SELECT name FROM item", LIMITS)).text
    assert await engine.database("").judge(total, "item", LIMITS, wall=60) == 3


@pytest.mark.parametrize(("role", "why"), [("WRITER", "has INSERT on"), ("BOSS", "SYSADMIN"), ("READER", "")])
def test_a_role_that_could_write_is_refused(account: Account, client: SnowflakeClient, role: str, why: str) -> None:
    account.role = role
    if not why:
        client.refuse_writer()
        return
    with pytest.raises(InputError, match=why):
        client.refuse_writer()


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM item",
        "SELECT 1; DELETE FROM item",
        "CREATE TABLE mine AS SELECT 1 AS a",
        "CALL p()",
        "EXECUTE IMMEDIATE 'DELETE FROM item'",
        "WITH p AS PROCEDURE () RETURNS INT LANGUAGE SQL AS 'BEGIN DELETE FROM item; END' CALL p()",
        "SELECT SYSTEM$CANCEL_ALL_QUERIES(1)",
        "SHOW TABLES ->> DELETE FROM item",
        "SELECT * FROM TABLE(information_schema.query_history())",
        "USE ROLE SYSADMIN",
        "COPY INTO @~/a FROM item",
    ],
)
def test_nothing_but_reading(client: SnowflakeClient, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        client.run(sql, LIMITS)
    assert caught.value.kind in ("write", "refused")
    assert client.run("SELECT count(*) FROM item", LIMITS).rows == [(3,)]


def test_limits_of_rows_bytes_and_time(account: Account, client: SnowflakeClient) -> None:
    assert client.run("SELECT id FROM item", Limits(rows=2, cut_rows=True)).truncated
    with pytest.raises(SqlError, match="more than 2 rows"):
        client.run("SELECT id FROM item", Limits(rows=2))
    with pytest.raises(SqlError, match="larger than") as caught:
        client.run("SELECT repeat(name, 100) FROM item", Limits(bytes=200))
    assert caught.value.kind == "bytes"
    with pytest.raises(SqlError) as caught:
        client.run("SELECT * FROM nothing", LIMITS)
    assert caught.value.kind == "sql"
    poor = opened(account, "&max_seconds=0")
    with pytest.raises(DatabaseFailure, match="whole run"):
        poor.run("SELECT 1", LIMITS)
    poor.close()


def test_a_run_on_a_schema_is_scored_or_refused(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SNOWFLAKE_PASSWORD", PASSWORD)
    Path("q.csv").write_text('question,sql\nHow many?,SELECT count(*) FROM item\nAll?,"SELECT name FROM item ORDER BY id"\n')
    url = f"snowflake://{OWNER}@local/SHOP/PUBLIC?host=127.0.0.1&port={account.port}&protocol=http"
    run = ["run", "sql", "q.csv", "--database-url", url, "--agent", "oracle", "-o", "out"]
    account.role = "READER"
    assert main(run) == 0
    assert "2/2 passed" in capfd.readouterr().err
    (directory,) = Path("out").glob("run-*")
    assert not any(PASSWORD in file.read_text() for file in directory.glob("*.json*"))
    account.role = "WRITER"
    assert main(run) == 2
    assert "has INSERT on" in capfd.readouterr().err
    account.role = "READER"


@pytest.mark.parametrize("url", ["snowflake://u@a/db", "snowflake://a/db/s", "snowflake://u@a/db/s?cost=1"])
def test_a_wrong_address_is_told(url: str) -> None:
    with pytest.raises(InputError, match="database-url"):
        SnowflakeClient(url)
