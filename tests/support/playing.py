"""Playing single episodes: the whole way from the brief to the record, with calls or with a model's replies."""

from __future__ import annotations

from collections.abc import Iterable

from tests.support.scripted_model import Answer, ScriptedModel
from touchstone.agents.react import ReactAgent
from touchstone.agents.scripted import ScriptedAgent
from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.runs.episode_runner import play
from touchstone.types import NoteStep, Observation, Record, ToolCall, ToolStep


async def play_calls(bird: Bird, *made: ToolCall, task: str | None = None) -> Record:
    """The record of an agent that makes these calls, on the named or the first task."""
    agent = ScriptedAgent(lambda _: made)
    chosen = next(each for each in bird.tasks() if task in (None, each.key))
    return (await play(bird, agent, chosen))[0]


async def play_tools(bird: Bird, answers: Iterable[Answer], *, turns: int = 20) -> tuple[Record, ScriptedModel]:
    """The record of the function-calling agent when its model answers so, on the first task; and the model."""
    model = ScriptedModel(answers)
    record, _ = await play(bird, ToolAgent(model, turns), bird.tasks()[0])
    return record, model


async def play_react(bird: Bird, answers: Iterable[Answer], *, turns: int = 20) -> tuple[Record, ScriptedModel]:
    model = ScriptedModel(answers)
    record, _ = await play(bird, ReactAgent(model, turns), bird.tasks()[0])
    return record, model


def observations(record: Record) -> list[Observation]:
    return [step.observation for step in record.steps if isinstance(step, ToolStep)]


def notes(record: Record) -> list[str]:
    return [step.text for step in record.steps if isinstance(step, NoteStep)]
