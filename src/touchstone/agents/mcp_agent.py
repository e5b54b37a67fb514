"""An agent that waits for somebody outside: it serves the episode and returns when that is finished or the client is gone.

What it serves outlives the episode: the client is still told that the task is over while the verdict is made and written, until
it hangs up (`linger`) or `close` is called.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol, TextIO

from msgspec import Struct

from ..foreign import Unreadable, read_json
from ..protocols import Stage
from .served import Served, account_unknown
from .stdin_lines import Lines

_SECONDS_TO_ANSWER = 2.0
Say = Callable[[str], None]


class Transport(Protocol):
    async def serve(self, served: Served) -> None:
        """Returns when the client is gone."""
        ...


class McpAgent:
    """Plays one episode by letting a client play it. Ctrl-C ends the episode, which is then judged as it stands."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self._serving: asyncio.Task[None] | None = None
        self._interrupted = asyncio.Event()

    async def play(self, stage: Stage) -> None:
        account_unknown(stage)
        served = Served(stage)
        self._serving = asyncio.create_task(self._transport.serve(served))
        self._mind_signals()
        waiting = [asyncio.create_task(event.wait()) for event in (served.over, self._interrupted)]
        try:
            await asyncio.wait([*waiting, self._serving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waiting:
                task.cancel()
        served.raise_failure()
        if not served.over.is_set():
            await served.close()
        if self._serving.done():
            self._serving.result()

    async def linger(self, seconds: float | None = None) -> None:
        """Until the client is gone, or Ctrl-C, or as long as is given."""
        if self._serving is not None and not self._interrupted.is_set():
            interrupted = asyncio.create_task(self._interrupted.wait())
            self._mind_signals()
            await asyncio.wait([self._serving, interrupted], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            interrupted.cancel()

    async def close(self) -> None:
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.gather(self._serving, return_exceptions=True)

    def _mind_signals(self) -> None:
        """In place of the run's own, which would wait for an episode that nobody plays any more."""
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ValueError, RuntimeError):  # not the main thread: the caller handles signals
            loop.add_signal_handler(signal.SIGINT, self._interrupt)
            loop.add_signal_handler(signal.SIGTERM, self._interrupt)

    def _interrupt(self) -> None:
        if self._interrupted.is_set():
            asyncio.get_running_loop().remove_signal_handler(signal.SIGINT)  # the next one ends the process
        self._interrupted.set()


class OverStdio:
    """Speaks on a pair of files; the client is gone when the input has ended and all that it asked is answered."""

    def __init__(self, source: TextIO, sink: TextIO) -> None:
        self._source = source
        self._sink = sink

    async def serve(self, served: Served) -> None:
        from mcp.server.stdio import stdio_server

        from .mcp_server import build_server

        server = build_server(served)
        # Only iterated over, and only written to: a thread that reads could not be stopped.
        owed = _Owed()
        files = {"stdin": _Input(self._source, owed, served), "stdout": _Output(self._sink, owed)}
        async with stdio_server(**files) as (reading, writing):  # pyright: ignore[reportArgumentType]
            await server.run(reading, writing, server.create_initialization_options())


class OverHttp:
    """Listens on this machine, and says where. A client that closes its session is gone if it has played at all: assistants
    like to look at a server, and to come back later."""

    def __init__(self, port: int, say: Say) -> None:
        from .mcp_server import McpGateway

        self._door = McpGateway(port)
        self._say = say

    async def serve(self, served: Served) -> None:
        left = asyncio.Event()

        def goodbye() -> None:
            if served.played:
                left.set()

        try:
            async with self._door.open(served, goodbye=goodbye) as address:
                self._say(address)
                await left.wait()
        finally:
            await self._door.close()


class _Owed:
    """Requests without an answer: the end of the input is told when they have theirs, since the server would drop them."""

    def __init__(self) -> None:
        self._ids: set[int | str] = set()
        self._none = asyncio.Event()
        self._none.set()

    def came(self, line: str) -> None:
        message = _read(line)
        if message.method == "notifications/cancelled":
            self._settled((message.params or {}).get("requestId"))
        elif message.method is not None and message.id is not None:
            self._ids.add(message.id)
            self._none.clear()

    def went(self, line: str) -> None:
        message = _read(line)
        if message.method is None:
            self._settled(message.id)

    def _settled(self, which: Any) -> None:
        with contextlib.suppress(TypeError):
            self._ids.discard(which)
        if not self._ids:
            self._none.set()

    async def nothing(self, served: Served) -> None:
        """A request that the server does not take for one is never answered: it is not waited for when nothing is under way."""
        while not self._none.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._none.wait(), _SECONDS_TO_ANSWER)
            if not served.busy:
                return


class _Message(Struct):
    """As much of a line of the protocol as is needed here."""

    method: str | None = None
    id: int | str | None = None
    params: dict[str, Any] | None = None


def _read(line: str) -> _Message:
    try:
        return read_json(line, _Message)
    except Unreadable:
        return _Message()


class _Input:
    def __init__(self, source: TextIO, owed: _Owed, served: Served) -> None:
        self._lines = Lines(source)
        self._owed = owed
        self._served = served

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._lines.next()) is not None:
            if line.strip():
                self._owed.came(line)
                yield line
        await self._owed.nothing(self._served)


class _Output:
    def __init__(self, sink: TextIO, owed: _Owed) -> None:
        self._sink = sink
        self._owed = owed
        self._written = ""

    async def write(self, text: str) -> None:
        self._written = text
        await asyncio.to_thread(self._sink.write, text)

    async def flush(self) -> None:
        await asyncio.to_thread(self._sink.flush)
        self._owed.went(self._written)
