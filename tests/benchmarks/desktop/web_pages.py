"""A real web server for tests: pages, JSON answers, and the accessibility tree of a guest's controller."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from xml.sax.saxutils import escape

STATES = 'xmlns:st="https://accessibility.ubuntu.example.org/ns/state"'


def tree(address: str, browser: str = "Chromium", focused: str = "") -> str:
    """A desktop with one browser window, and a second focused one if it has an address."""
    windows = [(address, "false"), *([(focused, "true")] if focused else [])]
    frames = "".join(
        f'<frame st:active="{active}"><entry name="Address and search bar">{escape(text)}</entry></frame>'
        for text, active in windows
    )
    return f'<desktop-frame {STATES}><application name="{browser}">{frames}</application></desktop-frame>'


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    token: str | None
    body: str


class Pages:
    """What it serves is set by the test; what it was asked is in `requests`."""

    def __init__(self) -> None:
        self.pages: dict[str, str] = {}
        self.json: dict[str, Any] = {}
        self.requests: list[Request] = []
        self.slow: dict[str, float] = {}
        """Seconds before an answer, by path."""

    def __enter__(self) -> Pages:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer._answer(self)

            do_POST = do_DELETE = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0)).decode()
        self.requests.append(Request(handler.command, handler.path, handler.headers.get("Authorization"), body))
        time.sleep(self.slow.get(handler.path, 0.0))
        if handler.path in self.json:
            text, kind = json.dumps(self.json[handler.path]), "application/json"
        else:
            text, kind = self.pages.get(handler.path.partition("?")[0], ""), "text/html"
        handler.send_response(200 if text or handler.command != "GET" else 404)
        handler.send_header("Content-Type", f"{kind}; charset=utf-8")
        handler.end_headers()
        handler.wfile.write(text.encode())
