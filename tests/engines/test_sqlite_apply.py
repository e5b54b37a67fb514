"""Functions applied beside the data, and results that are remembered by content across runs."""

from __future__ import annotations

import asyncio
import os
import shutil
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from itertools import accumulate
from pathlib import Path

import pytest
import pytest_asyncio

from tests.workers.processes import children
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import SqlError, Unscorable, WorkerFailure
from touchstone.protocols import Limits
from touchstone.sandbox.folders import scratch_folder
from touchstone.workers.limits import cores
from touchstone.workers.pool import Worker

from . import functions
from .conftest import create
from .functions import Found, Work

LIMITS = Limits(seconds=5)
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
HAYSTACK, NEEDLE = "replace(hex(zeroblob(2000000)), '0', 'a')", "replace(hex(zeroblob(20000)), '0', 'a') || 'b'"
ONE_LONG_STEP = f"SELECT {HAYSTACK} LIKE '%' || {NEEDLE}"
NAMES = "SELECT name FROM people ORDER BY id LIMIT 2"

Start = Callable[..., SqliteEngine]


@pytest_asyncio.fixture
async def start(tmp_path: Path) -> AsyncIterator[Start]:
    """Starts engines that share a cache, one after another, as runs do."""
    engines: list[SqliteEngine] = []

    def start_engine(cache: Path | None = tmp_path / "cache" / "results.sqlite") -> SqliteEngine:
        engines.append(SqliteEngine(cache=cache, workers=1))
        return engines[-1]

    yield start_engine
    for engine in engines:
        await engine.close()


@pytest.fixture
def log() -> Iterator[Path]:
    """Where a worker may write."""
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        yield Path(folder, "log")


def running_at_once(log: Path) -> list[int]:
    return list(accumulate({"+": 1, "-": -1}[mark] for mark in log.read_text()))


def executions(log: Path) -> int:
    return len(log.read_text()) if log.exists() else 0


async def test_the_result_is_the_same_with_and_without_a_cache(start: Start, database: Path, tmp_path: Path) -> None:
    caches = (None, tmp_path / "results.sqlite", tmp_path / "results.sqlite")
    answers = [await start(cache).apply(database, functions.look, Work(NAMES), LIMITS) for cache in caches]
    assert answers == [Found([["Ada"], ["Édouard"]])] * 3


async def test_a_second_run_runs_nothing(start: Start, database: Path, log: Path) -> None:
    work = Work(NAMES, str(log))
    first = await start().apply(database, functions.look, work, LIMITS)
    before = children()
    second = await start().apply(database, functions.look, work, LIMITS)
    assert first == second == Found([["Ada"], ["Édouard"]])
    assert executions(log) == 1
    assert children() == before


async def test_without_a_cache_everything_runs_again(start: Start, database: Path, log: Path) -> None:
    engine = start(None)
    for _ in range(2):
        await engine.apply(database, functions.look, Work(NAMES, str(log)), LIMITS)
    assert executions(log) == 2


async def test_tables_are_remembered_for_other_functions_too(start: Start, database: Path, tmp_path: Path) -> None:
    path = tmp_path / "copy.sqlite"
    shutil.copyfile(database, path)
    await start().apply(path, functions.look, Work(NAMES), LIMITS)
    engine = start()
    await engine.digest(path)
    engine.source(path)
    path.unlink()  # whatever is answered now comes from the cache
    assert (await engine.apply(path, functions.look, Work(NAMES, note="another"), LIMITS)).rows == [["Ada"], ["Édouard"]]
    assert (await engine.apply(path, functions.look_twice, Work(NAMES), LIMITS)).rows == [[["Ada"], ["Édouard"]]] * 2
    unknown = await engine.apply(path, functions.look, Work("SELECT 1"), LIMITS)
    assert (unknown.fault, "cannot open the database" in unknown.message) == ("sql", True)


async def test_a_function_that_changes_a_table_changes_no_other_functions(start: Start, database: Path) -> None:
    engine = start()
    for note in ("first", "again"):
        found = await engine.apply(database, functions.spoil, Work(NAMES, note=note), LIMITS)
        assert found.rows == [["Ada"], ["Édouard"]]
    assert (await engine.apply(database, functions.look, Work(NAMES), LIMITS)).rows == [["Ada"], ["Édouard"]]


async def test_that_a_database_could_not_be_opened_is_not_remembered(start: Start, database: Path, tmp_path: Path) -> None:
    path, away = tmp_path / "copy.sqlite", tmp_path / "away"
    shutil.copyfile(database, path)
    engine = start()
    await engine.digest(path)
    engine.source(path)
    path.rename(away)
    assert (await engine.apply(path, functions.look, Work(NAMES), LIMITS)).fault == "sql"
    away.rename(path)
    assert (await engine.apply(path, functions.look, Work(NAMES), LIMITS)).rows == [["Ada"], ["Édouard"]]


