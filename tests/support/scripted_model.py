"""A chat model that answers from a script, in the process: real agents, stages and episodes, no service."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from touchstone.errors import EpisodeFailure
from touchstone.types import CallPosition, Message, Reply, Tool, ToolCall, Usage

Answer = Reply | EpisodeFailure
USAGE = Usage(calls=1, input_tokens=100, output_tokens=10, cost=0.001)


class ScriptedModel:
    """Gives one answer after the other; a failure among them is raised. Keeps what it was asked."""

    name = "scripted"

    def __init__(self, answers: Iterable[Answer] | Callable[[CallPosition], Answer]) -> None:
        self._answer = answers if callable(answers) else _in_turn(answers)
        self.asked: list[list[dict[str, Any]]] = []
        self.offered: list[list[str]] = []

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        self.asked.append([{**message} for message in messages])
        self.offered.append([tool.name for tool in tools])
        answer = self._answer(position)
        if isinstance(answer, EpisodeFailure):
            raise answer
        return answer

    async def close(self) -> None:
        return None


def says(text: str, finish: str = "stop") -> Reply:
    return Reply(text, finish=finish, usage=USAGE)


def calls(*made: ToolCall, text: str = "") -> Reply:
    return Reply(text, made, "tool_calls", USAGE)


def call(name: str, arguments: str | dict[str, Any], id: str = "c1") -> ToolCall:
    return ToolCall(id, name, arguments if isinstance(arguments, str) else json.dumps(arguments))


def execute(sql: str, id: str = "c1") -> ToolCall:
    return call("execute_sql", {"sql": sql}, id)


def submit(sql: str, id: str = "c1") -> ToolCall:
    return call("submit_sql", {"sql": sql}, id)


def _in_turn(answers: Iterable[Answer]) -> Callable[[CallPosition], Answer]:
    rest = iter(answers)
    return lambda _: next(rest)
