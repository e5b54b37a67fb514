"""An episode as its agent sees it, and the transcript that is kept of what the agent does."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import cache

import msgspec

from ..failures import ModelRefusal
from ..models import request_digest
from ..protocols import Episode, Model
from ..values import (
    Message,
    ModelStep,
    NoteStep,
    Observation,
    Place,
    Reply,
    ServiceStep,
    Step,
    Tool,
    ToolCall,
    ToolStep,
    Usage,
)


class RecordingStage:
    """Passes everything through to the episode and the model, and writes it down."""

    def __init__(self, episode: Episode, task: str, epoch: int) -> None:
        self.task = task
        self.brief = episode.brief
        self.tools = episode.tools
        self.steps: list[Step] = []
        self.usage = Usage()
        self._episode = episode
        self._epoch = epoch

    @property
    def finished(self) -> bool:
        return self._episode.finished

    async def ask(self, model: Model, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        started = time.perf_counter()
        reply = await model.reply(messages, tools, Place(self.task, self._epoch, self.usage.calls))
        seconds = time.perf_counter() - started
        self.usage += reply.usage
        self.steps.append(ModelStep(reply, request_digest(messages, tools), round(seconds, 6)))
        if reply.finish == "refusal":
            raise ModelRefusal(f"the model refused: {reply.text[:200] or 'no reason given'}")
        return reply

    async def call(self, call: ToolCall) -> Observation:
        started = time.perf_counter()
        observation = await self._observe(call)
        self.steps.append(ToolStep(call, observation, round(time.perf_counter() - started, 6)))
        return observation

    def log(self, step: NoteStep | ServiceStep) -> None:
        self.steps.append(step)

    async def _observe(self, call: ToolCall) -> Observation:
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            names = ", ".join(tool.name for tool in self.tools)
            return Observation(f"There is no tool named '{call.name}'. The tools are: {names}.", error=True)
        try:
            arguments = _decoder(tool.arguments).decode(call.arguments or "{}")
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            fields = ", ".join(tool.arguments.__struct_fields__)
            return Observation(
                f"The arguments of {tool.name} could not be read: {error}. Expected a JSON object with: {fields}.", error=True
            )
        return await self._episode.call(tool.name, arguments)


@cache
def _decoder(arguments: type[msgspec.Struct]) -> msgspec.json.Decoder[msgspec.Struct]:
    return msgspec.json.Decoder(arguments)
