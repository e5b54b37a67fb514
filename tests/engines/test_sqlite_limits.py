"""Runaway SQL ends near its limit with the right word for it, and nobody else has to wait."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.workers.functions import number as process_number
from tests.workers.functions import peak_memory
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import SqlError, WorkerFailure
from touchstone.types import STEPS_PER_SECOND, Limits
from touchstone.workers.pool import Pool

from .conftest import Connect, create

pytestmark = pytest.mark.asyncio(loop_scope="module")

MB = 2**20
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
MANY = "people a, people b, people c, people d, people e, people f, people g, people h"
CROWD = f"{MANY}, people i, people j, people k, people l, people m, people n, people o, people p"
HAYSTACK = "replace(hex(zeroblob(2000000)), '0', 'a')"
NEEDLE = "replace(hex(zeroblob(20000)), '0', 'a') || 'b'"
UNSTOPPABLE = [f"SELECT {HAYSTACK} LIKE '%' || {NEEDLE}", f"SELECT instr({HAYSTACK}, substr({HAYSTACK}, 1, 1000000) || 'b')"]


async def fault(connect: Connect, sql: str, **limits: Any) -> SqlError:
    """How it ends; the session must be usable afterwards."""
    session = connect(**limits)
    with pytest.raises(SqlError) as caught:
        await session.run(sql)
    assert (await session.run("SELECT count(*) FROM people")).rows == [(4,)]
    return caught.value


@pytest.mark.parametrize(
    "sql",
    [
        f"{ENDLESS} SELECT count(*) FROM n",
        f"{ENDLESS} SELECT x FROM n",
        f"SELECT count(*) FROM {CROWD}",
        f"SELECT * FROM {CROWD} WHERE a.id + p.id = 0",
        f"CREATE TABLE t (x); INSERT INTO t {ENDLESS} SELECT 0 FROM n WHERE x < 0",
        f"CREATE TRIGGER t AFTER INSERT ON log BEGIN SELECT count(*) FROM {CROWD}; END; INSERT INTO log VALUES (1)",
        f"CREATE VIEW v AS SELECT count(*) FROM {CROWD}; SELECT * FROM v",
        "SELECT 1;" * 110_000,
        "INSERT INTO log SELECT a.id FROM people a, people b, people c, people d, people e, people f;" * 5_000,
    ],
)
async def test_time(connect: Connect, sql: str) -> None:
    error = await fault(connect, sql, seconds=0.1, rows=10**9, bytes=10**9)
    assert (error.kind, error.message) == ("time", "The query was stopped at its limit of 7,000,000 steps (0.1 seconds).")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(zeroblob(900000000))",
        "SELECT zeroblob(9000000)",
        "SELECT length(hex(zeroblob(6000000)))",
        "SELECT length(quote(zeroblob(6000000)))",
        "SELECT length(replace(hex(zeroblob(10000)), '0', hex(zeroblob(1000))))",
        f"SELECT length(group_concat(hex(zeroblob(1000)))) FROM {MANY}",
        f"SELECT length(json_group_array(hex(zeroblob(1000)))) FROM {MANY}",
        "WITH RECURSIVE n(x) AS (SELECT 'x' UNION ALL SELECT x || x FROM n) SELECT max(length(x)) FROM n",
        "UPDATE people SET name = hex(zeroblob(6000000))",
    ],
)
async def test_a_value_that_is_too_long(connect: Connect, sql: str) -> None:
    error = await fault(connect, sql, bytes=8 * MB)
    assert (error.kind, error.message) == ("bytes", "A value is longer than 8 MB.")


async def test_no_value_is_longer_than_64_megabytes(connect: Connect) -> None:
    error = await fault(connect, "SELECT length(zeroblob(68000000))", bytes=256 * MB)
    assert (error.kind, error.message) == ("bytes", "A value is longer than 64 MB.")


@pytest.mark.parametrize(
    "sql",
    [f"SELECT hex(zeroblob(5000)) FROM {MANY}", f"{ENDLESS} SELECT zeroblob(1000000) FROM n", f"{ENDLESS} SELECT x FROM n"],
)
async def test_a_result_that_is_too_large(connect: Connect, sql: str) -> None:
    error = await fault(connect, sql, bytes=2 * MB, rows=10**9)
    assert (error.kind, error.message) == ("bytes", "The result is larger than 2 MB.")


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE n(x) AS (SELECT randomblob(100000) UNION SELECT randomblob(100000) FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT randomblob(999) UNION ALL SELECT randomblob(999) FROM n, people) SELECT max(x) FROM n",
        f"SELECT length(x) FROM (SELECT randomblob(10000) AS x FROM {MANY}) ORDER BY x",
        f"SELECT count(DISTINCT randomblob(10000)) FROM {MANY}",
        f"SELECT count(*) FROM {MANY} GROUP BY randomblob(10000)",
        f"CREATE TEMP TABLE t AS SELECT randomblob(10000) FROM {MANY}",
        f"CREATE TEMP TABLE t (x); {f'INSERT INTO t SELECT randomblob(10000) FROM {MANY};' * 20}",
        "".join(f"CREATE TEMP TABLE t{n} AS SELECT zeroblob(1000000) FROM people;" for n in range(100)),
        f"{ENDLESS} SELECT CASE WHEN x > 3000 THEN zeroblob(30000000) END FROM n",
        f"{ENDLESS} SELECT CASE WHEN x > 3000 THEN hex(zeroblob(15000000)) END FROM n",
    ],
)
async def test_memory(connect: Connect, sql: str) -> None:
    error = await fault(connect, sql, memory=32 * MB, bytes=64 * MB, rows=10**9)
    assert (error.kind, error.message) == ("memory", "The query needs more than 32 MB of memory.")


async def test_large_values_do_not_take_more_memory_than_the_limits_say(database: Path) -> None:
    pool = Pool(warm=1, preload=["touchstone.engines.sqlite.worker"])
    engine = SqliteEngine(pool=pool)
    session = engine.session(database, writable=False, limits=Limits(seconds=10, memory=64 * MB, bytes=64 * MB))
    for size in (60_000_000, 100_000):
        with pytest.raises(SqlError) as caught:
            await session.run(f"{ENDLESS} SELECT CASE WHEN x > 3000 THEN zeroblob({size}) END FROM n")
        assert caught.value.kind in ("memory", "bytes")
    peak = await pool.call(peak_memory, None, wall=10)
    await engine.close()
    assert peak < 400 * MB


async def test_a_private_copy_that_grows_for_ever(connect: Connect) -> None:
    session = connect()
    await session.run("INSERT INTO log VALUES ('before')")
    with pytest.raises(SqlError) as caught:
        await session.run(f"INSERT INTO log {ENDLESS} SELECT zeroblob(10000000) FROM n")
    assert (caught.value.kind, caught.value.message) == (
        "bytes",
        "The private copy of the database has reached its largest size.",
    )
    assert (await session.run("SELECT text FROM log")).rows == [("before",)]
    assert (await session.run("PRAGMA integrity_check")).rows == [("ok",)]


async def test_what_a_worker_has_cached_of_other_databases_is_not_a_statements_memory(database: Path, tmp_path: Path) -> None:
    other = create(
        tmp_path / "other.sqlite", "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(8000000)), (zeroblob(7000000));"
    )
    engine = SqliteEngine(workers=1)
    reader = engine.session(other, writable=False, limits=Limits())
    assert (await reader.run("SELECT sum(length(hex(x))) FROM t")).rows == [(30_000_000,)]
    session = engine.session(database, writable=False, limits=Limits(memory=8 * MB))
    sql = f"SELECT count(*) FROM (SELECT DISTINCT randomblob(1000) FROM {MANY} LIMIT %d)"
    assert (await session.run(sql % 1000)).rows == [(1000,)]
    with pytest.raises(SqlError, match="more than 8 MB of memory"):
        await session.run(sql % 50_000)
    await engine.close()


async def test_memory_limits_of_sessions_that_share_a_worker_do_not_mix(database: Path) -> None:
    engine = SqliteEngine(workers=1)
    sql = f"SELECT count(*) FROM (SELECT DISTINCT randomblob(1000) FROM {MANY} LIMIT 15000)"
    small, large = (engine.session(database, writable=False, limits=Limits(memory=size * MB)) for size in (8, 512))
    for _ in range(2):
        assert (await large.run(sql)).rows == [(15000,)]
        with pytest.raises(SqlError, match="more than 8 MB of memory"):
            await small.run(sql)
    await engine.close()


async def test_rows_past_the_limit_are_an_error(connect: Connect) -> None:
    error = await fault(connect, f"{ENDLESS} SELECT x FROM n", rows=1500)
    assert (error.kind, error.message) == ("rows", "The result has more than 1,500 rows.")


@pytest.mark.parametrize("rows", [1, 4, 999, 1000, 1001, 5000])
async def test_rows_past_the_limit_can_be_cut(connect: Connect, rows: int) -> None:
    table = await connect(rows=rows, cut_rows=True).run(f"{ENDLESS} SELECT x FROM n")
    assert table.truncated
    assert table.rows == [(number,) for number in range(1, rows + 1)]


@pytest.mark.parametrize("cut_rows", [False, True])
async def test_exactly_as_many_rows_as_allowed_are_not_too_many(connect: Connect, cut_rows: bool) -> None:
    table = await connect(rows=4, cut_rows=cut_rows).run("SELECT id FROM people ORDER BY id")
    assert (len(table.rows), table.truncated) == (4, False)


async def test_a_cut_does_not_wait_for_rows_that_nobody_gets(connect: Connect) -> None:
    slow = f"{ENDLESS} SELECT CASE WHEN x > 5 THEN (SELECT count(*) + x FROM {CROWD}) END FROM n"
    table = await connect(rows=2, cut_rows=True, seconds=1).run(slow)
    assert (table.rows, table.truncated) == ([(None,), (None,)], True)


async def test_a_script_that_is_too_long_is_refused(connect: Connect) -> None:
    error = await fault(connect, f"SELECT '{'x' * 1_000_000}'")
    assert (error.kind, error.message) == ("refused", "The SQL is 1,000,009 characters long; at most 1,000,000 are taken.")
    assert (await connect().run(f"SELECT length('{'x' * 900_000}')")).rows == [(900_000,)]


@pytest.mark.parametrize(
    "sql", [";" * 300_000, "CREATE TRIGGER t BEGIN " + "SELECT 1;" * 100_000, "SELECT [" * 100_000, "--\n;" * 200_000]
)
async def test_odd_long_scripts_are_read_quickly(connect: Connect, sql: str) -> None:
    assert (await fault(connect, sql)).kind in ("sql", "blank")


async def test_what_was_written_before_a_limit_is_kept(connect: Connect) -> None:
    session = connect(seconds=0.2, memory=32 * MB, rows=10)
    await session.run("INSERT INTO log VALUES ('kept')")
    for sql in (
        f"{ENDLESS} SELECT count(*) FROM n",
        f"SELECT count(DISTINCT randomblob(10000)) FROM {MANY}",
        f"{ENDLESS} SELECT x FROM n",
    ):
        with pytest.raises(SqlError):
            await session.run(sql)
        assert (await session.run("SELECT text FROM log")).rows == [("kept",)]


async def test_others_are_served_while_more_statements_run_away_than_there_are_workers(connect: Connect) -> None:
    count = f"SELECT count(*) FROM {CROWD}"
    runaways = [asyncio.create_task(connect(seconds=60).run(sql)) for sql in (count, count, f"INSERT INTO log {count}")]
    await asyncio.sleep(0.2)
    reader, writer = connect(), connect()
    for number in range(3):
        assert (await reader.run(f"SELECT {number}")).rows == [(number,)]
        assert (await writer.run(f"INSERT INTO log VALUES ({number}); SELECT max(text) FROM log")).rows == [(str(number),)]
    for runaway in runaways:
        assert runaway.cancel()  # it is still at work
    ends = await asyncio.gather(*runaways, return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 3


async def test_what_sqlite_cannot_stop_is_stopped_with_its_process(connect: Connect) -> None:
    shared, private, other = connect(seconds=0.1), connect(seconds=0.1), connect()
    await private.run("INSERT INTO log VALUES ('will be lost')")
    runaways = [asyncio.create_task(session.run(sql)) for session, sql in zip((shared, private), UNSTOPPABLE, strict=True)]
    assert (await other.run("SELECT 1")).rows == [(1,)]  # while they run, or they would never have ended
    first, second = await asyncio.gather(*runaways, return_exceptions=True)
    assert isinstance(first, SqlError)
    assert isinstance(second, SqlError)
    assert first.kind == second.kind == "cpu"
    assert str(first) == "The query was stopped: it used more than 1.4 seconds of CPU time."
    assert str(second) == f"{first} Your earlier changes to the database are lost: it is as it was at the start."
    assert (await shared.run("SELECT count(*) FROM people")).rows == [(4,)]
    assert (await private.run("SELECT count(*) FROM log")).rows == [(0,)]
    assert (await private.run("INSERT INTO log VALUES ('again'); SELECT text FROM log")).rows == [("again",)]


SLOW_STEPS = f"SELECT sum(length(x)) FROM (SELECT replace(hex(zeroblob(50000 + a.id)), '00', 'ab') AS x FROM {MANY})"


async def test_steps_that_take_long_are_stopped_by_cpu_time_and_the_session_goes_on(connect: Connect) -> None:
    session = connect(seconds=0.1)
    await session.run("INSERT INTO log VALUES ('kept')")
    with pytest.raises(SqlError) as caught:
        await session.run(SLOW_STEPS)
    assert (caught.value.kind, str(caught.value)) == (
        "cpu",
        "The query was stopped: it used more than 1.4 seconds of CPU time.",
    )
    assert (await session.run("SELECT text FROM log")).rows == [("kept",)]


def count_to(number: int) -> str:
    return f"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {number}) SELECT count(*) FROM n"


async def test_the_limit_is_the_same_number_of_steps_each_time(connect: Connect) -> None:
    """A statement one check below its limit runs, one check above it does not, on whichever connection and how often ever."""
    steps = 17 * 30_000  # what counting takes, found by asking SQLite
    fits, exceeds = ((steps + more) / STEPS_PER_SECOND for more in (10_000, -10_000))
    for _ in range(5):
        shared, private = connect(seconds=fits), connect(seconds=fits)
        await private.run("INSERT INTO log VALUES (1)")
        for session in (shared, private):
            assert (await session.run(count_to(30_000))).rows == [(30_000,)]
        with pytest.raises(SqlError) as caught:
            await connect(seconds=exceeds).run(count_to(30_000))
        assert caught.value.kind == "time"


async def test_what_makes_no_progress_is_our_failure_and_not_the_querys(database: Path) -> None:
    engine = SqliteEngine(pool=Pool(warm=1, stalled=2.0))
    session = engine.session(database, writable=False, limits=Limits())
    pid = await engine.pool.call(process_number, None, wall=60)
    runaway = asyncio.create_task(session.run(f"SELECT count(*) FROM {CROWD}"))
    await asyncio.sleep(0.1)
    os.kill(pid, signal.SIGSTOP)
    with pytest.raises(WorkerFailure, match="used no CPU for long"):
        await runaway
    assert (await session.run("SELECT 1")).rows == [(1,)]
    await engine.close()


async def test_a_worker_that_somebody_kills_is_our_failure_and_not_the_querys(database: Path) -> None:
    engine = SqliteEngine(workers=1)
    session = engine.session(database, writable=False, limits=Limits())
    pid = await engine.pool.call(process_number, None, wall=60)
    runaway = asyncio.create_task(session.run(f"SELECT count(*) FROM {CROWD}"))
    await asyncio.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerFailure, match="the worker was killed"):
        await runaway
    await engine.close()
