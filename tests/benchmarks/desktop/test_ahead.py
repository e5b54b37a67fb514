"""The next task is set up while another is played, handed out once, and given up when its memory is needed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.scripted_model import call
from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.desktop.ahead import Ahead
from touchstone.benchmarks.desktop.tasks import DesktopTask, load_tasks
from touchstone.errors import WorkerFailure
from touchstone.protocols import Stage
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome

from .playing import SAVED, World
from .support import ABSTRACT, VERBOSE, make_dataset, task_form

THIRD = "00000000-0000-4000-8000-000000000003"


class Preparations:
    """What was prepared, and what became of it."""

    def __init__(self, *failing: str) -> None:
        self.begun: list[str] = []
        self.ended: list[tuple[str, str]] = []
        self.room = True
        self._failing = failing

    @asynccontextmanager
    async def prepare(self, task: DesktopTask) -> AsyncGenerator[str]:
        self.begun.append(task.key)
        await asyncio.sleep(0)
        if task.key in self._failing:
            raise WorkerFailure("it did not start", kind="desktop")
        try:
            yield task.key
        except WorkerFailure:
            self.ended.append((task.key, "failed"))
            raise
        else:
            self.ended.append((task.key, "ended"))

    def ahead(self, most: int = 1) -> Ahead[str]:
        return Ahead(self.prepare, lambda _: self.room, most)


@pytest.fixture
def tasks(tmp_path: Path) -> list[DesktopTask]:
    forms = task_form(), task_form(VERBOSE, ABSTRACT), task_form(THIRD, THIRD)
    return sorted(load_tasks(make_dataset(tmp_path, *forms)), key=lambda task: task.key)


async def quiet() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


async def test_the_next_is_prepared_while_one_is_used_and_no_more(tasks: list[DesktopTask]) -> None:
    done = Preparations()
    ahead = done.ahead()
    ahead.expect(tasks)
    async with ahead.taken(tasks[0]) as given:
        await quiet()
        assert (given, done.begun) == (ABSTRACT, [ABSTRACT, VERBOSE])
    async with ahead.taken(tasks[1]) as given:
        await quiet()
        assert (given, done.begun) == (VERBOSE, [ABSTRACT, VERBOSE, THIRD])
    await ahead.close()
    assert done.ended == [(ABSTRACT, "ended"), (VERBOSE, "ended"), (THIRD, "ended")]


@pytest.mark.parametrize(("most", "expected"), [(0, 3), (1, 0)])
async def test_nothing_is_prepared_unasked(tasks: list[DesktopTask], most: int, expected: int) -> None:
    done = Preparations()
    ahead = done.ahead(most)
    ahead.expect(tasks[:expected])
    async with ahead.taken(tasks[0]):
        await quiet()
    assert done.begun == [ABSTRACT]


async def test_a_spare_is_given_up_for_a_task_that_is_due(tasks: list[DesktopTask]) -> None:
    done = Preparations()
    ahead = done.ahead()
    ahead.expect(tasks)
    async with ahead.taken(tasks[0]):
        await quiet()
    done.room = False
    async with ahead.taken(tasks[2]) as given:
        assert given == THIRD
    assert done.ended == [(ABSTRACT, "ended"), (VERBOSE, "ended"), (THIRD, "ended")]
    done.room = True
    async with ahead.taken(tasks[1]) as given:
        assert given == VERBOSE
    assert done.begun == [ABSTRACT, VERBOSE, THIRD, VERBOSE]


async def test_failures_reach_who_takes_it_and_what_was_taken(tasks: list[DesktopTask]) -> None:
    done = Preparations(VERBOSE)
    ahead = done.ahead()
    ahead.expect(tasks)
    with pytest.raises(WorkerFailure, match="broken"):  # noqa: PT012 - that it passes through is what is tested
        async with ahead.taken(tasks[0]):
            await quiet()
            raise WorkerFailure("broken", kind="desktop")
    assert done.ended == [(ABSTRACT, "failed")]
    with pytest.raises(WorkerFailure, match="it did not start"):
        async with ahead.taken(tasks[1]):
            raise AssertionError
    await ahead.close()


async def test_a_task_is_set_up_on_another_desktop_while_one_is_played(tmp_path: Path) -> None:
    world = World(tmp_path, ahead=1)
    first, second = world.benchmark.tasks()
    world.benchmark.expect([first, second])

    class Patient:
        async def play(self, stage: Stage) -> None:
            async with asyncio.timeout(60):
                while len(world.desktops) < 2 or not world.desktops[1].base.exists():  # noqa: ASYNC110 - a file is waited for
                    await asyncio.sleep(0.01)
            await stage.call(call("pyautogui", {"code": SAVED}))

    try:
        record, _ = await play(world.benchmark, Patient(), first)
        other, _ = await play(world.benchmark, ScriptedAgent(lambda _: ()), second)
    finally:
        await world.benchmark.close()
    assert (record.outcome, other.outcome) == (Outcome.passed, Outcome.failed)
    assert other.evidence["setup"]["waited"] >= 0
    assert len(world.desktops) == 2
    assert not any(desktop.base.exists() for desktop in world.desktops)


async def test_tasks_with_an_account_are_not_set_up_before_their_turn(tmp_path: Path) -> None:
    tags = ["abstract", "gui", "account", "traditional_data_processing"]
    world = World(tmp_path, task_form(), task_form(VERBOSE, ABSTRACT, tags=["verbose", *tags[1:]]), ahead=1)
    world.benchmark.expect(world.benchmark.tasks())
    async with world.benchmark.open(next(task for task in world.benchmark.tasks() if task.key == ABSTRACT)):
        await quiet()
        assert len(world.desktops) == 1
    await world.benchmark.close()
