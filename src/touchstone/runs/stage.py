"""An episode as its agent sees it, and the transcript that is kept of what the agent does."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from ..budgets import BUDGETS, Budgets, in_words
from ..errors import ModelRefusal, SizeLimit, Unscorable, WrongReturn
from ..foreign import Unreadable, read_json, size_of, whole_value
from ..models import picture_sizes, request_digest
from ..plugins import described, returned
from ..protocols import Episode, Model
from ..types import (
    Brief,
    CallPosition,
    Message,
    ModelStep,
    NoteStep,
    Observation,
    Reply,
    ServiceStep,
    Step,
    Tool,
    ToolCall,
    ToolStep,
    Truncation,
    Usage,
)

# What a record keeps of a conversation: all of it, up to the record's budget.
#
# A long text is cut where it is kept, and only there: the agent sees all of it. At the cut stands how long the text was and
# its digest, in words for readers and as `cut` for programs. When the record is full, everything that follows is cut short,
# so that a record is never much larger than its budget, whatever an agent says.


_encode = msgspec.json.Encoder().encode
SHORT = 200
"""Characters of each text that are kept once the record is full."""


class Transcript:
    """Steps, bounded. `watch` is told of each as it is kept."""

    def __init__(self, budgets: Budgets, watch: Callable[[Step], None] | None = None) -> None:
        self.steps: list[Step] = []
        self._budgets = budgets
        self._watch = watch
        self._size = 0

    def add(self, step: Step) -> None:
        cutting = _Cutting(SHORT if self._size > self._budgets.record_bytes else self._budgets.kept_text)
        kept = cutting.step(step)
        self._size += cutting.size
        self.steps.append(kept)
        if self._watch is not None:
            self._watch(kept)


class _NoTranscript(Transcript):
    def add(self, step: Step) -> None:
        pass


class _Cutting:
    """One step with its texts cut to a length."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._cut: dict[str, Truncation] = {}
        self.size = 0

    def step(self, step: Step) -> Step:
        if isinstance(step, NoteStep):
            kept = replace(step, text=self._text("text", step.text))
        elif isinstance(step, ServiceStep):
            request, response = self._data("request", step.request), self._data("response", step.response)
            kept = replace(step, request={"cut": request} if isinstance(request, str) else request, response=response)
        elif isinstance(step, ModelStep):
            calls = tuple(self._call(f"reply.calls.{number}", call) for number, call in enumerate(step.reply.calls))
            kept = replace(step, reply=replace(step.reply, text=self._text("reply.text", step.reply.text), calls=calls))
        else:
            kept = self._tool(step)
        return replace(kept, cut=self._cut) if self._cut else kept

    def _tool(self, step: ToolStep) -> ToolStep:
        seen = step.observation
        details: Any = self._data("observation.details", seen.details) if seen.details else {}
        text = self._text("observation.text", seen.text)
        call = self._call("call", step.call)
        if call is step.call and text is seen.text and not (details or seen.pictures):
            return step  # as most are
        kept = replace(seen, text=text, details={"cut": details} if isinstance(details, str) else details, pictures=())
        return replace(step, call=call, observation=kept)

    def _call(self, name: str, call: ToolCall) -> ToolCall:
        id, tool = self._text(f"{name}.id", call.id), self._text(f"{name}.name", call.name)
        arguments = self._text(f"{name}.arguments", call.arguments)
        is_whole = id is call.id and tool is call.name and arguments is call.arguments
        return call if is_whole else ToolCall(id, tool, arguments)

    def _text(self, name: str, text: str) -> str:
        if len(text) > self._longest:
            text, self._cut[name] = shortened(text, self._longest)
        self.size += len(_encode(text))
        return text

    def _data(self, name: str, data: Any) -> Any:
        """JSON stays what it is if it is short; else the beginning of its text."""
        try:
            encoded = _encode(data)
        except UnicodeEncodeError:  # half a character from a benchmark's own details
            data = whole_value(msgspec.to_builtins(data))
            encoded = _encode(data)
        if len(encoded) <= self._longest:
            self.size += len(encoded)
            return data
        return self._text(name, encoded.decode())


