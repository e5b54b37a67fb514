"""The agent that is a person in a browser: the screen is shown, mouse and keyboard are passed on (live_page/ has the page).

Two episodes never mix: the second waits until the first has ended. What the person watches is not recorded, what the person
does is: each click and each piece of typing is a call of the tool `pyautogui`.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import msgspec
from aiohttp import web
from msgspec import Struct

from ..errors import InputError
from ..protocols import Stage
from .served import Served

_PAGE = Path(__file__).parent / "live_page"
_TYPES = {"": "text/html", "page.js": "text/javascript", "page.css": "text/css"}
_LARGEST_BODY = 1 << 20
_SECONDS_TO_END = 1.0
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; object-src 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Server": "Touchstone",
}


# What a person did with mouse and keyboard, checked, as pyautogui code.


Button = Literal["left", "middle", "right"]
ScreenPoint = tuple[int, int]


class Click(Struct, frozen=True, tag="click"):
    at: ScreenPoint
    button: Button = "left"
    clicks: int = 1


class Drag(Struct, frozen=True, tag="drag"):
    start: ScreenPoint
    end: ScreenPoint
    button: Button = "left"


class Scroll(Struct, frozen=True, tag="scroll"):
    at: ScreenPoint
    amount: int
    """Notches of the wheel, up if positive."""


class Typed(Struct, frozen=True, tag="type"):
    text: str


class Keys(Struct, frozen=True, tag="keys"):
    """One key, or several at once."""

    keys: list[str]


class Declaration(Struct, frozen=True, tag="say"):
    word: Literal["wait", "done", "fail"]


Event = Click | Drag | Scroll | Typed | Keys | Declaration

_decoder = msgspec.json.Decoder(Event)


def read(body: bytes) -> Event:
    """Raises ValueError."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not an event: {error}") from None


def code(event: Click | Drag | Scroll | Typed | Keys) -> str:
    match event:
        case Click(at, button, clicks):
            return f"pyautogui.click({at[0]}, {at[1]}, clicks={clicks}, interval=0.1, button={button!r})"
        case Drag(start, end, button):
            return (
                f"pyautogui.moveTo({start[0]}, {start[1]})\n"
                f"pyautogui.dragTo({end[0]}, {end[1]}, duration=0.5, button={button!r})"
            )
        case Scroll(at, amount):
            return f"pyautogui.moveTo({at[0]}, {at[1]})\npyautogui.scroll({amount})"
        case Typed(text):
            return f"pyautogui.write({text!r})"
        case Keys(keys):
            return f"pyautogui.{'press' if len(keys) == 1 else 'hotkey'}({', '.join(map(repr, keys))})"


class LiveAgent:
    """Serves one page for all episodes of a run, and says where.

    It listens on 127.0.0.1 only, and answers below a path that cannot be guessed, to requests that name this machine by its
    address or as localhost: a page elsewhere can neither read nor send anything.
    """

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        self._say = say or _print
        self._alone = asyncio.Lock()
        self._token = secrets.token_urlsafe(24)
        self._server: web.AppRunner | None = None
        self._served: Served | None = None
        self._told = ""
        self._played = 0

    async def play(self, stage: Stage) -> None:
        if not any(tool.name == "pyautogui" for tool in stage.tools):
            raise InputError("a person plays on a screen with --action-space pyautogui")
        async with self._alone:
            await self._open()
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
            await self._server.cleanup()

    async def _open(self) -> None:
        if self._server is None:
            app = web.Application(client_max_size=_LARGEST_BODY)
            app.router.add_route("*", "/{token}/{path:.*}", self._answer)
            app.on_response_prepare.append(_add_headers)
            self._server = web.AppRunner(app, access_log=None, shutdown_timeout=_SECONDS_TO_END)
            await self._server.setup()
            await web.TCPSite(self._server, "127.0.0.1", 0).start()
            self._say(f"touchstone: play in the browser at http://127.0.0.1:{self._server.addresses[0][1]}/{self._token}/")

    async def _answer(self, request: web.Request) -> web.Response:
        """All that the page asks for. One that is over is told so by its state."""
        if request.host.partition(":")[0] not in ("127.0.0.1", "localhost"):
            return web.Response(text="This is not an address of Touchstone.\n", status=421)
        if not secrets.compare_digest(request.match_info["token"].encode(), self._token.encode()):
            return web.Response(text="This is not an address of Touchstone.\n", status=404)
        match request.method, request.match_info["path"]:
            case "GET", ("" | "page.js" | "page.css") as name:
                content = (_PAGE / (name or "page.html")).read_bytes()
                return web.Response(body=content, content_type=_TYPES[name], charset="utf-8")
            case "GET", "state":
                return _json(self._state())
            case "GET", "screen.png":
                return await _screen(self._served)
            case "POST", "do" if request.content_type == "application/json":
                return await self._do(self._served, await request.read())
            case "POST", "do":
                return web.Response(text="expected a small JSON object\n", status=400)
            case _:
                return web.Response(status=404)

    def _state(self) -> dict[str, Any]:
        state: dict[str, Any] = {"playing": self._served is not None, "number": self._played, "told": self._told}
        if self._served is not None:
            state |= {"task": self._served.stage.task, "request": self._served.stage.brief.request}
        return state

    async def _do(self, served: Served | None, body: bytes) -> web.Response:
        if served is None:
            return web.Response(text="no task is being played", status=409)
        try:
            event = read(body)
        except ValueError as error:
            return web.Response(text=str(error), status=400)
        if isinstance(event, Declaration):
            done = await served.call(event.word, {})
        else:
            done = await served.call("pyautogui", {"code": code(event)})
        self._told = done.text[:2_000] if done.error else ""
        return _json({"told": self._told, "error": done.error})


async def _add_headers(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)


async def _screen(served: Served | None) -> web.Response:
    """The screen may have gone meanwhile: then the next call says so, and until then there is nothing to see."""
    try:
        seen = await served.stage.peek() if served is not None else None
    except Exception:
        seen = None
    if seen is None or not seen.pictures:
        return web.Response(status=404)
    return web.Response(body=seen.pictures[0], content_type="image/png")


def _json(value: Any) -> web.Response:
    return web.Response(body=msgspec.json.encode(value), content_type="application/json")


def _print(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
