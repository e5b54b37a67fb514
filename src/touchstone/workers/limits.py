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
from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

from ..files import module_or_none

resource = module_or_none("resource")
_DATA_PAGES = 5


def held_to(*, cpu: float | None = None, memory: int | None = None) -> AbstractContextManager[None]:
    """Seconds and bytes from now on. A stricter limit that is in force already stays. Windows has no such limits."""
    return _Held(cpu, memory)


class _Held:
    """Entered around every statement, so it is quick."""

    def __init__(self, cpu: float | None, memory: int | None) -> None:
        self._cpu = cpu
        self._memory = memory
        self._before: list[tuple[int, tuple[int, int]]] = []

    def __enter__(self) -> None:
        if resource is None:
            return
        if self._cpu is not None:
            self._set(resource.RLIMIT_CPU, math.ceil(time.process_time() + self._cpu) + 1)
        if self._memory is not None and (data := _data_size()) is not None:
            self._set(resource.RLIMIT_DATA, data + self._memory)

    def _set(self, what: int, limit: int) -> None:
        soft, hard = before = resource.getrlimit(what)
        if soft == resource.RLIM_INFINITY or limit < soft:
            resource.setrlimit(what, (limit, hard))
            self._before.append((what, before))

    def __exit__(self, *_: object) -> None:
        while self._before:
            resource.setrlimit(*self._before.pop())


_own_size: tuple[int, int] = (0, -1)
"""A process, and its open file that says how large it is: asked before every statement."""


def _data_size() -> int | None:
    """What this process has mapped so far, where the kernel tells it."""
    global _own_size
    try:
        if _own_size[0] != os.getpid():
            _own_size = os.getpid(), os.open("/proc/self/statm", os.O_RDONLY)
        return int(os.pread(_own_size[1], 200, 0).split()[_DATA_PAGES]) * mmap.PAGESIZE
    except OSError:
        return None


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
