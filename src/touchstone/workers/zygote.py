"""The process that workers are forked from, and a worker's loop.

Started by the pool with the number of a Unix socket: each message on it carries the socket of a worker to be made, over which
the worker first tells its process number. The zygote has no threads and no open files, so a fork is safe, and it has imported
what workers need, so a fork is quick. It tells the pool how each worker ended: whose fault an end was depends on it. It ends
when its parent is gone, and takes the workers with it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import signal
import socket
import struct
import sys
import time
import typing
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import msgspec

from ..files import module_or_none
from ..sandbox.later import do_what_is_left, this_process_answers
from ..sandbox.privileges import die_with_parent
from ..sandbox.worker import WorkerRules, prepared

HEADER = struct.Struct("!I")
ENDING = struct.Struct("!IiI")
"""A worker's process number, its status as `wait` gives it, and its largest size in kB."""

_MOST_RECEIVED = 2**16
_SECONDS_TOGETHER = 0.005
_encoder = msgspec.msgpack.Encoder()
_envelope = msgspec.msgpack.Decoder(tuple[str, msgspec.Raw])


def main() -> None:
    """The zygote's life; it ends with its parent's."""
    with contextlib.suppress(EOFError, ConnectionError):
        _live()
    os._exit(0)


def _live() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    sys.path[:] = msgspec.msgpack.decode(_receive(control), type=list[str])
    for module in msgspec.msgpack.decode(_receive(control), type=list[str]):
        importlib.import_module(module)
    confine = prepared(msgspec.msgpack.decode(_receive(control), type=WorkerRules | None))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, partial(_tell_endings, control))
    resource = module_or_none("resource")
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    gc.freeze()
    gc.enable()
    _fork_on_request(control, confine)


def _fork_on_request(control: socket.socket, confine: Callable[[], None]) -> None:
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 1, 1)
        if not message:
            return
        try:
            is_worker = os.fork() == 0
        except OSError:  # too many processes; the pool hears of it when the worker's socket is closed
            is_worker = False
        if is_worker:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            control.close()
            die_with_parent()
            confine()
            serve(socket.socket(fileno=descriptors[0]))
        for descriptor in descriptors:
            os.close(descriptor)


def _tell_endings(control: socket.socket, *_: object) -> None:
    """Signals of several ends may arrive as one."""
    with contextlib.suppress(ChildProcessError, OSError):
        while (ended := os.wait4(-1, os.WNOHANG))[0]:
            pid, status, used = ended
            control.sendall(ENDING.pack(pid, status, used.ru_maxrss))


def connect(port: str, token: str) -> typing.NoReturn:
    """A worker's life where it is not forked: see `Pool._spawn`."""
    connection = socket.create_connection(("127.0.0.1", int(port)))
    connection.sendall(token.encode())
    serve(connection)


def serve(connection: socket.socket) -> typing.NoReturn:
    """A worker's life: tells its process number, then answers calls until the other side hangs up."""
    global _outbox
    with contextlib.suppress(EOFError, ConnectionError):
        connection.sendall(HEADER.pack(os.getpid()))
        this_process_answers()
        inbox = _Inbox(connection)
        _outbox = _Outbox(connection)
        while True:
            _outbox.add(_answer(inbox.next()))
            if not inbox.has_next() or _outbox.is_late():
                _outbox.send()
                do_what_is_left()
    os._exit(0)


class _Inbox:
    """Calls as they come. Several may come at once."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._buffer = bytearray()

    def has_next(self) -> bool:
        return self._missing() <= 0

    def next(self) -> bytes:
        buffer = self._buffer
        while (missing := self._missing()) > 0:
            if missing > _MOST_RECEIVED:
                buffer += _exactly(self._connection, missing)
            elif more := self._connection.recv(_MOST_RECEIVED):
                buffer += more
            else:
                raise EOFError
        end = len(buffer) + missing
        message = bytes(memoryview(buffer)[HEADER.size : end])
        del buffer[:end]
        return message

    def _missing(self) -> int:
        """Bytes of the next call; fewer than none if there is more than that."""
        have = len(self._buffer)
        return HEADER.size - have if have < HEADER.size else HEADER.size + HEADER.unpack_from(self._buffer)[0] - have


class _Outbox:
    """Answers that go together: while the next call is there already, nobody waits for any of them much."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._pid = os.getpid()
        self._unsent = bytearray()
        self._since = 0.0

    def add(self, body: bytes) -> None:
        if not self._unsent:
            self._since = time.monotonic()
        self._unsent += HEADER.pack(len(body))
        self._unsent += body

    def is_late(self) -> bool:
        """Also asked in the middle of a call, and there perhaps by a child of this process."""
        return bool(self._unsent) and time.monotonic() - self._since > _SECONDS_TOGETHER and os.getpid() == self._pid

    def send(self) -> None:
        unsent, self._unsent = self._unsent, bytearray()
        self._connection.sendall(unsent)


_outbox: _Outbox | None = None


def send_what_is_late() -> None:
    """For calls that take long: the answers to earlier ones do not wait for this one's."""
    if _outbox is not None and _outbox.is_late():
        _outbox.send()


def _answer(message: bytes) -> bytes:
    try:
        name, request = _envelope.decode(message)
        function, kind = _resolve(name)
        return _encoder.encode((True, function(msgspec.msgpack.decode(request, type=kind))))
    except Exception:
        import traceback  # here, since every worker would wait for it at its start

        text = traceback.format_exc(limit=-3)
        return _encoder.encode((False, text.encode(errors="backslashreplace").decode()))


@cache
def _resolve(name: str) -> tuple[Callable[[Any], Any], Any]:
    module, _, attribute = name.partition(":")
    function = getattr(importlib.import_module(module), attribute)
    hints = typing.get_type_hints(function)
    hints.pop("return", None)
    (kind,) = hints.values()
    return function, kind


def _receive(connection: socket.socket) -> bytes:
    (size,) = HEADER.unpack(_exactly(connection, HEADER.size))
    return _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    buffer = bytearray(size)
    view = memoryview(buffer)
    done = 0
    while done < size:
        count = connection.recv_into(view[done:])
        if count == 0:
            raise EOFError
        done += count
    return bytes(buffer)
