"""Ports of a desktop without a network, reached from here: each gets a port of this machine's own, joined to it on demand.

The other end is the controller's tunnel, a Unix socket in a folder that both sides see.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial
from pathlib import Path

from ..controller.joining import join

_HERE = "127.0.0.1"


class Forwarder:
    """Opened port by port, closed all at once."""

    def __init__(self, tunnel: Path, token: str) -> None:
        self._tunnel, self._token = tunnel, token
        self._servers: dict[int, asyncio.Server] = {}
        self._joined: set[asyncio.Task[None]] = set()

    async def address(self, port: int) -> str:
        """As http://host:port. The same port has the same address until the end."""
        if port not in self._servers:
            self._servers[port] = await asyncio.start_server(partial(self._welcome, port), _HERE, 0)
        return f"http://{_HERE}:{self._servers[port].sockets[0].getsockname()[1]}"

    async def close(self) -> None:
        """May be called twice."""
        servers, self._servers = list(self._servers.values()), {}
        for server in servers:
            server.close()
        for task in list(self._joined):
            task.cancel()
        await asyncio.gather(*self._joined, return_exceptions=True)
        for server in servers:
            await server.wait_closed()

    def _welcome(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._join(port, reader, writer))
        self._joined.add(task)
        task.add_done_callback(self._joined.discard)

    async def _join(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.closing(writer), contextlib.suppress(OSError):
            inside = await asyncio.open_unix_connection(self._tunnel)
            inside[1].write(f"{self._token} {port}\n".encode())
            await join((reader, writer), inside)
