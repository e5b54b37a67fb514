"""The actor: one for each node of a Ray cluster, for as long as the run lasts. It knows nothing of Ray.

`absent`, `missing`, `receive` and `places` bring the data; `begin` builds the command; then `lease` and `collect` play. Ray
calls them in several threads, so that a lease is taken while a collection waits.
"""

from __future__ import annotations

import asyncio
import os
import queue
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...code_digest import code_digest
from ...errors import InputError, TouchstoneError
from ...protocols import Agent, Benchmark
from ...types import Task
from ..episode_runner import play
from ..run import versions
from .leases import JobKey, PlayedEpisode
from .shipping import PIECE, Arriving, Hashes, Listed, ShippedFiles, at, has_same_content, is_here

# A player for a command that plays what another process tells it to.
#
# On a node the whole command is called again with the run's arguments. It builds its benchmark and its agent as ever, and
# where it would conduct a run it takes a player instead: it waits there, in its own thread and its own event loop, for leases,
# and plays them until it is told to leave. So a node can play whatever the command can, by the same code.


PlayedJob = tuple[JobKey, PlayedEpisode | InputError]
"""What a node has played, or why the whole run must end."""
Build = Callable[[Any, "NodePlayer"], None]
"""Opens what a configuration names and takes the player with it; returns when it was told to leave."""


class NodePlayer:
    """Used by two threads: the command's, and that of whoever asks it to play."""

    def __init__(self) -> None:
        self.identity: Mapping[str, Any] = {}
        self.error: str | None = None
        """Why the command could not be built, or ended by itself."""
        self._ready = threading.Event()
        self._played: queue.SimpleQueue[PlayedJob] = queue.SimpleQueue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._left = asyncio.Event()
        self.folder = Path()
        """In place of a run directory, for what benchmarks keep beside a record until the driver has fetched it."""
        self._episodes: set[asyncio.Task[None]] = set()

    # Of the one who asks

    def fill(self, build: Build, payload: Any) -> None:
        """Starts the command and returns when it is seated, or when `error` says why it will not be."""
        self._thread = threading.Thread(target=self._host, args=(build, payload), daemon=True)
        self._thread.start()
        self._ready.wait()

    def lease(self, jobs: Sequence[JobKey]) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._begin, jobs)

    def collect(self, seconds: float) -> list[PlayedJob]:
        """What was played since the last time; waits so long for the first."""
        played: list[PlayedJob] = []
        with suppress(queue.Empty):
            played.append(self._played.get(timeout=seconds))
            while True:
                played.append(self._played.get_nowait())
        return played

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
        with tempfile.TemporaryDirectory(prefix="touchstone-node-") as folder:
            self.folder = Path(folder)
            if begun := getattr(benchmark, "begun", None):
                begun(self.folder)
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

    def _begin(self, jobs: Sequence[JobKey]) -> None:
        for job in jobs:
            episode = asyncio.create_task(self._play(job))
            self._episodes.add(episode)
            episode.add_done_callback(self._episodes.discard)

    async def _play(self, job: JobKey) -> None:
        key, epoch = job
        try:
            self._played.put((job, await play(self._benchmark, self._agent, self._tasks[key], epoch)))
        except Exception as error:
            what = str(error) if isinstance(error, TouchstoneError) else f"internal error: {type(error).__name__}: {error}"
            self._played.put((job, InputError(what)))


class Begun(Struct, frozen=True):
    """What a node will play with, or why it cannot."""

    identity: bytes
    versions: Mapping[str, str]
    code: str
    error: str | None


class Node:
    """What Ray makes an actor of. It must have no coroutine: Ray would run all its methods in one event loop, where a wait for
    what was played would hold up every lease. So the player, which has some, is another class."""

    def __init__(self) -> None:
        self._store = ShippedFiles()
        self._seat = NodePlayer()
        self._kept: set[str] = set()
        self._arriving: dict[str, Arriving] = {}

    def absent(self, listings: Sequence[Listed]) -> list[int]:
        """Which of the driver's paths this node does not see as they are."""
        return [number for number, listing in enumerate(listings) if not is_here(listing)]

    def missing(self, listings: Sequence[Listed], hashes: Hashes) -> list[str]:
        """The contents that it has neither at the same path nor in its cache."""
        self._kept = {listing.path for listing in listings if has_same_content(listing, hashes)}
        wanted = [listing for listing in listings if listing.path not in self._kept]
        return self._store.missing(hashes[str(at(listing, file))] for listing in wanted for file in listing.files)

    def receive(self, name: str, piece: bytes | None) -> None:
        """A file by its hash, piece by piece, then None."""
        if name not in self._arriving:
            self._arriving[name] = self._store.arriving(name)
        if piece is None:
            self._arriving.pop(name).keep()
        else:
            self._arriving[name].add(piece)

    def places(self, listings: Sequence[Listed], hashes: Hashes) -> dict[str, str]:
        """Where the driver's paths are on this node."""
        return {
            listing.path: listing.path if listing.path in self._kept else str(self._store.path_of(listing, hashes))
            for listing in listings
        }

    def begin(self, build: Build, payload: Any, environment: Mapping[str, str]) -> Begun:
        """The environment comes as an argument of a call because that, unlike Ray's own way, reaches no log."""
        os.environ.update(environment)
        self._seat.fill(build, payload)
        return Begun(msgspec.json.encode(self._seat.identity), versions(), code_digest(), self._seat.error)

    def lease(self, jobs: Sequence[JobKey]) -> None:
        self._seat.lease(jobs)

    def collect(self, seconds: float) -> list[PlayedJob]:
        """What was played; waits so long for the first. Raises if the command is gone."""
        played = self._seat.collect(seconds)
        if not played and self._seat.error:
            raise RuntimeError(self._seat.error)
        return played

    def files(self, folder: str) -> dict[str, int]:
        """What an episode left in its folder, with the sizes."""
        base = self._seat.folder
        paths = sorted(path for path in (base / folder).rglob("*") if path.is_file())
        return {path.relative_to(base / folder).as_posix(): path.stat().st_size for path in paths}

    def piece(self, folder: str, name: str, offset: int) -> bytes:
        with (self._seat.folder / folder / name).open("rb") as file:
            file.seek(offset)
            return file.read(PIECE)

    def forget(self, folder: str) -> None:
        """The driver has its files. The folder stays, so that the next attempt has another."""
        for path in (self._seat.folder / folder).glob("*"):
            path.unlink()

    def end(self) -> None:
        """Closes what the command has opened."""
        self._seat.clear()
