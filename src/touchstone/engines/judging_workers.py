"""Workers of a pool that judge: never more at once than there are cores, and never idle while judgements wait.

A worker that has answered and waits until it is asked again is idle for longer than a short judgement takes, so while many
wait it is sent some ahead. What turns out to be behind a long one is taken back.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from ..errors import SqlError, WorkerFailure
from ..types import Limits
from ..workers.limits import Turns, cores
from ..workers.pool import Pool, Worker, WorkerLost, encoded_call
from .messages import out_of_cpu

A = TypeVar("A")
R = TypeVar("R")

_MOST_AHEAD = 8
_IN_A_ROW = 64
"""Judgements by one worker before others have their turn."""


class JudgingWorkers:
    """What is judged never runs on more of them than there are cores."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool
        self.turns = Turns(cores())

    async def judged(self, function: Callable[[A], R], request: A, limits: Limits, *, stalled: float | None = None) -> R:
        """Runs a function in a worker when it is its turn. Raises SqlError if its SQL ends the worker."""
        try:
            async with self.turns.turn():
                return await self.pool.call(function, request, stalled=stalled)
        except WorkerLost as lost:
            return await self.judged_again(lost, function, request, limits, stalled=stalled)

    async def judged_again(
        self, lost: WorkerLost, function: Callable[[A], R], request: A, limits: Limits, *, stalled: float | None = None
    ) -> R:
        """A worker that dies may have been another's victim; one that dies again, alone, was not."""
        try:
            if lost.cause in ("crashed", "killed"):
                async with self.turns.turn(alone=True):
                    return await self.pool.call(function, request, stalled=stalled)
        except WorkerLost as again:
            lost = again
        raise blamed(lost, limits) from None


class _Waiting(Generic[R]):
    """A judgement that was asked for."""

    def __init__(self, call: bytes) -> None:
        self.call = call
        self.answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self.worker: Worker | None = None
        """That it was sent to."""


class JudgedAhead(Generic[A, R]):
    """Calls of one function, each as `JudgingWorkers.judged` does it."""

    def __init__(self, workers: JudgingWorkers, function: Callable[[A], R]) -> None:
        self._workers = workers
        self._function = function
        self._waiting: deque[_Waiting[R]] = deque()
        self._lanes: set[asyncio.Task[None]] = set()

    async def judged(self, request: A, limits: Limits) -> R:
        waiting = _Waiting[R](encoded_call(self._function, request))
        self._waiting.append(waiting)
        self._start()
        try:
            return await waiting.answer
        except WorkerLost as lost:
            return await self._workers.judged_again(lost, self._function, request, limits)
        except asyncio.CancelledError:
            if waiting.worker is not None:
                waiting.worker.kill()  # it is busy with what nobody waits for
            raise

    def _start(self) -> None:
        if len(self._lanes) < cores():
            lane = asyncio.create_task(self._judge())
            self._lanes.add(lane)

    async def _judge(self) -> None:
        try:
            while self._waiting:
                async with self._workers.turns.turn():
                    try:
                        async with self._workers.pool.worker() as worker:
                            await self._judge_in(worker)
                    except WorkerFailure as failure:  # there is none to be had
                        if self._waiting:
                            _fail(self._waiting.popleft(), failure)
        finally:  # not by a callback: until that is called, whoever comes would count on a lane that has ended
            self._lanes.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _judge_in(self, worker: Worker) -> None:
        sent: deque[tuple[_Waiting[R], asyncio.Future[bytes]]] = deque()
        left, grow, is_stale = _IN_A_ROW, worker.on_long, False

        def take_back() -> None:
            nonlocal is_stale
            while len(sent) > 1:
                waiting, answer = sent.pop()
                answer.cancel()
                waiting.worker, is_stale = None, True
                self._waiting.appendleft(waiting)
            self._start()
            grow()

        worker.on_long = take_back
        while True:
            if len(sent) <= _MOST_AHEAD // 2 and (together := self._take(worker, min(left, 1 + self._ahead() - len(sent)))):
                left -= len(together)
                sent += zip(together, worker.send(*[each.call for each in together]), strict=True)
            if not sent:
                break
            waiting, answer = sent[0]
            try:
                value = await worker.result(self._function, answer)
            except WorkerLost as lost:
                if lost.cause == "unbegun":
                    self._waiting.appendleft(waiting)
                else:  # its answer may have been ready, and what was behind it to blame: it is tried again, alone
                    _fail(waiting, WorkerLost("killed") if is_stale or len(sent) > 1 else lost)
            except WorkerFailure as failure:
                _fail(waiting, failure)
            else:
                if not waiting.answer.done():
                    waiting.answer.set_result(value)
            sent.popleft()
            waiting.worker = None
        worker.on_long = grow
        if is_stale:
            worker.kill()  # it would go on with what others have been sent

    def _ahead(self) -> int:
        """To the end all workers are to be busy."""
        return min(_MOST_AHEAD, len(self._waiting) // (2 * cores()))

    def _take(self, worker: Worker, most: int) -> list[_Waiting[R]]:
        taken: list[_Waiting[R]] = []
        while self._waiting and len(taken) < most and worker.alive and not worker.gave_way:
            waiting = self._waiting.popleft()
            if not waiting.answer.done():
                waiting.worker = worker
                taken.append(waiting)
        return taken


def _fail(waiting: _Waiting[R], error: Exception) -> None:
    if not waiting.answer.done():
        waiting.answer.set_exception(error)


def blamed(lost: WorkerLost, limits: Limits) -> SqlError:
    """What the loss of a worker says of its SQL. Raises WorkerFailure if it says nothing."""
    if lost.cause == "cpu":
        return out_of_cpu(limits)
    if lost.cause == "crashed":
        return SqlError("crash", "The query was stopped: the process that ran it crashed.")
    if lost.cause == "killed" and lost.peak > limits.memory // 2:
        return SqlError("memory", f"The query was stopped: it took {lost.peak / 2**20:,.0f} MB, more than there was.")
    raise WorkerFailure(f"the SQL could not be completed: {lost}") from None
