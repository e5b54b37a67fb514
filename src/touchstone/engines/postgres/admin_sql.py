"""What an administrator does, inside a worker process: statements one by one, over a connection that is kept."""

from __future__ import annotations

import hashlib

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


# Names of what a run makes on a server. All of them are plain identifiers of less than 64 bytes.


def keeper(run: str) -> str:
    """Owns the run's databases."""
    return f"touchstone_keeper_{run}"


def owner(run: str) -> str:
    """Owns what is in those that are cloned and read."""
    return f"touchstone_owner_{run}"


def owner_of_copy(role: str) -> str:
    """Owns what is in a private copy, in which this role logs in."""
    return f"{role}_o"


def of_episodes(run: str) -> str:
    """A pattern of the names of all roles of episodes, and of little else."""
    return f"^ts_{run}_[0-9a-f]{{10}}_[rc][0-9]+(_o)?$"


def template(database: str) -> str:
    """The server cuts a name that is too long, always in the same way."""
    return f"{database}_template"


def prefix(run: str, database: str) -> str:
    return f"ts_{run}_{hashlib.blake2b(database.encode(), digest_size=5).hexdigest()}"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
