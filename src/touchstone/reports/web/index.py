"""A line per episode of a run, without its transcript: what lists, filters and sums need, and where in the file the rest is.

One pass over runs.jsonl, and later only over what has been added. A torn last line waits until it is whole. A file that was
replaced or cut (a resume does that) is read anew, under another generation. A line that is no record is noted and passed over.
"""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from typing import BinaryIO

import msgspec

from ...runs.aggregate import Aggregate
from ..records import ShortRecord, short_record

# Names in addresses and files: readable, safe on every file system, and the same at every start.


_PLAIN = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}\Z")
_ODD = re.compile(r"[^A-Za-z0-9_-]+")


def episode_name(task: str, epoch: int) -> str:
    return f"t-{safe(task)}~{epoch}"


def safe(text: str) -> str:
    """The text if it is harmless (in lower case, since some file systems know no other), else a likeness and a hash."""
    if _PLAIN.match(text) and ".." not in text:
        return text
    return f"{_ODD.sub('-', text).strip('-')[:60]}-{digest(text)}".lstrip("-")


def digest(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


MOST_FAULTS = 20
_READ_AT_ONCE = 2**17
_MANY_LINES = 10_000
_MARK = 256
"""Bytes of the last line that was read, by which a file that was rewritten in place is told."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """One episode."""

    name: str
    """In addresses and file names."""
    record: ShortRecord
    offset: int
    length: int

    @property
    def key(self) -> tuple[str, int]:
        return self.record.task, self.record.epoch

    @property
    def word(self) -> str:
        """What one filters by: for a prediction that is right by EX, what proof says of it; else the kind."""
        return f"proof {self.record.proof}" if self.record.proof else self.record.kind

    @property
    def cost(self) -> float | None:
        """Of all models together."""
        return sum(self.record.usage_by.values(), self.record.usage).cost


class RunIndex:
    """Of one run."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.generation = -1
        self._forget()

    def _forget(self) -> None:
        self.generation += 1
        self.entries: list[IndexEntry] = []
        self.by_name: dict[str, IndexEntry] = {}
        self.aggregate = Aggregate()
        self.faults: list[str] = []
        self.began: datetime | None = None
        self.ended: datetime | None = None
        self._inode = -1
        self._lines = 0
        self._end = 0
        self._mark = b""
        self._marked = 0

    @property
    def cost(self) -> float | None:
        """Of all models together, as far as their prices are known."""
        return sum(self.aggregate.usage_by.values(), self.aggregate.usage).cost

    @property
    def stamp(self) -> str:
        """Another one whenever the index has changed."""
        return f"{self.generation}.{self._end}"

    def refresh(self) -> Sequence[IndexEntry]:
        """Reads what has been added. Raises OSError if there is nothing to read."""
        with self._path.open("rb", buffering=_READ_AT_ONCE) as file:
            state = os.fstat(file.fileno())
            if self._end and (state.st_ino != self._inode or state.st_size < self._end or not self._same(file)):
                self._forget()
            self._inode = state.st_ino
            if state.st_size > self._end:
                file.seek(self._end)
                known = self._lines
                with _without_collector():
                    for line in file:
                        if not line.endswith(b"\n"):
                            break
                        self._take(line)
                if self._lines - known > _MANY_LINES:
                    gc.freeze()  # they stay: no later collection needs to look through them
            return self.entries

    def line(self, entry: IndexEntry) -> bytes:
        """The whole record of an episode."""
        with self._path.open("rb") as file:
            file.seek(entry.offset)
            return file.read(entry.length)

    def _same(self, file: BinaryIO) -> bool:
        file.seek(self._marked)
        return file.read(len(self._mark)) == self._mark

    def _take(self, line: bytes) -> None:
        self._lines += 1
        try:
            self._keep(short_record.decode(line), len(line))
        except (msgspec.DecodeError, UnicodeError) as error:
            self._fault(f"line {self._lines:,} is not a record and is left out: {error}")
        self._mark, self._marked = line[:_MARK], self._end
        self._end += len(line)

    def _fault(self, text: str) -> None:
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(text)

    def _keep(self, record: ShortRecord, length: int) -> None:
        entry = IndexEntry(episode_name(record.task, record.epoch), record, self._end, length)
        if entry.name in self.by_name:
            self._fault(f"line {self._lines:,} records task {record.task}, epoch {record.epoch} again and is left out")
            return
        self.entries.append(entry)
        self.by_name[entry.name] = entry
        self.aggregate.add(record)
        self._time(record)

    def _time(self, record: ShortRecord) -> None:
        try:
            began = datetime.fromisoformat(record.started)
            ended = began + timedelta(seconds=record.seconds)
            self.began = began if self.began is None else min(began, self.began)
            self.ended = ended if self.ended is None else max(ended, self.ended)
        except (ValueError, OverflowError, TypeError):
            return  # a time that cannot be read is not worth losing the record


@contextmanager
def _without_collector() -> Generator[None]:
    """Every object that is made while lines are read stays: to look through all of them again and again took half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
