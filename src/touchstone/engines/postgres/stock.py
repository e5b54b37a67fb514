"""Copies of one database that are made before they are asked for: a few, and none before the first is asked for."""

from __future__ import annotations

from collections import deque

from .administrator import Administrator
from .messages import Seat


class Stock:
    def __init__(self, administrator: Administrator, database: str, ahead: int) -> None:
        self._administrator = administrator
        self._database = database
        self._ahead = ahead
        self._ready: deque[Seat] = deque()
        # Copies on their way count as stock, or each `take` would order all of `_ahead` again while the first are being made.
        # One that fails is only taken off the count: the next `take` orders it anew, and whoever needs one makes it, and
        # hears what is wrong, without the stock.
        self._coming = 0

    async def take(self) -> Seat:
        """One that is ready, or a new one; others are made for those who come next."""
        seat = self._ready.popleft() if self._ready else None
        try:
            return seat or await self._make()
        finally:
            self._refill()

    def _refill(self) -> None:
        for _ in range(self._ahead - len(self._ready) - self._coming):
            self._coming += 1
            self._administrator.in_background(self._add())

    async def _add(self) -> None:
        try:
            self._ready.append(await self._make())
        finally:
            self._coming -= 1

    async def _make(self) -> Seat:
        return await self._administrator.clone(self._database)
