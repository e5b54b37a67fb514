"""Questions over D-Bus: many at once, answers in any order, errors, silence. The other side is a small server of messages."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import cast

import pytest

from touchstone.benchmarks.desktop.controller.accessibles import AccessibilityBus, Names
from touchstone.benchmarks.desktop.controller.dbus_wire import BusCall, Connection, Failed, decoded, texts

Asked = tuple[int, bytes]
"""The number of a question, and its body."""


def answer(serial: int, signature: str = "", body: bytes = b"", kind: int = 2) -> bytes:
    """As programs write it: the number of the question, the signature."""
    fields = bytes([5, 1, ord("u"), 0]) + struct.pack("<I", serial)
    if signature:
        fields += bytes([8, 1, ord("g"), 0, len(signature)]) + signature.encode() + b"\0"
    head = struct.pack("<cBBBIII", b"l", kind, 1, 1, len(body), 7, len(fields))
    return head + fields + bytes(-len(fields) % 8) + body


SIGNAL = struct.pack("<cBBBIII", b"l", 4, 1, 1, 0, 9, 0)
"""Something that nobody asked for."""


@contextmanager
def program(replies: Callable[[list[Asked]], bytes], at_once: int = 1) -> Iterator[str]:
    """The address of a server that answers each time when so many questions have come, and ends where there is no answer."""
    with TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listening:
        path = Path(folder, "s")
        listening.bind(str(path))
        listening.listen()
        Thread(target=_serve, args=(listening, replies, at_once), daemon=True).start()
        yield f"tcp:host=x;unix:path={path},guid=0"


def _serve(listening: socket.socket, replies: Callable[[list[Asked]], bytes], at_once: int) -> None:
    with listening.accept()[0] as connection:
        assert connection.recv(4096).startswith(b"\0AUTH EXTERNAL ")
        connection.sendall(b"OK 0\r\n")
        rest = b""
        while len(rest) < 7:
            rest += connection.recv(7 - len(rest))
        assert rest == b"BEGIN\r\n"
        rest, asked = b"", list[Asked]()
        while data := connection.recv(65536):
            rest += data
            while len(rest) >= 16 and len(rest) >= (size := _size(rest)):
                length, serial = struct.unpack_from("<II", rest, 4)
                asked.append((serial, rest[size - length : size]))
                rest = rest[size:]
            while len(asked) >= at_once:
                if not (data := replies(asked[:at_once])):
                    return
                connection.sendall(data)
                del asked[:at_once]


def _size(message: bytes) -> int:
    length, _, fields = struct.unpack_from("<III", message, 4)
    return 16 + fields + -fields % 8 + length


def question(number: int = 0, destination: str = "") -> BusCall:
    return BusCall(destination, "/a/node", "org.example.Thing", "Ask", "i", struct.pack("<i", number))


def echoed(asked: list[Asked]) -> bytes:
    """The last question first."""
    return SIGNAL + b"".join(answer(serial, "i", body) for serial, body in reversed(asked))


@pytest.mark.parametrize("at_once", [1, 7])
def test_more_questions_than_are_under_way_are_answered_each_by_its_own(at_once: int) -> None:
    with program(echoed, at_once) as address:
        connection = Connection(address, 20)
        assert connection.ask([question(number) for number in range(1400)]) == list(range(1400))
        assert connection.ask([question(5) for _ in range(7)]) == [5] * 7
        assert connection.ask([]) == []


def test_an_error_is_the_answer_of_its_question_alone() -> None:
    def reply(asked: list[Asked]) -> bytes:
        (first, _), (second, body) = asked
        return answer(second, "i", body) + answer(first, "s", texts("no such node"), kind=3)

    with program(reply, 2) as address:
        failed, fine = Connection(address, 20).ask([question(1), question(2)])
    assert (isinstance(failed, Failed), str(failed), fine) == (True, "no such node", 2)


def test_who_keeps_silent_is_not_asked_again() -> None:
    seen: list[Asked] = []

    def reply(asked: list[Asked]) -> bytes:
        seen.extend(asked)
        return SIGNAL + b"".join(answer(serial, "i", body) for serial, body in asked if body != struct.pack("<i", 9))

    with program(reply) as address:
        connection = Connection(address, 3)
        silent, fine = connection.ask([question(9, "hung"), question(1, "well")])
        assert (isinstance(silent, Failed), fine) == (True, 1)
        asked = len(seen)
        silent, fine = connection.ask([question(1, "hung"), question(2, "well")])
        assert (isinstance(silent, Failed), fine, len(seen)) == (True, 2, asked + 1)


def test_a_program_that_ends_is_silent() -> None:
    with program(lambda asked: b"") as address:
        (ended,) = Connection(address, 20).ask([question()])
    assert isinstance(ended, Failed)


def test_values_of_all_shapes() -> None:
    reference = texts(":1.2") + b"\0" * 3 + texts("/a")
    body = struct.pack("<I", len(reference)) + bytes(4) + reference
    body += bytes(-len(body) % 4) + struct.pack("<I", 8) + struct.pack("<II", 3, 4)
    body += bytes([1]) + b"d\0" + bytes(-(len(body) + 3) % 8) + struct.pack("<d", 0.5)
    pairs = texts("k", "v")
    body += struct.pack("<I", len(pairs)) + bytes(-(len(body) + 4) % 8) + pairs
    ((serial, value),), rest = decoded(answer(12, "a(so)auva{ss}", body) + b"l\1")
    assert (serial, rest) == (12, b"l\1")
    assert value == ([(":1.2", "/a")], [3, 4], 0.5, {"k": "v"})


def test_no_bus_is_an_error_of_the_system() -> None:
    for address in ("", "unix:path=/nowhere/at/all", "tcp:host=localhost,port=1"):
        with pytest.raises(OSError, match=r"nowhere|No such file|no address"):
            Connection(address, 1)


def test_a_bus_is_waited_for_longer_than_a_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine a greeting took more than the second that a program gets, and there was no tree."""

    def slowly(text: str) -> Callable[[list[Asked]], bytes]:
        def replies(asked: list[Asked]) -> bytes:
            time.sleep(0.2)
            body = struct.pack("<I", len(text)) + text.encode() + b"\0"
            return b"".join(answer(serial, "s", body) for serial, _ in asked)

        return replies

    with program(slowly(":1.1")) as registry, program(slowly(registry)) as session:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", session)
        bus = AccessibilityBus(cast("Names", None), patience=0.01)
        (name,) = bus.connection.ask([question()])
    assert name == ":1.1"
