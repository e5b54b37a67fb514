"""Agents that play known calls: they stop when the episode is finished or the script ends."""

from __future__ import annotations

import pytest

from tests.support.playing import observations, play_calls
from tests.support.scripted_model import call, execute, submit
from touchstone.agents.scripted import nothing_plugin, oracle_plugin, replay_plugin
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.protocols import AgentPlugin, AgentSettings
from touchstone.runs.play import play
from touchstone.values import Outcome, ToolCall

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


@pytest.mark.parametrize(("plugin", "without"), [(oracle_plugin, Outcome.skipped), (replay_plugin, Outcome.failed)])
async def test_the_plugins_play_each_task_its_own_script(bird: Bird, plugin: AgentPlugin, without: Outcome) -> None:
    scripts: dict[str, list[ToolCall]] = {task.key: list(bird.solution(task)) for task in bird.tasks()[:-1]}
    agent = plugin.build(AgentSettings(script=scripts.get))
    outcomes = [(await play(bird, agent, task))[0].outcome for task in bird.tasks()]
    assert outcomes == [Outcome.passed] * 5 + [without]
    assert not plugin.needs_model


async def test_nothing_plays_nothing(bird: Bird) -> None:
    scripts = {task.key: list(bird.solution(task)) for task in bird.tasks()}
    record, _ = await play(bird, nothing_plugin.build(AgentSettings(script=scripts.get)), bird.tasks()[0])
    assert (record.outcome, record.steps) == (Outcome.failed, [])
