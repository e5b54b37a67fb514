"""The desktops of a run: as many as episodes are played at once, each started when it is first needed and used again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager

from ...failures import WorkerFailure
from .guests import Desktop


class Pool:
    def __init__(self, make: Callable[[], Desktop]) -> None:
        self._make = make
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

    @asynccontextmanager
    async def borrowed(self, apps: Sequence[str]) -> AsyncGenerator[Desktop]:
        """A clean desktop. One on which something went wrong, or that was abandoned, is not used again."""
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
