"""A text-to-SQL service on this machine that answers `POST /infer` from a script and misbehaves on request.

    with SqlService([failing(500), sql("SELECT 1")]) as service:
        agent = HttpConfig(api_url=service.url).build(AgentContext())

The script is a list of answers, the last of which is repeated, or a function from the request's JSON to an answer.
`service.requests` and `service.headers` hold what was asked.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the service does with one request."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    wait: float = 0.0
    """Seconds before it answers."""
    reset: bool = False
    """Ends the connection without a word."""
    trickle: bool = False
    """Sends a blank now and then, as long as anybody listens, and the body never."""


Script = Sequence[Answer] | Callable[[JSON], Answer]


def says(value: Any, **more: Any) -> Answer:
    """Any JSON value."""
    return Answer(json.dumps(value).encode(), **more)


def sql(text: Any, **more: Any) -> Answer:
    """An ordinary answer, with the SQL and perhaps further fields."""
    return says({"sql": text, "execution_success": True, "error": None, **more})


def failing(status: int, after: float | str | None = None, said: Any = "out of order") -> Answer:
    """A status, and perhaps `Retry-After`."""
    headers = {} if after is None else {"Retry-After": str(after)}
    return says({"detail": said}, status=status, headers=headers)


def html() -> Answer:
    return Answer(b"<html><head><title>Sign in</title></head></html>", kind="text/html")


def slow(answer: Answer, seconds: float) -> Answer:
    return replace(answer, wait=seconds)


def hang() -> Answer:
    return Answer(wait=120.0, reset=True)


def reset() -> Answer:
    return Answer(reset=True)


def trickle() -> Answer:
    return Answer(trickle=True)


def large(megabytes: int = 50) -> Answer:
    return sql(f"SELECT '{'x' * (megabytes * 2**20)}'")


def answering(queries: Mapping[str, str | Answer], otherwise: Answer | None = None) -> Callable[[JSON], Answer]:
    """Knows the SQL (or whatever it answers) by question; `otherwise` is for all others."""

    def answer(request: JSON) -> Answer:
        found = queries.get(request["question"], otherwise)
        assert found is not None, f"nobody expected the question {request['question']!r}"
        return found if isinstance(found, Answer) else sql(found)

    return answer


class SqlService:
    """A context manager that serves while it is open."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.requests: list[JSON] = []
        self.headers: list[Mapping[str, str]] = []
        self.times: list[float] = []
        self.stopping = threading.Event()
        self.busiest = 0
        """The largest number of requests that were under way at once."""
        self._busy = 0
        self._lock = threading.Lock()
        self._http = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}/infer"

    @property
    def asked(self) -> Counter[str]:
        """How often each question was asked."""
        return Counter(request["question"] for request in self.requests)

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def begin(self, request: JSON, headers: Mapping[str, str]) -> Answer:
        with self._lock:
            turn = len(self.requests)
            self.requests.append(request)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            self._busy += 1
            self.busiest = max(self.busiest, self._busy)
        if callable(self.script):
            return self.script(request)
        return self.script[min(turn, len(self.script) - 1)]

    def end(self) -> None:
        with self._lock:
            self._busy -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, service: SqlService) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.service = service

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that went away are a part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path.partition("?")[0] != "/infer":
            self._send(Answer(b'{"detail": "Not Found"}', 404))
            return
        service = self.server.service
        try:
            self._give(service.begin(json.loads(raw), dict(self.headers)))
        finally:
            service.end()

    def _give(self, answer: Answer) -> None:
        if answer.wait:
            self.server.service.stopping.wait(answer.wait)
        if answer.reset:
            self._hang_up()
        elif answer.trickle:
            self._trickle()
        else:
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(answer.body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(answer.body)

    def _trickle(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(2**20))
        self.end_headers()
        while not self.server.service.stopping.wait(0.02):
            self.wfile.write(b" ")

    def _hang_up(self) -> None:
        """With a reset instead of an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass
