"""A seat for a command that plays what another process tells it to.

On a node the whole command is called again with the run's arguments. It builds its benchmark and its agent as ever, and where
it would conduct a run it takes a seat instead: it waits there, in its own thread and its own event loop, for leases, and plays
them until it is told to leave. So a node can play whatever the command can, by the same code.
"""

from __future__ import annotations

import asyncio
import queue
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ...failures import TouchstoneError
from ...protocols import Agent, Benchmark
from ...values import Task
from ..play import play
from .wire import Place, packed, packed_error

Build = Callable[[Any, "Seat"], None]
"""Opens what a configuration names and takes the seat with it; returns when it was told to leave."""


class Seat:
    """Used by two threads: the command's, and that of whoever asks it to play."""

    def __init__(self) -> None:
        self.identity: Mapping[str, Any] = {}
        self.error: str | None = None
        """Why the command could not be built, or ended by itself."""
        self._ready = threading.Event()
        self._played: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._left = asyncio.Event()
        self._episodes: set[asyncio.Task[None]] = set()

    # Of the one who asks

    def fill(self, build: Build, payload: Any) -> None:
        """Starts the command and returns when it is seated, or when `error` says why it will not be."""
        self._thread = threading.Thread(target=self._host, args=(build, payload), daemon=True)
        self._thread.start()
        self._ready.wait()

    def lease(self, places: Sequence[Place]) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._begin, places)

    def collect(self, seconds: float) -> list[bytes]:
        """What was played since the last time; waits so long for the first."""
        found: list[bytes] = []
        with suppress(queue.Empty):
            found.append(self._played.get(timeout=seconds))
            while True:
                found.append(self._played.get_nowait())
        return found

    def clear(self) -> None:
        """The command is told to leave; returns when it has closed what it had opened."""
        if self._loop is not None and self._thread is not None:
            with suppress(RuntimeError):  # it has left by itself
                self._loop.call_soon_threadsafe(self._left.set)
            self._thread.join()

    # Of the command

    async def take(self, benchmark: Benchmark, agent: Agent, identity: Mapping[str, Any]) -> None:
        """Waits and plays until told to leave."""
        self._benchmark, self._agent = benchmark, agent
        self._tasks: Mapping[str, Task] = {task.key: task for task in benchmark.tasks()}
        self.identity = identity
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        try:
            await self._left.wait()
        finally:
            for episode in self._episodes:
                episode.cancel()
            await asyncio.gather(*self._episodes, return_exceptions=True)

    def _host(self, build: Build, payload: Any) -> None:
        try:
            build(payload, self)
        except TouchstoneError as error:
            self.error = str(error)
        except BaseException as defect:
            self.error = f"internal error: {type(defect).__name__}: {defect}\n{traceback.format_exc()}"
        self._ready.set()

    def _begin(self, places: Sequence[Place]) -> None:
        for place in places:
            episode = asyncio.create_task(self._play(place))
            self._episodes.add(episode)
            episode.add_done_callback(self._episodes.discard)

    async def _play(self, place: Place) -> None:
        key, epoch = place
        try:
            record, failure = await play(self._benchmark, self._agent, self._tasks[key], epoch)
            self._played.put(packed(place, record, failure))
        except Exception as error:
            self._played.put(packed_error(place, error))
