"""The agent that is a person in a browser.

Two episodes never mix: the second waits until the first has ended. What the person watches is not recorded, what the person
does is: each click and each piece of typing is a call of the tool `pyautogui`.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from ...errors import InputError
from ...protocols import Stage
from ...types import Observation
from ..mcp.server import Served
from .server import Declaration, HttpAnswer, LiveServer, code, read

_HEAD = "touchstone: play in the browser at"


class LiveAgent:
    """Serves one page for all episodes of a run, and says where."""

    def __init__(self, say: Callable[[str], None] | None = None, port: int = 0) -> None:
        self._say = say or _print
        self._port = port
        self._alone = asyncio.Lock()
        self._server: LiveServer | None = None
        self._served: Served | None = None
        self._told = ""
        self._played = 0

    async def play(self, stage: Stage) -> None:
        if not any(tool.name == "pyautogui" for tool in stage.tools):
            raise InputError("a person plays on a screen with --action-space pyautogui")
        async with self._alone:
            self._open()
            self._played += 1
            self._told = ""
            self._served = served = Served(stage, "human")
            try:
                await served.over.wait()
                served.raise_failure()
            finally:
                self._served = None
                await served.close()

    async def close(self) -> None:
        if self._server is not None:
            await asyncio.to_thread(self._server.close)

    def _open(self) -> None:
        if self._server is None:
            self._server = LiveServer(self._answer, self._port)
            self._say(f"{_HEAD} {self._server.url}")

    async def _answer(self, method: str, path: str, body: bytes) -> HttpAnswer:
        """All that the page asks for. One that is over is told so by its state."""
        served = self._served
        match method, path:
            case "GET", "state":
                return HttpAnswer(msgspec.json.encode(self._state(served)), "application/json")
            case "GET", "screen.png":
                return await _screen(served)
            case "POST", "do":
                return await self._do(served, body)
            case _:
                return HttpAnswer(b"", status=404)

    def _state(self, served: Served | None) -> dict[str, Any]:
        state: dict[str, Any] = {"playing": served is not None, "number": self._played, "told": self._told}
        if served is not None:
            state |= {"task": served.stage.task, "request": served.stage.brief.request}
        return state

    async def _do(self, served: Served | None, body: bytes) -> HttpAnswer:
        if served is None:
            return HttpAnswer(b"no task is being played", status=409)
        try:
            event = read(body)
        except ValueError as error:
            return HttpAnswer(str(error).encode(), status=400)
        if isinstance(event, Declaration):
            done = await served.call(event.word, {})
        else:
            done = await served.call("pyautogui", {"code": code(event)})
        self._told = _in_short(done)
        return HttpAnswer(msgspec.json.encode({"told": self._told, "error": done.error}), "application/json")


async def _screen(served: Served | None) -> HttpAnswer:
    """The screen may have gone meanwhile: then the next call says so, and until then there is nothing to see."""
    try:
        seen = await served.stage.peek() if served is not None else None
    except Exception:
        seen = None
    if seen is None or not seen.pictures:
        return HttpAnswer(b"", status=404)
    return HttpAnswer(seen.pictures[0], "image/png")


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _in_short(done: Observation) -> str:
    return done.text[:2_000] if done.error else ""
