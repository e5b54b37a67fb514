"""Dumps in a private server: what is loaded, what an agent can do, and that nothing of it lasts."""

from __future__ import annotations

import os
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from touchstone.engines.judging_connection import JudgingConnection
from touchstone.engines.mysql.statements import dump as statements_of
from touchstone.engines.mysql.statements import is_blank, only_reads, split
from touchstone.errors import SqlError
from touchstone.protocols import Engine, EpisodeDatabase, Limits

pytestmark = pytest.mark.asyncio(loop_scope="session")

LIMITS = Limits(seconds=20)
STATE = "SELECT (SELECT group_concat(concat(id, name) ORDER BY id) FROM item), count(*) FROM information_schema.tables"


def rows(bench: JudgingConnection, sql: str) -> str:
    return repr(bench.run(sql).rows)


async def look(database: EpisodeDatabase, sql: str, **limits: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in (await database.explore(sql, Limits(**{"seconds": 20.0, **limits}))).rows]


async def fault(database: EpisodeDatabase, sql: str, **limits: Any) -> str:
    with pytest.raises(SqlError) as caught:
        await look(database, sql, **limits)
    return caught.value.kind


async def test_a_dump_is_there_with_its_views_functions_and_types(database: EpisodeDatabase) -> None:
    assert await look(database, "SELECT name FROM item WHERE id < 3 ORDER BY id") == [("bowl; 'blue'",), ("Schüssel 北京",)]
    assert await look(database, "SELECT id, twice(id) FROM cheap") == [(2, 4)]
    found = await database.judge(rows, "SELECT price, made, photo FROM item WHERE id = 1", LIMITS, wall=60)
    assert eval(found, {"Decimal": Decimal, "datetime": __import__("datetime")}) == [
        (Decimal("12.50"), date(2024, 2, 29), b"\0'x")
    ]


async def test_the_engine_names_its_server_and_its_contents(engine: Engine) -> None:
    assert engine.versions["MariaDB"]
    assert (await engine.digests(["shop"]))["shop"]


async def test_what_writes_has_a_copy_that_is_gone_afterwards(database: EpisodeDatabase) -> None:
    before = await look(database, STATE)
    assert await look(database, "INSERT INTO item (id, name) VALUES (9, 'x'); SELECT count(*) FROM item") == [(4,)]
    assert await look(database, "CREATE TEMPORARY TABLE mine AS SELECT 1 AS a; SELECT a FROM mine") == [(1,)]
    assert await look(database, "SELECT sly()") == [(1,)]
    assert await look(database, STATE) == before


async def test_a_state_is_moved_on_and_stays_for_this_episode_alone(engine: Engine) -> None:
    one, other = engine.database("shop"), engine.database("shop")
    try:
        await one.advance(["DELETE FROM item WHERE id = 1"], LIMITS)
        assert await look(one, "SELECT count(*) FROM item") == [(2,)]
        assert await look(one, "DELETE FROM item; SELECT count(*) FROM item") == [(0,)]
        assert await one.judge(rows, "SELECT count(*) FROM item", LIMITS, wall=60) == "[(2,)]"
        assert await look(other, "SELECT count(*) FROM item") == [(3,)]
        with pytest.raises(SqlError):
            await one.advance(["DELETE FROM nothing"], LIMITS)
        assert await look(one, "SELECT count(*) FROM item") == [(2,)]
    finally:
        await one.close()


