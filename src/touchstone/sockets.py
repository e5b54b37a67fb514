"""Sockets that listen, for whatever serves over HTTP."""

from __future__ import annotations

import socket

from .errors import InputError


def listen(host: str, port: int, *, backlog: int = 128, shared: bool = False) -> socket.socket:
    """Listens at once, so that whoever reads the address can ask. `shared`: several processes listen on this port. Raises
    InputError."""
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        listening.bind((host, port))
        listening.listen(backlog)
    except (OSError, OverflowError) as error:
        listening.close()
        raise InputError(f"cannot listen on {host}:{port}: {getattr(error, 'strerror', None) or error}") from None
    return listening


def address_of(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
