"""An episode as its agent sees it, and the transcript that is kept of what the agent does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from ..budgets import BUDGETS, Budgets, in_words
from ..failures import ModelRefusal, SizeLimit, Unscorable
from ..foreign import Unreadable, read_json, size_of
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
from .transcript import Transcript


class RecordingStage:
    """Passes everything through to the episode and the model, writes it down, and keeps it within the episode's budgets.

    This is the border between an agent and the episode: what crosses it is whole text (see `values`) of a bounded size, and
    what cannot be read is answered, not raised.
    """

    def __init__(
        self,
        episode: Episode,
        task: str,
        epoch: int,
        watch: Callable[[Step], None] | None = None,
        budgets: Budgets = BUDGETS,
    ) -> None:
        self.task = task
        self.brief = episode.brief
        self.tools = episode.tools
        self.usage = Usage()
        self._episode = episode
        self._epoch = epoch
        self._budgets = budgets
        self._transcript = Transcript(budgets, watch)
        self._calls = self._sent = self._shown = 0

    @property
    def steps(self) -> list[Step]:
        return self._transcript.steps

    @property
    def finished(self) -> bool:
        return self._episode.finished

    async def ask(self, model: Model, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        started = time.perf_counter()
        reply = await model.reply(messages, tools, Place(self.task, self._epoch, self.usage.calls))
        seconds = time.perf_counter() - started
        self.usage += reply.usage
        self._transcript.add(ModelStep(reply, request_digest(messages, tools), round(seconds, 6)))
        self._spend_in(size_of(reply.text) + sum(map(_size, reply.calls)))
        if reply.finish == "refusal":
            raise ModelRefusal(f"the model refused: {reply.text[:200] or 'no reason given'}")
        return reply

    async def call(self, call: ToolCall) -> Observation:
        started = time.perf_counter()
        self._spend_in(_size(call))
        self._calls += 1
        if self._calls > self._budgets.calls:
            raise SizeLimit(f"more than {self._budgets.calls:,} tool calls in one episode", "calls")
        try:
            observation = await self._observe(call)
        except Unscorable as reason:  # the call itself is the agent's work, and may be scored once the reference is there
            told = Observation(f"Not judged: {reason}", error=True)
            self._transcript.add(ToolStep(call, told, round(time.perf_counter() - started, 6)))
            raise
        self._transcript.add(ToolStep(call, observation, round(time.perf_counter() - started, 6)))
        self._shown += size_of(observation.text)
        if self._shown > self._budgets.bytes_out:
            raise SizeLimit(f"the tools have shown more than {in_words(self._budgets.bytes_out)} in one episode", "bytes_out")
        return observation

    async def peek(self) -> Observation | None:
        look = getattr(self._episode, "peek", None)
        return None if look is None else await look()

    def remind(self, complaint: str) -> str:
        told = self._episode.unreadable(complaint).text
        self._transcript.add(NoteStep(told))
        return told

    def log(self, step: NoteStep | ServiceStep) -> None:
        self._transcript.add(step)

    def account(self, usage: Usage) -> None:
        self.usage += usage

    def _spend_in(self, size: int) -> None:
        self._sent += size
        if self._sent > self._budgets.bytes_in:
            raise SizeLimit(f"the agent has sent more than {in_words(self._budgets.bytes_in)} in one episode", "bytes_in")

    async def _observe(self, call: ToolCall) -> Observation:
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            names = ", ".join(tool.name for tool in self.tools)
            return self._episode.unreadable(f"There is no tool named '{call.name[:100]}'. The tools are: {names}.")
        if size_of(call.arguments) > self._budgets.call_bytes:
            return self._episode.unreadable(
                f"The arguments of {tool.name} are longer than {in_words(self._budgets.call_bytes)}: nothing was done."
            )
        try:
            arguments = read_json(call.arguments or "{}", tool.arguments)
        except Unreadable as error:
            fields = ", ".join(tool.arguments.__struct_fields__)
            what = f"Expected a JSON object with: {fields}." if fields else "It takes none."
            return self._episode.unreadable(f"The arguments of {tool.name} could not be read: {error}. {what}")
        return await self._episode.call(tool.name, arguments)


def _size(call: ToolCall) -> int:
    return size_of(call.name) + size_of(call.arguments)
