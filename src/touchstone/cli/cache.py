"""`touchstone cache`: what is remembered between runs, and whether it is still true."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Annotated

import msgspec
from cyclopts import App, Parameter

from ..code_digest import code_digest
from ..engines.cache import Cache, default_path
from ..engines.cache_check import Replayed, replay, sample
from ..engines.sqlite.engine import SqliteEngine
from ..errors import InputError

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
    return f"{each.origin.function.rpartition(':')[2]} {text if len(text) <= 120 else text[:119] + '…'}"
