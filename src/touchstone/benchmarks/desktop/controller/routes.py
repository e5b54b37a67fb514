"""What an endpoint is asked and what it answers, and the table of endpoints."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from email import message_from_bytes
from email.message import Message
from io import BufferedIOBase
from mmap import mmap
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import parse_qs

# Forms with files in them (multipart/form-data). The body lies in a file and is looked at there, however large it is.


_LARGEST_FIELD = 1 << 20


class BadForm(Exception):
    """The body is not a form of this kind."""


@dataclass(frozen=True)
class Form:
    """The fields of a form, and the contents of its files by the names of their fields."""

    fields: dict[str, str]
    files: dict[str, memoryview]


def boundary_of(kind: str) -> bytes | None:
    """The boundary that a content type names, if it is that of such a form."""
    head = Message()
    head["content-type"] = kind
    boundary = head.get_param("boundary")
    if head.get_content_type() != "multipart/form-data" or not isinstance(boundary, str):
        return None
    return boundary.encode("latin-1", "replace")


def read_form(body: bytes | mmap, boundary: bytes) -> Form:
    form, mark = Form({}, {}), b"--" + boundary
    at = body.find(mark) + len(mark)
    if at < len(mark):
        raise BadForm("the form ends too early")
    while body[at : at + 2] != b"--":
        start = body.find(b"\r\n\r\n", at) + 4
        end = body.find(b"\r\n" + mark, start)
        if start < 4 or end < 0:
            raise BadForm("the form ends too early")
        head = message_from_bytes(body[at + 2 : start])
        name, file = (head.get_param(key, header="content-disposition") for key in ("name", "filename"))
        if not isinstance(name, str):
            raise BadForm("a part of the form has no name")
        if file is not None:
            form.files[name] = memoryview(body)[start:end]
        elif end - start > _LARGEST_FIELD:
            raise BadForm("a field of the form is too long")
        else:
            form.fields[name] = body[start:end].decode("utf-8", "replace")
        at = end + 2 + len(mark)
    return form


LARGEST_BODY = 16 << 20
"""Of bodies that are read whole; uploads are written to disk as they come."""

_CHUNK = 1 << 18
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

    def form(self) -> Form:
        boundary = boundary_of(self._kind)
        if boundary is None:
            fields = parse_qs(self._whole().decode("utf-8", "replace"))
            return Form({name: values[-1] for name, values in fields.items()}, {})
        with TemporaryFile() as file:
            while part := self.read(_CHUNK):
                file.write(part)
            file.flush()
            return read_form(mmap(file.fileno(), 0) if file.tell() else b"", boundary)

    def _whole(self) -> bytes:
        if self.left > LARGEST_BODY:
            raise BadRequest(f"the body is larger than {LARGEST_BODY >> 20} MB")
        parts: list[bytes] = []
        while self.left:
            parts.append(self.read(self.left))
        return b"".join(parts)


Handler = Callable[[Any, Request], HttpResponse]
ROUTES: dict[str, dict[str, Handler]] = {}
"""Endpoints by path and method."""


def route(method: str, *paths: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        for path in paths:
            ROUTES.setdefault(path, {})[method] = handler
        return handler

    return register


def wanted(fields: dict[str, Any], name: str) -> str:
    """A field that must be there."""
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise BadRequest(f"{name} is missing")
    return value
