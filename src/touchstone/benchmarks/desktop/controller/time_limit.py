"""Time limits that mean the same on a busy machine: time in which programs wait for a core does not count.

The kernel counts for every thread how long it has run, and how long it was ready to run and did not. From each second that
passes, what the threads seen here have waited is left out: a limit of 300 s is reached after 300 s on an idle machine, and
after half an hour on one where each program has a core for a sixth of the time. Sleeping and waiting for something else count
in full. It stretches a limit no more than tenfold: whoever starts a hundred programs that only run is to be stopped some time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

STRETCH = 10.0
"""So many times as long as it says lasts a limit at most."""
_TICK, _MOMENT = 2.0, 0.1
_PROCESSES = Path("/proc")
_NANOSECONDS = 1e9

Threads = Mapping[str, tuple[float, float]]
"""Seconds that a thread has run, and that it has waited for a core."""


class FairTimeLimit:
    """Begins when it is made."""

    def __init__(self, seconds: float, processes: Path = _PROCESSES, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._processes, self._clock = seconds, processes, clock
        self._counted = 0.0
        self._at = clock()
        self._threads: Threads | None = None

    def left(self) -> float:
        """Seconds to wait before asking again, two seconds at most; 0 when the limit has been reached."""
        passed = self._clock() - self._at
        if passed >= min(_TICK, self._seconds - self._counted):
            self._count(passed)
            passed = 0.0
        left = min(_TICK, self._seconds - self._counted) - passed
        return max(left, _MOMENT) if left > 0.0 else 0.0

    def _count(self, passed: float) -> None:
        """Most commands end within the first two seconds, for which nobody looks at threads."""
        threads = _threads(self._processes)
        self._counted += passed if self._threads is None else worked(passed, self._threads, threads)
        self._threads, self._at = threads, self._clock()


def worked(passed: float, before: Threads, now: Threads) -> float:
    """What of the time passed counts. Of threads that run side by side, the share of their time in which they ran."""
    ran = waited = 0.0
    for thread, (running, waiting) in now.items():
        earlier = before.get(thread, (0.0, 0.0))
        ran += max(0.0, running - earlier[0])
        waited += max(0.0, waiting - earlier[1])
    wanted = ran + waited
    lost = waited if wanted <= passed else passed * waited / wanted
    return max(passed - lost, passed / STRETCH)


def _threads(processes: Path) -> Threads:
    """Of all processes that can be seen; none where the kernel does not count."""
    found: dict[str, tuple[float, float]] = {}
    for process in processes.iterdir():
        with suppress(OSError):
            for thread in (process / "task").iterdir() if process.name.isdigit() else ():
                with suppress(OSError, ValueError):
                    running, waiting, _ = (thread / "schedstat").read_bytes().split()
                    found[thread.name] = (int(running) / _NANOSECONDS, int(waiting) / _NANOSECONDS)
    return found
