"""Many episodes at once: what to play, how many at a time, and when to stop.

Each of `parallel` players takes the next job when it is done with the last: no barrier, no queue of finished work, and memory
that does not grow with the number of tasks. The first Ctrl-C lets the episodes in flight end; the second abandons them, and so
does the SIGTERM by which a cluster announces its time limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

from ..failures import RULES, EpisodeFailure, RunStopped, Stops
from ..values import Outcome, Record, ServiceStep, Task


@dataclass(frozen=True)
class Job:
    task: Task
    epoch: int = 0


Play = Callable[[Job], Awaitable[tuple[Record, EpisodeFailure | None]]]
Keep = Callable[[Record], Awaitable[None]]
Say = Callable[[str], None]


def quiet(_: str) -> None:
    """Says nothing."""


class Batch:
    """Plays jobs and hands every record to `keep`."""

    def __init__(self, play: Play, keep: Keep, *, parallel: int = 1, max_consecutive_errors: int = 5, say: Say = quiet) -> None:
        self._play = play
        self._keep = keep
        self._parallel = parallel
        self._patience = max_consecutive_errors
        self._say = say
        self._playing = 0
        self._errors_in_a_row = 0
        self._replied = False
        self.interrupted = False
        self._players: list[asyncio.Task[None]] = []

    async def run(self, jobs: Iterable[Job]) -> None:
        """Returns when all jobs are done or the user interrupted; raises RunStopped when it makes no sense to go on."""
        queue = iter(jobs)
        with self._signals():
            self._players = [asyncio.create_task(self._player(queue)) for _ in range(self._parallel)]
            try:
                await asyncio.gather(*self._players)
            except asyncio.CancelledError:
                if not self.interrupted:
                    raise
            finally:
                for player in self._players:
                    player.cancel()
                await asyncio.gather(*self._players, return_exceptions=True)

    def interrupt(self) -> None:
        """Once: take no new jobs. Twice: abandon those in flight."""
        if self.interrupted:
            self.abandon()
        elif self._playing:
            which, them = ("1 episode", "it") if self._playing == 1 else (f"{self._playing} episodes", "them")
            self._say(f"waiting for {which} to end; Ctrl-C again abandons {them}")
        self.interrupted = True

    def abandon(self) -> None:
        self.interrupted = True
        for player in self._players:
            player.cancel()

    async def _player(self, queue: Iterator[Job]) -> None:
        for job in queue:
            if self.interrupted:
                return
            self._playing += 1
            try:
                record, failure = await self._play(job)
            finally:
                self._playing -= 1
            self._stop_if_hopeless(record, failure)
            await self._keep(record)
            self._stop_after_too_many(record)

    def _stop_if_hopeless(self, record: Record, failure: EpisodeFailure | None) -> None:
        """Such a record is not kept: the task was not tried, and is owed."""
        answered = record.usage.calls > 0 or any(isinstance(step, ServiceStep) for step in record.steps)
        self._replied = self._replied or answered
        stops = RULES[type(failure)].stops if failure else Stops.never
        if stops is Stops.always or (stops is Stops.unless_replied and not self._replied):
            raise RunStopped(str(failure))

    def _stop_after_too_many(self, record: Record) -> None:
        if record.outcome is Outcome.error:
            self._errors_in_a_row += 1
        elif record.outcome not in (Outcome.unscorable, Outcome.skipped):
            self._errors_in_a_row = 0
        if 0 < self._patience <= self._errors_in_a_row:
            raise RunStopped(f"{self._errors_in_a_row} errors in a row, the last: {record.reason}")

    @contextlib.contextmanager
    def _signals(self) -> Generator[None]:
        loop = asyncio.get_running_loop()
        try:
            loop.add_signal_handler(signal.SIGINT, self.interrupt)
            loop.add_signal_handler(signal.SIGTERM, self.abandon)
        except (ValueError, RuntimeError):  # not the main thread: the caller handles signals
            yield
            return
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGTERM)