async def test_the_same_content_elsewhere_is_known(start: Start, database: Path, tmp_path: Path, log: Path) -> None:
    await start().apply(database, functions.look, Work(NAMES, str(log)), LIMITS)
    shutil.copyfile(database, tmp_path / "copy.sqlite")
    await start().apply(tmp_path / "copy.sqlite", functions.look, Work(NAMES, str(log)), LIMITS)
    assert executions(log) == 1


@pytest.mark.parametrize("hide", [False, True], ids=["openly", "with the old time of change"])
async def test_a_changed_database_is_read_anew(start: Start, tmp_path: Path, hide: bool) -> None:
    path = create(tmp_path / "changing.sqlite")
    first = await start().apply(path, functions.look, Work(NAMES), LIMITS)
    stat = path.stat()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE people SET name = 'Eva' WHERE id = 1")
    if hide:
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    assert path.stat().st_size == stat.st_size
    second = await start().apply(path, functions.look, Work(NAMES), LIMITS)
    assert (first.rows[0], second.rows[0]) == (["Ada"], ["Eva"])


@pytest.mark.parametrize("other", [Limits(seconds=6), Limits(seconds=5, rows=1), Limits(seconds=5, rows=1, cut_rows=True)])
async def test_other_limits_are_another_question(start: Start, database: Path, log: Path, other: Limits) -> None:
    engine = start()
    for limits in (LIMITS, other):
        await engine.apply(database, functions.look, Work(NAMES, str(log)), limits)
    assert executions(log) == 2


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT random()",
        "SELECT name FROM people ORDER BY RANDOM() LIMIT 1",
        "SELECT hex(randomblob(4))",
        "SELECT date('now')",
        "SELECT datetime(\"NOW\", '-1 day')",
        "SELECT CURRENT_TIMESTAMP",
        "SELECT strftime('%Y')",
        "SELECT julianday()",
        "SELECT date/* today */( )",
        'SELECT "random"()',
    ],
)
async def test_what_asks_the_clock_or_chance_is_never_remembered(start: Start, database: Path, log: Path, sql: str) -> None:
    for _ in range(2):
        found = await start().apply(database, functions.look, Work(sql, str(log)), LIMITS)
        assert len(found.rows) == 1
    assert executions(log) == 2


async def test_chance_is_asked_anew_within_one_function(start: Start, database: Path) -> None:
    first, second = (await start().apply(database, functions.look_twice, Work("SELECT hex(randomblob(16))"), LIMITS)).rows
    assert first != second


async def test_measured_times_are_not_remembered(start: Start, database: Path, log: Path) -> None:
    for _ in range(2):
        assert await start().apply(database, functions.measure, Work(NAMES, str(log)), LIMITS) > 0
    assert executions(log) == 2


async def test_a_statement_that_is_remembered_under_other_limits_is_another_one(start: Start, database: Path) -> None:
    """Functions that differ share what their statements gave, if the limits are the same too."""
    engine = start()
    assert (await engine.apply(database, functions.look, Work(NAMES), LIMITS)).rows == [["Ada"], ["Édouard"]]
    strict = await engine.apply(database, functions.look, Work(NAMES, note="another"), Limits(seconds=5, rows=1))
    assert strict.fault == "rows"
    again = await engine.apply(database, functions.look, Work(NAMES, note="a third"), LIMITS)
    assert again.rows == [["Ada"], ["Édouard"]]


async def test_only_the_limit_of_steps_is_remembered(start: Start, database: Path, log: Path) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"
    slow_steps = "SELECT sum(length(replace(hex(zeroblob(50000 + a.id)), '00', 'ab'))) FROM people a" + ", people" * 8
    kinds = {endless: ("time", 1), slow_steps: ("cpu", 2)}
    for sql, (kind, executed) in kinds.items():
        before = executions(log)
        for _ in range(2):
            found = await start().apply(database, functions.look, Work(sql, str(log)), Limits(seconds=0.05))
            assert found.fault == kind
        assert executions(log) - before == executed


async def test_no_more_is_judged_at_once_than_there_are_cores(database: Path, log: Path) -> None:
    engine = SqliteEngine()
    work = Work("WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300000) SELECT count(*) FROM n", str(log))
    asked = [engine.apply(database, functions.busy, work, LIMITS) for _ in range(5 * cores())]
    assert {found.rows[0][0] for found in await asyncio.gather(*asked)} == {300_000}
    await engine.close()
    at_once = running_at_once(log)
    assert at_once[-1] == 0
    assert max(at_once) <= cores()


