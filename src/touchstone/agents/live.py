"""The agent that is a person in a browser: the screen is shown, mouse and keyboard are passed on (live_page/ has the page).

Two episodes never mix: the second waits until the first has ended. What the person watches is not recorded, what the person
does is: each click and each piece of typing is a call of the tool `pyautogui`.
"""

from __future__ import annotations

import asyncio
import secrets
import sys
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import CancelledError
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec
from msgspec import Struct

from ..errors import InputError
from ..protocols import Stage
from ..types import Observation
from .mcp_server import Served

# The page over HTTP, for one person on this machine: Python's own server in a thread, answers from the run's event loop.
#
# It listens on 127.0.0.1 only, and answers below a path that cannot be guessed, to requests that name this machine by its
# address or as localhost: a page elsewhere can neither read nor send anything.

_PAGE = Path(__file__).parent / "live_page"
_TYPES = {"page.js": "text/javascript; charset=utf-8", "page.css": "text/css; charset=utf-8"}
_LARGEST_BODY = 1 << 20
_SECONDS = 300.0
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; object-src 'none'; "
        "frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class HttpAnswer:
    body: bytes
    type: str = "text/plain; charset=utf-8"
    status: int = 200


Ask = Callable[[str, str, bytes], Awaitable[HttpAnswer]]
"""Method, path below the token, body."""


class LiveServer:
    """Serves from the moment it is made, until it is closed."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._loop = asyncio.get_running_loop()
        self.token = secrets.token_urlsafe(24)
        try:
            self._http = _Http(self)
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot listen on 127.0.0.1: {getattr(error, 'strerror', None) or error}") from None
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.1,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/{self.token}/"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: bytes) -> HttpAnswer:
        """From a thread of the server."""
        token, slash, rest = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(), self.token.encode()) or not slash:
            return HttpAnswer(b"This is not an address of Touchstone.\n", status=404)
        if method == "GET" and rest == "":
            return HttpAnswer((_PAGE / "page.html").read_bytes(), "text/html; charset=utf-8")
        if method == "GET" and rest in _TYPES:
            return HttpAnswer((_PAGE / rest).read_bytes(), _TYPES[rest])
        return asyncio.run_coroutine_threadsafe(self._asked(method, rest, body), self._loop).result(_SECONDS)

    async def _asked(self, method: str, path: str, body: bytes) -> HttpAnswer:
        return await self._ask(method, path, body)


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, live: LiveServer) -> None:
        self.live = live
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away is not worth a word."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60
    server: _Http  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._send(self._answer("GET", b""))

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal() or int(size) > _LARGEST_BODY or self.headers.get_content_type() != "application/json":
            self.close_connection = True
            self._send(HttpAnswer(b"expected a small JSON object\n", status=400))
            return
        self._send(self._answer("POST", self.rfile.read(int(size))))

    def _answer(self, method: str, body: bytes) -> HttpAnswer:
        if self.headers.get("Host", "").partition(":")[0] not in ("127.0.0.1", "localhost"):
            return HttpAnswer(b"This is not an address of Touchstone.\n", status=421)
        try:
            return self.server.live.answer(method, urlsplit(self.path).path, body)
        except (TimeoutError, CancelledError, RuntimeError):  # the run is over, or busy for very long
            return HttpAnswer(b"no answer\n", status=503)

    def _send(self, answer: HttpAnswer) -> None:
        self.send_response(answer.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", answer.type)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def version_string(self) -> str:
        return "Touchstone"

    def log_message(self, format: str, *args: object) -> None:
        """The terminal is for people."""


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


_HEAD = "touchstone: play in the browser at"


class LiveAgent:
    """Serves one page for all episodes of a run, and says where."""

    def __init__(self, say: Callable[[str], None] | None = None) -> None:
        self._say = say or _print
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
            self._server = LiveServer(self._answer)
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
