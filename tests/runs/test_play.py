"""One attempt: the record tells all of it, and a defect costs one episode, not the run."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime

import pytest

from tests.support.playing import play_calls
from tests.support.scripted_model import USAGE, ScriptedModel, calls, execute, says, submit
from tests.support.worlds import World
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError, ModelUnreachable
from touchstone.protocols import Stage
from touchstone.runs.episode_runner import play
from touchstone.types import CallPosition, ModelStep, Outcome, Reply

GOLD = "SELECT name FROM item WHERE price > 1.0"


@pytest.fixture
async def bird(world: World) -> AsyncIterator[Bird]:
    engine = SqliteEngine(workers=1)
    yield Bird(world.load(), world.databases, engine)
    await engine.close()


class Broken:
    """An agent with a defect."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    async def play(self, stage: Stage) -> None:
        raise self._error


async def test_the_record_tells_the_whole_episode(bird: Bird) -> None:
    task = bird.tasks()[0]
    answers = [calls(execute("SELECT 1"), text="Let me see."), says("hm"), calls(submit(GOLD))]
    record, failure = await play(bird, ToolAgent(ScriptedModel(answers), 20), task, epoch=3)
    assert failure is None
    assert (record.task, record.index, record.epoch, record.digest) == ("10", 0, 3, task.digest)
    assert record.facets == {"difficulty": "simple", "database": "shop"}
    assert record.brief is not None
    assert record.brief.request.startswith("Which items are dear?")
    assert [step.reply for step in record.steps if isinstance(step, ModelStep)] == answers
    assert record.usage == USAGE + USAGE + USAGE
    assert datetime.fromisoformat(record.started).tzinfo is not None
    assert record.seconds > 0


async def test_each_model_call_is_told_its_place(bird: Bird) -> None:
    places: list[CallPosition] = []

    def answer(position: CallPosition) -> Reply:
        places.append(position)
        return says("hm")

    await play(bird, ToolAgent(ScriptedModel(answer), 2), bird.tasks()[1], epoch=1)
    assert places == [CallPosition("11", 1, 0), CallPosition("11", 1, 1)]


async def test_the_failure_that_ended_the_episode_comes_with_the_record(bird: Bird) -> None:
    failure = ModelUnreachable("nothing answers")
    record, ended_by = await play(bird, ToolAgent(ScriptedModel([failure]), 20), bird.tasks()[0])
    assert ended_by is failure
    assert (record.outcome, record.reason, record.usage.calls) == (Outcome.error, "nothing answers", 0)


async def test_a_defect_of_a_plugin_is_an_error_that_says_where_it_came_from(bird: Bird) -> None:
    record, failure = await play(bird, Broken(KeyError("colour")), bird.tasks()[0])
    assert failure is None
    assert (record.outcome, record.reason) == (Outcome.error, "internal error: KeyError: 'colour'")
    assert "raise self._error" in record.evidence["traceback"]


async def test_a_mistake_in_the_input_is_not_an_episodes(bird: Bird) -> None:
    with pytest.raises(InputError, match="wrong"):
        await play(bird, Broken(InputError("wrong")), bird.tasks()[0])


async def test_an_unscorable_task_has_a_record_without_a_brief(world: World) -> None:
    engine = SqliteEngine(workers=1)
    bird = Bird(world.load(), world.databases, engine)
    bird.database_file("shop").unlink()
    record = await play_calls(bird, submit(GOLD))
    assert (record.outcome, record.brief, record.steps) == (Outcome.unscorable, None, [])
    await engine.close()
