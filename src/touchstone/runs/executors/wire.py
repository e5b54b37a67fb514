"""A played job on its way from a node to the driver: the record, and what ended the episode."""

from __future__ import annotations

import msgspec
from msgspec import Struct

from ...failures import RULES, EpisodeFailure, InputError, TouchstoneError
from ...values import Record
from ..directory import encoded

Place = tuple[str, int]
"""A job by its task's key and its epoch."""

_FAILURES = {kind.__name__: kind for kind in RULES}
_NONE = msgspec.Raw(b"null")


class Played(Struct, frozen=True):
    """One answer of a node. Without a record, `message` says why the whole run must end."""

    place: Place
    record: msgspec.Raw = _NONE
    failure: str | None = None
    message: str = ""
    kind: str = ""


_encode = msgspec.json.Encoder().encode
_played = msgspec.json.Decoder(Played)
_record = msgspec.json.Decoder(Record)


def packed(place: Place, record: Record, failure: EpisodeFailure | None) -> bytes:
    if failure is None:
        return _encode(Played(place, msgspec.Raw(encoded(record))))
    name, kind = type(failure).__name__, failure.kind
    return _encode(Played(place, msgspec.Raw(encoded(record)), name, str(failure), kind))


def packed_error(place: Place, error: Exception) -> bytes:
    said = str(error) if isinstance(error, TouchstoneError) else f"internal error: {type(error).__name__}: {error}"
    return _encode(Played(place, message=said))


def unpacked(data: bytes) -> tuple[Place, Record, EpisodeFailure | None] | tuple[Place, InputError, None]:
    played = _played.decode(data)
    if bytes(played.record) == bytes(_NONE):
        return played.place, InputError(played.message), None
    failure = _FAILURES[played.failure](played.message, played.kind) if played.failure else None
    return played.place, _record.decode(played.record), failure
