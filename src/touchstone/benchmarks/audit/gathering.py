"""Many tasks looked at at once."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

R = TypeVar("R")

Watch = Callable[[int, int], None]
"""Told how many of how many are done."""


async def each(work: Sequence[Callable[[], Awaitable[R]]], parallel: int, watch: Watch) -> list[R]:
    """The results in their order. The first failure ends it."""
    slots = asyncio.Semaphore(parallel)
    done = 0

    async def one(job: Callable[[], Awaitable[R]]) -> R:
        nonlocal done
        async with slots:
            result = await job()
        done += 1
        watch(done, len(work))
        return result

    tasks = [asyncio.create_task(one(job)) for job in work]
    try:
        return await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
