"""Which node plays which job.

A lease is what a node plays at the moment: never more than it can play at once, so that Ctrl-C waits for no more than that
and a lost node costs no more than that. A job has one ticket until it is played; if its node is lost the ticket is given to
another, first of all. Only the holder of a ticket can answer it, so nothing is recorded twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from ...errors import EpisodeFailure, RunStopped, WorkerFailure
from ...types import Record
from ..episode_runner import cut_off, record_of
from ..scheduler import Job

JobKey = tuple[str, int]
"""A job by its task's key and its epoch."""
PlayedEpisode = tuple[Record, EpisodeFailure | None]
Send = Callable[[Sequence[JobKey]], None]

PATIENCE = 3
"""A job that was lost with its node so many times is an error: it may be what brings the nodes down."""


class Ticket:
    """A job that is owed, and whoever waits for it."""

    def __init__(self, job: Job, answer: asyncio.Future[PlayedEpisode]) -> None:
        self.job = job
        self.answer = answer
        self.losses = 0

    @property
    def key(self) -> JobKey:
        return self.job.task.key, self.job.epoch


class Holder:
    """A node that takes leases."""

    def __init__(self, capacity: int, send: Send) -> None:
        self.capacity = capacity
        self.send = send
        self.held: dict[JobKey, Ticket] = {}


class Leases:
    def __init__(self) -> None:
        self._owed: deque[Ticket] = deque()
        self._holders: list[Holder] = []
        self._sending: asyncio.Handle | None = None
        self._over: Exception | None = None

    async def play(self, job: Job) -> PlayedEpisode:
        if self._over is not None:
            raise self._over
        ticket = Ticket(job, asyncio.get_running_loop().create_future())
        self._owed.append(ticket)
        self._send_soon()
        return await ticket.answer

    def join(self, holder: Holder) -> None:
        self._holders.append(holder)
        self._send_soon()

    def answer(self, holder: Holder, job: JobKey, answer: PlayedEpisode | Exception) -> None:
        """An answer from somebody who does not hold the ticket is not heard."""
        ticket = holder.held.pop(job, None)
        self._send_soon()
        if ticket is None or ticket.answer.done():
            return
        if isinstance(answer, Exception):
            ticket.answer.set_exception(answer)
        else:
            ticket.answer.set_result(answer)

    def lose(self, holder: Holder) -> int:
        """Takes the node out. Its tickets are the first to be given out again; says how many."""
        if holder in self._holders:
            self._holders.remove(holder)
        lost = [ticket for ticket in holder.held.values() if not ticket.answer.done()]
        holder.held.clear()
        for ticket in lost:
            ticket.losses += 1
            if ticket.losses >= PATIENCE:
                ticket.answer.set_result(_lost(ticket))
        again = [ticket for ticket in lost if not ticket.answer.done()]
        self._owed.extendleft(reversed(again))
        self._send_soon()
        return len(again)

    def give_up(self, why: str) -> None:
        """Nobody is left to play."""
        self._over = RunStopped(why)
        for ticket in self._owed:
            if not ticket.answer.done():
                ticket.answer.set_exception(self._over)
        self._owed.clear()

    def _send_soon(self) -> None:
        """Not at once: jobs that come together go out together."""
        if self._sending is None:
            self._sending = asyncio.get_running_loop().call_soon(self._send)

    def _send(self) -> None:
        self._sending = None
        sent: dict[Holder, list[JobKey]] = {}
        while self._owed and (holder := self._freest()) is not None:
            ticket = self._owed.popleft()
            if not ticket.answer.done():  # nobody waits for an abandoned one
                holder.held[ticket.key] = ticket
                sent.setdefault(holder, []).append(ticket.key)
        for holder, jobs in sent.items():
            holder.send(jobs)

    def _freest(self) -> Holder | None:
        free = [holder for holder in self._holders if len(holder.held) < holder.capacity]
        return min(free, key=lambda holder: len(holder.held) / holder.capacity, default=None)


def _lost(ticket: Ticket) -> PlayedEpisode:
    failure = WorkerFailure(f"the node that played it was lost, {ticket.losses} times", "node lost")
    record = record_of(ticket.job.task, ticket.job.epoch, cut_off(failure, None), datetime.now(UTC))
    return record, failure
