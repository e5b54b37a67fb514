"""What the kernel holds this process to for a while.

CPU time: past it the process ends. The kernel counts it in ticks and may be early by a tenth, so the limit stands well behind
whatever decides a verdict. Memory: past it an allocation fails, which is an ordinary MemoryError.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
import time
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path

from ..files import module_or_none

resource = module_or_none("resource")
_DATA_PAGES = 5


@contextmanager
def held_to(*, cpu: float | None = None, memory: int | None = None) -> Generator[None]:
    """Seconds and bytes from now on. A stricter limit that is in force already stays. Windows has no such limits."""
    if resource is None:
        yield
        return
    wanted: dict[int, int] = {}
    if cpu is not None:
        wanted[resource.RLIMIT_CPU] = math.ceil(time.process_time() + cpu) + 1
    if memory is not None and (data := _data_size()) is not None:
        wanted[resource.RLIMIT_DATA] = data + memory
    before = {what: resource.getrlimit(what) for what in wanted}
    for what, limit in wanted.items():
        soft, hard = before[what]
        resource.setrlimit(what, (limit if soft == resource.RLIM_INFINITY else min(soft, limit), hard))
    try:
        yield
    finally:
        for what, limits in before.items():
            resource.setrlimit(what, limits)


def _data_size() -> int | None:
    """What this process has mapped so far, where the kernel tells it."""
    try:
        file = os.open("/proc/self/statm", os.O_RDONLY)
    except OSError:
        return None
    try:
        return int(os.read(file, 200).split()[_DATA_PAGES]) * mmap.PAGESIZE
    finally:
        os.close(file)


# The machine's cores: how many there are for us, what a process has used of them, and turns on them.


def cores() -> int:
    """Those that this process may run on, which `taskset` and container managers make fewer than there are."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not Linux
        return os.cpu_count() or 1


def cpu_time(pid: int) -> int | None:
    """Nanoseconds of CPU that a process has used so far; None if unknown. Asked at every call of a worker, so it is quick."""
    with contextlib.suppress(OSError):
        return time.clock_gettime_ns(~pid << 3 | 2)  # the clock of another process, as clock_getcpuclockid(3) makes it
    try:
        user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) * 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError):
        return None


class Turns:
    """At most so many pieces of work at once; one that must not be disturbed has all turns to itself."""

    def __init__(self, most: int) -> None:
        import asyncio  # here, since workers have no event loop and would spend a fifth of their start on it

        self._most = most
        self._free = asyncio.Semaphore(most)
        self._alone = asyncio.Lock()

    @asynccontextmanager
    async def turn(self, *, alone: bool = False) -> AsyncGenerator[None]:
        if not alone:
            async with self._free:
                yield
            return
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._alone)  # two that each hold some turns would wait for one another
            for _ in range(self._most):
                await stack.enter_async_context(self._free)
            yield
