"""The run directory: written so that a kill at any moment loses at most the episodes in flight.

    config.json     written first: what is needed to run it again, and what makes its records comparable
    runs.jsonl      one record per task and epoch, in the order they ended
    overall.json    aggregates      }  both replaced as a whole when the run ends,
    summary.txt     for a person    }  whether it was finished, stopped or interrupted
    episodes/       pictures and other files that records name, of benchmarks that have some

A record counts as done when it is on the disk: records that end while a write is under way share the next one.
On resume a torn last line is cut off, and records with the outcome `error` are taken out, since they are owed again.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from ..failures import InputError, RunStopped
from ..values import Record
from .reading import SLIM, decode_line, differences, encoded, is_owed, read, read_config, read_records

__all__ = ["FORMAT", "RunDirectory", "encoded", "read_config", "read_records", "replace_file"]

FORMAT = 1
FETCHED = ".runs.jsonl.fetched"
"""Records of the same run from elsewhere, which a resume takes in."""

_encoder = msgspec.json.Encoder()


class RunDirectory:
    """An open run: append records, then write the summaries."""

    def __init__(self, path: Path, config: Mapping[str, Any], *, new: bool = False) -> None:
        self.path = path
        self.config = config
        self._new = new
        try:
            self._lock = _lock(path)
            self._open()
        except OSError as error:
            raise InputError(f"{path}: cannot write to this run: {error.strerror}") from None
        self._pending: list[bytes] = []
        self._disk = asyncio.Lock()
        self._next_write: asyncio.Task[None] | None = None

    @classmethod
    def create(cls, base: Path, config: Mapping[str, Any], options: str = "") -> RunDirectory:
        """A new directory below `base`, named by the time; `options` is the text of its config.toml."""
        name = f"run-{datetime.now().strftime('%Y%m%d-%H%M%S')}"
        try:
            path = _make_unique(base, name)
            try:
                if options:
                    replace_file(path / "config.toml", options.encode())
                replace_file(path / "config.json", _pretty(config))
            except OSError:
                (path / "config.toml").unlink(missing_ok=True)
                path.rmdir()
                raise
        except OSError as error:
            raise InputError(f"cannot create a run directory in {base}: {error.strerror}") from None
        _point_latest(base, path)
        return cls(path, config, new=True)

    @classmethod
    def resume(cls, path: Path, identity: Mapping[str, Any]) -> RunDirectory:
        """An existing run, made ready to go on. Raises InputError if its records would not be comparable with new ones."""
        config = read_config(path)
        _refuse_incomparable(path, config.get("identity", {}), identity)
        directory = cls(path, config)
        directory._drop_owed()
        directory._take_in(path / FETCHED)
        return directory

    def widen(self, planned: int, arguments: Mapping[str, Any], options: str) -> None:
        """More episodes than the run was begun with make it a larger run, also for the next who goes on with it.

        Fewer are only this time's choice: the rest is still owed.
        """
        before: Any = self.config.get("planned", planned)
        if planned <= before:
            return
        self.config = {**self.config, "planned": planned, "arguments": arguments}
        try:
            replace_file(self.path / "config.toml", options.encode())
            replace_file(self.path / "config.json", _pretty(self.config))
        except OSError as error:
            raise InputError(f"{self.path}: cannot be made larger: {error.strerror}") from None

    def records(self) -> Iterator[Record]:
        """For counting: without their conversations."""
        return read(self.path, SLIM)

    async def append(self, record: Record) -> None:
        """Returns when the record is on the disk. Raises RunStopped if it cannot be written."""
        self._pending.append(encoded(record) + b"\n")
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
            self._next_write = None  # what comes from now on goes into the write after this one
            data, self._pending = b"".join(self._pending), []
            await asyncio.to_thread(self._write, data)

    def _write(self, data: bytes) -> None:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(self._file, view) :]
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._size)  # no half record stays behind
            raise RunStopped(f"cannot write to {self.path / 'runs.jsonl'}: {error.strerror}") from None
        self._size += len(data)

    def finish(self, overall: Mapping[str, Any], summary: str) -> None:
        try:
            replace_file(self.path / "overall.json", _pretty(overall))
            replace_file(self.path / "summary.txt", summary.encode())
        except OSError as error:
            raise RunStopped(f"cannot write the summary to {self.path}: {error.strerror}") from None

    def close(self) -> None:
        """Closes the run; a new one in which nothing was recorded leaves nothing behind."""
        os.close(self._file)
        os.close(self._lock)
        if self._new and self._size == 0:
            self._remove()

    def _remove(self) -> None:
        for name in ("runs.jsonl", "config.json", "config.toml", "overall.json", "summary.txt"):
            (self.path / name).unlink(missing_ok=True)
        shutil.rmtree(self.path / "episodes", ignore_errors=True)
        latest = self.path.parent / "latest"
        if latest.is_symlink() and latest.readlink() == Path(self.path.name):
            latest.unlink()
        with suppress(OSError):  # somebody may have put a file of theirs there
            self.path.rmdir()

    def _open(self) -> None:
        self._file = os.open(self.path / "runs.jsonl", os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self._file).st_size

    def _drop_owed(self) -> None:
        """Rewrites runs.jsonl without a torn last line and without errors, unless there is nothing to take out."""
        path = self.path / "runs.jsonl"
        kept = path.with_suffix(".jsonl.kept")
        try:
            if _any_owed(path):
                _copy_done(path, kept)
                kept.replace(path)
                os.close(self._file)
                self._open()
        except OSError as error:
            raise InputError(f"{path}: cannot be made ready to resume: {error.strerror}") from None
        finally:
            kept.unlink(missing_ok=True)

    def _take_in(self, others: Path) -> None:
        """Adds the records that only another copy of this run has."""
        if not others.exists():
            return
        done = {(record.task, record.epoch) for record in self.records()}
        try:
            with others.open("rb") as lines:
                for number, line in enumerate(lines, 1):
                    found = None if is_owed(others, number, line) else decode_line(others, number, line, SLIM)
                    if found and (found.task, found.epoch) not in done:
                        self._pending.append(line)
            self._write(b"".join(self._pending))
            self._pending.clear()
            others.unlink()
        except OSError as error:
            raise InputError(f"{others}: cannot be taken into this run: {error.strerror}") from None


def _look_at(write: asyncio.Task[None]) -> None:
    """So that asyncio does not complain of a failed write whose episodes were all abandoned."""
    if not write.cancelled():
        write.exception()


def _lock(path: Path) -> int:
    """Of the run's configuration: the one file that is never replaced while a run is open."""
    file = os.open(path / "config.json", os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(file)
        raise InputError(f"{path}: another process is writing to this run") from None
    return file


def _any_owed(path: Path) -> bool:
    with path.open("rb") as lines:
        return any(is_owed(path, number, line) for number, line in enumerate(lines, 1))


def _copy_done(path: Path, target: Path) -> None:
    with path.open("rb") as lines, target.open("wb") as kept:
        for number, line in enumerate(lines, 1):
            if not is_owed(path, number, line):
                kept.write(line)
        kept.flush()
        os.fsync(kept.fileno())


def replace_file(path: Path, content: bytes) -> None:
    """Writes the whole file or leaves the old one."""
    temporary = path.with_name(f".{path.name}.new")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(_encoder.encode(value), indent=2) + b"\n"


def _make_unique(base: Path, name: str) -> Path:
    base.mkdir(parents=True, exist_ok=True)
    for number in range(1, 1000):
        path = base / (name if number == 1 else f"{name}-{number}")
        try:
            path.mkdir()
        except FileExistsError:
            continue
        return path
    raise InputError(f"{base}: too many runs named {name}")


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
    for name, was, is_now in sorted(differences(before, now), key=lambda difference: _is_digest(difference[1])):
        raise InputError(
            f"{path}: cannot resume, the records would not be comparable: {name} was {was!r} and is now {is_now!r}"
        )


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9a-f]{12,}", value) is not None
