"""What an agent sees of its world, and that nothing of what it tries lasts."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from .conftest import OpenWorld, explore, fault, look

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_cells_are_the_text_that_postgresql_writes(world: PostgresEpisodeDatabase) -> None:
    table = await explore(world, "SELECT id, name, price, tags, more, made, price IS NULL AS free FROM items ORDER BY id")
    assert table.columns == ("id", "name", "price", "tags", "more", "made", "free")
    assert [tuple(row) for row in table.rows] == [
        ("1", "bowl", "12.50", "{blue,round}", '{"weight": 1.5}', "2024-02-29", "f"),
        ("2", "Schüssel 北京", "7.00", None, None, "infinity", "f"),
        ("3", "cup", None, "{}", "[1, null]", "0044-03-15 BC", "t"),
    ]
    assert not table.truncated


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("VALUES (1), (2)", [("1",), ("2",)]),
        ("(SELECT 1)", [("1",)]),
        ("-- a remark\n/* and /* one */ more */ TABLE cheap", [("2", "Schüssel 北京", "7.00", None, None, "infinity")]),
        ("WITH x AS (SELECT 5 AS n) SELECT n FROM x;", [("5",)]),
        ("SHOW server_encoding", [("UTF8",)]),
        ("SELECT FROM items", [(), (), ()]),
        ("SELECT 'ü', '😀', ''", [("ü", "😀", "")]),
        ("SELECT 1 AS a, 2 AS a", [("1", "2")]),
        ("SELECT 1; SELECT 2, 3;", [("2", "3")]),
        ("CREATE TEMP TABLE x AS SELECT 7 AS n; SELECT n FROM x", [("7",)]),
        ("BEGIN; SELECT 8", [("8",)]),
        ("PREPARE p AS SELECT 9; EXECUTE p", [("9",)]),
    ],
)
async def test_texts_that_read(world: PostgresEpisodeDatabase, sql: str, rows: list[tuple[str, ...]]) -> None:
    assert await look(world, sql) == rows


async def test_constraints_are_seen_as_by_an_owner(world: PostgresEpisodeDatabase) -> None:
    """The information schema shows keys only to owners, and agents look there for the ways to join."""
    query = """
        SELECT k.column_name, c.table_name, c.column_name FROM information_schema.table_constraints AS t
        JOIN information_schema.key_column_usage AS k USING (constraint_name)
        JOIN information_schema.constraint_column_usage AS c USING (constraint_name)
        WHERE t.constraint_type = 'FOREIGN KEY' AND t.table_name = 'sales'
    """
    assert await look(world, query) == [("item", "items", "id")]


@pytest.mark.parametrize(
    ("sql", "changed"),
    [
        ("DELETE FROM sales", 40),
        ("INSERT INTO sales VALUES (1, now(), 1), (2, now(), 1)", 2),
        ("UPDATE items SET price = 0 WHERE id < 3", 2),
        ("SELECT 1; CREATE TABLE extra (n int)", 0),
        ("DROP SCHEMA public CASCADE", 0),
        ("TRUNCATE items CASCADE", 0),
        ("DO $$ BEGIN DELETE FROM sales; END $$", 0),
        ("SELECT setval('tickets', 99); DELETE FROM sales", 40),
        ("SET search_path = pg_catalog", 0),
    ],
)
async def test_writes_work_and_do_not_last(world: PostgresEpisodeDatabase, sql: str, changed: int) -> None:
    table = await explore(world, sql)
    assert (table.columns, table.rows, table.changed) == ((), [], changed)
    assert await look(world, "SELECT count(*) FROM sales JOIN items ON id = item WHERE price IS DISTINCT FROM 0") == [("40",)]


async def test_a_text_sees_its_own_writes(world: PostgresEpisodeDatabase) -> None:
    for _ in range(3):
        assert await look(world, "DELETE FROM sales WHERE item = 1; SELECT count(*) FROM sales") == [("27",)]
        assert await look(world, "INSERT INTO items (name) VALUES ('new') RETURNING id, name") == [("4", "new")]
        assert await look(world, "SELECT add_item('newer')") == [("4",)]
        assert await look(world, "SELECT nextval('tickets')") == [("1",)]


async def test_a_sequence_is_as_before_also_after_an_error(world: PostgresEpisodeDatabase) -> None:
    assert (await fault(world, "INSERT INTO items (name) VALUES (NULL)"))[0] == "sql"
    assert await look(world, "INSERT INTO items (name) VALUES ('new') RETURNING id") == [("4",)]


@pytest.mark.parametrize(
    "hidden",
    [
        "WITH gone AS (DELETE FROM sales RETURNING *) SELECT count(*) FROM gone",
        "SELECT 1; DROP TABLE sales",
        "EXPLAIN ANALYZE DELETE FROM sales",
        "SELECT add_item('x') FROM sales",
        "SELECT * INTO copied FROM sales",
        "SELECT * FROM sales FOR UPDATE",
    ],
)
async def test_writes_that_look_like_reads(open_world: OpenWorld, hidden: str) -> None:
    first, second = open_world(), open_world()
    await explore(first, hidden)
    assert await look(first, "SELECT count(*) FROM sales") == await look(second, "SELECT count(*) FROM sales") == [("40",)]


@pytest.mark.parametrize(
    "escape",
    [
        "COMMIT; DROP TABLE sales",
        "DELETE FROM sales; COMMIT",
        "DELETE FROM sales; COMMIT; BEGIN; SELECT 1",
        "DELETE FROM sales; COMMIT AND CHAIN; SELECT 1",
        "DELETE FROM sales; END; SELECT 1 / 0",
        "ROLLBACK; DELETE FROM sales",
        "ABORT; BEGIN; DELETE FROM sales; COMMIT; SELECT 1",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE; COMMIT; DELETE FROM sales",
        "ALTER ROLE CURRENT_USER SET search_path = 'nowhere'; COMMIT",
        "SET ROLE NONE; ALTER ROLE CURRENT_USER SET search_path = 'nowhere'; COMMIT; DELETE FROM sales",
        "COMMIT; DELETE FROM sales; SELECT pg_sleep(9)",
    ],
)
async def test_what_is_committed_is_thrown_away(world: PostgresEpisodeDatabase, escape: str) -> None:
    with contextlib.suppress(SqlError):
        await explore(world, escape, seconds=0.3)
    assert await look(world, "SELECT count(*) FROM sales") == [("40",)]
    assert await look(world, "DELETE FROM sales RETURNING 1") == [("1",)] * 40
    assert await look(world, "SELECT 1; SHOW search_path") == [('"$user", public',)]


@pytest.mark.parametrize(
    "session",
    [
        "SET work_mem = '1MB'; SET search_path = pg_catalog",
        "SELECT set_config('search_path', 'pg_catalog', false), set_config('work_mem', '1MB', false)",
        "PREPARE left_over AS SELECT 1",
        "SELECT pg_advisory_lock(7)",
        "CREATE TEMP TABLE left_over (n int)",
        "LISTEN left_over",
        "DECLARE left_over CURSOR WITH HOLD FOR SELECT 1",
    ],
)
async def test_nothing_of_a_session_remains(world: PostgresEpisodeDatabase, session: str) -> None:
    leftovers = """
        SELECT current_setting('search_path'), current_setting('work_mem'), (SELECT count(*) FROM pg_prepared_statements),
        (SELECT count(*) FROM pg_cursors WHERE is_holdable), (SELECT count(*) FROM pg_listening_channels()),
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'), to_regclass('left_over')
    """
    for query in (leftovers, f"SELECT 1; {leftovers}"):
        before = await look(world, query)
        await explore(world, session)
        assert await look(world, query) == before


async def test_errors_say_what_and_where(world: PostgresEpisodeDatabase) -> None:
    assert await fault(world, "SELEC 1") == ("sql", 'syntax error at or near "SELEC" (line 1, column 1)')
    assert await fault(world, "SELECT 1,\n  pric FROM items") == (
        "sql",
        'column "pric" does not exist (line 2, column 3)\nHint: Perhaps you meant to reference the column "items.price".',
    )
    assert await fault(world, "INSERT INTO sales VALUES (99, now(), 1)") == (
        "sql",
        'insert or update on table "sales" violates foreign key constraint "sales_item_fkey"\n'
        'Detail: Key (item)=(99) is not present in table "items".',
    )
    assert (await fault(world, "SELECT '北京', nope"))[1] == 'column "nope" does not exist (line 1, column 14)'
    assert await fault(world, "SELECT * FROM items WHERE id = $1") == ("sql", "there is no parameter $1 (line 1, column 32)")


@pytest.mark.parametrize("blank", ["", "  \n", ";", "-- SELECT 1", "/* nothing */;;"])
async def test_a_text_without_a_statement(world: PostgresEpisodeDatabase, blank: str) -> None:
    assert await fault(world, blank) == ("blank", "There is no SQL statement in this text.")


@pytest.mark.parametrize("odd", ["SELECT '\0'", "SELECT '\ud800'", "/* \0 */ DELETE FROM sales"])
async def test_texts_that_cannot_be_sent(world: PostgresEpisodeDatabase, odd: str) -> None:
    assert (await fault(world, odd))[0] == "sql"


@pytest.mark.parametrize("outside", ["VACUUM", "CREATE DATABASE mine", "CREATE INDEX CONCURRENTLY i ON items (name)"])
async def test_what_cannot_be_rolled_back_is_not_done(world: PostgresEpisodeDatabase, outside: str) -> None:
    kind, message = await fault(world, outside)
    assert kind == "sql"
    assert "cannot run inside a transaction block" in message


async def test_names_of_ours_are_not_in_messages(world: PostgresEpisodeDatabase) -> None:
    for sql in (
        "SELECT 1; CREATE SCHEMA a; ALTER DATABASE shop SET work_mem = '1MB'",
        "SELECT * FROM pg_authid",
        "DROP ROLE postgres",
    ):
        _, message = await fault(world, sql)
        assert "ts_" not in message
        assert "touchstone" not in message


async def test_rows_past_the_limit_are_cut(world: PostgresEpisodeDatabase) -> None:
    for sql in ("SELECT generate_series(1, 1000000000)", "SELECT generate_series(1, 200)"):
        table = await explore(world, sql, rows=100, cut_rows=True)
        assert table.truncated
        assert [row[0] for row in table.rows] == [str(n) for n in range(1, 101)]
    assert await look(world, "SELECT 1") == [("1",)]


async def test_as_many_rows_as_allowed_are_not_cut(world: PostgresEpisodeDatabase) -> None:
    for count in (64, 128, 100):
        table = await explore(world, f"SELECT generate_series(1, {count})", rows=count, cut_rows=True)
        assert (len(table.rows), table.truncated) == (count, False)


async def test_a_cut_table_before_the_last_one_does_not_matter(world: PostgresEpisodeDatabase) -> None:
    table = await explore(world, "SELECT generate_series(1, 1000); SELECT 'last'", rows=10, cut_rows=True)
    assert ([tuple(row) for row in table.rows], table.truncated) == ([("last",)], False)


@pytest.mark.parametrize("start", ["", "SELECT 1; "])
async def test_results_that_are_too_large(world: PostgresEpisodeDatabase, start: str) -> None:
    assert await fault(world, f"{start}SELECT generate_series(1, 1000000000)", rows=1000) == (
        "rows",
        "The result has more than 1,000 rows.",
    )
    assert await fault(world, f"{start}SELECT repeat('x', 1000) FROM generate_series(1, 1000000)", bytes=2**20) == (
        "bytes",
        "The result is larger than 1 MB.",
    )
    assert (await fault(world, f"{start}SELECT repeat(repeat('x', 1000), 200000)", bytes=2**20, memory=2**24))[0] == "memory"
    assert await look(world, "SELECT 1") == [("1",)]


async def test_worlds_do_not_wait_for_one_another(open_world: OpenWorld) -> None:
    worlds = [open_world() for _ in range(8)]
    await asyncio.gather(*(look(world, "DELETE FROM sales") for world in worlds))
    started = time.monotonic()
    await asyncio.gather(
        *(look(world, f"{start}SELECT pg_sleep(2)") for world, start in zip(worlds, ["", "SELECT 1; "] * 4, strict=True))
    )
    assert time.monotonic() - started < 14  # one after another takes sixteen


async def test_many_worlds_at_once_see_only_what_they_do(open_world: OpenWorld) -> None:
    async def play(number: int) -> None:
        world = open_world()
        assert await look(world, "SELECT count(*) FROM items") == [("3",)]
        await world.advance([f"INSERT INTO items (name) VALUES ('of {number}')"], Limits(seconds=10))
        assert await look(world, "SELECT name FROM items WHERE id > 3") == [(f"of {number}",)]
        await explore(world, "DELETE FROM items WHERE id > 3")
        assert await look(world, "SELECT count(*) FROM items") == [("4",)]

    await asyncio.gather(*(play(number) for number in range(8)))


@pytest.mark.parametrize("start", ["", "CREATE TEMP TABLE t (x int); "])
async def test_a_value_of_a_gigabyte_is_an_error_of_the_agents(world: PostgresEpisodeDatabase, start: str) -> None:
    for sql in ("SELECT repeat('a', 1000000000)", "SELECT repeat('a', 1000000000), repeat('b', 1000000000)"):
        with pytest.raises(SqlError) as caught:
            await world.show(f"{start}{sql}", Limits(seconds=60))
        assert caught.value.kind == "memory"
    assert "(1 row)" in (await world.show("SELECT 1", Limits(seconds=60))).text


async def test_what_crosses_to_the_main_process_is_what_is_shown(
    engine: PostgresEngine, world: PostgresEpisodeDatabase
) -> None:
    for sql in ("SELECT repeat('a', 50000000)", "SELECT n, repeat('a', 20000) FROM generate_series(1, 9000) AS n"):
        before = engine.pool.received
        assert len((await world.show(sql, Limits(seconds=60, rows=10_000, cut_rows=True))).text) < 25_000
        assert engine.pool.received - before < 64_000
