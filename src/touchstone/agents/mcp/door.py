"""One HTTP server on this machine for all episodes of a run, each behind a path that cannot be guessed.

It listens on 127.0.0.1 only, and on a Unix socket for programs that are kept from the network. Sessions are not needed: each
request is answered by itself, so that a shell script with curl can play too. Who wants to be told of goodbyes gets sessions,
which clients of older protocols close; those of the newest have none.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, MutableMapping
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings

from ...failures import InputError
from .episode import Served
from .server import build_server

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Handler = Callable[[Scope, Receive, Send], Awaitable[None]]

_SECONDS_TO_END = 1
_HERE = TransportSecuritySettings(
    enable_dns_rebinding_protection=True,
    allowed_hosts=["127.0.0.1:*", "localhost:*"],
    allowed_origins=["http://127.0.0.1:*", "http://localhost:*"],
)
_GONE = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"there is no task here, or it is over"}}'


class _Quiet(uvicorn.Server):
    """Leaves signals to the run."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


class Door:
    """Where clients come in."""

    def __init__(self, port: int = 0, path: Path | None = None) -> None:
        self._sockets = [_listen(port)]
        self.port: int = self._sockets[0].getsockname()[1]
        if path is not None:
            self._sockets.append(_listen_at(path))
        self._handlers: dict[str, Handler] = {}
        config = uvicorn.Config(
            self._answer,
            interface="asgi3",
            log_level="critical",
            access_log=False,
            lifespan="off",
            timeout_graceful_shutdown=_SECONDS_TO_END,
        )
        self._server = _Quiet(config)
        self._serving = asyncio.create_task(self._server.serve(sockets=self._sockets))

    @contextlib.asynccontextmanager
    async def open(self, served: Served, goodbye: Callable[[], None] | None = None) -> AsyncGenerator[str]:
        """The address at which this episode can be played."""
        manager = StreamableHTTPSessionManager(
            app=build_server(served), json_response=True, stateless=goodbye is None, security_settings=_HERE
        )
        token = secrets.token_urlsafe(24)

        async def handle(scope: Scope, receive: Receive, send: Send) -> None:
            await manager.handle_request(scope, receive, send)
            if goodbye is not None and scope["method"] == "DELETE":
                goodbye()

        async with manager.run():
            self._handlers[token] = handle
            try:
                yield f"http://127.0.0.1:{self.port}/{token}/mcp"
            finally:
                del self._handlers[token]

    async def close(self) -> None:
        self._server.should_exit = True
        await self._serving
        for each in self._sockets:
            each.close()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = scope["path"].strip("/").removesuffix("/mcp")
        handler = self._handlers.get(token)
        if handler is not None:
            await handler(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 404, "headers": [(b"content-type", b"application/json")]})
        await send({"type": "http.response.body", "body": _GONE})


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind(("127.0.0.1", port))
        listening.listen(128)  # who has the address can come at once
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError(f"cannot listen on 127.0.0.1:{port}: {getattr(error, 'strerror', None) or error}") from None
    return listening


def _listen_at(path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen(128)
    return listening
