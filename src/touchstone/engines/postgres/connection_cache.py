"""Connections that a worker process keeps between calls. Nothing of a session remains on one that is put back."""

from __future__ import annotations

import os
from collections import OrderedDict

import psycopg
from psycopg.pq import ExecStatus

from .connection import Connection, take_seat
from .messages import Login

_MOST = max(2, 32 // (os.cpu_count() or 1))
"""All workers of a machine together shall not fill a server."""

_idle: OrderedDict[tuple[str, int, str], Connection] = OrderedDict()


class CannotBegin(Exception):
    """A connection that is just open does not do what it is told."""


def begin(login: Login, start: str) -> Connection:
    """A connection on which `start`, which begins a transaction, has been done. One that has died meanwhile is replaced."""
    connection = _idle.pop(_key(login), None)
    if connection is not None:
        if send(connection, start):
            return connection
        connection.close()
    connection = take_seat(login, None)
    if not send(connection, start):
        connection.close()
        raise CannotBegin
    return connection


def put_back(login: Login, connection: Connection) -> None:
    """Rolls back. What cannot be made as good as new is closed."""
    if connection.closed or not (send(connection, "ROLLBACK") and send(connection, "DISCARD ALL")):
        connection.close()
        return
    _idle[_key(login)] = connection
    while len(_idle) > _MOST:
        _idle.popitem(last=False)[1].close()


def send(connection: Connection, sql: str) -> bool:
    """Something of ours. (psycopg's own cursors would begin transactions of their own accord.)"""
    try:
        return connection.pgconn.exec_(sql.encode()).status == ExecStatus.COMMAND_OK
    except psycopg.OperationalError:
        return False


def _key(login: Login) -> tuple[str, int, str]:
    """No two logins on a server have the same role."""
    return login.server.host, login.server.port, login.role
