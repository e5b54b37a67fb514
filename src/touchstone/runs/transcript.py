"""What a record keeps of a conversation: all of it, up to the record's budget.

A long text is cut where it is kept, and only there: the agent sees all of it. At the cut stands how long the text was and its
digest, in words for readers and as `cut` for programs. When the record is full, everything that follows is cut short, so that
a record is never much larger than its budget, whatever an agent says.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import msgspec
from msgspec.structs import replace

from ..budgets import Budgets
from ..foreign import whole_value
from ..values import Cut, ModelStep, NoteStep, ServiceStep, Step, ToolCall, ToolStep

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


class _Cutting:
    """One step with its texts cut to a length."""

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._cut: dict[str, Cut] = {}
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
        observation = replace(
            seen,
            text=self._text("observation.text", seen.text),
            details={"cut": details} if isinstance(details, str) else details,
            pictures=(),
        )
        return replace(step, call=self._call("call", step.call), observation=observation)

    def _call(self, name: str, call: ToolCall) -> ToolCall:
        return ToolCall(
            self._text(f"{name}.id", call.id),
            self._text(f"{name}.name", call.name),
            self._text(f"{name}.arguments", call.arguments),
        )

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


def shortened(text: str, longest: int) -> tuple[str, Cut]:
    digest = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
    told = f"… [cut here: {len(text):,} characters in all, blake2b {digest}]"
    return text[:longest] + told, Cut(len(text), digest)
