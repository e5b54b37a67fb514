"""Functions of benchmarks that judge beside the data: by reading, or on a copy of their own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.errors import SqlError, WorkerFailure
from touchstone.protocols import Limits
from touchstone.sandbox.folders import scratch_folder

from . import functions
from .conftest import look
from .functions import Found, Work

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=5)


@pytest.fixture
def log() -> Iterator[Path]:
    """Where a worker may write."""
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        yield Path(folder, "log")


def written(log: Path) -> str:
    return log.read_text()


async def judged(
    world: PostgresEpisodeDatabase, texts: Sequence[str], *, writes: bool = False, limits: Limits = LIMITS
) -> Found:
    return await world.judge(functions.run_all, Work(list(texts)), limits, writes=writes, wall=30)


@pytest.mark.parametrize("writes", [False, True])
async def test_cells_are_python_values(world: PostgresEpisodeDatabase, writes: bool) -> None:
    query = """
        SELECT 1, 2.50, 1.5::float8, 'ü', true, NULL, DATE '2024-02-29', TIMESTAMP '2024-01-01 10:00', INTERVAL '1 day',
            ARRAY[1, 2], '{"a": [1, null]}'::jsonb, '\\x00ff'::bytea, 'NaN'::numeric, '10000-01-01'::date AS far,
            'infinity'::date,
            '{2024-01-01,infinity}'::date[], '0044-03-15 BC'::date, TIME '24:00', 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6'::uuid
    """
    found = await judged(world, [query], writes=writes)
    assert found.results == [
        [
            [
                "1",
                "Decimal('2.50')",
                "1.5",
                "'ü'",
                "True",
                "None",
                "datetime.date(2024, 2, 29)",
                "datetime.datetime(2024, 1, 1, 10, 0)",
                "datetime.timedelta(days=1)",
                "[1, 2]",
                "{'a': [1, None]}",
                "b'\\x00\\xff'",
                "Decimal('NaN')",
                "'10000-01-01'",
                "'infinity'",
                "'{2024-01-01,infinity}'",
                "'0044-03-15 BC'",
                "'24:00:00'",
                "UUID('f81d4fae-7dec-11d0-a765-00a0c91e6bf6')",
            ]
        ]
    ]
    assert found.columns[0][13] == "far"


async def test_a_judgement_that_reads_runs_once(world: PostgresEpisodeDatabase, log: Path) -> None:
    found = await world.judge(functions.run_all, Work(["SELECT 1", "TABLE cheap"], str(log)), LIMITS, wall=30)
    assert [len(rows) for rows in found.results] == [1, 1]
    assert written(log) == "x"


async def test_a_judgement_that_writes_starts_again_on_a_copy(world: PostgresEpisodeDatabase, log: Path) -> None:
    work = Work(["SELECT count(*) FROM sales", "DELETE FROM sales WHERE item = 1", "SELECT count(*) FROM sales"], str(log))
    found = await world.judge(functions.run_all, work, LIMITS, wall=30)
    assert (found.results, found.changed) == ([[["40"]], [], [["27"]]], [None, 13, None])
    assert written(log) == "xx"
    assert await look(world, "SELECT count(*) FROM sales") == [("40",)]


async def test_a_judgement_that_will_write_runs_once(world: PostgresEpisodeDatabase, log: Path) -> None:
    work = Work(["DELETE FROM sales"], str(log))
    assert (await world.judge(functions.run_all, work, LIMITS, writes=True, wall=30)).changed == [40]
    assert written(log) == "x"


async def test_each_judgement_has_a_fresh_copy(world: PostgresEpisodeDatabase) -> None:
    for _ in range(4):
        found = await judged(world, ["INSERT INTO items (name) VALUES ('new') RETURNING id"], writes=True)
        assert found.results == [[["4"]]]


async def test_a_function_cannot_swallow_the_need_for_a_copy(world: PostgresEpisodeDatabase) -> None:
    work = Work(["SELECT 1", "DELETE FROM sales RETURNING 1", "SELECT nope", "TABLE sales"])
    assert (await world.judge(functions.swallow_everything, work, LIMITS, wall=30)).results == [1, 40, "failed", 0]


@pytest.mark.parametrize("writes", [False, True])
async def test_errors_do_not_end_a_judgement(world: PostgresEpisodeDatabase, writes: bool) -> None:
    texts = ["SELECT nope", "SELECT 1", "SELEC", "", "SELECT pg_sleep(9)", "SELECT generate_series(1, 1000)", "SELECT 2"]
    found = await judged(world, texts, writes=writes, limits=Limits(seconds=0.3, rows=100))
    assert found.results == ["sql", [["1"]], "sql", "blank", "time", "rows", [["2"]]]


@pytest.mark.parametrize("writes", [False, True])
async def test_what_a_session_has_set_counts_for_the_next_text(world: PostgresEpisodeDatabase, writes: bool) -> None:
    texts = ["SELECT set_config('search_path', 'pg_catalog', false)", "SELECT 1 / 0", "SHOW search_path"]
    assert (await judged(world, texts, writes=writes)).results[2] == [["'pg_catalog'"]]
    assert (await judged(world, ["SET search_path = pg_catalog", "SHOW search_path"])).results[1] == [["'pg_catalog'"]]
    assert (await judged(world, ["SHOW search_path"])).results == [[["'\"$user\", public'"]]]


async def test_several_statements_in_a_text_are_one_transaction(world: PostgresEpisodeDatabase) -> None:
    texts = ["DELETE FROM sales; SELECT 1 / 0", "SELECT count(*) FROM sales", "DELETE FROM sales; SELECT 'last', 1"]
    found = await judged(world, texts)
    assert found.results == ["sql", [["40"]], [["'last'", "1"]]]


async def test_statements_that_need_no_transaction_work(world: PostgresEpisodeDatabase) -> None:
    texts = ["VACUUM items", "CREATE INDEX CONCURRENTLY i ON items (name)", "BEGIN; DELETE FROM sales; COMMIT", "TABLE sales"]
    assert (await judged(world, texts)).results == [[]] * 4


async def test_test_code_has_connections_of_its_own(world: PostgresEpisodeDatabase) -> None:
    work = Work(["DELETE FROM items WHERE id = 4", "INSERT INTO items (name) VALUES ('x'), ('y')"])
    for writes in (False, True):
        found = await world.judge(functions.by_own_connection, work, LIMITS, writes=writes, wall=30)
        assert found.results == [3, 3, 3, 5, 5, "5s"]
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


async def test_the_dialect(world: PostgresEpisodeDatabase) -> None:
    assert await world.judge(functions.dialect, Work(), LIMITS, wall=30) == "postgres"


async def test_a_worker_that_dies_is_replaced_once(world: PostgresEpisodeDatabase, log: Path) -> None:
    found = await world.judge(functions.die_once, Work(["SELECT 1"], str(log)), LIMITS, wall=30)
    assert found.results == [[["1"]]]
    with pytest.raises(SqlError) as caught:
        await world.judge(functions.die, Work([], str(log)), LIMITS, writes=True, wall=30)
    assert caught.value.kind == "crash"
    assert len(written(log)) == 4
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


async def test_a_function_that_does_not_end(world: PostgresEpisodeDatabase) -> None:
    with pytest.raises(WorkerFailure, match="has made no progress"):
        await world.judge(functions.sleep, Work(), LIMITS, wall=0.5)
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


@pytest.mark.parametrize("writes", [False, True])
async def test_a_mistake_in_a_function_is_no_verdict(world: PostgresEpisodeDatabase, writes: bool) -> None:
    with pytest.raises(WorkerFailure, match="a mistake in the benchmark"):
        await world.judge(functions.fail, Work(), LIMITS, writes=writes, wall=30)
    assert (await judged(world, ["SELECT 1"])).results == [[["1"]]]


@pytest.mark.parametrize("writes", [False, True])
async def test_tables_can_be_cut(world: PostgresEpisodeDatabase, writes: bool) -> None:
    texts = ["SELECT generate_series(1, 100000)", "SELECT 7"]
    found = await judged(world, texts, writes=writes, limits=Limits(seconds=5, rows=10, cut_rows=True))
    assert (len(found.results[0]), found.results[1]) == (10, [["7"]])


@pytest.mark.parametrize("writes", [False, True])
async def test_a_statement_that_times_out_is_tried_once_more_alone_before_it_counts(
    world: PostgresEpisodeDatabase, log: Path, writes: bool
) -> None:
    texts = ["INSERT INTO items (name) VALUES ('once')", "SELECT count(*) FROM items"]
    work = Work(texts if writes else [], str(log))
    found = await world.judge(functions.slow_at_first, work, Limits(seconds=0.5), writes=writes, wall=60)
    assert found.results[0] == [["''"]]  # what pg_sleep gives, as it was not stopped
    assert found.results[2:] == ([[["4"]]] if writes else [])
    assert written(log) == "xx"


async def test_a_statement_that_times_out_again_has_timed_out(world: PostgresEpisodeDatabase, log: Path) -> None:
    work = Work(["SELECT pg_sleep(60)"], str(log))
    found = await world.judge(functions.run_all, work, Limits(seconds=0.3), wall=60)
    assert found.results == ["time"]
    assert written(log) == "xx"


@pytest.mark.parametrize("writes", [False, True])
async def test_a_value_of_a_gigabyte_is_the_fault_of_its_query(world: PostgresEpisodeDatabase, writes: bool) -> None:
    huge = "SELECT repeat('a', 1000000000)"
    found = await judged(world, [huge, "SELECT 1"], writes=writes, limits=Limits(seconds=60))
    assert found.results == ["memory", [["1"]]]
