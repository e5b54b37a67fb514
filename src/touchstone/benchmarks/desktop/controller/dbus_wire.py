"""D-Bus, as much of it as a reading of the accessibility tree needs: many questions sent at once, and their answers.

The usual libraries wait for each answer before they ask the next question, so that two processes take turns ten thousand times
for one picture of a spreadsheet. Here a few hundred questions are under way at any moment.
"""

from __future__ import annotations

import os
import socket
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote

_UNDER_WAY = 256
_BREATH = 0.002
_METHOD_CALL, _RETURN, _ERROR = 1, 2, 3
_PATH, _INTERFACE, _MEMBER, _REPLY, _DESTINATION, _SIGNATURE = 1, 2, 3, 5, 6, 8

Reader = Callable[[bytes, int], tuple[Any, int]]


class Failed(Exception):
    """A question that was answered by an error, or not at all."""


class BusCall(NamedTuple):
    destination: str
    path: str
    interface: str
    member: str
    signature: str = ""
    body: bytes = b""


class Connection:
    """To a bus, or to a program directly."""

    def __init__(self, address: str, patience: float) -> None:
        """`patience` are the seconds within which something must be heard, whatever is asked. Raises OSError."""
        self.patience = patience
        self._serial = 0
        self._rest = b""
        self._silent: set[str] = set()
        self._socket = _connected(address)
        self._socket.settimeout(patience)
        self._socket.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
        if not self._socket.recv(4096).startswith(b"OK "):
            raise OSError(f"{address}: not let in")
        self._socket.sendall(b"BEGIN\r\n")

    def ask(self, questions: Sequence[BusCall]) -> list[Any]:
        """What each was answered: a value (of several, a tuple), or Failed. Who has kept silent once is not asked again."""
        self._socket.settimeout(self.patience)
        answers: list[Any] = [Failed("silent")] * len(questions)
        waiting = iter([index for index, question in enumerate(questions) if question.destination not in self._silent])
        under_way: dict[int, int] = {}
        while self._send(questions, waiting, under_way):
            if len(under_way) > _UNDER_WAY // 2:
                time.sleep(
                    _BREATH
                )  # answers are taken by the dozen: being woken for each costs both sides more than the answer
            messages = self._received()
            if not messages:
                self._silent |= {questions[index].destination for index in under_way.values()}
                break
            for serial, answer in messages:
                if (index := under_way.pop(serial, None)) is not None:
                    answers[index] = answer
        return answers

    def _send(self, questions: Sequence[BusCall], waiting: Iterator[int], under_way: dict[int, int]) -> bool:
        """Refills what is under way when half of it has come back; says whether there is anything to wait for."""
        if len(under_way) <= _UNDER_WAY // 2:
            data: list[bytes] = []
            for index in waiting:
                self._serial += 1
                under_way[self._serial] = index
                data.append(encoded(questions[index], self._serial))
                if len(under_way) >= _UNDER_WAY:
                    break
            if data:
                self._socket.sendall(b"".join(data))
        return bool(under_way)

    def _received(self) -> list[tuple[int, Any]]:
        """At least one answer; nothing if none came in time."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            try:
                data = self._socket.recv(1 << 18)
            except TimeoutError:
                break
            if not data:
                break
            answers, self._rest = decoded(self._rest + data)
            if answers:
                return answers
        return []


def _connected(address: str) -> socket.socket:
    for one in address.split(";"):
        kind, _, options = one.partition(":")
        words = {name: unquote(value) for name, _, value in (word.partition("=") for word in options.split(","))}
        name = words.get("path") or ("\0" + words["abstract"] if "abstract" in words else "")
        if kind == "unix" and name:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(name)
            return connection
    raise OSError(f"{address}: no address of this machine")


def session_address() -> str:
    return os.environ.get("DBUS_SESSION_BUS_ADDRESS", "")


# Messages.


def text(words: str) -> bytes:
    """A string as it stands in a body."""
    data = words.encode()
    return struct.pack("<I", len(data)) + data + b"\0"


def texts(*words: str) -> bytes:
    body = b""
    for word in words:
        body += bytes(-len(body) % 4) + text(word)
    return body


def encoded(question: BusCall, serial: int) -> bytes:
    fields = _fields(question.destination, question.interface, question.member, question.signature)
    fields += bytes([_PATH, 1, ord("o"), 0]) + text(question.path)
    head = struct.pack("<cBBBIII", b"l", _METHOD_CALL, 0, 1, len(question.body), serial, len(fields))
    return head + fields + bytes(-len(fields) % 8) + question.body


@cache
def _fields(destination: str, interface: str, member: str, signature: str) -> bytes:
    fields = b""
    for code, words in ((_DESTINATION, destination), (_INTERFACE, interface), (_MEMBER, member)):
        if words:
            fields += bytes(-len(fields) % 8) + bytes([code, 1, ord("s"), 0]) + text(words)
    if signature:
        fields += bytes(-len(fields) % 8) + bytes([_SIGNATURE, 1, ord("g"), 0, len(signature)]) + signature.encode() + b"\0"
    return fields + bytes(-len(fields) % 8)


def decoded(data: bytes) -> tuple[list[tuple[int, Any]], bytes]:
    """The answers among whole messages, each with the number of its question, and the rest."""
    answers: list[tuple[int, Any]] = []
    start = 0
    while len(data) - start >= 16:
        order, kind, _, _, length, _, size = struct.unpack_from("<cBBBIII", data, start)
        if order != b"l":
            raise OSError("a message in the other order of bytes")
        body = start + 16 + size + -size % 8
        if len(data) < body + length:
            break
        if kind in (_RETURN, _ERROR):
            serial, signature = _answered(data[start + 16 : start + 16 + size])
            answers.append((serial, _value(signature, data[body : body + length], kind)))
        start = body + length
    return answers, data[start:]


def _answered(data: bytes) -> tuple[int, str]:
    """The number of the question, and the signature of the answer, from the fields of a message."""
    serial, signature, offset = 0, "", 0
    while offset < len(data):
        code, kind = data[offset], data[offset + 2]
        offset += 4
        if kind == ord("u"):
            (number,) = struct.unpack_from("<I", data, offset)
            serial = number if code == _REPLY else serial
            offset += 4
        elif kind == ord("g"):
            signature = data[offset + 1 : offset + 1 + data[offset]].decode() if code == _SIGNATURE else signature
            offset += data[offset] + 2
        else:
            (length,) = struct.unpack_from("<I", data, offset)
            offset += length + 5
        offset += -offset % 8
    return serial, signature


def _value(signature: str, body: bytes, kind: int) -> Any:
    offset, values = 0, list[Any]()
    for reader in _readers(signature):
        value, offset = reader(body, offset)
        values.append(value)
    if kind == _ERROR:
        return Failed(str(values[0]) if values else "an error")
    return values[0] if len(values) == 1 else tuple(values)


@cache
def _readers(signature: str) -> tuple[Reader, ...]:
    readers: list[Reader] = []
    while signature:
        reader, _, signature = _reader(signature)
        readers.append(reader)
    return tuple(readers)


_FIXED = {"y": "B", "n": "h", "q": "H", "i": "i", "u": "I", "b": "I", "x": "q", "t": "Q", "d": "d"}


def _reader(signature: str) -> tuple[Reader, int, str]:
    """Of the first type, with its alignment; and the rest of the signature."""
    kind, rest = signature[0], signature[1:]
    if kind in _FIXED:
        form = struct.Struct("<" + _FIXED[kind])
        return _fixed(form), form.size, rest
    if kind in "so":
        return _read_text, 4, rest
    if kind == "g":
        return _read_signature, 1, rest
    if kind == "v":
        return _read_variant, 1, rest
    if kind == "a":
        item, alignment, rest = _reader(rest)
        pairs = signature[1] == "{"
        return _array(item, alignment, pairs), 4, rest
    readers: list[Reader] = []
    while rest[0] not in ")}":
        reader, _, rest = _reader(rest)
        readers.append(reader)
    return _structure(tuple(readers)), 8, rest[1:]


def _fixed(form: struct.Struct) -> Reader:
    def read(data: bytes, offset: int) -> tuple[Any, int]:
        offset += -offset % form.size
        return form.unpack_from(data, offset)[0], offset + form.size

    return read


def _read_text(data: bytes, offset: int) -> tuple[str, int]:
    offset += -offset % 4
    end = offset + 4 + int.from_bytes(data[offset : offset + 4], "little")
    return data[offset + 4 : end].decode("utf-8", "replace"), end + 1


def _read_signature(data: bytes, offset: int) -> tuple[str, int]:
    end = offset + 1 + data[offset]
    return data[offset + 1 : end].decode(), end + 1


def _read_variant(data: bytes, offset: int) -> tuple[Any, int]:
    signature, offset = _read_signature(data, offset)
    return _readers(signature)[0](data, offset)


def _array(item: Reader, alignment: int, pairs: bool) -> Reader:
    def read(data: bytes, offset: int) -> tuple[Any, int]:
        offset += -offset % 4
        length = int.from_bytes(data[offset : offset + 4], "little")
        offset += 4
        offset += -offset % alignment
        end, items = offset + length, list[Any]()
        while offset < end:
            value, offset = item(data, offset)
            items.append(value)
        return dict(items) if pairs else items, end

    return read


def _structure(readers: tuple[Reader, ...]) -> Reader:
    def read(data: bytes, offset: int) -> tuple[Any, int]:
        offset += -offset % 8
        values = list[Any]()
        for reader in readers:
            value, offset = reader(data, offset)
            values.append(value)
        return tuple(values), offset

    return read
