"""What an administrator does, inside a worker process: statements one by one, over a connection that is kept."""

from __future__ import annotations

import psycopg

from .connection import Connection, Unreachable, administrate, one_line
from .messages import Done, Lost, Orders, Refused, Server, ServerGone

MAINTENANCE = "postgres"
"""The database to be connected to while others are made and dropped. Locks of runs are taken there too."""

_SHUTDOWN = "57P"

_kept: dict[str, Connection] = {}


def administer(request: Orders) -> Done | Refused | Lost | ServerGone:
    try:
        connection = administrator(request.server, request.patience)
        for statement in request.statements:
            execute(connection, statement)
    except Unreachable as error:
        return ServerGone(str(error))
    except psycopg.Error as error:
        return refusal(error)
    return Done()


def administrator(server: Server, patience: float) -> Connection:
    """The kept connection, or a new one where that is dead."""
    conninfo = server.conninfo(MAINTENANCE)
    connection = _kept.pop(conninfo, None)
    if connection is not None:
        try:
            connection.execute("SELECT")
        except psycopg.Error:
            connection.close()
            connection = None
    _kept[conninfo] = connection = connection or administrate(server, MAINTENANCE, patience)
    return connection


def execute(connection: Connection, statement: str) -> None:
    """The text as it is, without places for parameters."""
    connection.execute(statement.encode())


def refusal(error: psycopg.Error) -> Refused | Lost:
    if error.sqlstate is None or error.sqlstate.startswith(_SHUTDOWN):
        return Lost()
    return Refused(error.sqlstate or "", one_line(error.diag.message_primary or error))
