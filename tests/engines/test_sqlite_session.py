"""A session reads the original until it writes, and then has its own copy."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import SqlError
from touchstone.protocols import Limits
from touchstone.types import Table

from .conftest import Connect, create

pytestmark = pytest.mark.asyncio(loop_scope="module")

FEATURES: list[tuple[str, list[Any]]] = [
    ("SELECT 1, 2.5, 'a', x'00ff', NULL", [(1, 2.5, "a", b"\x00\xff", None)]),
    ("SELECT 9223372036854775807, -9223372036854775808, 9e999, -0.0", [(2**63 - 1, -(2**63), float("inf"), -0.0)]),
    ("SELECT count(*) FROM people", [(4,)]),
    ("SELECT name FROM people ORDER BY id LIMIT 2", [("Ada",), ("Édouard",)]),
    ("SELECT name FROM adults ORDER BY id", [("Ada",), ("Édouard",), ("Grace",)]),
    ("WITH old AS (SELECT * FROM people WHERE age > 50) SELECT count(*) FROM old", [(2,)]),
    ("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 4) SELECT sum(x) FROM n", [(10,)]),
    ("SELECT name, rank() OVER (ORDER BY age DESC) FROM people WHERE id < 3", [("Édouard", 1), ("Ada", 2)]),
    ("SELECT value FROM json_each('[1, \"a\"]')", [(1,), ("a",)]),
    ("SELECT json_extract('{\"a\": [1, 2]}', '$.a[1]')", [(2,)]),
    ("SELECT name FROM pragma_table_info('people') WHERE pk", [("id",)]),
    ("PRAGMA table_info(log)", [(0, "text", "TEXT", 0, None, 0)]),
    ("PRAGMA index_list('people')", [(0, "people_by_city", 0, "c", 0)]),
    ("SELECT name FROM sqlite_master WHERE type = 'view'", [("adults",)]),
    ("SELECT 1; SELECT 2; SELECT 3", [(3,)]),
    ("SELECT 1;;; -- the end\n", [(1,)]),
    ("/* first */ SELECT 1 -- last", [(1,)]),
    ("-- a; b\nSELECT /* c; d */ 'e; f'", [("e; f",)]),
    ("SELECT 'it''s; -- no comment', \"name\" FROM people WHERE id = 1;", [("it's; -- no comment", "Ada")]),
    ("\ufeffSELECT 1", [(1,)]),
    ("VALUES (1, 'a'), (2, 'b')", [(1, "a"), (2, "b")]),
]


@pytest.mark.parametrize(("sql", "rows"), FEATURES)
@pytest.mark.parametrize("private", [False, True], ids=["original", "private"])
async def test_reading(connect: Connect, sql: str, rows: list[Any], private: bool) -> None:
    session = connect(writable=private)
    if private:
        await session.run("CREATE TABLE makes_it_private (x)")
    assert (await session.run(sql)).rows == rows


async def test_column_names_are_those_of_the_query(connect: Connect) -> None:
    table = await connect().run('SELECT id, name AS "the name", age + 1, id FROM people WHERE 0')
    assert table == Table(("id", "the name", "age + 1", "id"), [])


@pytest.mark.parametrize(
    ("script", "rows"),
    [
        ("INSERT INTO log VALUES ('a'), ('b'); SELECT count(*) FROM log", [(2,)]),
        ("INSERT INTO log VALUES ('a') RETURNING rowid, text", [(1, "a")]),
        ("UPDATE people SET age = age + 1 WHERE id = 1 RETURNING age", [(37,)]),
        ("DELETE FROM people; SELECT count(*) FROM people", [(0,)]),
        ("REPLACE INTO people VALUES (1, 'X', 1, 'Y'); SELECT name FROM people WHERE id = 1", [("X",)]),
        ("WITH n(x) AS (VALUES ('q')) INSERT INTO log SELECT x FROM n; SELECT * FROM log", [("q",)]),
        ("CREATE TABLE t (a, b); ALTER TABLE t RENAME COLUMN b TO c; ALTER TABLE t ADD d; SELECT c, d FROM t", []),
        ("DROP TABLE people; SELECT name FROM sqlite_master WHERE name = 'people'", []),
        ("CREATE TEMP TABLE t AS SELECT 1 AS x; SELECT x FROM temp.t", [(1,)]),
        ("CREATE TEMP VIEW v AS SELECT 7; SELECT * FROM v", [(7,)]),
        ("CREATE UNIQUE INDEX i ON people (name); REINDEX i; ANALYZE; SELECT count(*) > 0 FROM sqlite_stat1", [(1,)]),
        (
            "CREATE TRIGGER t AFTER INSERT ON people BEGIN INSERT INTO log VALUES (new.name); INSERT INTO log VALUES ('end;');"
            "END; INSERT INTO people (name) VALUES ('New'); SELECT * FROM log",
            [("New",), ("end;",)],
        ),
        (
            "CREATE VIRTUAL TABLE f USING fts5(x); INSERT INTO f VALUES ('a fox'); SELECT x FROM f WHERE f MATCH 'fox'",
            [("a fox",)],
        ),
        ("BEGIN; DELETE FROM people; ROLLBACK; SELECT count(*) FROM people", [(4,)]),
        ("SAVEPOINT s; DELETE FROM people; ROLLBACK TO s; RELEASE s; SELECT count(*) FROM people", [(4,)]),
        ("PRAGMA user_version = 7; PRAGMA user_version", [(7,)]),
        ("PRAGMA foreign_keys = ON; PRAGMA foreign_keys", [(1,)]),
        (
            "INSERT INTO log SELECT hex(randomblob(1000)) FROM people, people, people, people; SELECT count(*) FROM log",
            [(256,)],
        ),
    ],
)
async def test_writing_into_a_private_copy(connect: Connect, script: str, rows: list[Any]) -> None:
    assert (await connect().run(script)).rows == rows
    assert (await connect().run("SELECT (SELECT count(*) FROM people), (SELECT count(*) FROM log)")).rows == [(4, 0)]


@pytest.mark.parametrize(
    ("sql", "changed"),
    [("INSERT INTO log VALUES (1), (2)", 2), ("UPDATE people SET age = 1 WHERE id < 3", 2), ("CREATE TABLE t (x)", 0)],
)
async def test_a_statement_without_a_table_says_how_many_rows_it_changed(connect: Connect, sql: str, changed: int) -> None:
    assert await connect().run(sql) == Table((), [], changed=changed)


async def test_sessions_do_not_see_each_other(connect: Connect) -> None:
    first, second, reader = connect(), connect(), connect(writable=False)
    await first.run("INSERT INTO log VALUES ('first'); CREATE TEMP TABLE hidden (x)")
    await second.run("INSERT INTO log VALUES ('second'); DELETE FROM people")
    assert (await first.run("SELECT text, (SELECT count(*) FROM people) FROM log")).rows == [("first", 4)]
    assert (await second.run("SELECT text FROM log")).rows == [("second",)]
    assert (await reader.run("SELECT count(*) FROM log")).rows == [(0,)]
    with pytest.raises(SqlError, match="no such table: hidden"):
        await second.run("SELECT * FROM hidden")


async def test_settings_of_one_session_do_not_reach_another(connect: Connect) -> None:
    strict, other, fresh = connect(), connect(), connect(writable=False)
    await other.run("CREATE TABLE makes_it_private (x)")
    await strict.run("PRAGMA case_sensitive_like = ON")
    assert (await strict.run("SELECT 'A' LIKE 'a'")).rows == [(0,)]
    assert (await other.run("SELECT 'A' LIKE 'a'")).rows == [(1,)]
    assert (await fresh.run("SELECT 'A' LIKE 'a'")).rows == [(1,)]
    await strict.close()
    later = [connect() for _ in range(4)]
    answers = [(await session.run("CREATE TABLE x (y); SELECT 'A' LIKE 'a'")).rows for session in later]
    assert answers == [[(1,)]] * 4


async def test_the_next_session_in_a_worker_finds_the_original(connect: Connect) -> None:
    for _ in range(6):
        session = connect()
        await session.run("BEGIN; INSERT INTO log VALUES ('left open'); CREATE TEMP TABLE t (x)")
        with pytest.raises(SqlError):
            await session.run("SELECT nonsense")
        await session.close()
        assert (await connect().run("CREATE TABLE x (y); SELECT count(*) FROM log")).rows == [(0,)]


async def test_a_transaction_may_span_calls(connect: Connect) -> None:
    session = connect()
    await session.run("BEGIN")
    await session.run("DELETE FROM people")
    assert (await session.run("SELECT count(*) FROM people")).rows == [(0,)]
    await session.run("ROLLBACK")
    assert (await session.run("SELECT count(*) FROM people")).rows == [(4,)]


async def test_a_failing_statement_ends_its_script_and_keeps_what_was_done(connect: Connect) -> None:
    session = connect()
    with pytest.raises(SqlError, match="no such table: nowhere") as caught:
        await session.run("INSERT INTO log VALUES ('before'); SELECT * FROM nowhere; INSERT INTO log VALUES ('after')")
    assert caught.value.kind == "sql"
    assert (await session.run("SELECT text FROM log")).rows == [("before",)]


async def test_calls_at_once_on_one_session_take_turns(connect: Connect) -> None:
    session = connect()
    await asyncio.wait_for(asyncio.gather(*(session.run(f"INSERT INTO log VALUES ({n})") for n in range(10))), 20)
    answers = await asyncio.wait_for(asyncio.gather(*(session.run("SELECT count(*) FROM log") for _ in range(10))), 20)
    assert [answer.rows for answer in answers] == [[(10,)]] * 10


async def test_many_sessions_at_once(connect: Connect) -> None:
    async def play(number: int) -> list[Any]:
        session = connect()
        await session.run(f"INSERT INTO log VALUES ({number})")
        return (await session.run("SELECT text FROM log")).rows

    assert await asyncio.gather(*map(play, range(20))) == [[(str(number),)] for number in range(20)]


async def test_a_closed_session_can_be_closed_again_and_forgets_its_copy(connect: Connect) -> None:
    session = connect()
    await session.run("DELETE FROM people")
    await session.close()
    await session.close()
    assert (await session.run("SELECT count(*) FROM people")).rows == [(4,)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO log VALUES (1)",
        "UPDATE people SET age = 0",
        "DELETE FROM people",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t (x)",
        "DROP TABLE people",
        "BEGIN",
        "SAVEPOINT s",
        "ANALYZE",
        "REINDEX",
        "PRAGMA case_sensitive_like = ON",
        "PRAGMA user_version = 3",
        "WITH n(x) AS (SELECT 1) INSERT INTO log SELECT x FROM n",
        "SELECT 1; DELETE FROM people",
        "EXPLAIN DELETE FROM people",
    ],
)
async def test_a_read_only_session_says_that_it_cannot_write(connect: Connect, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        await connect(writable=False).run(sql)
    assert caught.value.kind == "write"
    assert "read-only" in caught.value.message


@pytest.mark.parametrize("sql", ["", " \n\t", ";", " ; ;; ", "-- only a comment", "/* only a comment */;", "/* open", "\ufeff"])
async def test_no_statement_at_all(connect: Connect, sql: str) -> None:
    with pytest.raises(SqlError) as caught:
        await connect().run(sql)
    assert caught.value.kind == "blank"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT * FROM nowhere", "no such table: nowhere"),
        ("SELEC 1", 'near "SELEC": syntax error'),
        ("SELECT height FROM people", "no such column: height"),
        ("SELECT 'open", "unrecognized token"),
        ("INSERT INTO people (id) VALUES (1)", "UNIQUE constraint failed: people.id"),
        ("SELECT ?", "binding"),
        ("SELECT " + "(" * 100_000 + "1" + ")" * 100_000, "overflow|too large|too deep"),
        ("SELECT " + "1+" * 100_000 + "1", "too large"),
        ("SELECT 1\x00; SELECT 2", "null character"),
        ("CREATE TRIGGER \x00;", "null character"),
        ("SELECT '\ud800'", "surrogate"),
        ("CREATE TRIGGER \udfff ;", "surrogate"),
    ],
)
@pytest.mark.parametrize("private", [False, True], ids=["original", "private"])
async def test_broken_sql_is_told_in_words(connect: Connect, sql: str, message: str, private: bool) -> None:
    session = connect()
    if private:
        await session.run("CREATE TABLE makes_it_private (x)")
    with pytest.raises(SqlError, match=message) as caught:
        await session.run(sql)
    assert caught.value.kind == "sql"
    assert (await session.run("SELECT 1")).rows == [(1,)]


async def test_text_that_is_not_utf_8_is_shown_with_its_odd_bytes_escaped(connect: Connect, tmp_path: Path) -> None:
    path = create(tmp_path / "broken.sqlite", "CREATE TABLE t (x TEXT); INSERT INTO t VALUES (CAST(x'41ff42' AS TEXT)), ('ü')")
    assert (await connect(path).run("SELECT x FROM t")).rows == [("A\\xffB",), ("ü",)]
    assert (await connect(path).run("SELECT 'ü'")).rows == [("ü",)]


async def test_a_write_that_returns_broken_text_happens_once(connect: Connect) -> None:
    session = connect()
    sql = "UPDATE people SET age = age + 1 WHERE id = 1 RETURNING age, CAST(x'ff' AS TEXT)"
    assert (await session.run(sql)).rows == [(37, "\\xff")]
    assert (await session.run(sql)).rows == [(38, "\\xff")]
    assert (await session.run("SELECT age FROM people WHERE id = 1")).rows == [(38,)]


async def test_virtual_tables_in_the_original_can_be_read(connect: Connect, tmp_path: Path) -> None:
    path = create(
        tmp_path / "virtual.sqlite",
        """
        CREATE VIRTUAL TABLE words USING fts5(text); INSERT INTO words VALUES ('the quick fox');
        CREATE VIRTUAL TABLE old_words USING fts4(text); INSERT INTO old_words VALUES ('the slow fox');
        CREATE VIRTUAL TABLE boxes USING rtree(id, low, high); INSERT INTO boxes VALUES (1, 0, 2);
        """,
    )
    session = connect(path, writable=False)
    assert (await session.run("SELECT text FROM words WHERE words MATCH 'fox'")).rows == [("the quick fox",)]
    assert (await session.run("SELECT text FROM old_words WHERE text MATCH 'slow'")).rows == [("the slow fox",)]
    assert (await session.run("SELECT id FROM boxes WHERE low < 1 AND high > 1")).rows == [(1,)]


async def test_the_statements_of_others_cannot_be_read(connect: Connect) -> None:
    await asyncio.gather(*(connect(writable=False).run("SELECT 'the reference'") for _ in range(4)))
    for session in (connect(writable=False), connect()):
        with pytest.raises(SqlError) as caught:
            await session.run("SELECT sql FROM sqlite_stmt")
        assert caught.value.kind == "refused"


@pytest.fixture
def strangers() -> Iterator[list[sqlite3.Connection]]:
    connections: list[sqlite3.Connection] = []
    yield connections
    for connection in connections:
        connection.close()


@pytest.mark.parametrize("mode", ["exclusive", "shared"])
async def test_locks_of_other_programs_do_not_matter(
    connect: Connect, database: Path, strangers: list[sqlite3.Connection], mode: str
) -> None:
    strangers.append(sqlite3.connect(database, isolation_level=None))
    strangers[0].execute("BEGIN EXCLUSIVE" if mode == "exclusive" else "BEGIN")
    strangers[0].execute("SELECT * FROM people").fetchone()
    assert (await connect().run("SELECT count(*) FROM people")).rows == [(4,)]
    assert (await connect().run("DELETE FROM people; SELECT count(*) FROM people")).rows == [(0,)]
    strangers[0].execute("ROLLBACK")


async def test_a_large_original_is_copied_and_changed(engine: SqliteEngine, tmp_path: Path) -> None:
    path = create(
        tmp_path / "large.sqlite",
        "CREATE TABLE t (x, y); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
        "INSERT INTO t SELECT i, printf('%.1000c', 'x') FROM n",
    )
    with closing(sqlite3.connect(path)) as connection:
        before = connection.execute("SELECT sum(x) FROM t").fetchone()
    session = engine.session(path, writable=True, limits=Limits())
    table = await session.run("UPDATE t SET x = -x, y = y || 'y'; SELECT sum(x), min(length(y)) FROM t")
    assert table.rows == [(-before[0], 1001)]
    assert (await session.run("PRAGMA integrity_check")).rows == [("ok",)]
    await session.close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT sum(x) FROM t").fetchone() == before
