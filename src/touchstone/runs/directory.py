"""The run directory: written so that a kill at any moment loses at most the episodes in flight.

    config.json     written first: what is needed to run it again, and what makes its records comparable
    runs.jsonl      one record per task and epoch, in the order they ended
    overall.json    aggregates      }  both replaced as a whole when the run ends,
    summary.txt     for a person    }  whether it was finished, stopped or interrupted

A record counts as done when it is on the disk: records that end while a write is under way share the next one.
On resume a torn last line is cut off, and records with the outcome `error` are taken out, since they are owed again.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, cast

import msgspec

from ..failures import InputError, RunStopped
from ..values import Outcome, Record

FORMAT = 1

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)


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
    def create(cls, base: Path, config: Mapping[str, Any]) -> RunDirectory:
        """A new directory below `base`, named by the time."""
        name = f"run-{datetime.now().strftime('%Y%m%d-%H%M%S')}"
        try:
            path = _make_unique(base, name)
            try:
                replace_file(path / "config.json", _pretty(config))
            except OSError:
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
        return directory

    def records(self) -> Iterator[Record]:
        return read_records(self.path)

    async def append(self, record: Record) -> None:
        """Returns when the record is on the disk. Raises RunStopped if it cannot be written."""
        self._pending.append(_encoded(record) + b"\n")
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
        for name in ("runs.jsonl", "config.json", "overall.json", "summary.txt"):
            (self.path / name).unlink(missing_ok=True)
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
            if _copy_done(path, kept):
                kept.replace(path)
                os.close(self._file)
                self._open()
        except OSError as error:
            raise InputError(f"{path}: cannot be made ready to resume: {error.strerror}") from None
        finally:
            kept.unlink(missing_ok=True)


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


def _copy_done(path: Path, target: Path) -> bool:
    """Copies the records that are not owed; says whether any were left out."""
    left_out = False
    with path.open("rb") as lines, target.open("wb") as kept:
        for number, line in enumerate(lines, 1):
            record = _decode_line(path, number, line)
            if record is None or record.outcome is Outcome.error:
                left_out = True
            else:
                kept.write(line)
        kept.flush()
        os.fsync(kept.fileno())
    return left_out


def read_config(path: Path) -> dict[str, Any]:
    """A run's configuration. Raises InputError if this is not a run directory."""
    try:
        return msgspec.json.decode((path / "config.json").read_bytes(), type=dict[str, Any])
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: not a run directory (it has no config.json)") from None
    except OSError as error:
        raise InputError(f"{path / 'config.json'}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{path / 'config.json'}: not the configuration of a run: {error}") from None


def read_records(path: Path, wanted: Callable[[Record], bool] = lambda _: True) -> Iterator[Record]:
    """A run's records, one at a time; a torn last line is passed over."""
    file = path / "runs.jsonl"
    try:
        with file.open("rb") as lines:
            for number, line in enumerate(lines, 1):
                record = _decode_line(file, number, line)
                if record is not None and wanted(record):
                    yield record
    except OSError as error:
        raise InputError(f"{file}: cannot read the records of this run: {error.strerror}") from None


def _decode_line(file: Path, number: int, line: bytes) -> Record | None:
    """None for a torn line, which only a kill in the middle of the last write leaves."""
    if not line.endswith(b"\n"):
        return None
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{file}: line {number} is not a record of Touchstone: {error}") from None


def _encoded(record: Record) -> bytes:
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:  # a model wrote half of a character, which no file can hold
        return _encoder.encode(_whole(msgspec.to_builtins(record)))


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in cast("dict[Any, Any]", value).items()}
    return [_whole(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value


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
    for name, was, is_now in _differences(before, msgspec.json.decode(_encoder.encode(now))):
        raise InputError(
            f"{path}: cannot resume, the records would not be comparable: {name} was {was!r} and is now {is_now!r}"
        )


def _differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """By name. Of a mapping only what both have must be equal: a larger selection of tasks may bring more databases."""
    for name in sorted({*before, *now}):
        was, is_now = before.get(name), now.get(name)
        if isinstance(was, dict) and isinstance(is_now, dict):
            parts, parts_now = cast(dict[str, Any], was), cast(dict[str, Any], is_now)
            for part in sorted(parts.keys() & parts_now.keys()):
                if parts[part] != parts_now[part]:
                    yield f"{name}.{part}", parts[part], parts_now[part]
        elif was != is_now:
            yield name, was, is_now
