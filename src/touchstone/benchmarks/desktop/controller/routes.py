"""What an endpoint is asked and what it answers, and the table of endpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs

from .multipart import Form, boundary_of, read_form

LARGEST_BODY = 16 << 20
"""Of bodies that are read whole; uploads are written to disk as they come."""

SHORT = 1 << 16
"""What is read of a body that nobody wants, so that the connection can go on."""


class BadRequest(Exception):
    """The asker's mistake, in words."""


@dataclass(frozen=True)
class Answer:
    """A file is sent as it is read."""

    body: bytes | Path
    kind: str = "text/plain; charset=utf-8"
    status: int = 200


def text(words: str, status: int = 200) -> Answer:
    return Answer(words.encode(), status=status)


def as_json(value: Any, status: int = 200) -> Answer:
    return Answer(json.dumps(value).encode(), "application/json", status)


def failure(message: str, status: int = 500, **more: Any) -> Answer:
    """In the published form."""
    return as_json({"status": "error", "message": message, **more}, status)


class Request:
    """The body of one request, read in the way the endpoint wants it."""

    def __init__(self, stream: BufferedIOBase, length: int, kind: str) -> None:
        self.left = length
        self._stream = stream
        self._kind = kind

    def read(self, size: int) -> bytes:
        part = self._stream.read(min(size, self.left))
        self.left = self.left - len(part) if part else 0
        return part

    def skip(self) -> None:
        """Takes a short rest of the body away: who is still writing it when the connection ends never sees the answer."""
        if self.left <= SHORT:
            while self.left:
                self.read(self.left)

    def json(self) -> dict[str, Any]:
        """An object; no body is an empty one."""
        try:
            value: Any = json.loads(self._whole() or b"{}")
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}") from None
        if not isinstance(value, dict):
            raise BadRequest("the body is not a JSON object")
        return value  # pyright: ignore[reportUnknownVariableType]

    def form(self, uploads: Callable[[str], IO[bytes]] | None = None) -> Form:
        """The fields of a form; a file in it goes where `uploads` says."""
        boundary = boundary_of(self._kind)
        if boundary is not None:
            return read_form(self.read, boundary, uploads)
        return {name: values[-1] for name, values in parse_qs(self._whole().decode("utf-8", "replace")).items()}

    def _whole(self) -> bytes:
        if self.left > LARGEST_BODY:
            raise BadRequest(f"the body is larger than {LARGEST_BODY >> 20} MB")
        parts: list[bytes] = []
        while self.left:
            parts.append(self.read(self.left))
        return b"".join(parts)


Handler = Callable[[Any, Request], Answer]


class Routes:
    """Endpoints by path and method."""

    def __init__(self) -> None:
        self.table: dict[str, dict[str, Handler]] = {}

    def __call__(self, method: str, *paths: str) -> Callable[[Handler], Handler]:
        def register(handler: Handler) -> Handler:
            for path in paths:
                self.table.setdefault(path, {})[method] = handler
            return handler

        return register


def wanted(fields: dict[str, Any], name: str) -> str:
    """A field that must be there."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name} is missing")
    return value
