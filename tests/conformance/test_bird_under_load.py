"""Verdicts near the limit are the same beside many busy processes: work is counted, not time.

The recorded predictions of mini-dev 247 take 2,137.5 million steps, against 2,100 million that 30 seconds stand for. The same
query on some of the atoms, with a limit as near, can be run often.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from tests.support.data import shared_data
from tests.support.spinning import SPIN
from tests.support.worlds import World, make_world
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.bird.benchmark import Bird, BirdSettings
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.benchmarks.sql_episode import submission
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.engines.sqlite.worker import Reader
from touchstone.runs.episode_runner import play
from touchstone.types import STEPS_PER_SECOND, Limits, Outcome, Record

BUSY = 40
COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT count(*) FROM n"
SMALL_247 = """
    SELECT DISTINCT a.element FROM (SELECT * FROM atom ORDER BY atom_id LIMIT 20) a
    LEFT JOIN connected c ON a.atom_id = c.atom_id OR a.atom_id = c.atom_id2 WHERE c.atom_id IS NULL
"""


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Processes that want a core all the time, each in a session of its own, so that none shares its portion."""
    started = [subprocess.Popen([sys.executable, "-c", SPIN], start_new_session=True) for _ in range(processes)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.wait()


async def verdicts(bird: Bird, sql: str, times: int, parallel: int) -> list[tuple[Outcome, str]]:
    """Of the same prediction handed in often, so many at once."""
    agent = ScriptedAgent(lambda _: [submission(sql)])
    gate = asyncio.Semaphore(parallel)

    async def one(task: BirdTask) -> Record:
        async with gate:
            return (await play(bird, agent, task))[0]

    records = await asyncio.gather(*(one(bird.tasks()[0]) for _ in range(times)))
    return [(record.outcome, record.reason) for record in records]


def on(world: World, engine: SqliteEngine, gold: str, steps: float) -> Bird:
    task = msgspec.structs.replace(world.load()[0], gold=gold)
    settings = BirdSettings(judging=Limits(seconds=steps / STEPS_PER_SECOND))
    return Bird([task], world.databases, engine, settings=settings)


@pytest.mark.parametrize("parallel", [1, 24])
@pytest.mark.parametrize(("room", "outcome"), [(1.03, Outcome.passed), (0.97, Outcome.failed)])
async def test_a_right_prediction_near_its_limit_on_one_core(
    tmp_path: Path, parallel: int, room: float, outcome: Outcome
) -> None:
    """Twenty-four at once on one core pass as one after the other does: the gold is quick, the prediction is not."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        engine, world = SqliteEngine(), make_world(tmp_path)
        steps = await engine.apply(world.databases / "shop" / "shop.sqlite", count_steps, COUNT, Limits())
        bird = on(world, engine, "SELECT 100000", room * steps)
        found = await verdicts(bird, COUNT, 24, parallel)
        await engine.close()
    finally:
        os.sched_setaffinity(0, cores)
    assert {said[0] for said in found} == {outcome}
    assert len(set(found)) == 1


@pytest.mark.long
@pytest.mark.parametrize("processes", [0, BUSY])
async def test_the_same_verdict_twenty_times_whatever_else_runs(tmp_path: Path, processes: int) -> None:
    data = shared_data("bird")
    task = next(task for task in load_tasks(data / "tasks" / "mini_dev_sqlite.json") if task.key == "247")
    file = data / "dev_databases" / task.database / f"{task.database}.sqlite"
    if not file.exists():
        pytest.skip(f"the database {task.database} is not here")
    engine = SqliteEngine()
    with busy(processes):
        steps = await engine.apply(file, count_steps, SMALL_247, Limits())
        for room, stopped in ((1.02, False), (0.98, True)):
            settings = BirdSettings(judging=Limits(seconds=room * steps / STEPS_PER_SECOND))
            bird = Bird([task], data / "dev_databases", engine, settings=settings)
            found = await verdicts(bird, SMALL_247, 20, 20)
            assert len(set(found)) == 1
            assert ("stopped at its limit of" in found[0][1]) == stopped
    await engine.close()


def count_steps(reader: Reader, sql: str) -> int:
    return reader.steps(sql)
