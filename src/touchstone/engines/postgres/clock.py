"""How long a statement has taken, without the time in which its server process waited for a core.

The kernel counts for every process how long it was ready to run and did not. On a server of this machine that is left out, so a
statement takes as long at a load of 40 as on an idle machine; sleeping and waiting for a lock count. Of a server elsewhere
nothing is known but the wall clock.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path

from psycopg.pq.abc import PGconn

_PEER = struct.Struct("3i")
_PARENT = 1  # of the fields behind a process's name


class StatementClock:
    """Begins to run when it is made."""

    def __init__(self, pgconn: PGconn) -> None:
        self._process = _process_of(pgconn)
        self._began = time.monotonic()
        self._last = 0.0
        self._waited = self._wait()

    def seconds(self) -> float:
        return time.monotonic() - self._began - (self._wait() - self._waited)

    def _wait(self) -> float:
        """For a core, since the process began."""
        if self._process is not None:
            with suppress(OSError, IndexError, ValueError):
                self._last = int((self._process / "schedstat").read_text().split()[1]) / 1e9
        return self._last


def _process_of(pgconn: PGconn) -> Path | None:
    """The server's process for this connection, if it runs here: a child of the one that listens on our Unix socket.

    A server in a container may be reached by such a socket too, and counts its processes otherwise.
    """
    process = Path(f"/proc/{pgconn.backend_pid}")
    try:
        with socket.socket(fileno=os.dup(pgconn.socket)) as own:
            if own.family != socket.AF_UNIX:
                return None
            listener = _PEER.unpack(own.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))[0]
        parent = int((process / "stat").read_text().rpartition(")")[2].split()[_PARENT])
    except (OSError, ValueError, IndexError, AttributeError):
        return None
    return process if parent == listener else None
