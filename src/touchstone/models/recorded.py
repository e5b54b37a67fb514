"""A recorded run as a model: `recorded:RUN_DIR` answers as the model of that run did.

The n-th call of one epoch of one task is answered with the n-th recorded reply, if the conversation is the recorded
one; otherwise it is a ModelFailure that says where the two parted. Nothing is paid: the tokens are as recorded, the
cost is zero.

Runs can be large. One pass over `runs.jsonl` keeps where each record stands; a record is read when its task is
played and forgotten after its last call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import msgspec
from msgspec import Struct

from ..errors import InputError, ModelFailure, os_errors_as
from ..protocols import ModelConfig
from ..types import CallPosition, Message, ModelStep, Record, Reply, Tool
from . import request_digest

_Key = tuple[str, int]
_record = msgspec.json.Decoder(Record)


class _Head(Struct):
    """As much of a record as the index needs."""

    task: str
    epoch: int


_head = msgspec.json.Decoder(_Head)


class RecordedConfig(ModelConfig, frozen=True, kw_only=True):
    """The replies of an earlier run."""

    provider: ClassVar[str] = "recorded"
    names_path: ClassVar[bool] = True

    def build(self, concurrency: int = 16) -> RecordedModel:
        return RecordedModel(self.model)


class RecordedModel:
    """A chat model that repeats a run."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._file = Path(name.removeprefix("recorded").removeprefix(":")).expanduser() / "runs.jsonl"
        self._places = _index(self._file)
        self._open: dict[_Key, list[ModelStep]] = {}

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        key = (position.task, position.epoch)
        steps = self._open.pop(key, None) or await asyncio.to_thread(self._steps, key)
        reply = _replayed(steps, messages, tools, position)
        if position.call + 1 < len(steps):
            self._open[key] = steps
        return reply

    async def close(self) -> None:
        self._open.clear()

    def _steps(self, key: _Key) -> list[ModelStep]:
        if key not in self._places:
            raise ModelFailure(f"{self.name}: the run has no record of epoch {key[1]} of {key[0]}")
        with self._file.open("rb") as file:
            file.seek(self._places[key])
            line = file.readline()
        try:
            return [step for step in _record.decode(line).steps if isinstance(step, ModelStep)]
        except msgspec.DecodeError as error:
            raise ModelFailure(f"{self.name}: the record of {key[0]} cannot be read: {error}") from None


def _replayed(steps: list[ModelStep], messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
    where = f"call {position.call + 1} of {position.task}"
    if position.call >= len(steps):
        raise ModelFailure(f"the recording ends before {where}: it has {len(steps)} calls")
    step = steps[position.call]
    if step.cut:
        raise ModelFailure(f"the recording does not hold all of the reply at {where}: it was too long to be kept")
    if step.request != request_digest(messages, tools):
        raise ModelFailure(f"the conversation is not the recorded one any more at {where}")
    return msgspec.structs.replace(step.reply, usage=msgspec.structs.replace(step.reply.usage, cost=0.0))


def _index(file: Path) -> dict[_Key, int]:
    """Where each record begins. Of several for one key the last counts; a torn last line is none."""
    places: dict[_Key, int] = {}
    torn = 0
    for number, (start, line) in enumerate(_lines(file), 1):
        if torn:
            raise InputError(f"line {torn} of {file} is not a record")
        try:
            head = _head.decode(line)
            places[head.task, head.epoch] = start
        except (msgspec.DecodeError, UnicodeError):
            torn = number
    return places


def _lines(file: Path) -> Iterator[tuple[int, bytes]]:
    """Each line and where it begins."""
    start = 0
    with os_errors_as(InputError, f"{file} cannot be read"), file.open("rb") as lines:
        for line in lines:
            yield start, line
            start += len(line)
