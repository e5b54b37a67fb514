"""Both ways to make a private copy behave the same: mapped from the file, and copied where that is not possible."""

from __future__ import annotations

import gc
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.engines.sqlite import clone as clones
from touchstone.engines.sqlite import clone as libraries
from touchstone.engines.sqlite.connection import SqliteConnection
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from .conftest import create, snapshot

LIMITS = Limits(seconds=10)
MB = 2**20

Opener = Callable[[Path], SqliteConnection]


def no_library() -> None:
    """As on a Python whose SQLite cannot be reached."""


@pytest.fixture(params=["mapped", "copied"])
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    reset = libraries.library()
    if request.param == "copied":
        monkeypatch.setattr(clones, "library", no_library)
        monkeypatch.setattr(libraries, "library", no_library)
    yield request.param
    assert list((tmp_path / "temporary").iterdir()) == []
    if reset is not None:
        reset.sqlite3_hard_heap_limit64(0)


@pytest.fixture
def private(way: str) -> Iterator[Opener]:
    connections: list[SqliteConnection] = []

    def open_private(path: Path) -> SqliteConnection:
        connections.append(SqliteConnection(path, private=True))
        return connections[-1]

    yield open_private
    for connection in connections:
        connection.close()


def rows(connection: SqliteConnection, sql: str) -> list[Any]:
    return connection.run(sql, LIMITS).rows


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ("SELECT name FROM people ORDER BY id", [("Ada",), ("Édouard",), ("Grace",), ("李",)]),
        ("INSERT INTO log VALUES ('x'); SELECT * FROM log", [("x",)]),
        ("DROP TABLE people; CREATE TABLE people (x); SELECT count(*) FROM people", [(0,)]),
        ("BEGIN; DELETE FROM people; ROLLBACK; SELECT count(*) FROM people", [(4,)]),
        ("CREATE TEMP TABLE t AS SELECT * FROM people; SELECT count(*) FROM t", [(4,)]),
        ("INSERT INTO log SELECT zeroblob(1000000) FROM people; SELECT count(*), sum(length(text)) FROM log", [(4, 4_000_000)]),
        ("UPDATE people SET age = -age; PRAGMA integrity_check", [("ok",)]),
        ("PRAGMA user_version = 5; PRAGMA user_version", [(5,)]),
    ],
)
def test_reading_and_writing(private: Opener, database: Path, script: str, answer: list[Any]) -> None:
    assert rows(private(database), script) == answer


def test_copies_are_independent(private: Opener, database: Path) -> None:
    first, second = private(database), private(database)
    rows(first, "DELETE FROM people WHERE id > 1")
    rows(second, "INSERT INTO people (name) VALUES ('New')")
    assert rows(first, "SELECT count(*) FROM people") == [(1,)]
    assert rows(second, "SELECT count(*) FROM people") == [(5,)]


@pytest.mark.parametrize(
    "sql",
    ["ATTACH ':memory:' AS x", "VACUUM", "PRAGMA journal_mode = WAL", "PRAGMA max_page_count = 9", "PRAGMA database_list"],
)
def test_the_same_is_refused(private: Opener, database: Path, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        rows(private(database), sql)
    assert caught.value.kind == "refused"


def test_a_wal_mode_original(private: Opener, tmp_path: Path) -> None:
    path = create(tmp_path / "wal" / "a.sqlite")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = snapshot(path.parent)
    copy = private(path)
    assert rows(copy, "INSERT INTO log VALUES ('x'); SELECT count(*) FROM log, people") == [(4,)]
    assert rows(copy, "BEGIN; DELETE FROM people; ROLLBACK; PRAGMA integrity_check") == [("ok",)]
    assert snapshot(path.parent) == before


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
def test_any_page_size(private: Opener, tmp_path: Path, page_size: int) -> None:
    path = create(
        tmp_path / "pages" / "a.sqlite", f"PRAGMA page_size = {page_size}; CREATE TABLE t (x); INSERT INTO t VALUES (1)"
    )
    copy = private(path)
    assert rows(copy, "INSERT INTO t SELECT hex(randomblob(100000)) FROM t; PRAGMA integrity_check") == [("ok",)]
    assert rows(copy, "PRAGMA page_size") == [(page_size,)]


def test_growth_is_bounded_and_what_was_there_before_stays(
    private: Opener, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clones, "HEADROOM", 2 * MB)
    copy = private(database)
    rows(copy, "INSERT INTO log VALUES ('before')")
    with pytest.raises(SqlError, match="largest size") as caught:
        rows(copy, "INSERT INTO log SELECT zeroblob(1000000) FROM people")
    assert caught.value.kind == "bytes"
    assert rows(copy, "SELECT text FROM log") == [("before",)]
    assert rows(copy, "INSERT INTO log VALUES ('after'); PRAGMA integrity_check") == [("ok",)]


def test_memory_and_time_are_limited(private: Opener, database: Path) -> None:
    copy = private(database)
    with pytest.raises(SqlError, match="more than 16 MB of memory"):
        copy.run("SELECT count(DISTINCT randomblob(1000000)) FROM people a, people b, people c", Limits(memory=16 * MB))
    with pytest.raises(SqlError, match="limit of 14,000,000 steps"):
        copy.run(
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT count(*) FROM n",
            Limits(seconds=0.2, memory=16 * MB),
        )
    assert rows(copy, "SELECT count(*) FROM people") == [(4,)]


def test_closing_with_open_transactions_and_after_errors_is_safe(way: str, database: Path) -> None:
    for _ in range(50):
        connection = SqliteConnection(database, private=True)
        rows(connection, "BEGIN; INSERT INTO log SELECT zeroblob(100000) FROM people")
        with pytest.raises(SqlError):
            rows(connection, "SELECT nonsense")
        with pytest.raises(SqlError):
            connection.run("SELECT a.text FROM log a, log b", Limits(rows=2))
        connection.close()
    gc.collect()


def test_a_file_too_large_to_be_mapped_is_copied(private: Opener, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clones, "HEADROOM", 2**62)
    assert rows(private(database), "DELETE FROM people WHERE id = 1; SELECT count(*) FROM people") == [(3,)]
