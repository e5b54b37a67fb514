"""An episode as its agent sees it, and the transcript that is kept of what the agent does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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

    def __init__(self, episode: Episode, task: str, epoch: int, watch: Callable[[Step], None] | None = None) -> None:
        self.task = task
        self.brief = episode.brief
        self.tools = episode.tools
        self.steps: list[Step] = []
        self.usage = Usage()
        self._episode = episode
        self._epoch = epoch
        self._watch = watch

    @property
    def finished(self) -> bool:
        return self._episode.finished

    async def ask(self, model: Model, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        started = time.perf_counter()
        reply = await model.reply(messages, tools, Place(self.task, self._epoch, self.usage.calls))
        seconds = time.perf_counter() - started
        self.usage += reply.usage
        self._keep(ModelStep(reply, request_digest(messages, tools), round(seconds, 6)))
        if reply.finish == "refusal":
            raise ModelRefusal(f"the model refused: {reply.text[:200] or 'no reason given'}")
        return reply

    async def call(self, call: ToolCall) -> Observation:
        started = time.perf_counter()
        observation = await self._observe(call)
        kept = msgspec.structs.replace(observation, pictures=()) if observation.pictures else observation
        self._keep(ToolStep(call, kept, round(time.perf_counter() - started, 6)))
        return observation

    async def peek(self) -> Observation | None:
        look = getattr(self._episode, "peek", None)
        return None if look is None else await look()

    def remind(self, complaint: str) -> str:
        told = self._episode.unreadable(complaint).text
        self._keep(NoteStep(told))
        return told

    def log(self, step: NoteStep | ServiceStep) -> None:
        self._keep(step)

    def account(self, usage: Usage) -> None:
        self.usage += usage

    def _keep(self, step: Step) -> None:
        self.steps.append(step)
        if self._watch is not None:
            self._watch(step)

    async def _observe(self, call: ToolCall) -> Observation:
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            names = ", ".join(tool.name for tool in self.tools)
            return self._episode.unreadable(f"There is no tool named '{call.name}'. The tools are: {names}.")
        try:
            arguments = _decoder(tool.arguments).decode(call.arguments or "{}")
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            fields = ", ".join(tool.arguments.__struct_fields__)
            what = f"Expected a JSON object with: {fields}." if fields else "It takes none."
            return self._episode.unreadable(f"The arguments of {tool.name} could not be read: {error}. {what}")
        return await self._episode.call(tool.name, arguments)


@cache
def _decoder(arguments: type[msgspec.Struct]) -> msgspec.json.Decoder[msgspec.Struct]:
    return msgspec.json.Decoder(arguments)
