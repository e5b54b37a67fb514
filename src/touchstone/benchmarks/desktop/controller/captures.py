"""What a program prints: its beginning is kept, the rest is read and counted, never waited for."""

from __future__ import annotations

import os
from dataclasses import dataclass
from threading import Thread

LARGEST_OUTPUT = 8 << 20
LATE = 124
"""The return code of what was ended at its time limit, as `timeout` gives it."""
_GRACE = 0.3


@dataclass(frozen=True)
class Done:
    """How a program ended. `message` is set if it did not end by itself."""

    output: str
    error: str
    returncode: int
    message: str = ""


class Capture:
    """Reads one pipe to its end in a thread.

    It goes on after the program's end, because what the program left running would be killed by a closed pipe.
    """

    def __init__(self, descriptor: int, limit: int = LARGEST_OUTPUT) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._kept = bytearray()
        self._dropped = 0
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self, grace: float = _GRACE) -> str:
        """What has come when the pipe is at its end, or a moment after the program is if others hold it open."""
        self._thread.join(grace)
        kept = bytes(self._kept).decode("utf-8", "replace")
        return f"{kept}\n[cut: {self._dropped} more bytes]" if self._dropped else kept

    def _read(self) -> None:
        with os.fdopen(self._descriptor, "rb", buffering=0) as pipe:
            while part := pipe.read(1 << 16):
                room = self._limit - len(self._kept)
                self._kept += part[:room]
                self._dropped += len(part[room:])
