"""A way out for a sandbox: slirp4netns stands in its network for a router, and speaks to the outside as an ordinary program.

The guest reaches what this machine reaches, but no service that listens on this machine's own loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
from functools import partial
from pathlib import Path

from ....errors import InputError, WorkerFailure
from ..controller.tunnel import join

PROGRAM = "slirp4netns"
RESOLVER = "nameserver 10.0.2.3\n"
SECONDS_TO_START = 120.0


def refuse_missing() -> None:
    if shutil.which(PROGRAM) is None:
        raise InputError(f"--network needs {PROGRAM}: apt-get install {PROGRAM}")


class Way:
    """Ends when it is closed, and also when Touchstone is gone."""

    def __init__(self, process: asyncio.subprocess.Process, held: int) -> None:
        self._process = process
        self._held = held

    @classmethod
    async def open(cls, inside: int) -> Way:
        """Into the network of this process, which must be in a user and a network namespace of its own."""
        watched, held = os.pipe()
        ready, says = os.pipe()
        options = ["--configure", "--mtu=65520", "--disable-host-loopback", f"--exit-fd={watched}", f"--ready-fd={says}"]
        try:
            process = await asyncio.create_subprocess_exec(
                *(PROGRAM, *options, f"--userns-path=/proc/{inside}/ns/user", str(inside), "tap0"),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=asyncio.subprocess.DEVNULL,
                pass_fds=(watched, says),
                start_new_session=True,
            )
        finally:
            os.close(watched)
            os.close(says)
        way = cls(process, held)
        try:
            signal = await asyncio.wait_for(asyncio.to_thread(os.read, ready, 1), SECONDS_TO_START)
        except TimeoutError:
            signal = b""
        finally:
            os.close(ready)
        if not signal:
            await way.close()
            raise WorkerFailure(f"{PROGRAM} cannot open a way out of the sandbox", kind="sandbox")
        return way

    async def close(self) -> None:
        os.close(self._held)
        await self._process.wait()


# Ports of a desktop without a network, reached from here: each gets a port of this machine's own, joined to it on demand.
#
# The other end is the controller's tunnel, a Unix socket in a folder that both sides see.


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
