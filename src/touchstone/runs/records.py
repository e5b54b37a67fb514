"""Reading a run directory, here or at an address: its configuration, its records, and whether two runs are comparable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeVar, cast

import msgspec

from ..errors import InputError, os_errors_as
from ..foreign import whole_value
from ..types import Outcome, Record
from .remote import open_to_read


class Keyed(Protocol):
    """Whatever is read of a record, it says of which episode it is."""

    @property
    def task(self) -> str: ...

    @property
    def epoch(self) -> int: ...


R = TypeVar("R")
K = TypeVar("K", bound=Keyed)

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(Record)


class _Slim(Record, frozen=True, kw_only=True):
    """A record whose conversation is left as bytes: all that counting needs, in half the time."""

    brief: msgspec.Raw = msgspec.Raw(b"null")  # pyright: ignore[reportIncompatibleVariableOverride]
    steps: msgspec.Raw = msgspec.Raw(b"[]")  # pyright: ignore[reportIncompatibleVariableOverride]


class _Ending(msgspec.Struct):
    outcome: Outcome


SLIM = msgspec.json.Decoder(_Slim)
_ending = msgspec.json.Decoder(_Ending)


def is_owed(path: Path, number: int, line: bytes) -> bool:
    """Whether a line is torn, or that of an error."""
    ending = decode_line(path, number, line, _ending)
    return ending is None or ending.outcome is Outcome.error


def read_config(path: Path) -> dict[str, Any]:
    """A run's configuration. Raises InputError if this is not a run directory."""
    try:
        with open_to_read(path / "config.json") as file:
            return msgspec.json.decode(file.read(), type=dict[str, Any])
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(f"{path}: not a run directory (it has no config.json)") from None
    except OSError as error:
        raise InputError(f"{path / 'config.json'}: {error.strerror or error}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{path / 'config.json'}: not the configuration of a run: {error}") from None


def read_records(path: Path) -> Iterator[Record]:
    """A run's records, one at a time; a torn last line is passed over. The run may be at an address."""
    return read(path, _decoder)


def read(path: Path, decoder: msgspec.json.Decoder[K]) -> Iterator[K]:
    """Raises InputError for a line that is no record, and for a task and epoch that are there twice."""
    file = path / "runs.jsonl"
    seen: dict[tuple[str, int], int] = {}
    with os_errors_as(InputError, f"{file}: cannot read the records of this run"), open_to_read(file) as lines:
        for number, line in enumerate(lines, 1):
            record = decode_line(file, number, line, decoder)
            if record is not None:
                refuse_second(file, number, record, seen)
                yield record


def refuse_second(file: Path, number: int, record: Keyed, seen: dict[tuple[str, int], int]) -> None:
    """`seen` has the lines of those before. Two records of one episode would count it twice."""
    first = seen.setdefault((record.task, record.epoch), number)
    if first != number:
        raise InputError(f"{file}: line {number} records task {record.task}, epoch {record.epoch} again, after line {first}")


def decode_line(file: Path, number: int, line: bytes, decoder: msgspec.json.Decoder[R]) -> R | None:
    """None for a torn line, which only a kill in the middle of the last write leaves."""
    if not line.endswith(b"\n"):
        return None
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{file}: line {number} is not a record of Touchstone: {error}") from None


def encoded(record: Record) -> bytes:
    """A record as its line, without the end."""
    try:
        return _encoder.encode(record)
    except UnicodeEncodeError:  # a model wrote half of a character, which no file can hold
        return _encoder.encode(whole_value(msgspec.to_builtins(record)))


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Of two identities, by name. Of a mapping only what both have must be equal: more tasks may bring more databases."""
    before, now = msgspec.json.decode(_encoder.encode((before, now)))
    for name in sorted({*before, *now}):
        was, is_now = before.get(name), now.get(name)
        if isinstance(was, dict) and isinstance(is_now, dict):
            parts, parts_now = cast(dict[str, Any], was), cast(dict[str, Any], is_now)
            for part in sorted(parts.keys() & parts_now.keys()):
                if parts[part] != parts_now[part]:
                    yield f"{name}.{part}", parts[part], parts_now[part]
        elif was != is_now:
            yield name, was, is_now
