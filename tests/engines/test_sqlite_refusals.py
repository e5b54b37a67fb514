"""What reaches outside the database or lifts a limit is refused in every disguise, on the original and on a private copy."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from touchstone.errors import SqlError

from .conftest import Connect

pytestmark = pytest.mark.asyncio(loop_scope="module")

both = pytest.mark.parametrize("private", [False, True], ids=["original", "private"])

STATEMENTS = [
    "ATTACH 'OUTSIDE' AS other",
    "ATTACH DATABASE 'OUTSIDE' AS other",
    "ATTACH ':memory:' AS other",
    "ATTACH '' AS other",
    "ATTACH 'file:OUTSIDE?mode=rwc' AS other",
    "ATTACH (SELECT 'OUTSIDE') AS other",
    "DETACH main",
    "DETACH DATABASE temp",
    "VACUUM",
    "VACUUM main INTO 'OUTSIDE'",
    "VACUUM INTO 'OUTSIDE'",
    "SELECT * FROM sqlite_stmt",
]
PRAGMAS = [
    "hard_heap_limit = 1000000",
    "hard_heap_limit",
    "soft_heap_limit = 1",
    "temp_store_directory = 'OUTSIDE'",
    "temp_store_directory",
    "data_store_directory = 'OUTSIDE'",
    "temp_store = FILE",
    "writable_schema = ON",
    "writable_schema = RESET",
    "trusted_schema = ON",
    "journal_mode = WAL",
    "journal_mode = OFF",
    "journal_size_limit = 1",
    "wal_checkpoint(TRUNCATE)",
    "wal_autocheckpoint = 1",
    "mmap_size = 1000000000",
    "database_list",
    "max_page_count = 1000000000",
    "cache_size = -100000000",
    "cache_spill = OFF",
    "threads = 8",
    "locking_mode = EXCLUSIVE",
    "synchronous = OFF",
    "secure_delete = ON",
    "schema_version = 5",
    "encoding = 'UTF-16'",
    "page_size = 512",
    "busy_timeout = 100000",
    "analysis_limit = 1",
    "shrink_memory",
    "optimize",
    "incremental_vacuum",
]
DISGUISES = [
    "{}",
    "{};",
    "SELECT 1; {}",
    "SELECT 1; {}; SELECT 2",
    "INSERT INTO log VALUES ('a;b'); {}",
    "/* harmless */ {} -- really",
    "-- ; \n\t{}",
    "\ufeff{}",
]


async def refuse(connect: Connect, sql: str, *, private: bool) -> SqlError:
    """Runs it where it must be refused. A session that may write gets as far as its private copy."""
    session = connect(writable=private)
    if private:
        await session.run("CREATE TABLE makes_it_private (x)")
    with pytest.raises(SqlError) as caught:
        await session.run(sql)
    assert (await session.run("SELECT count(*) FROM people")).rows == [(4,)]
    return caught.value


def outside(tmp_path: Path, sql: str) -> str:
    return sql.replace("OUTSIDE", str(tmp_path / "outside" / "file"))


@pytest.fixture(autouse=True)
def _nothing_appears_outside(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "outside").mkdir()
    yield
    assert list((tmp_path / "outside").iterdir()) == []


@both
@pytest.mark.parametrize("sql", STATEMENTS)
async def test_statements_that_reach_outside(connect: Connect, tmp_path: Path, sql: str, private: bool) -> None:
    error = await refuse(connect, outside(tmp_path, sql), private=private)
    assert error.kind == "refused"
    assert "cannot be" in error.message


@both
@pytest.mark.parametrize("pragma", PRAGMAS)
async def test_pragmas_that_reach_outside_or_lift_limits(connect: Connect, tmp_path: Path, pragma: str, private: bool) -> None:
    error = await refuse(connect, outside(tmp_path, f"PRAGMA {pragma}"), private=private)
    assert error.kind == "refused"
    assert f"PRAGMA {pragma.replace('(', ' ').split()[0]} cannot be used here" in error.message


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH 'OUTSIDE' AS other",
        "VACUUM INTO 'OUTSIDE'",
        "PRAGMA database_list",
        "PRAGMA writable_schema = 1",
        "SELECT load_extension('x')",
    ],
)
async def test_disguised_in_a_script(connect: Connect, tmp_path: Path, disguise: str, sql: str) -> None:
    script = disguise.format(outside(tmp_path, sql))
    assert (await refuse(connect, script, private=True)).kind == "refused"
    if "INSERT" not in script:
        assert (await refuse(connect, script, private=False)).kind == "refused"


@both
@pytest.mark.parametrize(
    "sql",
    [
        "aTtAcH\n\t'OUTSIDE'/**/As/**/other",
        "attach/* ; */database/* ' */'OUTSIDE' as [main2]",
        "vacuum\ninto\n'OUTSIDE'",
        "pragma/**/hard_heap_limit/**/=/**/1",
        "PRAGMA HARD_HEAP_LIMIT(1)",
        'PRAGMA "hard_heap_limit" = 1',
        "PRAGMA [writable_schema] = 1",
        "PRAGMA `writable_schema` = 1",
        "PRAGMA 'writable_schema' = 1",
        "PRAGMA main.writable_schema = 1",
        "PRAGMA temp.writable_schema(1)",
        "PRAGMA main . journal_mode = wal",
        'PRAGMA "main"."mmap_size" = 1',
        "EXPLAIN PRAGMA writable_schema = 1",
        "EXPLAIN QUERY PLAN ATTACH 'OUTSIDE' AS x",
        "SELECT LOAD_EXTENSION('x')",
        "SELECT \"load_extension\"('x')",
        "SELECT [load_extension] ('x', 'y')",
        "SELECT `Load_Extension`/**/('x')",
    ],
)
async def test_odd_spellings(connect: Connect, tmp_path: Path, sql: str, private: bool) -> None:
    assert (await refuse(connect, outside(tmp_path, sql), private=private)).kind == "refused"


@both
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM pragma_database_list",
        "SELECT file FROM main.pragma_database_list",
        "SELECT (SELECT file FROM pragma_database_list)",
        "WITH x AS (SELECT * FROM pragma_database_list) SELECT * FROM x",
        "SELECT * FROM people JOIN PRAGMA_DATABASE_LIST",
        "SELECT * FROM pragma_hard_heap_limit",
        "SELECT * FROM pragma_table_info('people') WHERE (SELECT file FROM pragma_database_list) LIKE '%'",
        "SELECT count(*) FROM sqlite_stmt",
        "SELECT (SELECT group_concat(sql) FROM main.SQLITE_STMT)",
    ],
)
async def test_table_valued_forms(connect: Connect, sql: str, private: bool) -> None:
    assert (await refuse(connect, sql, private=private)).kind == "refused"


@both
@pytest.mark.parametrize("call", ["load_extension('x')", "fts3_tokenizer('simple')", "fts3_tokenizer('simple', x'00')"])
@pytest.mark.parametrize(
    "form",
    [
        "SELECT {}",
        "SELECT 1 WHERE {}",
        "SELECT (SELECT {})",
        "WITH x(y) AS (SELECT {}) SELECT y FROM x",
        "SELECT * FROM people ORDER BY {}",
        "SELECT count(*) FROM people GROUP BY {}",
        "SELECT name FROM people UNION ALL SELECT {}",
        "VALUES ({})",
    ],
)
async def test_functions_that_reach_outside(connect: Connect, form: str, call: str, private: bool) -> None:
    error = await refuse(connect, form.format(call), private=private)
    assert error.kind == "refused"
    assert f"The function {call.partition('(')[0]}()" in error.message


@pytest.mark.parametrize(
    "script",
    [
        "CREATE VIRTUAL TABLE v USING dbstat(main)",
        "CREATE VIRTUAL TABLE temp.v USING csv(filename='x')",
        "CREATE VIRTUAL TABLE IF NOT EXISTS v USING sqlite_stmt",
        "CREATE VIRTUAL TABLE v USING fts3tokenize",
        "CREATE VIRTUAL TABLE v USING \"zipfile\"('x')",
        "CREATE VIEW v AS SELECT load_extension('x') AS y; SELECT y FROM v",
        "CREATE TEMP VIEW v AS SELECT load_extension('x') AS y; SELECT y FROM v",
        "CREATE TRIGGER t AFTER INSERT ON log BEGIN SELECT load_extension('x'); END; INSERT INTO log VALUES (1)",
        "CREATE TEMP TRIGGER t AFTER INSERT ON log BEGIN SELECT load_extension('x'); END; INSERT INTO log VALUES (1)",
        "CREATE TABLE t (x, y DEFAULT (load_extension('x'))); INSERT INTO t (x) VALUES (1)",
        "CREATE TABLE t (x CHECK (load_extension(x))); INSERT INTO t VALUES ('x')",
        "CREATE TABLE t (x, y AS (load_extension(x))); INSERT INTO t VALUES ('x'); SELECT y FROM t",
        "CREATE INDEX i ON people (load_extension(name))",
        "CREATE TABLE t AS SELECT load_extension('x')",
        "UPDATE people SET name = load_extension('x')",
        "DELETE FROM people WHERE load_extension('x')",
        "INSERT INTO log VALUES ('x') RETURNING load_extension('x')",
        "INSERT INTO people (id) VALUES (1) ON CONFLICT DO UPDATE SET name = load_extension('x')",
        "CREATE VIEW v AS SELECT * FROM pragma_database_list; SELECT file FROM v",
        "CREATE TRIGGER t AFTER INSERT ON log BEGIN INSERT INTO log SELECT file FROM pragma_database_list; END;"
        "INSERT INTO log VALUES (1); SELECT * FROM log",
        "CREATE VIRTUAL TABLE f USING fts4(x, compress=load_extension, uncompress=load_extension); INSERT INTO f VALUES ('x')",
        "INSERT INTO sqlite_master VALUES ('table', 'x', 'x', 2, 'CREATE TABLE x (y)')",
        "UPDATE sqlite_master SET sql = 'CREATE TABLE people (x)'",
        "DELETE FROM sqlite_schema",
    ],
)
async def test_hidden_in_a_schema_of_ones_own(connect: Connect, script: str) -> None:
    error = await refuse(connect, script, private=True)
    assert error.kind in ("refused", "sql")
    assert error.message != "not authorized"


@both
@pytest.mark.parametrize(
    "call",
    ["writefile('OUTSIDE', 'x')", "readfile('/etc/passwd')", "edit('x')", "lsmode(1)", "zipfile('a', 'b')", "shell('true')"],
)
async def test_functions_of_the_command_line_do_not_work(connect: Connect, tmp_path: Path, call: str, private: bool) -> None:
    error = await refuse(connect, outside(tmp_path, f"SELECT {call}"), private=private)
    assert error.kind in ("refused", "sql")
    assert call.partition("(")[0] in error.message


async def test_no_message_tells_where_the_database_lies(connect: Connect, database: Path) -> None:
    for sql in ("PRAGMA database_list", "SELECT * FROM nowhere", "VACUUM", "DELETE FROM people"):
        with pytest.raises(SqlError) as caught:
            await connect(writable=False).run(sql)
        assert os.fspath(database.parent) not in str(caught.value)
