"""DuckDB files: originals stay as they are, private copies go away, nothing outside is reached, limits hold."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from touchstone.engines.judging_connection import JudgingConnection
from touchstone.errors import SqlError, Unscorable
from touchstone.protocols import Limits

from .conftest import snapshot

duckdb = pytest.importorskip("duckdb")

from touchstone.engines.duckdb.engine import DuckdbEngine  # noqa: E402

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=5, memory=256 * 2**20)


def count(bench: JudgingConnection, table: str) -> int:
    """A benchmark's function, beside the data."""
    return bench.run(f"SELECT count(*) FROM {table}").rows[0][0]


def grow(bench: JudgingConnection, table: str) -> int:
    bench.run(f"INSERT INTO {table} SELECT * FROM {table}")
    return count(bench, table)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("duck")
    with duckdb.connect(folder / "shop.duckdb") as connection:
        connection.execute("CREATE TABLE item AS SELECT range id, 'item ' || range AS name, range * 1.5 AS price FROM range(5)")
        connection.execute("CREATE VIEW cheap AS SELECT * FROM item WHERE price < 2")
    (folder / "secret.csv").write_text("word\nxyzzy\n")
    (folder / "notes.duckdb").write_text("no database at all")
    return folder


@pytest.fixture(autouse=True)
def _unchanged(folder: Path) -> Iterator[None]:
    before = snapshot(folder)
    yield
    assert snapshot(folder) == before


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(folder: Path) -> AsyncIterator[DuckdbEngine]:
    engine = DuckdbEngine(folder)
    yield engine
    await engine.close()


async def test_a_query_is_shown_and_read(engine: DuckdbEngine) -> None:
    world = engine.database("shop")
    assert (await world.explore("SELECT id, price FROM item ORDER BY id LIMIT 2", LIMITS)).rows == [(0, "0.0"), (1, "1.5")]
    assert "item 3" in (await world.show("SELECT name FROM item", LIMITS)).text
    assert "(2 rows)" in (await world.show("FROM cheap", LIMITS)).text


async def test_what_exploring_writes_is_gone_with_the_call(engine: DuckdbEngine) -> None:
    world = engine.database("shop")
    table = await world.explore("DELETE FROM item WHERE id > 0; SELECT count(*) FROM item", LIMITS)
    assert table.rows == [(1,)]
    assert (await world.explore("SELECT count(*) FROM item", LIMITS)).rows == [(5,)]


async def test_temporary_tables_do_not_reach_the_next_call(engine: DuckdbEngine) -> None:
    world = engine.database("shop")
    await world.show("CREATE TEMP TABLE mine AS SELECT 1", LIMITS)
    with pytest.raises(SqlError, match="mine"):
        await world.show("SELECT * FROM mine", LIMITS)


async def test_a_state_that_was_moved_on_is_what_is_judged(engine: DuckdbEngine) -> None:
    world = engine.database("shop")
    await world.advance(["INSERT INTO item VALUES (9, 'new', 1)", "DELETE FROM item WHERE id = 0"], LIMITS)
    with pytest.raises(SqlError):
        await world.advance(["DELETE FROM item", "SELECT * FROM nowhere"], LIMITS)
    assert await world.judge(count, "item", LIMITS, wall=10) == 5
    assert await world.judge(grow, "item", LIMITS, writes=True, wall=10) == 10
    assert await world.judge(count, "item", LIMITS, wall=10) == 5
    await world.close()


async def test_a_judgement_that_may_not_write_does_not(engine: DuckdbEngine) -> None:
    with pytest.raises(SqlError) as caught:
        await engine.database("shop").judge(grow, "item", LIMITS, wall=10)
    assert caught.value.kind == "write"


