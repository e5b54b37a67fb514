"""The machine's cores: how many there are for us, what a process has used of them, and turns on them."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path


def cores() -> int:
    """Those that this process may run on, which `taskset` and container managers make fewer than there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


def cpu_time(pid: int) -> int | None:
    """What a process has used so far, in units that only serve to tell whether it has used any more; None if unknown."""
    try:
        return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0])
    except (OSError, IndexError, ValueError):
        pass
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return int(user) + int(system)
    except (OSError, ValueError):
        return None


class Turns:
    """At most so many pieces of work at once; one that must not be disturbed has all turns to itself."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._free = asyncio.Semaphore(most)
        self._alone = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, *, alone: bool = False) -> AsyncGenerator[None]:
        async with AsyncExitStack() as stack:
            if alone:
                await stack.enter_async_context(self._alone)  # two that each hold some turns would wait for one another
            for _ in range(self._most if alone else 1):
                await stack.enter_async_context(self._free)
            yield
