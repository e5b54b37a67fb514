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

import msgspec
from msgspec import Struct

from ...errors import RULES, EpisodeFailure, InputError, RunStopped, TouchstoneError, WorkerFailure
from ...types import Outcome, Record, Usage
from ..directory import encoded
from ..scheduler import Job

# A played job on its way from a node to the driver: the record, and what ended the episode.


JobKey = tuple[str, int]
"""A job by its task's key and its epoch."""

_FAILURES = {kind.__name__: kind for kind in RULES}
_NONE = msgspec.Raw(b"null")


class PlayedEpisode(Struct, frozen=True):
    """One answer of a node. Without a record, `message` says why the whole run must end."""

    place: JobKey
    record: msgspec.Raw = _NONE
    failure: str | None = None
    message: str = ""
    kind: str = ""


_encode = msgspec.json.Encoder().encode
_played = msgspec.json.Decoder(PlayedEpisode)
_record = msgspec.json.Decoder(Record)


def packed(job: JobKey, record: Record, failure: EpisodeFailure | None) -> bytes:
    if failure is None:
        return _encode(PlayedEpisode(job, msgspec.Raw(encoded(record))))
    name, kind = type(failure).__name__, failure.kind
    return _encode(PlayedEpisode(job, msgspec.Raw(encoded(record)), name, str(failure), kind))


def packed_error(job: JobKey, error: Exception) -> bytes:
    message = str(error) if isinstance(error, TouchstoneError) else f"internal error: {type(error).__name__}: {error}"
    return _encode(PlayedEpisode(job, message=message))


def unpacked(data: bytes) -> tuple[JobKey, Record, EpisodeFailure | None] | tuple[JobKey, InputError, None]:
    played = _played.decode(data)
    if bytes(played.record) == bytes(_NONE):
        return played.place, InputError(played.message), None
    failure = _FAILURES[played.failure](played.message, played.kind) if played.failure else None
    return played.place, _record.decode(played.record), failure


Answer = tuple[Record, EpisodeFailure | None]
Send = Callable[[Sequence[JobKey]], None]

PATIENCE = 3
"""A job that was lost with its node so many times is an error: it may be what brings the nodes down."""


class Ticket:
    """A job that is owed, and whoever waits for it."""

    def __init__(self, job: Job, answer: asyncio.Future[Answer]) -> None:
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

    async def play(self, job: Job) -> Answer:
        if self._over is not None:
            raise self._over
        ticket = Ticket(job, asyncio.get_running_loop().create_future())
        self._owed.append(ticket)
        self._send_soon()
        return await ticket.answer

    def join(self, holder: Holder) -> None:
        self._holders.append(holder)
        self._send_soon()

    def answer(self, holder: Holder, job: JobKey, answer: Answer | Exception) -> None:
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


def _lost(ticket: Ticket) -> Answer:
    task = ticket.job.task
    failure = WorkerFailure(f"the node that played it was lost, {ticket.losses} times", "node lost")
    record = Record(
        task=task.key,
        index=task.index,
        epoch=ticket.job.epoch,
        digest=task.digest,
        facets=task.facets,
        outcome=Outcome.error,
        score=None,
        reason=str(failure),
        metrics={},
        evidence={"kind": failure.kind},
        usage=Usage(),
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
        seconds=0.0,
    )
    return record, failure
