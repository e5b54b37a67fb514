"""The processes of one server, and how what reached the wrong one gets to the one that has the session.

The kernel deals connections out by chance. The name of a session begins with the number of its process, and every process also
listens on a Unix socket of its own, through which the others pass on requests and relay WebSockets.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import httpx
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import ClientConnection, unix_connect
from websockets.exceptions import ConnectionClosed

GOODBYES = (1000, 1001)
"""Codes with which a client ends a WebSocket on purpose. One that is cut off has another."""
_BROKEN = 1011
_UNSPOKEN = (1005, 1006)
"""Codes that stand for the lack of one, and cannot be sent."""


@dataclass(frozen=True)
class Peers:
    """The processes: where each is reached, and which one this is."""

    folder: Path
    count: int = 1
    number: int = 0

    def path(self, number: int) -> str:
        return str(self.folder / f"{number}.sock")

    def name(self, session: str) -> str:
        return f"{self.number}.{session}"

    def owner(self, name: str) -> int:
        number = name.partition(".")[0]
        return int(number) if number in map(str, range(self.count)) else self.number

    def others(self) -> list[int]:
        return [number for number in range(self.count) if number != self.number]

    def client(self, number: int) -> httpx.AsyncClient:
        return httpx.AsyncClient(
            transport=httpx.AsyncHTTPTransport(uds=self.path(number)), base_url="http://localhost", timeout=600
        )

    async def pass_on(self, request: Request, owner: int) -> Response:
        """Raises httpx.ConnectError if that process is gone."""
        async with self.client(owner) as client:
            headers = {name: value for name, value in request.headers.items() if name in ("cookie", "content-type")}
            answer = await client.request(request.method, request.url.path, content=await request.body(), headers=headers)
        return Response(answer.content, answer.status_code, media_type=answer.headers.get("content-type"))

    async def relay(self, socket: WebSocket, owner: int) -> None:
        """A WebSocket to the process that has its session, until one of both ends. Raises OSError if that process is gone."""
        path, address = self.path(owner), f"ws://localhost{socket.url.path}?{socket.url.query}"
        async with unix_connect(path, address, compression=None, max_size=None, ping_interval=None) as peer:
            await socket.accept()
            answers = asyncio.create_task(_answer(peer, socket))
            requests = asyncio.create_task(_ask(socket, peer))
            try:
                await asyncio.wait({answers, requests}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in (answers, requests):
                    task.cancel()
                await asyncio.gather(answers, requests, return_exceptions=True)


async def _ask(socket: WebSocket, peer: ClientConnection) -> None:
    while (message := await socket.receive())["type"] == "websocket.receive":
        text = message.get("text")
        await peer.send(message["bytes"] if text is None else text)
    if message.get("code") not in GOODBYES:
        peer.transport.abort()  # it vanished, and so do we


async def _answer(peer: ClientConnection, socket: WebSocket) -> None:
    try:
        while True:
            await socket.send_text(await peer.recv(decode=True))
    except WebSocketDisconnect:
        return
    except ConnectionClosed:
        await socket.close(_BROKEN if peer.close_code in _UNSPOKEN else peer.close_code or _BROKEN, peer.close_reason)
