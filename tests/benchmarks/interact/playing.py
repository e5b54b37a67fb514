"""Playing one task with given moves: the record, and what the agent saw."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.interact.benchmark import Interact, InteractSettings
from touchstone.benchmarks.interact.episode_databases import SqliteDatabases
from touchstone.benchmarks.interact.tasks import data_file, load_tasks
from touchstone.benchmarks.interact.user.scripted import ScriptedUser
from touchstone.benchmarks.interact.user.view import User
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import TurnLimit
from touchstone.protocols import Stage
from touchstone.runs.episode_runner import play
from touchstone.types import Observation, Record, ToolCall, ToolStep

Move = tuple[str, str] | tuple[str] | tuple[str, str, str]

_FIELDS = {
    "execute": ("sql",),
    "submit": ("sql",),
    "ask": ("question",),
    "get_column_meaning": ("table_name", "column_name"),
    "get_knowledge_definition": ("knowledge_name",),
}


def call(move: Move) -> ToolCall:
    name, *values = move
    return ToolCall("c", name, json.dumps(dict(zip(_FIELDS.get(name, ()), values, strict=True))))


class ThenGivesUp:
    """Makes its moves and then runs out of turns, as a model would."""

    def __init__(self, moves: Sequence[ToolCall]) -> None:
        self._moves = moves

    async def play(self, stage: Stage) -> None:
        await ScriptedAgent(lambda _: self._moves).play(stage)
        if not stage.finished:
            raise TurnLimit("out of turns")


@asynccontextmanager
async def sqlite_benchmark(directory: Path, user: User | None = None, **settings: Any) -> AsyncGenerator[Interact]:
    engine = SqliteEngine(workers=1)
    try:
        worlds = SqliteDatabases(engine, directory)
        tasks = load_tasks(data_file(directory))
        yield Interact(tasks, directory, worlds, user or ScriptedUser(), settings=InteractSettings(**settings))
    finally:
        await engine.close()


async def play_moves(benchmark: Interact, task: str, *moves: Move | ToolCall, gives_up: bool = False) -> Record:
    calls = [move if isinstance(move, ToolCall) else call(move) for move in moves]
    agent = ThenGivesUp(calls) if gives_up else ScriptedAgent(lambda _: calls)
    chosen = next(each for each in benchmark.tasks() if each.key == task)
    return (await play(benchmark, agent, chosen))[0]


def seen(record: Record) -> list[Observation]:
    return [step.observation for step in record.steps if isinstance(step, ToolStep)]
