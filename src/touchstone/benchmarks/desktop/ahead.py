"""Set-up ahead of time: while a task is played, the next one is set up on a spare desktop.

The published set-up of an Airflow or Superset task takes half a minute and more: servers start, a browser signs in, scripts
sleep. All of that happens while another task is played, and the task begins at once. Nothing is shared or copied: a spare is a
desktop like every other, set up by the same steps, and handed out once. It is given up if a task that is due needs its memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Generic, TypeVar

from .tasks import DesktopTask

T = TypeVar("T")


class Ahead(Generic[T]):
    """Hands out what `prepare` gives for a task, and prepares up to `most` of those that were said to come."""

    def __init__(
        self,
        prepare: Callable[[DesktopTask], AbstractAsyncContextManager[T]],
        room: Callable[[DesktopTask], bool],
        most: int,
    ) -> None:
        """`room` says whether a task could be prepared now without waiting."""
        self._prepare, self._room, self._most = prepare, room, most
        self._coming: list[DesktopTask] = []
        self._spares: dict[str, _Spare[T]] = {}

    def expect(self, tasks: Sequence[DesktopTask]) -> None:
        """These will be asked for, in this order."""
        self._coming = list(tasks)

    @asynccontextmanager
    async def taken(self, task: DesktopTask) -> AsyncGenerator[T]:
        """The task, prepared now or before."""
        at = next((index for index, coming in enumerate(self._coming) if coming.key == task.key), None)
        if at is not None:
            del self._coming[at]
        spare = self._spares.pop(task.key, None)
        if spare is None:
            if not self._room(task):
                await self.close()
            spare = _Spare(self._prepare(task))
        async with AsyncExitStack() as stack:
            prepared = await spare.entering
            stack.push_async_exit(spare.context)
            self._look_ahead()
            yield prepared

    async def close(self) -> None:
        """Gives up all spares."""
        spares, self._spares = self._spares, {}
        for spare in spares.values():
            await spare.give_up()

    def _look_ahead(self) -> None:
        for task in self._coming:
            if len(self._spares) >= self._most or not self._room(task):
                return
            if task.key not in self._spares:
                self._spares[task.key] = _Spare(self._prepare(task))


class _Spare(Generic[T]):
    """A context that is entered by a task of its own, and left by whoever takes it."""

    def __init__(self, context: AbstractAsyncContextManager[T]) -> None:
        self.context = context
        self.entering: asyncio.Task[T] = asyncio.create_task(self._enter())

    async def _enter(self) -> T:
        return await self.context.__aenter__()

    async def give_up(self) -> None:
        """A failure of it is nobody's."""
        self.entering.cancel()
        (result,) = await asyncio.gather(self.entering, return_exceptions=True)
        if not isinstance(result, BaseException):
            await self.context.__aexit__(None, None, None)
