"""The memory that a worker may take to read a result. Past it an allocation fails, and the text ends with an error."""

from __future__ import annotations

import mmap
import resource
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from ...protocols import Limits

_DATA_PAGES = 5


@contextmanager
def held_to(limits: Limits) -> Generator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    data = _data_size()
    limit = None if data is None else data + 2 * limits.memory + limits.bytes
    if limit is None or (hard != resource.RLIM_INFINITY and limit > hard):
        yield
        return
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _data_size() -> int | None:
    """What this process has mapped so far, where the kernel tells it."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[_DATA_PAGES]) * mmap.PAGESIZE
    except OSError:
        return None
