"""What a desktop offers, whatever it runs on: to set-up steps and evaluators a `Guest`, to an episode a `Desktop`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from ...errors import WorkerFailure

HOME = "/home/user"
CONTROLLER_PORT = 5000
"""Where the controller of a guest that is reached over a network listens."""
SECONDS = 300.0
"""How long a command may take, as in the original."""
ACTION_SECONDS = 90.0
"""How long the code of one action may take, as in the original."""


class Execution(Struct, frozen=True):
    """What a command did."""

    output: str
    error: str
    returncode: int


class Guest(Protocol):
    """A running desktop. Paths are the guest's own."""

    async def execute(self, command: Sequence[str] | str, *, shell: bool = False, seconds: float = SECONDS) -> Execution:
        """Runs a command to its end."""
        ...

    async def launch(self, command: Sequence[str] | str, *, shell: bool = False) -> None:
        """Starts a command and does not wait for it."""
        ...

    async def put(self, source: Path, destination: str) -> None:
        """Copies a file from here into the guest; folders are made."""
        ...

    async def get(self, path: str, destination: Path) -> bool:
        """Copies a file out of the guest; False if there is none."""
        ...

    async def endpoint(self, port: int) -> str:
        """The address, as http://host:port, at which a port of the guest is reached from here."""
        ...

    async def accessibility(self) -> str:
        """The accessibility tree of the whole desktop, as XML."""
        ...


class Desktop(Guest, Protocol):
    """A desktop that can be seen, used, and made clean again. Raises WorkerFailure when it is gone."""

    async def start(self, apps: Sequence[str] = ()) -> None:
        """Starts it with what these applications need. Raises Skipped if it has not got one of them."""
        ...

    async def reset(self, apps: Sequence[str] = ()) -> None:
        """Clean again, as after `start`; whatever was running or written is gone."""
        ...

    async def stop(self) -> None:
        """Ends it and leaves nothing behind. May be called twice."""
        ...

    async def act(self, code: str, *, seconds: float = ACTION_SECONDS) -> Execution:
        """Runs Python code with pyautogui and time at hand, as the agent's hands."""
        ...

    async def screenshot(self) -> bytes:
        """The screen as PNG, with the mouse pointer."""
        ...

    async def terminal(self) -> str | None:
        """The text of the terminal in front, if one is."""
        ...

    async def start_recording(self) -> None: ...

    async def stop_recording(self, destination: Path) -> bool:
        """Writes the video to a file; False if there is none."""
        ...

    def description(self) -> Mapping[str, Any]:
        """What it is, for records: provider, image with its layers, stand-ins, screen size."""
        ...


# The desktops of a run: as many as episodes are played at once, each started when it is first needed and used again.
#
# A desktop takes the memory of its applications, so a task waits while what is being played leaves too little for it: a
# machine that runs out of memory kills whatever it likes, and that would look like an agent's failure.


EMPTY = 180
"""Megabytes of a desktop on which nothing runs."""
MEGABYTES = {
    **{"chromium": 250, "vscode": 550, "excel": 250, "jupyter": 300, "dbt": 100, "dagster": 500, "airflow": 650},
    **{"superset": 500, "postgresql": 40, "mysql": 100, "metabase": 900},
}
"""What an application adds, measured as the memory that its processes do not share."""
SHARE = 0.8
"""Of the memory that is free when the run begins."""


def megabytes(apps: Iterable[str]) -> int:
    return EMPTY + sum(MEGABYTES.get(app, 0) for app in set(apps))


class MemoryBudget:
    """Memory that is lent. Whoever wants more than there is gets it when nobody else has any."""

    def __init__(self, total: float) -> None:
        self.total = total
        self._lent: list[int] = []
        self._waiting = 0
        self._returned = asyncio.Condition()

    def room(self, size: int) -> bool:
        """Whether so much would be lent at once, to somebody who has to stand behind those who wait."""
        return not self._waiting and self._fits(size)

    def _fits(self, size: int) -> bool:
        return not self._lent or sum(self._lent) + size <= self.total

    @asynccontextmanager
    async def lent(self, size: int) -> AsyncGenerator[None]:
        async with self._returned:
            self._waiting += 1
            try:
                await self._returned.wait_for(lambda: self._fits(size))
            finally:
                self._waiting -= 1
            self._lent.append(size)
        try:
            yield
        finally:
            async with self._returned:
                self._lent.remove(size)
                self._returned.notify_all()


def free_megabytes() -> float:
    """Of this machine; without end where it does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")) / 1024
    except (OSError, StopIteration, ValueError):
        return float("inf")


class DesktopPool:
    def __init__(self, make: Callable[[], Desktop]) -> None:
        self._make = make
        self._budget = MemoryBudget(SHARE * free_megabytes())
        self._fresh: Desktop | None = None
        """Made to be described, and not started yet."""
        self._idle: list[Desktop] = []
        self._all: list[Desktop] = []

    def sample(self) -> Desktop:
        """One that can be asked what it is."""
        if self._all:
            return self._all[0]
        self._fresh = self._new()
        return self._fresh

    def room(self, apps: Sequence[str]) -> bool:
        """Whether a desktop with these could be borrowed without waiting."""
        return self._budget.room(megabytes(apps))

    @asynccontextmanager
    async def borrowed(self, apps: Sequence[str]) -> AsyncGenerator[Desktop]:
        """A clean desktop. One on which something went wrong, or that was abandoned, is not used again."""
        async with self._budget.lent(megabytes(apps)), self._used(apps) as desktop:
            yield desktop

    @asynccontextmanager
    async def _used(self, apps: Sequence[str]) -> AsyncGenerator[Desktop]:
        desktop = await self._clean(apps)
        try:
            yield desktop
        except (WorkerFailure, OSError):
            await self._discard(desktop)
            raise
        except Exception:
            self._idle.append(desktop)
            raise
        self._idle.append(desktop)  # not after a cancellation: `close` stops it

    async def close(self) -> None:
        for desktop in list(self._all):
            await self._discard(desktop)

    async def _clean(self, apps: Sequence[str]) -> Desktop:
        used = self._idle.pop() if self._idle else None
        desktop = used or self._fresh or self._new()
        self._fresh = None if desktop is self._fresh else self._fresh
        try:
            await (desktop.reset(apps) if used else desktop.start(apps))
        except Exception:
            await self._discard(desktop)
            raise
        return desktop

    def _new(self) -> Desktop:
        desktop = self._make()
        self._all.append(desktop)
        return desktop

    async def _discard(self, desktop: Desktop) -> None:
        if desktop in self._all:
            self._all.remove(desktop)
        if desktop in self._idle:
            self._idle.remove(desktop)
        await desktop.stop()
