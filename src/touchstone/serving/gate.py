"""Before a request is looked at: does it ask for us, and is it of a reasonable size?

A web page that a person here opens can make their browser ask this service under a name of the page's own (DNS rebinding). So
the Host must be one of ours: the names of loopback, what the service was bound to, and what --allow-host adds. Where it listens
on all addresses, an address is as good as a name of ours, because nobody can rebind an address.
"""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

AsgiMessage = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[AsgiMessage]]
Send = Callable[[AsgiMessage], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

LARGEST_BODY = 2**20
SECONDS_FOR_A_BODY = 30.0
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_ANYWHERE = ("0.0.0.0", "::")


class Gate:
    """An ASGI application in front of another."""

    def __init__(self, app: App, bound: str, allowed: Iterable[str] = (), largest: int = LARGEST_BODY) -> None:
        self._app = app
        self._largest = largest
        self._names = {name.lower() for name in (*_LOOPBACK, bound, *allowed)}
        self._addresses = bound in _ANYWHERE

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        headers: dict[bytes, bytes] = dict(scope.get("headers", ()))
        ours = self._is_ours(headers.get(b"host", b"").decode("latin-1"))
        if scope["type"] == "websocket" and not ours:
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if not ours:
            await _refuse(send, 421, "this service does not answer for that host; start it with --allow-host to add one")
            return
        length = headers.get(b"content-length", b"0")
        body = None
        if length.isdigit() and int(length) <= self._largest:
            try:
                async with asyncio.timeout(SECONDS_FOR_A_BODY):
                    body = await _body(receive, self._largest)
            except TimeoutError:
                await _refuse(send, 408, f"the request did not arrive within {SECONDS_FOR_A_BODY:g} seconds")
                return
        if body is None:
            await _refuse(send, 413, f"a request may have {self._largest:,} bytes at most")
            return
        await self._app(scope, _again(body, receive), send)

    def _is_ours(self, host: str) -> bool:
        name = host.lower()
        name = name[1:].partition("]")[0] if name.startswith("[") else name.rpartition(":")[0] or name
        return name in self._names or (self._addresses and _is_address(name)) or "*" in self._names


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


async def _body(receive: Receive, largest: int) -> bytes | None:
    """Nothing of it is looked at before it is all there; None if it is too long, whatever it said of its length."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > largest:
            return None
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(body)


def _again(body: bytes, receive: Receive) -> Receive:
    replayed = False

    async def replay() -> AsgiMessage:
        nonlocal replayed
        if replayed:
            return await receive()
        replayed = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(send: Send, status: int, detail: str) -> None:
    body = b'{"detail":"' + detail.encode() + b'"}'
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body)), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
