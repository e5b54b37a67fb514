"""The run directory: written so that a kill at any moment loses at most the episodes in flight.

    config.json     written first: what is needed to run it again, and what makes its records comparable
    runs.jsonl      one record per task and epoch, in the order they ended, each with its seal
    overall.json    aggregates      }  replaced as a whole when the run ends,
    summary.txt     for a person    }  whether it was finished, stopped or interrupted,
    seal.json       of all these    }  the seal last
    episodes/       pictures and other files that records name, if there are any; evidence["episode"] is their folder
    .lock           while the run is open, held by the one process that writes

A record counts as done when it is on the disk: records that end while a write is under way share the next one.
On resume a torn last line is cut off, and records with the outcome `error` are taken out, since they are owed again; the rest
is sealed anew, if its seals were right.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ..code_digest import code_digest
from ..errors import InputError, RunStopped, os_errors_as
from ..files import lock_file, new_folder, replace_file
from ..types import Outcome, Record
from . import seal
from .aggregate import SoFar
from .records import SLIM, decode_line, differences, encoded, is_owed, read, read_config, read_records, refuse_second
from .remote import EPISODES

__all__ = ["FORMAT", "RunDirectory", "encoded", "read_config", "read_records", "replace_file"]

FORMAT = 1
FETCHED = ".runs.jsonl.fetched"
"""Records of the same run from elsewhere, which a resume takes in."""

LOCK = ".lock"

_encoder = msgspec.json.Encoder()
_TRIES_TO_LOCK = 10
_SECONDS_BETWEEN_TRIES = 0.05
_SECONDS_TO_GATHER = 0.005
_MOST_GATHERINGS = 4
"""How long a write waits for further records where the last one had several, and how often it waits again where more have come:
a write costs more than a record does. Episodes that end one by one never wait."""


class RunDirectory:
    """An open run: append records, then write the summaries."""

    def __init__(self, path: Path, config: Mapping[str, Any], *, new: bool = False) -> None:
        self.path = path
        self.config = config
        self._new = new
        self._chain = seal.Chain.of(config)
        with os_errors_as(InputError, f"{path}: cannot write to this run"):
            self._lock = _lock(path)
            self._open()
        self._seen: SoFar | None = None
        self._has_seal = True
        self._pending: list[bytes] = []
        self._playing = 0
        self._disk = asyncio.Lock()
        self._next_write: asyncio.Task[None] | None = None
        self._gathers = False

    @classmethod
    def create(cls, base: Path, config: Mapping[str, Any], options: str = "") -> RunDirectory:
        """A new directory below `base`, named by the time; `options` is the text of its config.toml."""
        config = {**config, "identity": _with_code(config.get("identity", {})), "seal": seal.MARK}
        name = f"run-{datetime.now().strftime('%Y%m%d-%H%M%S')}"
        with os_errors_as(InputError, f"cannot create a run directory in {base}"):
            path = new_folder(base / name)
            try:
                if options:
                    replace_file(path / "config.toml", options.encode())
                replace_file(path / "config.json", _pretty(config))
            except OSError:
                (path / "config.toml").unlink(missing_ok=True)
                path.rmdir()
                raise
        _point_latest(base, path)
        return cls(path, config, new=True)

    @classmethod
    def resume(cls, path: Path, identity: Mapping[str, Any]) -> RunDirectory:
        """An existing run, made ready to go on. Raises InputError if its records would not be comparable with new ones."""
        config = read_config(path)
        _refuse_incomparable(path, config.get("identity", {}), _with_code(identity))
        directory = cls(path, config)
        try:
            directory._make_ready()
            directory._take_in(path / FETCHED)
        except BaseException:
            directory.close()
            raise
        return directory

    def widen(self, planned: int, config: Mapping[str, Any], options: str) -> None:
        """More episodes than the run was begun with make it a larger run, also for the next who goes on with it.

        Fewer are only this time's choice: the rest is still owed.
        """
        before: Any = self.config.get("planned", planned)
        if planned <= before:
            return
        self.config = {**self.config, **config, "planned": planned}
        with os_errors_as(InputError, f"{self.path}: cannot be extended"):
            self._break_seal()
            replace_file(self.path / "config.toml", options.encode())
            replace_file(self.path / "config.json", _pretty(self.config))

    def records(self) -> Iterator[Record]:
        """For counting: without their conversations."""
        return read(self.path, SLIM)

    def so_far(self) -> SoFar:
        """What a resume has seen of them when it looked through the file; the file is large."""
        seen, self._seen = self._seen, None
        if seen is None:
            seen = SoFar()
            for record in self.records():
                seen.add(record)
        return seen

    async def append(self, record: Record, playing: int = 0) -> None:
        """Returns when the record is on the disk. Raises RunStopped if it cannot be written. `playing` episodes will each have
        a record too: so long as they are more than those that wait for the disk, nobody waits in vain."""
        self._pending.append(encoded(record))
        self._playing = playing
        if self._next_write is None:
            self._next_write = asyncio.create_task(self._write_pending())
            self._next_write.add_done_callback(_look_at)
        await asyncio.shield(self._next_write)

    async def settle(self) -> None:
        """Waits for writes under way whose episodes were abandoned meanwhile."""
        while self._next_write is not None:
            await asyncio.gather(self._next_write, return_exceptions=True)
        async with self._disk:
            pass

    async def _write_pending(self) -> None:
        async with self._disk:
            if self._gathers:
                await self._gather()
            self._next_write = None  # what comes from now on goes into the write after this one
            records, self._pending = self._pending, []
            self._gathers = len(records) > 1
            await asyncio.to_thread(self._write, records)

    async def _gather(self) -> None:
        before = 0
        for _ in range(_MOST_GATHERINGS):
            if not before < len(self._pending) <= self._playing:
                return
            before = len(self._pending)
            await asyncio.sleep(_SECONDS_TO_GATHER)

    def _write(self, records: Sequence[bytes]) -> None:
        data, chain = _lines(records, self._chain)
        try:
            self._break_seal()
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)  # no half record stays behind
            raise RunStopped(f"cannot write to {self.path / 'runs.jsonl'}: {error.strerror}") from None
        self._size += len(data)
        self._chain = chain

    def _break_seal(self) -> None:
        """Before the first change: a run that is killed has no seal rather than a wrong one."""
        if self._has_seal:
            (self.path / seal.FILE).unlink(missing_ok=True)
            self._has_seal = False

    def finish(self, overall: Mapping[str, Any], summary: str) -> None:
        with os_errors_as(RunStopped, f"cannot write the summary to {self.path}"):
            self._break_seal()
            replace_file(self.path / "overall.json", _pretty(overall))
            replace_file(self.path / "summary.txt", summary.encode())
            if self._chain is not None:
                self._has_seal = True
                replace_file(self.path / seal.FILE, seal.closing(self.path, self._chain))

    def close(self) -> None:
        """Closes the run; a new one in which nothing was recorded leaves nothing behind."""
        os.close(self._file)
        try:
            if self._new and self._size == 0:
                self._remove()
            (self.path / LOCK).unlink(missing_ok=True)
        finally:
            os.close(self._lock)

    def _remove(self) -> None:
        for name in ("runs.jsonl", "config.json", "config.toml", "overall.json", "summary.txt", seal.FILE, LOCK):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / EPISODES, ignore_errors=True)
        latest = self.path.parent / "latest"
        if latest.is_symlink() and latest.readlink() == Path(self.path.name):
            latest.unlink()
        with suppress(OSError):  # somebody may have put a file of theirs there
            self.path.rmdir()

    def _open(self) -> None:
        self._file = os.open(self.path / "runs.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._size = os.fstat(self._file).st_size

    def _make_ready(self) -> None:
        """Rewrites runs.jsonl without a torn last line and without errors, unless there is nothing to take out."""
        path = self.path / "runs.jsonl"
        kept = path.with_suffix(".jsonl.kept")
        try:
            self._seen = SoFar()
            owed, chain = _looked_through(path, self._chain, self._seen)
            if owed:
                self._break_seal()
                chain = _copy_done(path, kept, self._chain)
                kept.replace(path)
                os.close(self._file)
                self._open()
            self._chain = chain
        except OSError as error:
            raise InputError(f"{path}: cannot be prepared for a resume: {error.strerror}") from None
        finally:
            kept.unlink(missing_ok=True)

    def _take_in(self, others: Path) -> None:
        """Adds the records that only another copy of this run has."""
        if not others.exists():
            return
        done = set(self.so_far().digests)
        taken: list[bytes] = []
        with os_errors_as(InputError, f"{others}: cannot be merged into this run"):
            _looked_through(others, seal.Chain.of(self.config), SoFar())
            with others.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    other = None if is_owed(others, number, line) else decode_line(others, number, line, SLIM)
                    if other and (other.task, other.epoch) not in done:
                        done.add((other.task, other.epoch))
                        taken.append(seal.opened(line)[0])
            if taken:
                self._write(taken)
            others.unlink()


def _look_at(write: asyncio.Task[None]) -> None:
    """So that asyncio does not complain of a failed write whose episodes were all abandoned."""
    if not write.cancelled():
        write.exception()


def _lock(path: Path) -> int:
    """A file of its own, since every other is replaced at times, and a lock stays with the file that was replaced.

    Tried for a moment, because somebody who only looks whether a run is going on holds the lock for an instant. The one who
    held it removes the file: a lock on a file that is no longer there is none.
    """
    for _ in range(_TRIES_TO_LOCK):
        file = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            lock_file(file)
            if _is_at(file, path / LOCK):
                return file
        except BlockingIOError:
            time.sleep(_SECONDS_BETWEEN_TRIES)
        except OSError:
            os.close(file)
            raise
        os.close(file)
    raise InputError(f"{path}: another process is writing to this run")


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False


def _looked_through(path: Path, chain: seal.Chain | None, done: SoFar) -> tuple[bool, seal.Chain | None]:
    """Whether anything is owed, and the chain's end; adds what is `done`. Raises InputError if a record is there twice, or a
    seal is wrong."""
    owed = False
    seen: dict[tuple[str, int], int] = {}
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            record = decode_line(path, number, line, SLIM)
            if record is None:
                owed = True
                continue
            refuse_second(path, number, record, seen)
            if record.outcome is Outcome.error:
                owed = True
            else:
                done.add(record)
            if chain is not None:
                if not chain.follows(line):
                    what = "was changed after it was written, or a line before it was taken out"
                    raise InputError(f"{path}: line {number} {what}; to continue anyway, see 'Seals' in docs/runs.md")
                chain = chain.after(line)
    return owed, chain


def _copy_done(path: Path, target: Path, chain: seal.Chain | None) -> seal.Chain | None:
    with path.open("rb") as lines, target.open("wb") as kept:
        for number, line in enumerate(lines, 1):
            if not is_owed(path, number, line):
                line, chain = _lines([seal.opened(line)[0]], chain) if chain else (line, None)
                kept.write(line)
        kept.flush()
        os.fsync(kept.fileno())
    return chain


def _lines(records: Iterable[bytes], chain: seal.Chain | None) -> tuple[bytes, seal.Chain | None]:
    """Encoded records as lines, sealed if the run is, and the chain after them."""
    return chain.sealed(records) if chain else (b"".join(record + b"\n" for record in records), None)


def _with_code(identity: Mapping[str, Any]) -> dict[str, Any]:
    return {**identity, "code": code_digest()}


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(_encoder.encode(value), indent=2) + b"\n"


def _point_latest(base: Path, path: Path) -> None:
    link = base / "latest"
    temporary = base / f".latest-{os.getpid()}"
    try:
        temporary.symlink_to(path.name)
        temporary.replace(link)
    except OSError:
        temporary.unlink(missing_ok=True)  # a convenience: some file systems have no links


def _refuse_incomparable(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """What a person can read is told first: another mode has another prompt's digest too."""
    for name, was, is_now in sorted(differences(before, now), key=lambda each: _is_digest(each[1]) or _is_digest(each[2])):
        if name == "code":
            raise InputError(f"{path}: cannot resume, Touchstone's own code has changed since; use the version it began with")
        raise InputError(
            f"{path}: cannot resume, the records would not be comparable: {name} was {was!r} and is now {is_now!r}"
        )


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{12,}", value) is not None
