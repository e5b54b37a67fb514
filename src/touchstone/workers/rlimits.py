"""What the kernel holds this process to for a while.

CPU time: past it the process ends. The kernel counts it in ticks and may be early by a tenth, so the limit stands well behind
whatever decides a verdict. Memory: past it an allocation fails, which is an ordinary MemoryError.
"""

from __future__ import annotations

import math
import mmap
import os
import resource
import time
from collections.abc import Generator
from contextlib import contextmanager

_DATA_PAGES = 5


@contextmanager
def held_to(*, cpu: float | None = None, memory: int | None = None) -> Generator[None]:
    """Seconds and bytes from now on. A stricter limit that is in force already stays."""
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
