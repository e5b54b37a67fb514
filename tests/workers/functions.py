"""What the tests run inside worker processes."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from pathlib import Path
from typing import Any

from msgspec import Struct


class Point(Struct, frozen=True):
    x: int
    label: str


class Note(Struct, frozen=True):
    """Where to write one's process number before a long sleep."""

    path: str
    seconds: float = 600.0


_remembered: list[int] = []


def work_for(seconds: float) -> float:
    """Of CPU time."""
    while time.process_time() < seconds:
        pass
    return time.process_time()


def double(number: int) -> int:
    return 2 * number


def echo(data: bytes) -> bytes:
    return data


def mirror(point: Point) -> Point:
    return Point(-point.x, point.label[::-1])


def zeros(size: int) -> bytes:
    return bytes(size)


def length(data: bytes) -> int:
    return len(data)


def number(_: None) -> int:
    return os.getpid()


def parent(_: None) -> int:
    """The zygote's process number."""
    return os.getppid()


def remember(value: int) -> list[int]:
    _remembered.append(value)
    return _remembered


def environment(_: None) -> dict[str, str]:
    return dict(os.environ)


def all_environments(_: None) -> str:
    """Everything that the kernel shows of this process's and its zygote's start."""
    paths = (Path(f"/proc/{pid}/{what}") for pid in ("self", os.getppid()) for what in ("environ", "cmdline"))
    return "\n".join(path.read_text() for path in paths)


def sleep(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def note_and_sleep(note: Note) -> int:
    Path(note.path).write_text(str(os.getpid()))
    return sleep(note.seconds)


def spin(_: None) -> None:
    while True:
        pass


def fail(text: bytes) -> int:
    raise ValueError(text.decode("utf-8", "surrogatepass"))


def leave(code: int) -> None:
    os._exit(code)


def leave_politely(code: int) -> None:
    sys.exit(code)


def die(signal_number: int) -> None:
    os.kill(os.getpid(), signal_number)
    time.sleep(60)


def exhaust_cpu(_: None) -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (1, resource.RLIM_INFINITY))
    spin(None)


def stop_listening(_: None) -> None:
    """Neither answers nor ends when asked politely."""
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, signal.SIG_IGN)
    time.sleep(600)


def unencodable(_: None) -> Any:
    return object()


def mistyped(_: None) -> int:
    return "text"  # type: ignore[return-value]


def peak_memory(_: None) -> int:
    """Of this process so far, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
