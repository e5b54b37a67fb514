"""A sample of what the cache remembers, made again without it: the same, different, or no longer possible to make."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from ..code_digest import code_digest, code_digest_with
from ..errors import TouchstoneError
from .cache import Cache, Origin
from .judging_connection import named_function
from .sqlite.engine import SqliteEngine

_STATEMENTS = 10
"""More than any function runs: how long its worker may take."""


@dataclass(frozen=True)
class Replayed:
    origin: Origin
    result: Literal["same", "different", "gone"]
    """`gone`: the database is not there, is another now, or the work failed."""
    detail: str = ""


def sample(cache: Cache, size: int | None, seed: int) -> list[bytes]:
    """Keys of results that this code has remembered; all of them without a size."""
    keys = cache.made_by(code_digest())
    return keys if size is None or size >= len(keys) else random.Random(seed).sample(keys, size)


async def replay(cache: Cache, keys: list[bytes], engine: SqliteEngine) -> AsyncIterator[Replayed]:
    """`engine` must have no cache of its own."""
    for key in keys:
        entry = cache.origin(key)
        if entry is not None:
            origin, remembered = entry
            yield await _again(origin, remembered, engine)


async def _again(origin: Origin, remembered: bytes, engine: SqliteEngine) -> Replayed:
    database = Path(origin.database)
    try:
        if await engine.digest(database) != origin.digest:
            return Replayed(origin, "gone", "the database has changed")
        function, kind = named_function(origin.function)
        if code_digest_with(function.__module__) != origin.function_code:
            return Replayed(origin, "gone", "the code has changed")
        request = msgspec.msgpack.decode(origin.request, type=kind)
        answer: Any = await engine.apply(database, function, request, origin.limits, statements=_STATEMENTS)
    except OSError as error:
        return Replayed(origin, "gone", f"the database cannot be read: {error.strerror}")
    except (TouchstoneError, ImportError, AttributeError) as error:
        return Replayed(origin, "gone", str(error))
    again = msgspec.msgpack.encode(answer)
    if again == remembered:
        return Replayed(origin, "same")
    return Replayed(origin, "different", f"remembered {_shown(remembered)}, now {_shown(again)}")


def _shown(encoded: bytes) -> str:
    text = repr(msgspec.msgpack.decode(encoded))
    return text if len(text) <= 200 else f"{text[:199]}…"
