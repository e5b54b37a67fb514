"""What an endpoint is asked and what it answers, and the table of endpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from io import BufferedIOBase
from pathlib import Path
from typing import IO, Any
from urllib.parse import parse_qs

# Forms with files in them (multipart/form-data), read as they come: a file of any size needs little memory.


Form = dict[str, str]
CHUNK = 1 << 18
_LARGEST_HEAD = 1 << 16
_LARGEST_FIELD = 1 << 20


class BadForm(Exception):
    """The body is not a form of this kind."""


def boundary_of(kind: str) -> bytes | None:
    """The boundary that a content type names, if it is that of such a form."""
    head = Message()
    head["content-type"] = kind
    boundary = head.get_param("boundary")
    if head.get_content_type() != "multipart/form-data" or not isinstance(boundary, str):
        return None
    return boundary.encode("latin-1", "replace")


def read_form(read: Callable[[int], bytes], boundary: bytes, uploads: Callable[[str], IO[bytes]] | None) -> Form:
    """The fields; each file is written to what `uploads` opens for its field, and its field holds the file's name."""
    source = _Source(read)
    form: Form = {}
    mark = b"--" + boundary
    source.skip(mark)
    while source.exactly(2) == b"\r\n":
        name, file = _head(source)
        if file is not None and uploads is not None:
            with uploads(name) as target:
                source.until(b"\r\n" + mark, target.write)
            form[name] = file
        else:
            form[name] = _field(source, b"\r\n" + mark)
    return form


def _head(source: _Source) -> tuple[str, str | None]:
    """The name of the field, and of the file if it is one."""
    head = Message()
    for line in source.lines():
        name, _, value = line.partition(":")
        head[name] = value.strip()
    name = head.get_param("name", header="content-disposition")
    file = head.get_param("filename", header="content-disposition")
    if not isinstance(name, str):
        raise BadForm("a part of the form has no name")
    return name, file if isinstance(file, str) else None


def _field(source: _Source, end: bytes) -> str:
    value = bytearray()

    def keep(part: bytes) -> None:
        value.extend(part)
        if len(value) > _LARGEST_FIELD:
            raise BadForm("a field of the form is too long")

    source.until(end, keep)
    return value.decode("utf-8", "replace")


class _Source:
    """Bytes with a look ahead."""

    def __init__(self, read: Callable[[int], bytes]) -> None:
        self._read = read
        self._held = b""

    def exactly(self, size: int) -> bytes:
        while len(self._held) < size:
            self._more()
        part, self._held = self._held[:size], self._held[size:]
        return part

    def skip(self, mark: bytes) -> None:
        self.until(mark, lambda _: None)

    def until(self, end: bytes, take: Callable[[bytes], object]) -> None:
        """Hands over everything before the mark, which is taken away."""
        while (at := self._held.find(end)) < 0:
            safe = len(self._held) - len(end) + 1
            if safe > 0:
                take(self._held[:safe])
                self._held = self._held[safe:]
            self._more()
        take(self._held[:at])
        self._held = self._held[at + len(end) :]

    def lines(self) -> list[str]:
        """Lines up to an empty one."""
        while (at := self._held.find(b"\r\n\r\n")) < 0:
            if len(self._held) > _LARGEST_HEAD:
                raise BadForm("the head of a part is too long")
            self._more()
        head, self._held = self._held[:at], self._held[at + 4 :]
        return head.decode("utf-8", "replace").split("\r\n")

    def _more(self) -> None:
        part = self._read(CHUNK)
        if not part:
            raise BadForm("the form ends too early")
        self._held += part


LARGEST_BODY = 16 << 20
"""Of bodies that are read whole; uploads are written to disk as they come."""

SHORT = 1 << 16
"""What is read of a body that nobody wants, so that the connection can go on."""


class BadRequest(Exception):
    """The asker's mistake, in words."""


@dataclass(frozen=True)
class HttpResponse:
    """A file is sent as it is read."""

    body: bytes | Path
    kind: str = "text/plain; charset=utf-8"
    status: int = 200


def text(words: str, status: int = 200) -> HttpResponse:
    return HttpResponse(words.encode(), status=status)


def as_json(value: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(json.dumps(value).encode(), "application/json", status)


def failure(message: str, status: int = 500, **more: Any) -> HttpResponse:
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


Handler = Callable[[Any, Request], HttpResponse]


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
