"""A socket through which the host reaches the ports of the desktop.

Who connects writes one line, `TOKEN PORT`, and is then joined to that port of 127.0.0.1. A wrong token or a port on which
nobody listens ends the connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from functools import partial
from pathlib import Path
from threading import Thread

# Two connections joined: what comes from one goes to the other, in both directions, until both have ended.


Ends = tuple[asyncio.StreamReader, asyncio.StreamWriter]
_CHUNK = 1 << 16


async def join(one: Ends, other: Ends) -> None:
    try:
        await asyncio.gather(_pour(one[0], other[1]), _pour(other[0], one[1]))
    except OSError:
        pass
    finally:
        for _, writer in (one, other):
            writer.close()


async def _pour(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    """An end of one direction is passed on; the other may still have something to say."""
    while part := await source.read(_CHUNK):
        target.write(part)
        await target.drain()
    with contextlib.suppress(OSError):
        target.write_eof()


_PATIENCE = 10.0
_HERE = ("127.0.0.1", "::1")


def serve(path: Path, token: str) -> Thread:
    """In a thread of its own, from when this returns."""
    path.unlink(missing_ok=True)
    loop = asyncio.new_event_loop()
    loop.run_until_complete(asyncio.start_unix_server(partial(_welcome, token), path))
    path.chmod(0o666)  # as the controller's own socket
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    return thread


async def _welcome(token: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        line = await asyncio.wait_for(reader.readline(), _PATIENCE)
        offered, _, port = line.decode("utf-8", "replace").strip().rpartition(" ")
        if not hmac.compare_digest(offered.encode(), token.encode()) or not port.isdigit():
            raise ValueError("a wrong token, or no port")
        target = await _connected(int(port))
    except (OSError, ValueError, OverflowError, TimeoutError):
        writer.close()
        return
    await join((reader, writer), target)


async def _connected(port: int) -> Ends:
    """Some servers listen on one kind of address only."""
    for address in _HERE[:-1]:
        try:
            return await asyncio.open_connection(address, port)
        except OSError:
            continue
    return await asyncio.open_connection(_HERE[-1], port)
