"""The controller's HTTP server, on a Unix socket or an address of the machine, for those who have the token."""

from __future__ import annotations

import argparse
import contextlib
import hmac
import os
import socket
import sys
import traceback
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from . import command_endpoints, file_endpoints, screen_endpoints, tunnel
from .routes import ROUTES, BadForm, BadRequest, HttpResponse, Request, failure, text
from .workers import State

ENDPOINTS = (command_endpoints, screen_endpoints, file_endpoints)
"""They stand in ROUTES once they are imported."""


class Handler(BaseHTTPRequestHandler):
    """One connection; several requests may come over it."""

    protocol_version = "HTTP/1.1"
    server: Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        request = Request(self.rfile, self._length(), self.headers.get("Content-Type") or "")
        allowed = self._allowed()
        answer = self._answered(request) if allowed else text("a token is needed", 401)
        request.skip()
        if request.left or self.headers.get("Transfer-Encoding"):
            self.close_connection = True
        with contextlib.suppress(ConnectionError):
            self._send(answer)

    do_POST = do_GET

    def address_string(self) -> str:
        """Connections over a Unix socket have none."""
        return "-"

    def log_message(self, format: str, *args: Any) -> None:
        """Requests are recorded by who makes them."""

    def _length(self) -> int:
        length = self.headers.get("Content-Length") or "0"
        return int(length) if length.isdigit() else 0

    def _allowed(self) -> bool:
        offered = self.headers.get("Authorization") or ""
        return hmac.compare_digest(offered.encode(), f"Bearer {self.server.token}".encode())

    def _answered(self, request: Request) -> HttpResponse:
        """Nothing that an endpoint does ends the connection without an answer."""
        methods = ROUTES.get(self.path.partition("?")[0])
        if methods is None:
            return text("there is no such endpoint", 404)
        if self.command not in methods:
            return text(f"this endpoint wants {' or '.join(methods)}", 405)
        try:
            return methods[self.command](self.server.state, request)
        except (BadRequest, BadForm) as error:
            return failure(str(error), 400)
        except Exception as error:
            traceback.print_exc()
            return failure(f"{type(error).__name__}: {error}")

    def _send(self, answer: HttpResponse) -> None:
        if isinstance(answer.body, bytes):
            self._head(answer, len(answer.body))
            self.wfile.write(answer.body)
            return
        try:
            file = answer.body.open("rb")
        except OSError as error:
            self._send(failure(str(error), 403 if isinstance(error, PermissionError) else 404))
            return
        with file:
            size = os.fstat(file.fileno()).st_size
            self._head(answer, size)
            self._copy(file, size)

    def _copy(self, file: Any, size: int) -> None:
        """As many bytes as were promised, even while the file grows; a file that shrinks ends the connection."""
        left = size
        while left and (part := file.read(min(left, 1 << 18))):
            self.wfile.write(part)
            left -= len(part)
        self.close_connection = self.close_connection or left > 0

    def _head(self, answer: HttpResponse, length: int) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(length))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()


class Server(ThreadingHTTPServer):
    """Over TCP."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: Any, token: str, state: State) -> None:
        self.token, self.state = token, state
        super().__init__(address, Handler)


class UnixServer(Server):
    """Over a Unix socket. Anybody may connect: who started the desktop is another user outside. The token says who may ask."""

    address_family = socket.AF_UNIX

    def server_bind(self) -> None:
        Path(str(self.server_address)).unlink(missing_ok=True)
        self.socket.bind(self.server_address)
        Path(str(self.server_address)).chmod(0o666)
        self.server_name, self.server_port = "localhost", 0


def main(arguments: Sequence[str]) -> int:
    chosen = _options(arguments)
    token = chosen.token_file.read_text().strip()
    if not token or not (chosen.socket or chosen.port):
        print("a token, and a socket or a port, are needed", file=sys.stderr)
        return 2
    os.environ.setdefault("PATH", "/usr/local/bin:/usr/bin:/bin")
    sys.stdout = sys.stderr  # the X library of pyautogui prints warnings there
    state = State()
    servers: list[Server] = [UnixServer(str(chosen.socket), token, state)] if chosen.socket else []
    if chosen.port:
        servers.append(Server((chosen.host, chosen.port), token, state))
    if chosen.tunnel:
        tunnel.serve(chosen.tunnel, token)
    if os.environ.get("DISPLAY"):
        state.input_worker.warm()
        state.tree.warm()
    for server in servers[1:]:
        Thread(target=server.serve_forever, daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):
        servers[0].serve_forever()
    return 0


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="controller", description=__doc__)
    parser.add_argument("--socket", type=Path, help="a Unix socket to listen on")
    parser.add_argument("--host", default="127.0.0.1", help="the address to listen on, with --port")
    parser.add_argument("--port", type=int, help="the port to listen on")
    parser.add_argument("--token-file", type=Path, required=True, help="the token that every request must bring")
    parser.add_argument("--tunnel", type=Path, help="a Unix socket through which ports of this machine are reached")
    return parser.parse_args(arguments)
