"""Work on many things at once, a few at a time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")

WIDTH = os.cpu_count() or 1


async def together(things: Iterable[T], work: Callable[[T], Awaitable[None]]) -> None:
    """One more than there are cores, so that none waits for the next thing. The first failure ends all."""
    left = iter(things)

    async def worker() -> None:
        for thing in left:
            await work(thing)

    tasks = [asyncio.ensure_future(worker()) for _ in range(WIDTH + 1)]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
