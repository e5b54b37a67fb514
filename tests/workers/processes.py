"""Looking at processes from outside."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable
from pathlib import Path


def is_running(pid: int) -> bool:
    """Whether the process exists and is more than a zombie."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def children(pid: int | None = None) -> set[int]:
    """Running processes that a process (by default this one) has started and not lost."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == (pid or os.getpid()) and fields[0] not in "ZX":
            found.add(int(entry.parent.name))
    return found


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def written_number(path: Path) -> int:
    """The process number that a worker writes there."""
    assert await until(lambda: path.exists() and path.read_text())
    return int(path.read_text())  # noqa: ASYNC240


async def until(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Waits for something that must become true soon."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.01)
    return True
