"""Lines from a terminal, a pipe or a file, without ever blocking the event loop.

The loop itself waits for the file descriptor: a thread that sits in `readline` could not be stopped, and would keep an
interrupted program alive until somebody presses a key.
"""

from __future__ import annotations

import asyncio
import os
from typing import TextIO

_CHUNK = 65536


class Lines:
    """Reads one line at a time; after the end there is nothing but the end."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._buffer = bytearray()
        self._searched = 0
        self._ended = False

    async def next(self) -> str | None:
        """The next line without its end, or None."""
        while (end := self._buffer.find(b"\n", self._searched)) < 0 and not self._ended:
            self._searched = len(self._buffer)
            await self._take_more()
        if end < 0 and not self._buffer:
            return None
        line = bytes(self._buffer if end < 0 else self._buffer[:end])
        del self._buffer[: len(line) + 1]
        self._searched = 0
        return line.decode(getattr(self._source, "encoding", None) or "utf-8", "replace").rstrip("\r")

    async def over(self) -> bool:
        """Whether nothing will follow. A terminal is not waited for: as long as it is open, somebody may write."""
        while not self._buffer and not self._ended and not self._source.isatty():
            await self._take_more()
        return self._ended and not self._buffer

    async def _take_more(self) -> None:
        try:
            descriptor = self._source.fileno()
        except (OSError, ValueError):  # a text in memory, or a closed file
            self._buffer += b"" if self._source.closed else self._source.read().encode()
            self._ended = True
            return
        await _readable(descriptor)
        try:
            data = os.read(descriptor, _CHUNK)
        except OSError:  # the terminal is gone
            data = b""
        self._buffer += data
        self._ended = not data


async def _readable(descriptor: int) -> None:
    loop = asyncio.get_running_loop()
    ready = loop.create_future()
    try:
        loop.add_reader(descriptor, lambda: ready.done() or ready.set_result(None))
    except OSError:  # a file on the disk, which never makes anybody wait
        return
    try:
        await ready
    finally:
        loop.remove_reader(descriptor)
