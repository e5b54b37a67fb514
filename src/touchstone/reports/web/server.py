"""The site over HTTP, for one person on this machine: Python's own server, so that nothing has to be installed.

It answers GET and HEAD alone. A request must name this machine by its address, by `localhost` or by the name it was told to
listen on: a page elsewhere that makes its own name point here (DNS rebinding) gets nothing.
"""

from __future__ import annotations

import ipaddress
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, unquote, urlsplit

from ...errors import InputError
from .layout import POLICY
from .site import Response, Site

_HEADERS = {
    "Content-Security-Policy": f"{POLICY}; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_SECONDS_IDLE = 60


class ViewerServer(ThreadingHTTPServer):
    """Listens from the moment it is made; `serve_forever` answers."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self, site: Site, host: str, port: int) -> None:
        self.site = site
        self.host = host
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise InputError(f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{shown}:{port}/" if host else f"http://localhost:{port}/"

    def handle_error(self, request: object, client_address: object) -> None:
        """A browser that went away is not worth a word."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS_IDLE
    server: ViewerServer  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_GET(self) -> None:
        self._send(self._answer())

    def do_HEAD(self) -> None:
        self._send(self._answer())

    def _answer(self) -> Response:
        if not known_host(self.headers.get("Host", ""), self.server.host):
            return Response(b"This is not an address of Touchstone.\n", "text/plain", 421)
        parts = urlsplit(self.path)
        try:
            path = unquote(parts.path.removeprefix("/"), errors="strict")
            return self.server.site.answer(path, dict(parse_qsl(parts.query)))
        except (UnicodeDecodeError, OSError):
            return self.server.site.missing()
        except Exception as error:  # the reader must learn of it, and the next page may be fine
            return Response(
                f"This page cannot be made: {type(error).__name__}: {error}\n".encode("utf-8", "replace"), "text/plain", 500
            )

    def _send(self, answer: Response) -> None:
        self.send_response(answer.status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Type", answer.type)
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        if self.command != "HEAD" and answer.status != 204:
            self.wfile.write(answer.body)

    def version_string(self) -> str:
        return "Touchstone"

    def log_message(self, format: str, *args: object) -> None:
        """The terminal is for people."""


def known_host(header: str, own: str) -> bool:
    """Names other than our own need a look-up, which somebody else may answer; addresses do not."""
    name = header.rpartition("]")[0].removeprefix("[") if header.startswith("[") else header.partition(":")[0]
    if name.lower() in ("localhost", own.lower()):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