HOSTILE = {
    "LOAD DATA INFILE '/etc/passwd' INTO TABLE item": {"refused"},
    "LOAD DATA LOCAL INFILE '/etc/passwd' INTO TABLE item": {"refused", "sql"},
    "SELECT 1 INTO OUTFILE '/tmp/touchstone-outfile'": {"refused"},
    "SELECT 1 INTO DUMPFILE '/tmp/touchstone-outfile'": {"refused"},
    "SELECT * FROM mysql.user": {"refused"},
    "SELECT * FROM mysql.global_priv": {"refused"},
    "SELECT * FROM information_schema.processlist": {"refused"},
    "SELECT * FROM information_schema . `PROCESSLIST`": {"refused"},
    "SHOW PROCESSLIST": {"refused"},
    "SET GLOBAL max_connections = 1": {"refused"},
    "SET GLOBAL general_log = 1": {"refused"},
    "GRANT ALL ON *.* TO CURRENT_USER": {"refused", "sql"},
    "CREATE USER mine": {"refused"},
    "CREATE DATABASE mine": {"refused"},
    "DROP DATABASE shop": {"refused"},
    "FLUSH TABLES": {"refused"},
    "SHUTDOWN": {"refused"},
    "KILL 1": {"refused", "sql"},
    "INSTALL SONAME 'x'": {"refused"},
    "CREATE FUNCTION f RETURNS STRING SONAME 'x.so'": {"refused", "sql"},
    "USE mysql": {"refused"},
    "USE shop": {"refused"},  # from a copy
    "PREPARE s FROM 'SELECT * FROM mysql.user'; EXECUTE s": {"refused"},
    "EXECUTE IMMEDIATE 'SELECT * FROM mysql.user'": {"refused"},
    "/*!50000 DROP DATABASE shop */": {"refused"},
    "CHANGE MASTER TO MASTER_HOST = '127.0.0.1'": {"refused"},
    "SELECT SLEEP(60)": {"time"},
    "SELECT BENCHMARK(100000000000, SHA2('a', 512))": {"time"},
    "SET max_statement_time = 0; SELECT SLEEP(60)": {"time"},
    "SET STATEMENT max_statement_time = 0 FOR SELECT SLEEP(60)": {"time"},
    "SET max_recursive_iterations = 4294967295; WITH RECURSIVE x AS (SELECT 1 n UNION ALL SELECT n + 1 FROM x) "
    "SELECT count(*) FROM x": {"time", "memory"},
    "": {"blank"},
    "SELECT": {"sql"},
}


@pytest.mark.parametrize("sql", HOSTILE)
async def test_hostile_sql_gets_nowhere(database: EpisodeDatabase, sql: str) -> None:
    before = await look(database, STATE)
    assert await fault(database, sql, seconds=1.0) in HOSTILE[sql]
    assert await look(database, STATE) == before
    assert not os.path.exists("/tmp/touchstone-outfile")  # noqa: ASYNC240, PTH110


async def test_files_are_out_of_reach(database: EpisodeDatabase) -> None:
    assert await look(database, "SELECT LOAD_FILE('/etc/passwd')") == [(None,)]
    await look(database, "CREATE TABLE mine (a int) DATA DIRECTORY = '/tmp'")
    assert not [name for name in os.listdir("/tmp") if name.startswith("copy_")]  # noqa: PTH208


async def test_an_agent_sees_neither_copies_nor_who_judges(database: EpisodeDatabase) -> None:
    names = await look(database, "SHOW DATABASES")
    assert {name for (name,) in names} == {"information_schema", "shop"}


async def test_limits_of_rows_and_bytes(database: EpisodeDatabase) -> None:
    many = "SELECT a.id FROM item a, item b, item c, item d, item e, item f, item g, item h, item i"
    assert await fault(database, many, rows=100) == "rows"
    assert len(await look(database, many, rows=100, cut_rows=True)) == 100
    assert await fault(database, f"SELECT repeat('a', 1000000) FROM ({many}) AS x", bytes=2**22) == "bytes"
    assert await look(database, "SELECT 1") == [(1,)]


async def test_several_statements_that_read(database: EpisodeDatabase) -> None:
    assert await look(database, "SELECT 1; -- and\nSELECT ';';") == [(";",)]


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("SELECT 1", True),
        ("-- a\n(SELECT 1)", True),
        ("--\nDELETE FROM item", False),
        ("# a\nWITH x AS (SELECT 1) SELECT * FROM x", True),
        ("/*! DELETE FROM item */", False),
        ("/* a */ /*!50000 DELETE FROM item */", False),
        ("SHOW TABLES", True),
        ("SHOW GRANTS", False),
        ("SHOW CREATE USER", False),
        ("SELECT get_lock('a', 1)", False),
        ("CALL p()", False),
    ],
)
async def test_what_counts_as_reading(sql: str, reads: bool) -> None:
    assert only_reads(sql) is reads


async def test_statements_are_told_apart(dump: Path) -> None:
    text = 'SELECT \';\' /* ; */; DELETE -- ;\n FROM `a;b` # ;\n;\nDELIMITER //\nBEGIN a; b; END//\ndelimiter ;\nSELECT "x\\";"'
    parts = [part for part in split(text) if not is_blank(part)]
    assert parts[0] == "SELECT ';' /* ; */"
    assert parts[2:] == ["BEGIN a; b; END", 'SELECT "x\\";"']
    assert len(parts) == 4
    loaded = list(statements_of(dump))
    assert not any(b"DEFINER=" in each or each.startswith((b"USE", b"CREATE DATABASE")) for each in loaded)
    assert sum(b"FUNCTION" in each for each in loaded) == 2
