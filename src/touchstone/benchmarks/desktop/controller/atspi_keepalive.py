"""Someone who stays: a process that keeps a connection to each program whose nodes were read.

Each reading is a child that comes and goes. If nobody stays, a program ends its side of accessibility with each reading and
begins it anew with the next, and LibreOffice does not survive that: once a menu, a colour chooser or a filter list had been
read while it was open, and then closed, the next reading crashed it ("invalid unclassed pointer in cast to 'AtkObject'").

It must not listen to events, and meets programs only when they are read: see `await_windows` for what becomes of a LibreOffice
that is met too early.
"""

from __future__ import annotations

import contextlib
import os
import socket
from collections.abc import Callable
from typing import Any

_SECONDS = 2.0


def keeper(atspi: Any, patience: int) -> Callable[[], None]:
    """Starts it; gives what makes it meet the programs of now. Before it, nothing of the library may be open."""
    ours, theirs = socket.socketpair()
    if os.fork() == 0:
        try:
            _stay(atspi, patience, theirs)
        finally:
            os._exit(0)
    theirs.close()
    ours.settimeout(_SECONDS)

    def meet() -> None:
        with contextlib.suppress(OSError):
            ours.sendall(b"m")
            ours.recv(1)

    return meet


def _stay(atspi: Any, patience: int, asked: socket.socket) -> None:
    os.closerange(3, asked.fileno())  # among them the worker's channel, whose end would not be seen, and the asker's side
    os.closerange(asked.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    os.environ.pop("GTK_MODULES", None)
    while asked.recv(1):
        with contextlib.suppress(Exception):
            atspi.init()
            atspi.set_timeout(patience, patience)
            _meet(atspi.get_desktop(0))
        asked.sendall(b".")


def _meet(desktop: Any) -> None:
    """The library greets each program that it has not seen yet, without waiting; the last question sends what is left."""
    for index in range(desktop.get_child_count()):
        desktop.get_child_at_index(index)
    desktop.get_child_count()
