"""Ports of this machine that behave as a test needs them, whoever else takes ports meanwhile."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nobody_listens() -> Iterator[int]:
    """A port where connections are refused: it is held, so that nobody else comes to listen there."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        yield silent.getsockname()[1]


def port_to_come_back_to() -> int:
    """A free one that the kernel gives to nobody by itself, for what is started there later or again."""
    while True:
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