async def test_what_crosses_to_the_main_process_is_what_is_shown(start: Start, database: Path) -> None:
    engine = start(None)
    session = engine.session(database, writable=True, limits=Limits(rows=10_000, cut_rows=True))
    large = [
        "SELECT zeroblob(60000000)",
        "SELECT hex(zeroblob(20000000)), zeroblob(20000000)",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x, hex(zeroblob(4000)) FROM n",
        "CREATE TEMP TABLE t AS SELECT 1; SELECT zeroblob(60000000) FROM people",
    ]
    for sql in large:
        before = engine.pool.received
        assert len((await session.show(sql)).text) < 25_000
        assert engine.pool.received - before < 64_000
    await session.close()


async def test_errors_in_sql_are_remembered(start: Start, database: Path, log: Path) -> None:
    for _ in range(2):
        found = await start().apply(database, functions.look, Work("SELECT * FROM nowhere", str(log)), LIMITS)
        assert (found.fault, found.message) == ("sql", "no such table: nowhere")
    assert executions(log) == 1


@pytest.mark.parametrize(
    ("sql", "kind"), [("SELECT 1; SELECT 2", "multiple"), ("", "blank"), ("DELETE FROM people", "write"), ("VACUUM", "refused")]
)
async def test_a_reader_takes_exactly_one_reading_statement(start: Start, database: Path, sql: str, kind: str) -> None:
    assert (await start().apply(database, functions.look, Work(sql), LIMITS)).fault == kind


def corrupt(path: Path) -> None:
    path.write_bytes(b"this is no database at all" * 1000)


