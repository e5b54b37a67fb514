"""A file server on this machine that cuts, changes and refuses on request: for downloads that must survive it."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class FileServer(ThreadingHTTPServer):
    """Serves one content at every address, as told."""

    daemon_threads = True

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content = content
        self.etag: str | None = '"one"'
        self.ranges = True
        self.cuts: list[int] = []
        """After how many bytes each of the next answers is cut."""
        self.statuses: list[int] = []
        self.kind = "application/zip"
        self.asked: list[str | None] = []
        """The range of each request."""
        self.sent = 0
        self.endless = False
        """Without a length, and without an end."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/data.zip"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that went away are a part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: FileServer  # pyright: ignore

    def do_GET(self) -> None:
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append(wanted)
        if server.statuses:
            self.send_response(server.statuses.pop(0))
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and server.ranges else 0
        if wanted and self.headers.get("If-Range") not in (None, server.etag):
            start = 0
        whole = len(server.content)
        if start >= whole > 0:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{whole}")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
        if server.etag:
            self.send_header("ETag", server.etag)
        self.send_header("Content-Type", server.kind)
        if server.endless:
            self.close_connection = True
            self.end_headers()
            while True:  # until nobody listens
                self.wfile.write(bytes(1 << 16))
                server.sent += 1 << 16
        self.send_header("Content-Length", str(whole - start))
        self.end_headers()
        body = server.content[start:]
        if server.cuts:
            body = body[: server.cuts.pop(0)]
            self.close_connection = True
        server.sent += len(body)  # before: whoever has the last byte may look at once
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(content: bytes = b"") -> Generator[FileServer]:
    with FileServer(content) as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
