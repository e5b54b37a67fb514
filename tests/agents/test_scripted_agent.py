"""Agents that play known calls: they stop when the episode is finished or the script ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.playing import observations, play_calls
from tests.support.scripted_model import call, execute, submit
from touchstone.agents.scripted import DoneConfig, FailConfig, NothingConfig, OracleConfig, ReplayConfig
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.protocols import AgentConfig, AgentContext
from touchstone.runs.episode_runner import play
from touchstone.types import Outcome, ToolCall, ToolStep

pytestmark = pytest.mark.asyncio(loop_scope="module")

GOLD = "SELECT name FROM item WHERE price > 1.0"


async def test_it_plays_its_calls_in_order_until_the_episode_is_finished(bird: Bird) -> None:
    record = await play_calls(bird, execute("SELECT 1 AS a"), submit(GOLD), execute("SELECT 2"))
    assert [seen.text for seen in observations(record)] == ["a\n-\n1\n(1 row)", "Submitted."]
    assert record.outcome is Outcome.passed


async def test_a_call_that_cannot_be_used_does_not_stop_it(bird: Bird) -> None:
    record = await play_calls(bird, call("no_such_tool", "{}"), submit(GOLD))
    assert record.outcome is Outcome.passed


async def test_an_empty_script_submits_nothing(bird: Bird) -> None:
    assert (await play_calls(bird)).reason == "nothing was submitted"


@pytest.mark.parametrize(
    ("config", "without"), [(OracleConfig(), Outcome.skipped), (ReplayConfig(predictions=Path("p")), Outcome.failed)]
)
async def test_each_task_is_played_its_own_script(bird: Bird, config: AgentConfig, without: Outcome) -> None:
    scripts: dict[str, list[ToolCall]] = {task.key: list(bird.solution(task)) for task in bird.tasks()[:-1]}
    agent = config.build(AgentContext(solutions=lambda: scripts.get, predictions=lambda *_: scripts.get))
    outcomes = [(await play(bird, agent, task))[0].outcome for task in bird.tasks()]
    assert outcomes == [Outcome.passed] * 5 + [without]
    assert not config.needs_model


@pytest.mark.parametrize(("config", "tool"), [(DoneConfig(), "done"), (FailConfig(), "fail")])
async def test_one_word_and_nothing_else(bird: Bird, config: AgentConfig, tool: str) -> None:
    record, _ = await play(bird, config.build(AgentContext()), bird.tasks()[0])
    assert (record.outcome, [step.call.name for step in record.steps if isinstance(step, ToolStep)]) == (Outcome.failed, [tool])


async def test_nothing_plays_nothing(bird: Bird) -> None:
    record, _ = await play(bird, NothingConfig().build(AgentContext()), bird.tasks()[0])
    assert (record.outcome, record.steps) == (Outcome.failed, [])
