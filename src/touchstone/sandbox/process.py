"""A program of somebody else's while it runs: what it prints is drained, and it can be ended with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping

from .sandboxed_program import Launch

_SECONDS_TO_END = 5.0
_SECONDS_TO_FLUSH = 1.0


class Tail:
    """The end of a stream. However much comes, it is read, so that the program is not held up, and little is kept."""

    def __init__(self, limit: int) -> None:
        self.total = 0
        self._limit = limit
        self._kept = bytearray()

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self._kept += data
        if len(self._kept) > 2 * self._limit:
            del self._kept[: -self._limit]

    @property
    def cut(self) -> bool:
        return self.total > self._limit

    @property
    def text(self) -> str:
        return bytes(self._kept[-self._limit :]).decode("utf-8", "replace")


class Running:
    """One program."""

    def __init__(self, process: asyncio.subprocess.Process, out: Tail, err: Tail) -> None:
        assert process.stdout
        assert process.stderr
        self.out = out
        self.err = err
        self._process = process
        self._draining = [
            asyncio.create_task(_drain(process.stdout, out)),
            asyncio.create_task(_drain(process.stderr, err)),
        ]

    @classmethod
    async def start(cls, launch: Launch, environment: Mapping[str, str], out: Tail, err: Tail) -> Running:
        try:
            process = await asyncio.create_subprocess_exec(
                *launch.arguments,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                cwd="/",
                pass_fds=launch.descriptors,
                start_new_session=True,  # a Ctrl-C is for us
            )
        finally:
            launch.close()
        return cls(process, out, err)

    async def wait(self) -> int:
        """Its status, when it has ended and all is read."""
        status = await self._process.wait()
        await asyncio.wait(self._draining, timeout=_SECONDS_TO_FLUSH)
        return status

    async def end(self) -> None:
        """Ends it, if it has not ended by itself. Its launcher kills all that belongs to it."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), _SECONDS_TO_END)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            await self._process.wait()
        await asyncio.wait(self._draining, timeout=_SECONDS_TO_FLUSH)
        for task in self._draining:
            task.cancel()


async def _drain(stream: asyncio.StreamReader, tail: Tail) -> None:
    while data := await stream.read(65536):
        tail.add(data)
