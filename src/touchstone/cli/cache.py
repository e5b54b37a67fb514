"""`touchstone cache`: what is remembered between runs, and whether it is still true."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from cyclopts import App, Parameter

from ..code_digest import code_digest, code_digest_with
from ..engines.cache import Cache, Origin, default_path
from ..engines.judging_connection import named_function
from ..engines.sqlite.engine import SqliteEngine
from ..errors import InputError, TouchstoneError
from ..phrases import clipped

app = App(name="cache", help="Check the cache of results.")


@app.command
def check(
    *,
    sample_size: Annotated[int, Parameter(name=["--sample", "-n"])] = 100,
    all_: Annotated[bool, Parameter(name="--all", negative="")] = False,
    seed: int = 0,
) -> int:
    """Rerun a sample of the cached statements and judgements and compare. Exit code 1 if any differs.

    Parameters
    ----------
    sample_size
        How many to rerun.
    all_
        Rerun all of them.
    seed
        Seed of the sample.
    """
    if sample_size < 1:
        raise InputError(f"--sample {sample_size}: expected a positive number")
    cache = Cache(default_path())
    own, others = cache.count(code_digest())
    keys = sample(cache, None if all_ else sample_size, seed)
    replayed = asyncio.run(_replayed(cache, keys))
    counted = Counter(each.result for each in replayed)
    for each in replayed:
        if each.result != "same":
            print(f"{each.result:<10} {each.origin.database}: {_work(each)}: {each.detail}")
    print(f"{default_path()}: {own:,} results of this code, {others:,} of other versions, which are not used")
    print(
        f"run again: {len(replayed):,}; same {counted['same']:,}, different {counted['different']:,}, gone {counted['gone']:,}"
    )
    return 1 if counted["different"] else 0


async def _replayed(cache: Cache, keys: list[bytes]) -> list[Replayed]:
    engine = SqliteEngine(cache=None)
    try:
        return [each async for each in replay(cache, keys, engine)]
    finally:
        await engine.close()
        cache.close()


def _work(each: Replayed) -> str:
    text = " ".join(repr(msgspec.msgpack.decode(each.origin.request)).split())
    return f"{each.origin.function.rpartition(':')[2]} {clipped(text, 120)}"


# A sample of what the cache remembers, made again without it: the same, different, or no longer possible to make.


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
    return clipped(repr(msgspec.msgpack.decode(encoded)), 200)
