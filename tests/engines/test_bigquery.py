"""BigQuery with the official client on bqemulator: it is only read, within limits of rows, bytes and cost."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.bigquery_account import BigqueryAccount
from tests.support.ports import port_to_come_back_to
from touchstone.cli import main
from touchstone.engines.bigquery import BigqueryClient
from touchstone.engines.cloud import CloudEngine
from touchstone.engines.judging_connection import JudgingConnection
from touchstone.errors import DatabaseFailure, InputError, SqlError
from touchstone.protocols import Limits

LIMITS = Limits(seconds=20)
PYTHON = "BIGQUERY_EMULATOR_PYTHON"


def total(bench: JudgingConnection, table: str) -> int:
    return bench.run(f"SELECT count(*) FROM {table}").rows[0][0]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of one with a dataset."""
    pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is not installed; `make test-clouds` installs it")
    if PYTHON not in os.environ:
        pytest.skip(f"{PYTHON} does not say where bqemulator is installed; `make test-clouds` does")
    port, home = port_to_come_back_to(), tmp_path_factory.mktemp("emulator")
    script = Path(__file__).parents[1] / "benchmarks" / "desktop" / "clouds" / "bigquery_emulator.py"
    address = f"http://127.0.0.1:{port}"
    with (
        pytest.MonkeyPatch.context() as patch,
        subprocess.Popen(
            [os.environ[PYTHON], str(script), str(port)],
            env={**os.environ, "HOME": str(home)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process,
    ):
        patch.setenv("BIGQUERY_EMULATOR_HOST", address)
        try:
            _wait_for(f"{address}/bigquery/v2/projects/p/datasets", process)
            client = BigqueryClient("bigquery://p/shop")
            client._client.create_dataset("shop")
            client._client.query("CREATE TABLE shop.item (id INT64, name STRING)").result()
            client._client.query("INSERT INTO shop.item VALUES (1, 'bowl'), (2, 'cup'), (3, 'jug')").result()
            client.close()
            yield address
        finally:
            process.terminate()


@pytest.fixture
def client(emulator: str) -> Iterator[BigqueryClient]:
    client = BigqueryClient("bigquery://p/shop")
    yield client
    client.close()


@pytest.fixture
def account(emulator: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[BigqueryAccount]:
    """The same with rights and costs."""
    with BigqueryAccount(emulator) as account:
        monkeypatch.setenv("BIGQUERY_EMULATOR_HOST", account.url)
        yield account


def _wait_for(address: str, process: subprocess.Popen[Any]) -> None:
    for _ in range(600):
        assert process.poll() is None
        try:
            if httpx.get(address).status_code == 200:
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.1)
    pytest.fail("the emulator does not answer")


async def test_a_dataset_is_read(client: BigqueryClient) -> None:
    database = CloudEngine("bigquery", client, {}).database("shop")
    assert "bowl" in (await database.show("SELECT name FROM item", LIMITS)).text
    assert await database.judge(total, "item", LIMITS, wall=60) == 3
    assert (await CloudEngine("bigquery", client, {}).digests(["shop"]))["shop"]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM item WHERE true",
        "SELECT 1; DELETE FROM item WHERE true",
        "CREATE TABLE shop.mine AS SELECT 1 AS a",
        "DECLARE x INT64; SELECT x",
        "EXPORT DATA OPTIONS (uri = 'gs://a/*') AS SELECT 1",
        "CALL shop.p()",
        "-- SELECT\nDROP TABLE item",
        "BEGIN DELETE FROM item WHERE true; END",
    ],
)
def test_nothing_but_reading(client: BigqueryClient, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        client.run(sql, LIMITS)
    assert caught.value.kind == "write"
    assert client.run("SELECT count(*) FROM item", LIMITS).rows == [(3,)]


def test_limits_of_rows_and_bytes(client: BigqueryClient) -> None:
    assert client.run("SELECT id FROM item", Limits(rows=2, cut_rows=True)).truncated
    with pytest.raises(SqlError, match="more than 2 rows"):
        client.run("SELECT id FROM item", Limits(rows=2))
    with pytest.raises(SqlError, match="larger than"):
        client.run("SELECT repeat(name, 100) FROM item", Limits(bytes=200))
    with pytest.raises(SqlError, match="nothing"):
        client.run("SELECT * FROM nothing", LIMITS)


def test_credentials_that_could_write_are_refused(account: BigqueryAccount) -> None:
    client = BigqueryClient("bigquery://p/shop")
    client.refuse_writer()
    account.rights.add("bigquery.tables.updateData")
    with pytest.raises(InputError, match=r"have bigquery\.tables\.updateData: .* can only read it"):
        client.refuse_writer()
    assert {"bigquery.tables.updateData", "bigquery.tables.delete"} <= set(account.asked_for_rights[0])
    client.close()


def test_an_emulator_without_rights_is_not_asked_twice(client: BigqueryClient) -> None:
    client.refuse_writer()


def test_what_costs_too_much_is_refused_before_it_runs(account: BigqueryAccount) -> None:
    client = BigqueryClient("bigquery://p/shop?maximum_bytes_billed=10000000&total_bytes_billed=25000000")
    account.estimate = account.billed = 10_000_001
    with pytest.raises(SqlError, match=r"would read 0\.0 GB") as caught:
        client.run("SELECT name FROM item", LIMITS)
    assert (caught.value.kind, account.ran) == ("bytes", [])
    account.estimate = account.billed = 10_000_000
    for _ in range(2):
        assert len(client.run("SELECT name FROM item", LIMITS).rows) == 3
    with pytest.raises(DatabaseFailure, match="whole run"):  # 5 MB are left of 25
        client.run("SELECT name FROM item", LIMITS)
    assert len(account.ran) == 2
    client.close()


def test_a_query_that_reads_more_than_was_said_is_ended_by_the_service(account: BigqueryAccount) -> None:
    client = BigqueryClient("bigquery://p/shop?maximum_bytes_billed=10000000")
    account.billed = 20_000_000
    with pytest.raises(SqlError, match="exceeded limit for bytes billed: 10000000") as caught:
        client.run("SELECT name FROM item", LIMITS)
    assert caught.value.kind == "bytes"
    client.close()


def test_a_run_on_a_dataset_is_scored_or_refused(
    account: BigqueryAccount, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_text('question,sql\nHow many?,SELECT count(*) FROM item\nAll?,"SELECT name FROM item ORDER BY id"\n')
    run = ["run", "sql", "q.csv", "--database-url", "bigquery://p/shop", "--agent", "oracle", "-o", "out"]
    assert main(run) == 0
    assert "2/2 passed" in capfd.readouterr().err
    account.rights.add("bigquery.tables.delete")
    assert main(run) == 2
    assert "these credentials have bigquery.tables.delete" in capfd.readouterr().err


@pytest.mark.parametrize(
    "url", ["bigquery://p", "bigquery://p/a/b", "bigquery://p/a?cost=1", "bigquery://p/a?maximum_bytes_billed=much"]
)
def test_a_wrong_address_is_told(url: str) -> None:
    pytest.importorskip("google.cloud.bigquery", reason="BigQuery's client is not installed")
    with pytest.raises(InputError, match="database-url"):
        BigqueryClient(url)
