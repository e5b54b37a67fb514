"""What the kernel holds a worker process to while a statement runs.

CPU time: a single long call inside SQLite, which no handler can stop, ends a second after its limit together with the process.
Memory: SQLite's own heap has a limit of its own; this one adds the rows that Python makes of a result. Past it an allocation
fails, which is an ordinary MemoryError.
"""

from __future__ import annotations

import math
import mmap
import os
import resource
import time
from collections.abc import Generator
from contextlib import contextmanager

from ...protocols import Limits

_DATA_PAGES = 5


@contextmanager
def held_to(limits: Limits) -> Generator[float]:
    """Gives the CPU time of this process at which the statement is to be ended."""
    deadline = time.process_time() + limits.seconds
    _set(resource.RLIMIT_CPU, math.ceil(deadline) + 1)
    if (data := _data_size()) is not None:
        _set(resource.RLIMIT_DATA, data + 2 * limits.memory + limits.bytes)
    try:
        yield deadline
    finally:
        _set(resource.RLIMIT_CPU, None)
        _set(resource.RLIMIT_DATA, None)


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


def _set(what: int, limit: int | None) -> None:
    _, hard = resource.getrlimit(what)
    if limit is None or (hard != resource.RLIM_INFINITY and limit > hard):
        limit = hard
    resource.setrlimit(what, (limit, hard))