def shortened(text: str, longest: int) -> tuple[str, Truncation]:
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
    notice = f"… [cut here: {len(text):,} characters in all, blake2b {digest}]"
    return text[:longest] + notice, Truncation(len(text), digest)


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
        *,
        keep: bool = True,
    ) -> None:
        """`keep`: whether there is a transcript. Nobody who serves hundreds of episodes has a use for theirs."""
        self.task = task
        self._who = f"the episode {type(episode).__module__}.{type(episode).__qualname__}"
        self.brief = returned(episode.brief, Brief, f"{self._who}: brief", "a Brief")
        self.tools = episode.tools
        if not isinstance(self.tools, Sequence) or not all(isinstance(tool, Tool) for tool in self.tools):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongReturn(f"{self._who}: tools is {described(self.tools)}, expected a sequence of Tool")
        self.usage = Usage()
        self._episode = episode
        self._epoch = epoch
        self._budgets = budgets
        self._transcript = (Transcript if keep else _NoTranscript)(budgets, watch)
        self._calls = self._sent = self._shown = 0
        self.unreadable = 0
        """Calls of an unknown tool, or with arguments that could not be read."""

    @property
    def steps(self) -> list[Step]:
        return self._transcript.steps

    @property
    def finished(self) -> bool:
        return self._episode.finished

    async def ask(self, model: Model, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply:
        started = time.perf_counter()
        reply = await model.reply(messages, tools, CallPosition(self.task, self._epoch, self.usage.calls))
        seconds = time.perf_counter() - started
        returned(reply, Reply, f"the model '{model.name}': reply()", "a Reply")
        self.usage += reply.usage
        sizes = picture_sizes(messages)
        step = ModelStep(
            *(reply, request_digest(messages, tools), round(seconds, 6)), pictures=len(sizes), picture_bytes=sum(sizes)
        )
        self._transcript.add(step)
        self._spend_in(size_of(reply.text) + sum(map(_size, reply.calls)))
        if reply.finish == "refusal":
            raise ModelRefusal(f"the model refused: {reply.text[:200] or 'no reason given'}")
        return reply

    async def call(self, call: ToolCall) -> Observation:
        started = time.perf_counter()
        if not isinstance(call, ToolCall):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise WrongReturn(f"the agent called a tool with {described(call)}, expected a ToolCall")
        self._spend_in(_size(call))
        self._calls += 1
        if self._calls > self._budgets.calls:
            raise SizeLimit(f"more than {self._budgets.calls:,} tool calls in one episode", "calls")
        try:
            observation = await self._observe(call)
        except Unscorable as reason:  # the call itself is the agent's work, and may be scored once the reference is there
            withheld = Observation(f"Not judged: {reason}", error=True)
            self._transcript.add(ToolStep(call, withheld, round(time.perf_counter() - started, 6)))
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
        reminder = self._episode.unreadable(complaint).text
        self._transcript.add(NoteStep(reminder))
        return reminder

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
            return self._unreadable(f"There is no tool named '{call.name[:100]}'. The tools are: {names}.")
        if size_of(call.arguments) > self._budgets.call_bytes:
            return self._unreadable(
                f"The arguments of {tool.name} are longer than {in_words(self._budgets.call_bytes)}: nothing was done."
            )
        try:
            arguments = read_json(call.arguments or "{}", tool.arguments)
        except Unreadable as error:
            fields = ", ".join(tool.arguments.__struct_fields__)
            what = f"Expected a JSON object with: {fields}." if fields else "It takes none."
            return self._unreadable(f"The arguments of {tool.name} could not be read: {error}. {what}")
        return returned(await self._episode.call(tool.name, arguments), Observation, f"{self._who}: call()", "an Observation")

    def _unreadable(self, complaint: str) -> Observation:
        self.unreadable += 1
        return self._episode.unreadable(complaint)


def _size(call: ToolCall) -> int:
    return size_of(call.name) + size_of(call.arguments)