REACHING = [
    "SELECT * FROM 'FOLDER/secret.csv'",
    "SELECT * FROM read_csv('FOLDER/secret.csv')",
    "SELECT * FROM read_text('FOLDER/secret.csv')",
    "SELECT * FROM read_blob('FOLDER/*')",
    "SELECT * FROM glob('FOLDER/*')",
    "SELECT * FROM sniff_csv('FOLDER/secret.csv')",
    "COPY item FROM 'FOLDER/secret.csv'",
    "COPY item TO 'FOLDER/out.csv'",
    "COPY (SELECT 1) TO 'FOLDER/out.parquet' (FORMAT parquet)",
    "EXPORT DATABASE 'FOLDER/out'",
    "IMPORT DATABASE 'FOLDER'",
    "ATTACH 'FOLDER/other.duckdb' AS other",
    "ATTACH 'FOLDER/secret.csv' AS other (TYPE sqlite)",
    "INSTALL httpfs",
    "LOAD 'FOLDER/evil.duckdb_extension'",
    "SELECT * FROM read_csv('http://127.0.0.1:9/x.csv')",
    "CREATE PERSISTENT SECRET s (TYPE http)",
    "SET enable_external_access = true",
    "SET GLOBAL memory_limit = '100GB'",
    "SET threads = 64",
    "SET temp_directory = 'FOLDER'",
    "SET python_enable_replacements = true",
    "RESET lock_configuration",
    "SET allowed_directories = ['/']",
    "PRAGMA enable_profiling",
    "SET profiling_output = 'FOLDER/out.json'",
    "CALL enable_logging(storage_path = 'FOLDER')",
    "SELECT getenv('HOME')",
    "SELECT * FROM sys",
    "SELECT * FROM pool",
]


@pytest.mark.parametrize("before", ["", "CREATE TABLE own (a INT); "], ids=["original", "private"])
@pytest.mark.parametrize("sql", REACHING)
async def test_nothing_outside_is_reached(engine: DuckdbEngine, folder: Path, sql: str, before: str) -> None:
    with pytest.raises(SqlError) as caught:
        await engine.database("shop").show(before + sql.replace("FOLDER", str(folder)), LIMITS)
    assert caught.value.kind in ("refused", "sql")
    assert "xyzzy" not in caught.value.message
    assert "cannot open the database" not in caught.value.message


TOO_MUCH = {
    "SELECT sum(a.range * b.range) FROM range(10000000) a, range(1000000) b": "cpu",
    "WITH RECURSIVE r AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM r) SELECT count(*) FROM r": "cpu",
    "SELECT repeat('x', 2000000000)": "memory",
    "SELECT list(range) FROM range(100000000)": "memory",
    "SELECT * FROM range(2000)": "rows",
    "SELECT repeat('x', 20000) FROM range(900)": "bytes",
}


@pytest.mark.parametrize(("sql", "kind"), TOO_MUCH.items())
async def test_limits_end_a_statement_and_not_the_engine(engine: DuckdbEngine, sql: str, kind: str) -> None:
    world = engine.database("shop")
    with pytest.raises(SqlError) as caught:
        await world.show(sql, Limits(seconds=0.5, memory=128 * 2**20, rows=1000, bytes=4 * 2**20))
    assert caught.value.kind == kind
    assert (await world.explore("SELECT count(*) FROM item", LIMITS)).rows == [(5,)]


async def test_rows_are_cut_where_that_is_asked(engine: DuckdbEngine) -> None:
    table = await engine.database("shop").explore("FROM range(100000000000)", Limits(seconds=5, rows=10, cut_rows=True))
    assert len(table.rows) == 10
    assert table.truncated


async def test_values_that_json_lacks_are_carried_as_text(engine: DuckdbEngine) -> None:
    sql = (
        "SELECT 1::HUGEINT * 1000000000000000000000000, DATE '2020-01-02', [1, 2], {'a': 1}, INTERVAL 1 DAY, "
        "TIMESTAMPTZ '2020-01-01 00:00:00+02'"
    )
    row = (await engine.database("shop").explore(sql, LIMITS)).rows[0]
    assert row == (
        str(10**24), "2020-01-02", "[1, 2]", "{'a': 1}", "1 day, 0:00:00", "2019-12-31 22:00:00+00:00"
    )  # fmt: skip


async def test_what_is_no_database_cannot_be_scored(engine: DuckdbEngine) -> None:
    with pytest.raises(Unscorable, match="not a DuckDB database"):
        engine.database("notes")
    with pytest.raises(Unscorable, match="missing"):
        engine.database("nowhere")
    with pytest.raises(Unscorable, match="not a name"):
        engine.database("../duck/shop")
    digests = await engine.digests(["shop", "nowhere"])
    assert digests["shop"]
    assert digests["nowhere"] is None
