"""The parent's side: a pool of workers that grows only when calls really have to wait."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import select
import signal
import socket
import subprocess
import sys
import time
import typing
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import cache
from typing import Any, Literal, TypeVar

import msgspec

from ..errors import WorkerFailure
from ..files import module_or_none
from ..sandbox.worker import WorkerRules
from .limits import cores, cpu_time
from .zygote import ENDING, HEADER

A = TypeVar("A")
R = TypeVar("R")

PATIENCE = 0.05
"""Seconds without any worker becoming free, while calls wait, before the pool grows by one: a long queue of quick calls
shares few workers, calls behind slow ones get a new one."""

STALLED = 60.0
"""Seconds without any use of the CPU after which a call is given up. Under whatever load, a process that wants to run gets
some of it in that time; one that gets none waits for a disk that is gone, or was stopped."""

LONG = 0.25
"""Seconds of CPU after which a call counts as long: its worker then gives way to others, so that queries which never end do
not delay those that take a millisecond. Verdicts do not depend on time, so none depends on this."""

SPARE = 16
"""Workers that are kept for the next leases, each of which would otherwise fork a process."""

_FORKS_AT_ONCE = 8
"""That the zygote is asked for: more would not fit into its socket."""
_NICE = 10
_REMEMBERED = 16
_SECONDS_TO_HEAR = 10.0
_SENT_BY_OTHERS = tuple(getattr(signal, f"SIG{name}", None) for name in ("KILL", "TERM", "INT", "HUP", "QUIT"))
_FORKS = sys.platform == "linux" and module_or_none("resource") is not None and hasattr(os, "fork")
"""Elsewhere each worker is a Python of its own: slower to start, not confined, and without limits of memory and CPU time."""
_SECONDS_TO_START = 60.0
_KEPT_VARIABLES = ("HOME", "LANG", "LC_ALL", "PATH", "TMPDIR", "TOUCHSTONE_CACHE", "XDG_CACHE_HOME")
_ZYGOTE = "import gc; gc.disable(); from touchstone.workers.zygote import main; main()"
"""Nothing that is imported becomes garbage."""
_encode = msgspec.msgpack.Encoder().encode


Cause = Literal["overdue", "stalled", "cpu", "crashed", "killed", "unbegun"]


class WorkerLost(Exception):
    """A worker ended before it answered.

    overdue   we killed it: its time on the wall clock was over
    stalled   we killed it: it had used no CPU for long
    cpu       the kernel ended it at its limit of CPU time
    crashed   it crashed or left, which is the fault of its work
    killed    somebody else killed it, such as the kernel when the machine ran out of memory
    unbegun   it ended with a call that came before this one
    """

    def __init__(self, cause: Cause, *, peak: int = 0) -> None:
        super().__init__(_CAUSES[cause])
        self.cause: Cause = cause
        self.peak = peak
        """The most memory that it had, in bytes; 0 if that is not known."""

    @property
    def overdue(self) -> bool:
        return self.cause == "overdue"


_CAUSES: dict[Cause, str] = {
    "overdue": "the worker was stopped at its time limit",
    "stalled": "the worker used no CPU for long and was stopped",
    "cpu": "the worker was stopped at its limit of CPU time",
    "crashed": "the worker crashed",
    "killed": "the worker was killed",
    "unbegun": "the worker ended before it came to this call",
}


def encoded_call(function: Callable[[A], Any], request: A) -> bytes:
    """As a worker is sent it."""
    return _encode((f"{function.__module__}:{function.__qualname__}", request))


class _Call:
    """One that a worker was sent."""

    __slots__ = ("answer", "stalled", "wall")

    def __init__(self, wall: float | None, stalled: float) -> None:
        self.wall = wall
        self.stalled = stalled
        self.answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()


class Worker(asyncio.Protocol):
    """One worker process, which answers calls one after the other."""

    def __init__(self) -> None:
        self.pid = 0
        self.alive = True
        self._transport: asyncio.WriteTransport
        self._alarm: asyncio.TimerHandle
        self._patience: asyncio.TimerHandle
        self.gave_way = False
        """Its calls have a low priority for good, since raising it again is not everybody's right."""
        self.on_long: Callable[[], None] = lambda: None
        """Called when a call has become a long one."""
        self._buffer = bytearray()
        self._calls: deque[_Call] = deque()
        """Those without an answer. It works on the first."""
        self._ended: asyncio.Future[WorkerLost] = asyncio.get_running_loop().create_future()
        self.stalled = STALLED
        self.received = 0
        """Bytes of all its answers."""
        self.process: subprocess.Popen[bytes] | None = None
        """Its own, where workers are not forked."""
        self.served: deque[str] = deque(maxlen=_REMEMBERED)
        """Keys of its last calls."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = typing.cast(asyncio.WriteTransport, transport)

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer
        buffer += data
        self.received += len(data)
        calls, start = self._calls, 0
        while len(buffer) >= start + HEADER.size and len(buffer) >= (
            end := start + HEADER.size + HEADER.unpack_from(buffer, start)[0]
        ):
            body = bytes(memoryview(buffer)[start + HEADER.size : end])
            start = end
            if calls and not (answer := calls.popleft().answer).done():
                answer.set_result(body)
        if start:
            del buffer[:start]
            self._look_away()
            if calls:
                self._look_after(calls[0])

    def connection_lost(self, exc: Exception | None) -> None:
        self.alive = False
        if self._calls:
            self._look_away()
        for number, call in enumerate(self._calls):
            if not call.answer.done():
                call.answer.set_exception(WorkerLost("unbegun") if number else EOFError())
        self._calls.clear()

    @property
    def is_busy(self) -> bool:
        return bool(self._calls)

    def ended(self, status: int, peak: int) -> None:
        """The zygote says how the process ended."""
        if not self._ended.done():
            self._ended.set_result(WorkerLost(_cause(status), peak=peak))

    async def call(
        self, function: Callable[[A], R], request: A, *, wall: float | None = None, stalled: float | None = None
    ) -> R:
        """Runs the function in the worker. Raises WorkerLost if the process ends, for whichever reason.

        It is killed when it has used no CPU for `stalled` seconds, however long it takes. With `wall` it is killed after that
        many seconds instead: that is for functions which wait for others, such as a server, and use no CPU meanwhile.
        """
        (sent,) = self.send(encoded_call(function, request), wall=wall, stalled=stalled)
        try:
            return await self.result(function, sent)
        except asyncio.CancelledError:
            self.kill()  # it is busy with a call that nobody waits for
            raise

    def send(self, *encoded: bytes, wall: float | None = None, stalled: float | None = None) -> list[asyncio.Future[bytes]]:
        """The same for several calls, without waiting for the `result` of each: a worker that has its next call already never
        waits for us, and answers to calls that take no time come together."""
        if not self.alive:
            raise WorkerLost("killed")
        calls = [_Call(wall, stalled or self.stalled) for _ in encoded]
        was_busy = self.is_busy
        self._calls.extend(calls)
        self._transport.write(b"".join([HEADER.pack(len(body)) + body for body in encoded]))
        if not was_busy:
            self._look_after(self._calls[0])
        return [call.answer for call in calls]

    async def result(self, function: Callable[..., R], sent: asyncio.Future[bytes]) -> R:
        try:
            reply = await sent
        except EOFError:
            raise await self._ending() from None
        try:
            worked, value = msgspec.msgpack.decode(reply, type=tuple[bool, msgspec.Raw])
            if worked:
                return msgspec.msgpack.decode(value, type=_result_type(function))
            text = msgspec.msgpack.decode(value, type=str).strip()
        except msgspec.MsgspecError as error:
            raise WorkerFailure(f"a worker's answer cannot be read: {error}") from error
        failure = WorkerFailure(f"internal error in a worker: {text.splitlines()[-1]}")
        failure.add_note(text)
        raise failure

    def is_there(self) -> bool:
        """Of an idle worker, which says nothing unasked: the kernel knows of its end before the event loop hears of it."""
        if not self.alive:
            return False
        if not _FORKS:
            return self.process is None or self.process.poll() is None
        ended = select.poll()
        ended.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return not ended.poll(0)

    def kill(self) -> None:
        if self.alive:
            if self.process is not None:
                self.process.kill()
            else:
                with contextlib.suppress(ProcessLookupError):  # it may have died without our having heard of it
                    os.kill(self.pid, signal.SIGKILL)
            self.close()

    def close(self) -> None:
        """Hangs up; an idle worker then ends by itself."""
        self.alive = False
        self._transport.close()

    def _look_after(self, call: _Call) -> None:
        """Until it has been answered."""
        loop = asyncio.get_running_loop()
        before = cpu_time(self.pid)
        self._patience = loop.call_later(LONG, self.give_way, before)
        if call.wall is None:
            self._alarm = loop.call_later(call.stalled, self._look_for_progress, call.stalled, before)
        else:
            self._alarm = loop.call_later(call.wall, self._end, "overdue")

    def _look_away(self) -> None:
        self._alarm.cancel()
        self._patience.cancel()

    def _look_for_progress(self, stalled: float, before: int | None) -> None:
        """Where the kernel does not tell what a process uses, nothing is known to be stalled."""
        now = cpu_time(self.pid)
        if now is not None and now == before:
            self._end("stalled")
        else:
            self._alarm = asyncio.get_running_loop().call_later(stalled, self._look_for_progress, stalled, now)

    def give_way(self, before: int | None) -> None:
        """Lowers the priority of a call that has used much CPU since `before`; one that has not is looked at again later."""
        used = None if before is None or (now := cpu_time(self.pid)) is None else now - before
        if self.gave_way or used is None or not self.alive:
            return
        if used < LONG * 1e9:
            self._patience = asyncio.get_running_loop().call_later(LONG, self.give_way, before)
            return
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, self.pid, os.getpriority(os.PRIO_PROCESS, 0) + _NICE)
        self.gave_way = True
        self.on_long()

    def _end(self, cause: Cause) -> None:
        if self._calls and not self._calls[0].answer.done():
            self._calls[0].answer.set_exception(WorkerLost(cause))
        self.kill()

    async def _ending(self) -> WorkerLost:
        """We hear of the end of the connection before the zygote has told of the process."""
        if self.process is not None:
            await asyncio.to_thread(self.process.wait)
            return WorkerLost("crashed")
        with contextlib.suppress(TimeoutError):
            return await asyncio.wait_for(asyncio.shield(self._ended), _SECONDS_TO_HEAR)
        return WorkerLost("killed")


def _cause(status: int) -> Cause:
    ended_by = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
    if ended_by == signal.SIGXCPU:
        return "cpu"
    return "killed" if ended_by in _SENT_BY_OTHERS else "crashed"


@cache
def _result_type(function: Callable[..., Any]) -> Any:
    return typing.get_type_hints(function)["return"]


class Pool:
    """Workers to call and to lease.

    `warm` workers are kept; up to `limit` run at once while calls wait. Leased workers are not counted: their number is
    that of their holders, and a holder that waits for a shared worker must always get one in the end. With `rules`, workers are
    confined (see `sandbox.worker`). `environment` is added to their few variables.
    """

    def __init__(
        self,
        *,
        warm: int | None = None,
        limit: int = 64,
        preload: Sequence[str] = (),
        rules: WorkerRules | None = None,
        stalled: float = STALLED,
        environment: Mapping[str, str] | None = None,
        spare: int = SPARE,
    ) -> None:
        self._rules = rules
        self._most_spare = spare
        self._spare: list[Worker] = []
        self._lent = 0
        """Spare workers that calls had to wait for: they become spare ones again as soon as calls need fewer."""
        self._environment = environment or {}
        self._warm = warm or cores()
        self._limit = max(limit, self._warm)
        self._preload = list(preload)
        self._stalled = stalled
        self._idle: list[Worker] = []
        # Workers that calls share: idle, busy, or being forked. Each is counted once, from before its fork (so that calls which
        # come together do not all fork) until `_forget` or a lease. A leased one is in `_workers` alone: `lease` takes it off
        # the count and `give_back` puts it on again, also when it is dead by then, because `_release` then forgets it.
        self._shared = 0
        self._waiting: deque[asyncio.Future[Worker]] = deque()
        self._workers: set[Worker] = set()
        self._zygote: subprocess.Popen[bytes] | None = None
        self._control: socket.socket
        self._heard = bytearray()
        self._received = 0
        self._closed = False
        self._forking = asyncio.Semaphore(_FORKS_AT_ONCE)
        self._growing: set[asyncio.Task[None]] = set()
        self._watch: asyncio.TimerHandle | None = None
        self._last_release = time.monotonic()

    def start(self) -> None:
        """Starts the zygote without waiting for it. The first call does it too; a run whose results are all remembered never
        needs one."""
        if self._closed:
            raise WorkerFailure("the worker pool is closed")
        if not _FORKS:
            return
        loop = asyncio.get_running_loop()
        if self._zygote is not None:
            if self._zygote.poll() is None:
                return
            self._hang_up()  # somebody killed it, and its workers with it
        self._control, theirs = socket.socketpair()
        environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ} | dict(self._environment)
        if self._rules and self._rules.writable:
            environment["TMPDIR"] = self._rules.writable[0]
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        self._zygote = subprocess.Popen(
            [sys.executable, "-c", _ZYGOTE, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,  # a Ctrl-C is for the parent to handle
        )
        theirs.close()
        for message in (_encode(sys.path), _encode(self._preload), _encode(self._rules)):
            self._control.sendall(HEADER.pack(len(message)) + message)
        self._control.setblocking(False)
        loop.add_reader(self._control, self._hear)

    def _hear(self) -> None:
        """How workers ended."""
        with contextlib.suppress(BlockingIOError):
            data = b""
            with contextlib.suppress(ConnectionError):
                data = self._control.recv(65536)
            if not data:
                asyncio.get_running_loop().remove_reader(self._control)
                for worker in self._workers:  # they were killed with the zygote
                    worker.ended(signal.SIGKILL, 0)
            self._heard += data
        while len(self._heard) >= ENDING.size:
            pid, status, peak = ENDING.unpack_from(self._heard)
            del self._heard[: ENDING.size]
            for worker in self._workers:
                if worker.pid == pid:
                    worker.ended(status, 1024 * peak)

    def _hang_up(self) -> None:
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._heard.clear()

    async def call(
        self,
        function: Callable[[A], R],
        request: A,
        *,
        wall: float | None = None,
        stalled: float | None = None,
        key: str | None = None,
    ) -> R:
        """Runs the function in any worker, as `Worker.call` does: if one is free that has served the key lately, in that,
        which may still have open what calls with this key need."""
        worker = self._idle_worker(key) or await self._acquire()
        if key is not None and key not in worker.served:
            worker.served.append(key)
        try:
            return await worker.call(function, request, wall=wall, stalled=stalled)
        finally:
            self._release(worker)

    @contextlib.asynccontextmanager
    async def worker(self) -> AsyncGenerator[Worker]:
        """Any one, for a few calls in a row."""
        worker = await self._acquire()
        try:
            yield worker
        except BaseException:
            worker.kill()  # it may be busy
            raise
        finally:
            self._release(worker)

    @property
    def received(self) -> int:
        """Bytes of all answers so far."""
        return self._received + sum(worker.received for worker in self._workers)

    async def lease(self) -> Worker:
        """A worker for the caller alone, until `give_back`."""
        while self._spare:
            worker = self._spare.pop()
            if worker.is_there():
                return worker
            worker.close()
            self._drop(worker)
        worker = self._idle.pop() if self._idle else None
        if worker is None or not worker.is_there():
            if worker is not None:
                worker.close()
                self._forget(worker)
            return await self._fork()  # not counted: it was never a shared one
        self._shared -= 1
        return worker

    def give_back(self, worker: Worker) -> None:
        if worker.alive and not worker.gave_way and self._shared >= self._warm and self._has_room:
            if not self._waiting:
                self._spare.append(worker)
                return
            self._lent += 1
        self._shared += 1
        self._release(worker)

    async def close(self) -> None:
        """Kills whatever runs. Calls under way or waiting raise WorkerLost or WorkerFailure."""
        self._closed = True
        if self._watch is not None:
            self._watch.cancel()
        for task in self._growing:
            task.cancel()
        self._fail_waiting(WorkerFailure("the worker pool is closed"))
        for worker in list(self._workers):
            worker.kill()
        if self._zygote is not None:
            self._zygote.kill()
            self._hang_up()
            await asyncio.to_thread(self._zygote.wait)
            self._zygote = None
            await asyncio.sleep(0)  # lets the transports finish closing

    def _idle_worker(self, key: str | None) -> Worker | None:
        """For a new key the one that has worked last: what it needs is still in the caches."""
        if key is None or not self._idle:
            return None
        worker = next((one for one in self._idle if key in one.served), self._idle[-1])
        if not worker.is_there():
            return None
        self._idle.remove(worker)
        return worker

    async def _acquire(self) -> Worker:
        while self._idle:
            worker = self._idle.pop()
            if worker.is_there():
                return worker
            worker.close()
            self._forget(worker)
        if self._shared < self._warm:
            return await self._fork_shared()
        waiter: asyncio.Future[Worker] = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        self._watch_queue()
        try:
            return await waiter
        except asyncio.CancelledError:
            # A worker may have been handed over in the same turn of the loop in which the call was cancelled.
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._release(waiter.result())
            raise

    def _release(self, worker: Worker) -> None:
        if worker.gave_way:
            worker.close()
        if not worker.alive:
            self._forget(worker)
            if self._waiting:
                self._grow()
            return
        self._last_release = time.monotonic()
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_result(worker)
                return
        if self._shared <= self._warm:
            self._idle.append(worker)
        elif self._lent:
            self._lent -= 1
            self._shared -= 1
            self._spare.append(worker)
        else:
            worker.close()
            self._forget(worker)

    @property
    def _has_room(self) -> bool:
        return len(self._spare) + self._lent < self._most_spare

    def _forget(self, worker: Worker) -> None:
        self._shared -= 1
        self._drop(worker)

    def _drop(self, worker: Worker) -> None:
        self._workers.discard(worker)
        self._received += worker.received

    def _watch_queue(self) -> None:
        """Looks again and again while calls wait."""
        if self._watch is None and self._waiting:
            self._watch = asyncio.get_running_loop().call_later(PATIENCE, self._look_at_queue)

    def _look_at_queue(self) -> None:
        self._watch = None
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        if self._waiting and time.monotonic() - self._last_release >= PATIENCE:
            self._grow()
        self._watch_queue()

    def _grow_if_waiting(self) -> None:
        if self._waiting:
            self._grow()

    def _grow(self) -> None:
        if self._shared < self._limit:
            task = asyncio.create_task(self._add_worker())
            self._growing.add(task)
            task.add_done_callback(self._growing.discard)

    async def _add_worker(self) -> None:
        try:
            worker = await self._fork_shared()
        except WorkerFailure as failure:
            self._fail_waiting(failure)
            return
        self._release(worker)

    def _fail_waiting(self, failure: WorkerFailure) -> None:
        while self._waiting:
            waiter = self._waiting.popleft()
            if not waiter.done():
                waiter.set_exception(failure)

    async def _fork_shared(self) -> Worker:
        self._shared += 1
        try:
            return await self._fork()
        except BaseException:
            self._shared -= 1
            raise

    async def _fork(self) -> Worker:
        if not _FORKS:
            return await self._spawn()
        try:
            async with self._forking:
                self.start()
                ours, theirs = socket.socketpair()
                try:
                    ours.setblocking(False)
                    with theirs:
                        socket.send_fds(self._control, [b"f"], [theirs.fileno()])
                    pid = await _read_pid(ours)
                except BaseException:
                    ours.close()  # if the worker comes up nonetheless, it ends at once
                    raise
            _, worker = await asyncio.get_running_loop().create_connection(Worker, sock=ours)
        except (OSError, EOFError) as error:
            raise WorkerFailure(f"cannot start a worker process: {error}") from error
        worker.pid, worker.stalled, worker.on_long = pid, self._stalled, self._grow_if_waiting
        self._workers.add(worker)
        return worker

    async def _spawn(self) -> Worker:
        """A worker that connects to us, and shows by a word that it is ours."""
        if self._closed:
            raise WorkerFailure("the worker pool is closed")
        token = secrets.token_hex(16)
        kept = (*_KEPT_VARIABLES, "SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "LOCALAPPDATA")
        environment = {name: os.environ[name] for name in kept if name in os.environ} | dict(self._environment)
        environment["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.setblocking(False)
            program = "import sys; from touchstone.workers.zygote import connect; connect(*sys.argv[1:])"
            command = [sys.executable, "-c", program, str(listening.getsockname()[1]), token]
            process = await asyncio.to_thread(subprocess.Popen, command, stdin=subprocess.DEVNULL, env=environment)
            try:
                async with asyncio.timeout(_SECONDS_TO_START):
                    ours = await _accepted(listening, token.encode())
                    pid = await _read_pid(ours)
                    _, worker = await asyncio.get_running_loop().create_connection(Worker, sock=ours)
            except (OSError, EOFError) as error:  # TimeoutError is one of them
                process.kill()
                raise WorkerFailure(f"cannot start a worker process: {error or 'it does not answer'}") from error
        worker.pid, worker.stalled, worker.process = pid, self._stalled, process
        self._workers.add(worker)
        return worker


async def _accepted(listening: socket.socket, token: bytes) -> socket.socket:
    loop = asyncio.get_running_loop()
    while True:
        connection, _ = await loop.sock_accept(listening)
        connection.setblocking(False)
        received = b""
        while len(received) < len(token) and (more := await loop.sock_recv(connection, len(token) - len(received))):
            received += more
        if secrets.compare_digest(received, token):
            return connection
        connection.close()


async def _read_pid(connection: socket.socket) -> int:
    """A worker's first words are its process number."""
    data = b""
    while len(data) < HEADER.size:
        more = await asyncio.get_running_loop().sock_recv(connection, HEADER.size - len(data))
        if not more:
            raise EOFError("it ended before it could answer")
        data += more
    return HEADER.unpack(data)[0]
