"""Forms with files in them (multipart/form-data), read as they come: a file of any size needs little memory."""

from __future__ import annotations

from collections.abc import Callable
from email.message import Message
from typing import IO

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
