"""Workers as the controller sees them: started ahead, one job at a time, started again when they have died."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock, Thread
from typing import Any

from .commands import LARGEST_OUTPUT, LATE, Capture, Done, end_session
from .pointer import Recorder
from .time_limit import FairTimeLimit

_START, _END = 120.0, 60.0


class WorkerGone(Exception):
    """It does not start, or died again when asked again."""


class ForkWorker:
    """See `fork_server` for the other end."""

    def __init__(self, kind: str) -> None:
        self._kind = kind
        self._lock = Lock()
        self._channel: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def warm(self) -> None:
        """Starts it without waiting; a failure shows at the first job."""
        Thread(target=self.ready, daemon=True).start()

    def ready(self) -> str:
        """Why it does not work; empty if it does."""
        with self._lock:
            try:
                self._opened()
            except WorkerGone as error:
                return str(error)
        return ""

    def run(self, job: dict[str, Any], seconds: float, limit: int = LARGEST_OUTPUT) -> Done:
        """A job in a child of its own, ended with its whole session at the time limit."""
        with self._lock:
            try:
                pid, output, error = self._begun(job, limit)
                code, message = self._ended(pid, seconds)
            except OSError as failure:
                self.close()
                raise WorkerGone(f"the {self._kind} worker died: {failure}") from None
        return Done(output.text(), error.text(), code, message)

    def close(self) -> None:
        if self._channel is not None:
            self._channel.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        self._channel = self._process = None

    def _begun(self, job: dict[str, Any], limit: int) -> tuple[int, Capture, Capture]:
        """A worker that was found dead is replaced; a job that had begun is never begun again."""
        try:
            output, error = self._send(self._opened(), job, limit)
            return int(_line(self._opened(), _START)), output, error
        except OSError:
            self.close()
        output, error = self._send(self._opened(), job, limit)
        return int(_line(self._opened(), _START)), output, error

    def _ended(self, pid: int, seconds: float) -> tuple[int, str]:
        """The return code, and why it did not end by itself."""
        channel, limit = self._opened(), FairTimeLimit(seconds)
        while spell := limit.left():
            with suppress(TimeoutError):
                channel.settimeout(spell)
                channel.recv(1, socket.MSG_PEEK)
                return int(_line(channel, _END)), ""
        end_session(pid)
        _line(channel, _END)
        return LATE, f"it took longer than {seconds:g} s and was ended, with all that it had started"

    def _send(self, channel: socket.socket, job: dict[str, Any], limit: int) -> tuple[Capture, Capture]:
        job_file = os.memfd_create("job")
        os.write(job_file, json.dumps(job).encode())
        reading, writing = zip(*(os.pipe() for _ in range(2)), strict=True)
        output, error = (Capture(end, limit) for end in reading)
        try:
            socket.send_fds(channel, [b"j"], [job_file, *writing])
        finally:
            for descriptor in (job_file, *writing):
                os.close(descriptor)
        return output, error

    def _opened(self) -> socket.socket:
        if self._channel is None:
            ours, theirs = socket.socketpair()
            with theirs:
                words = [sys.executable, str(Path(__file__).parent), "worker", self._kind, str(theirs.fileno())]
                self._process = subprocess.Popen(
                    words, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
                )
            self._channel = ours
            self._await_ready(ours)
        return self._channel

    def _await_ready(self, channel: socket.socket) -> None:
        try:
            word = _line(channel, _START)
        except OSError as error:
            word = f"failed {error}"
        if word != "ready":
            self.close()
            raise WorkerGone(f"the worker {self._kind} does not start: {word.removeprefix('failed ')}")


def _line(channel: socket.socket, seconds: float) -> str:
    """A short line, byte by byte: nothing after it may be taken."""
    channel.settimeout(seconds)
    line = bytearray()
    while (byte := channel.recv(1)) != b"\n":
        if not byte:
            raise ConnectionError("it has ended")
        line += byte
    return line.decode("utf-8", "replace")


@dataclass(frozen=True)
class State:
    """What the endpoints share."""

    input_worker: ForkWorker = field(default_factory=lambda: ForkWorker("input_worker"))
    tree: ForkWorker = field(default_factory=lambda: ForkWorker("tree"))
    recorder: Recorder = field(default_factory=Recorder)
