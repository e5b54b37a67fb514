"""A chat-completions service on this machine that answers from a script and misbehaves on request.

    with ChatServer([rate_limited(after=0), text("hello")]) as server:
        model = OpenAIConfig(model="some-model", base_url=server.url).build()

The script is a list of answers, the last of which is repeated, or a function from the request's JSON to an answer.
`server.requests` holds what was asked.
"""

from __future__ import annotations

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

JSON = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What the server does with one request."""

    body: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    kind: str = "application/json"
    wait: float = 0.0
    reset: bool = False
    """Closes the connection without a word."""
    drip: float = 0.0
    """Seconds between two bytes of the body."""
    packed: bytes = b""
    """Sent in place of the body, as it is."""


Script = Sequence[Answer] | Callable[[JSON], Answer]


def completion(message: JSON, finish: str | None = "stop", **extra: Any) -> Answer:
    """An ordinary answer: 100 tokens in, 40 of them cached, and 10 out."""
    counts = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    usage = {**counts, "prompt_tokens_details": {"cached_tokens": 40}}
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "scripted"}
    return Answer(json.dumps({**head, "choices": [choice], "usage": usage, **extra}))


def text(content: str, **extra: Any) -> Answer:
    return completion({"content": content}, **extra)


def tool_call(name: str, arguments: Any, id: str | None = "call_a", finish: str = "tool_calls") -> Answer:
    """`arguments` as a string is sent as it is, broken or not."""
    raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": raw}}
    return completion({"content": None, "tool_calls": [call]}, finish)


def refusal(reason: str = "I cannot help with that.") -> Answer:
    return completion({"content": None, "refusal": reason})


def failure(status: int, message: str, code: str | None = None, **headers: str) -> Answer:
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Answer(json.dumps({"error": error}), status, {name.replace("_", "-"): value for name, value in headers.items()})


def refused_field(name: str) -> Answer:
    """In the words of OpenAI's reasoning models."""
    message = f"Unsupported value: '{name}' does not support this with this model. Only the default value is supported."
    error = {"message": message, "type": "invalid_request_error", "param": name, "code": "unsupported_value"}
    return Answer(json.dumps({"error": error}), 400)


def rate_limited(after: float | None = None) -> Answer:
    headers = {} if after is None else {"retry_after": f"{after:g}"}
    return failure(429, "Rate limit reached for requests", "rate_limit_exceeded", **headers)


def server_error() -> Answer:
    return failure(500, "The server had an error while processing your request")


def no_model() -> Answer:
    return failure(404, "The model `scripted` does not exist or you do not have access to it.", "model_not_found")


def bad_key(quoted: str) -> Answer:
    return failure(401, f"Incorrect API key provided: {quoted}.", "invalid_api_key")


def overflow(message: str = "This model's maximum context length is 8192 tokens.", code: str | None = None) -> Answer:
    return failure(400, message, code)


def html() -> Answer:
    return Answer("<html><head><title>Sign in</title></head></html>", kind="text/html")


def no_choices() -> Answer:
    return Answer(json.dumps({"id": "chatcmpl-1", "object": "chat.completion", "choices": []}))


def hang(seconds: float = 30.0) -> Answer:
    return Answer(wait=seconds)


def reset() -> Answer:
    return Answer(reset=True)


class ChatServer:
    """A context manager that serves while it is open."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.script = script
        self.requests: list[JSON] = []
        self.headers: list[Mapping[str, str]] = []
        self.stopping = threading.Event()
        self._lock = threading.Lock()
        self._http = _Server(self)
        self._scheme = "https" if tls else "http"
        if tls:
            self._http.socket = tls.wrap_socket(self._http.socket, server_side=True)

    @property
    def url(self) -> str:
        return f"{self._scheme}://127.0.0.1:{self._http.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()

    def next_answer(self, request: JSON, headers: Mapping[str, str]) -> Answer:
        with self._lock:
            turn = len(self.requests)
            self.requests.append(request)
            self.headers.append(headers)
        if callable(self.script):
            return self.script(request)
        return self.script[min(turn, len(self.script) - 1)]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, chat: ChatServer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.chat = chat

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that went away are a part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        answer = self.server.chat.next_answer(json.loads(raw), {name.title(): value for name, value in self.headers.items()})
        if answer.wait:
            self.server.chat.stopping.wait(answer.wait)
        if answer.wait or answer.reset:
            self._hang_up()
        elif not self.path.endswith("/chat/completions"):
            self._send(Answer('{"detail": "Not Found"}', 404))
        else:
            self._send(answer)

    def _send(self, answer: Answer) -> None:
        body = answer.packed or answer.body.encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", answer.kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.end_headers()
        for piece in (body[place : place + 1] for place in range(len(body))) if answer.drip else (body,):
            self.wfile.write(piece)
            if answer.drip and self.server.chat.stopping.wait(answer.drip):
                return

    def _hang_up(self) -> None:
        """With a reset instead of an orderly end."""
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        pass