def scribbled(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE entries (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        connection.executemany("INSERT INTO entries VALUES (?, ?)", [(os.urandom(20), os.urandom(500)) for _ in range(100)])
    content = path.read_bytes()
    path.write_bytes(content[:4096] + os.urandom(len(content) - 4096))


def of_another_shape(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE entries (something, else_)")


def directory(path: Path) -> None:
    path.mkdir()
    (path / "precious").write_text("kept")


def below_a_file(path: Path) -> None:
    path.parent.rmdir()
    path.parent.write_text("not a directory")


def read_only(path: Path) -> None:
    path.parent.chmod(0o555)


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("/nowhere/at/all")


@pytest.mark.parametrize("spoil", [corrupt, scribbled, of_another_shape, directory, below_a_file, read_only, link_to_nowhere])
async def test_a_useless_cache_only_costs_time(
    start: Start, database: Path, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    cache = tmp_path / "spoilt" / "results.sqlite"
    cache.parent.mkdir()
    spoil(cache)
    for _ in range(2):
        engine = start(cache)
        assert (await engine.apply(database, functions.look, Work(NAMES), LIMITS)).rows == [["Ada"], ["Édouard"]]
        assert (await engine.apply(database, functions.look_twice, Work(NAMES), LIMITS)).rows[0] == [["Ada"], ["Édouard"]]
    if cache.is_dir():
        assert (cache / "precious").read_text() == "kept"


async def test_a_corrupt_cache_is_made_anew(start: Start, database: Path, tmp_path: Path, log: Path) -> None:
    corrupt(tmp_path / "results.sqlite")
    for _ in range(2):
        await start(tmp_path / "results.sqlite").apply(database, functions.look, Work(NAMES, str(log)), LIMITS)
    assert executions(log) == 1


async def test_a_function_that_kills_its_worker_twice_is_lost(start: Start, database: Path, log: Path) -> None:
    engine = start()
    with pytest.raises(SqlError, match="crashed"):
        await engine.apply(database, functions.die, Work(NAMES, str(log)), LIMITS)
    assert executions(log) == 2
    assert (await engine.apply(database, functions.look, Work(NAMES), LIMITS)).rows == [["Ada"], ["Édouard"]]


async def test_a_worker_that_dies_once_may_have_been_anothers_victim(start: Start, database: Path, log: Path) -> None:
    assert (await start().apply(database, functions.die_once, Work(NAMES, str(log)), LIMITS)).rows == [["Ada"], ["Édouard"]]


async def test_sql_that_only_the_kernel_can_stop_is_not_tried_twice(start: Start, database: Path, log: Path) -> None:
    with pytest.raises(SqlError, match=r"more than 1\.8 seconds of CPU time"):
        await start().apply(database, functions.look, Work(ONE_LONG_STEP, str(log)), Limits(seconds=0.2))
    assert executions(log) == 1


async def test_an_exception_in_a_function_is_a_worker_failure(start: Start, database: Path) -> None:
    with pytest.raises(WorkerFailure, match="ValueError: what went wrong"):
        await start().apply(database, functions.fail, Work("", note="what went wrong"), LIMITS)


@pytest.mark.parametrize("name", ["missing.sqlite", "text.sqlite"])
async def test_what_is_no_database_is_unscorable(start: Start, tmp_path: Path, name: str) -> None:
    (tmp_path / "text.sqlite").write_text("text")
    with pytest.raises(Unscorable):
        await start().apply(tmp_path / name, functions.look, Work(NAMES), LIMITS)


async def test_those_around_one_that_dies_or_fails_have_their_own_answers(start: Start, database: Path) -> None:
    engine = start(None)
    asked = {20: functions.die, 40: functions.fail}
    calls = (
        engine.apply(database, asked.get(number, functions.look), Work(f"SELECT {number}", note="no such thing"), LIMITS)
        for number in range(60)
    )
    answers = await asyncio.gather(*calls, return_exceptions=True)
    died, failed = answers[20], answers[40]
    assert isinstance(died, SqlError)
    assert died.kind == "crash"
    assert isinstance(failed, WorkerFailure)
    assert "no such thing" in str(failed)
    others = [answer for number, answer in enumerate(answers) if number not in (20, 40)]
    assert others == [Found([[number]]) for number in range(60) if number not in (20, 40)]


async def test_those_whose_answers_were_ready_are_not_blamed_for_one_that_only_the_kernel_can_stop(database: Path) -> None:
    engine = SqliteEngine(cache=None, workers=2)
    work = [Work(f"SELECT {number}") for number in range(40)]
    work.insert(3, Work(ONE_LONG_STEP))
    asked = (engine.apply(database, functions.look, each, Limits(seconds=0.2)) for each in work)
    answers = await asyncio.gather(*asked, return_exceptions=True)
    long = answers.pop(3)
    assert isinstance(long, SqlError)
    assert long.kind == "cpu"
    assert answers == [Found([[number]]) for number in range(40)]
    await engine.close()


async def test_many_short_judgements_share_messages(start: Start, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = start(None)
    sent: list[object] = []
    send = Worker.send
    monkeypatch.setattr(Worker, "send", lambda *given, **more: (sent.append(given), send(*given, **more))[1])
    asked = (engine.apply(database, functions.look, Work(f"SELECT {number}"), LIMITS) for number in range(200))
    assert await asyncio.gather(*asked) == [Found([[number]]) for number in range(200)]
    assert len(sent) < 100


@pytest.mark.parametrize("position", [0, 3, 8])
async def test_what_was_sent_with_a_long_one_is_judged_elsewhere(database: Path, position: int) -> None:
    """Also where all that was sent to one worker has an answer only when the long one has ended: it never does."""
    engine = SqliteEngine(cache=None, workers=2)
    limits = Limits(seconds=100_000)
    work = [Work(f"SELECT {number}") for number in range(40)]
    work.insert(position, Work(ENDLESS))
    asked = [asyncio.create_task(engine.apply(database, functions.look, each, limits)) for each in work]
    endless = asked.pop(position)
    assert await asyncio.gather(*asked) == [Found([[number]]) for number in range(40)]
    endless.cancel()
    assert (await engine.apply(database, functions.look, Work("SELECT 'and on'"), limits)).rows == [["and on"]]
    await engine.close()


async def test_what_nobody_waits_for_any_more_ends(database: Path) -> None:
    engine = SqliteEngine(cache=None, workers=cores())
    limits = Limits(seconds=100_000)
    endless = [asyncio.create_task(engine.apply(database, functions.look, Work(ENDLESS), limits)) for _ in range(cores())]
    behind = asyncio.create_task(engine.apply(database, functions.look, Work("SELECT 1"), limits))
    await asyncio.sleep(0.1)
    for task in endless:
        task.cancel()
    assert (await behind).rows == [[1]]
    await engine.close()


@pytest.mark.parametrize("lanes", [1, 2])
async def test_a_judgement_that_comes_in_the_moment_in_which_the_last_ones_end_is_judged(
    database: Path, monkeypatch: pytest.MonkeyPatch, lanes: int
) -> None:
    monkeypatch.setattr("touchstone.engines.judging_workers.cores", lambda: lanes)
    engine = SqliteEngine(cache=None, workers=lanes)

    async def one_after_the_other(first: int) -> list[Found]:
        return [await engine.apply(database, functions.look, Work(f"SELECT {first + number}"), LIMITS) for number in range(50)]

    asked = asyncio.gather(*(one_after_the_other(100 * lane) for lane in range(lanes)))
    answers = await asyncio.wait_for(asked, 60)
    assert answers == [[Found([[100 * lane + number]]) for number in range(50)] for lane in range(lanes)]
    await engine.close()


async def test_what_cannot_be_sent_is_its_askers_failure_alone(start: Start, database: Path, tmp_path: Path) -> None:
    engine = start(None)
    odd = tmp_path / os.fsdecode(b"\xff.sqlite")
    shutil.copyfile(database, odd)
    asked = [engine.apply(path, functions.look, Work("SELECT 1"), LIMITS) for path in (database, odd, database)]
    first, refused, last = await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 60)
    assert (first, last) == (Found([[1]]), Found([[1]]))
    assert isinstance(refused, UnicodeEncodeError)
