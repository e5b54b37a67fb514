"""Many episodes at once: what to play, how many at a time, and when to stop.

Each of `parallel` players takes the next job when it is done with the last: no barrier, no queue of finished work, and memory
that does not grow with the number of tasks. Where more can be played at once than before, players are added. The first Ctrl-C
lets the episodes in flight end; the second abandons them, and so does the SIGTERM by which a cluster announces its time limit.

A run in which nothing works says so instead of ending at 0%. Failures that come from the set-up as likely as from the task (a
program that cannot start, no SQL where the options say it is, a service that refuses everything) are held back as long as
nothing else has happened; if the first tasks all end so, the run stops with the first reason, and these tasks are still owed.
The same holds for a run that ends with errors only.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from dataclasses import dataclass

from ..errors import RULES, EpisodeFailure, RunStopped, Stops
from ..types import Outcome, Record, ServiceStep, Task, ToolStep


@dataclass(frozen=True, slots=True)
class Job:
    task: Task
    epoch: int = 0


Play = Callable[[Job], Awaitable[tuple[Record, EpisodeFailure | None]]]
Keep = Callable[[Record], Awaitable[None]]
Say = Callable[[str], None]

_SECONDS_BETWEEN_LOOKS = 1.0
"""At how many can be played at once."""


def quiet(_: str) -> None:
    """Says nothing."""


class Batch:
    """Plays jobs and hands every record to `keep`."""

    def __init__(
        self,
        play: Play,
        keep: Keep,
        *,
        parallel: int | Callable[[], int] = 1,
        max_consecutive_errors: int = 5,
        say: Say = quiet,
        proven: bool = False,
        enough: Callable[[], str | None] = lambda: None,
    ) -> None:
        """`parallel` may grow. `proven`: tasks of this run have been judged before, so the set-up is right. `enough` says why
        no further job is to begin; those in flight end as they would."""
        self._play = play
        self._keep = keep
        self._parallel = parallel if callable(parallel) else lambda: parallel
        self._patience = max_consecutive_errors
        self._say = say
        self.playing = 0
        self._errors_in_a_row = 0
        self._replied = False
        self._enough = enough
        self.used_up: str | None = None
        """What `enough` said."""
        self._proven = proven or max_consecutive_errors <= 0
        self._held: list[Record] = []
        self._doubtful = False
        self._first_reason: str | None = None
        self.interrupted = False
        self._players: list[asyncio.Task[None]] = []

    async def run(self, jobs: Iterable[Job]) -> None:
        """Returns when all jobs are done or the user interrupted; raises RunStopped when it makes no sense to go on."""
        queue = iter(jobs)
        with self._signals():
            try:
                await self._play_all(queue)
                await self._conclude()
            except asyncio.CancelledError:
                if not self.interrupted:
                    raise
            finally:
                for player in self._players:
                    player.cancel()
                await asyncio.gather(*self._players, return_exceptions=True)

    async def _play_all(self, queue: Iterator[Job]) -> None:
        while True:
            more = self._parallel() - len(self._players)
            self._players += [asyncio.create_task(self._player(queue)) for _ in range(more)]
            done, playing = await asyncio.wait(
                self._players, timeout=_SECONDS_BETWEEN_LOOKS, return_when=asyncio.FIRST_EXCEPTION
            )
            for player in done:
                player.result()
            if not playing:
                return

    def interrupt(self) -> None:
        """Once: take no new jobs. Twice: abandon those in flight."""
        if self.interrupted:
            self.abandon()
        elif self.playing:
            which, them = ("1 episode", "it") if self.playing == 1 else (f"{self.playing} episodes", "them")
            self._say(f"waiting for {which} to end; Ctrl-C again abandons {them}")
        self.interrupted = True

    def abandon(self) -> None:
        self.interrupted = True
        for player in self._players:
            player.cancel()

    async def _player(self, queue: Iterator[Job]) -> None:
        for job in queue:
            self.used_up = self.used_up or self._enough()
            if self.interrupted or self.used_up:
                return
            self.playing += 1
            try:
                record, failure = await self._play(job)
            finally:
                self.playing -= 1
            self._stop_if_hopeless(record, failure)
            held = self._hold_back(record, failure)
            await self._keep_all()
            if not held:
                await self._keep(record)
                self._stop_after_too_many(record)

    def _hold_back(self, record: Record, failure: EpisodeFailure | None) -> bool:
        """Whether the record waits for another that shows the set-up to be right. Raises RunStopped after too many."""
        stops = RULES[type(failure)].stops if failure else Stops.never
        played = any(isinstance(step, ToolStep) for step in record.steps)
        suspect = stops in (Stops.if_nothing_else, Stops.if_all_alike) and not played
        if record.outcome in (Outcome.passed, Outcome.failed, Outcome.limit) and not suspect:
            self._proven = True
        if self._proven or record.outcome in (Outcome.unscorable, Outcome.skipped):
            return False
        self._first_reason = self._first_reason or record.reason
        if not suspect:
            return False
        self._held.append(record)
        self._doubtful = self._doubtful or stops is Stops.if_all_alike
        if len(self._held) >= self._patience:
            self._stop_if_all_alike()
        return True

    def _stop_if_all_alike(self) -> None:
        if self._doubtful and len({held.reason for held in self._held}) > 1:
            self._proven = True
            return
        self._held.clear()
        raise RunStopped(f"none of the first {self._patience} tasks could be played: {self._first_reason}")

    async def _keep_all(self) -> None:
        """What was held back, once it is known to be about the tasks."""
        while self._proven and self._held:
            await self._keep(self._held.pop(0))

    async def _conclude(self) -> None:
        """A run in which nothing worked has failed as a whole, however short it is."""
        if self.interrupted or self.used_up or self._doubtful:
            self._proven = True  # too few to say, so nothing is thrown away
        await self._keep_all()
        if not self._proven and self._first_reason is not None:
            raise RunStopped(f"nothing worked: {self._first_reason}")

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
