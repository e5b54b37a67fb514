"""What only a connection itself offers: single statements, and the time that one takes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.engines.sqlite.clone import library
from touchstone.engines.sqlite.connection import SqliteConnection
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from .conftest import create

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"


@pytest.fixture
def connection(database: Path) -> Iterator[SqliteConnection]:
    connection = SqliteConnection(database, private=False)
    yield connection
    connection.close()
    if handle := library():
        handle.sqlite3_hard_heap_limit64(0)


@pytest.mark.parametrize("sql", ["SELECT 1; SELECT 2", "SELECT 1;; -- and\nSELECT 2;"])
def test_where_one_statement_is_expected_two_are_an_error(connection: SqliteConnection, sql: str) -> None:
    with pytest.raises(SqlError, match="There are 2 statements; exactly one is expected") as caught:
        connection.run(sql, Limits(), single=True)
    assert caught.value.kind == "multiple"


@pytest.mark.parametrize("sql", ["SELECT 1", "SELECT 1;", ";SELECT ';';", "/* ; */ SELECT 1; -- ;"])
def test_semicolons_that_separate_nothing_do_not_count(connection: SqliteConnection, sql: str) -> None:
    assert len(connection.run(sql, Limits(), single=True).rows) == 1


def test_a_longer_query_takes_more_time(connection: SqliteConnection) -> None:
    short = connection.time("SELECT 1", Limits())
    long = connection.time(f"{ENDLESS} SELECT x FROM n LIMIT 200000", Limits())
    assert 0 < short < long


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        (f"{ENDLESS} SELECT count(*) FROM n", "time"),
        (f"{ENDLESS} SELECT x FROM n", "time"),
        ("SELECT length(zeroblob(90000000))", "bytes"),
        ("SELECT count(DISTINCT randomblob(1000000)) FROM people a, people b, people c", "memory"),
        ("DELETE FROM people", "write"),
        ("ATTACH ':memory:' AS x", "refused"),
        ("SELECT 1\x00", "sql"),
        ("SELECT nonsense", "sql"),
    ],
)
def test_timing_is_limited_and_guarded_too(connection: SqliteConnection, sql: str, kind: str) -> None:
    with pytest.raises(SqlError) as caught:
        connection.time(sql, Limits(seconds=0.2, memory=2**24))
    assert caught.value.kind == kind
    assert connection.time("SELECT 1", Limits()) > 0
    with pytest.raises(SqlError, match="no such table"):
        connection.time("SELECT * FROM nowhere", Limits())


def test_text_that_is_not_utf_8_can_be_timed(tmp_path: Path) -> None:
    path = create(tmp_path / "broken.sqlite", "CREATE TABLE t (x TEXT); INSERT INTO t VALUES (CAST(x'41ff42' AS TEXT))")
    connection = SqliteConnection(path, private=False)
    assert connection.time("SELECT x FROM t", Limits()) > 0
    connection.close()
