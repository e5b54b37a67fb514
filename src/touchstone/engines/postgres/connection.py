"""Connections of a worker process to the server: opened with patience, and cut when they do not stop.

A server that restarts comes back within seconds, so what fails for reasons of the moment is tried again for a while.
"""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import psycopg
import psycopg2
import psycopg2.extensions
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, DiagnosticField, ExecStatus, PGconn, Ping
from psycopg.pq.abc import PGresult
from psycopg.rows import tuple_row

from .messages import Login, PostgresServer

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
Psycopg2: TypeAlias = psycopg2.extensions.connection
C = TypeVar("C")

_MOST_SESSIONS = 4
_kept_sessions: OrderedDict[str, Psycopg2] = OrderedDict()

MAINTENANCE = "postgres"
"""The database to be connected to while others are made and dropped. Locks of runs are taken there too."""
SECONDS_TO_CONNECT = 10
OURS = {"connect_timeout": str(SECONDS_TO_CONNECT), "client_encoding": "UTF8", "application_name": "touchstone"}
_THEIRS = {"connect_timeout": str(SECONDS_TO_CONNECT)}
"""What a session says about itself is a part of what hidden tests can see."""
_PAUSE = 0.1
_MILLISECONDS_TO_END = 3000
_SECONDS_TO_BE_LET_IN = 1.0
"""A server that accepts connections, but not ours, may only have too many just now."""


class Unreachable(Exception):
    """Nobody answers, or nobody is let in; the message says who said what."""


def connect(conninfo: str, patience: float) -> Connection:
    return _connect(lambda: _psycopg(conninfo), conninfo, patience)


def _psycopg(conninfo: str) -> Connection:
    """By libpq's own call: psycopg's takes the address apart several times before it connects."""
    pgconn = PGconn.connect(conninfo.encode())
    if pgconn.status != ConnStatus.OK:
        message = pgconn.get_error_message()
        pgconn.finish()
        raise psycopg.OperationalError(message)
    pgconn.nonblocking = 1
    connection: Connection = psycopg.Connection(pgconn, tuple_row)
    connection.autocommit = True
    connection.prepare_threshold = None
    return connection


def _connect(open_one: Callable[[], C], conninfo: str, patience: float) -> C:
    until, is_up = time.monotonic() + patience, False
    while True:  # a refusal has no code here, only words in the server's language; but it comes at once
        began = time.monotonic()
        try:
            return open_one()
        except (psycopg.Error, psycopg2.Error) as error:
            is_refusal = time.monotonic() - began < _SECONDS_TO_BE_LET_IN
            if is_refusal and not is_up and PGconn.ping(conninfo.encode()) == Ping.OK:
                is_up, until = True, min(until, time.monotonic() + _SECONDS_TO_BE_LET_IN)
            if time.monotonic() > until:
                raise Unreachable(one_line(error)) from None
            time.sleep(_PAUSE)


def take_seat(login: Login) -> Connection:
    """Logged in as the login's own role, and at work as the owner of the database's objects. The kept one, if it is alive."""
    kept = _idle.pop(_key(login), None)
    if kept is not None:
        if is_alive(kept):
            return kept
        kept.close()
    return connect(_conninfo(login, None, **OURS), login.patience)


def open_psycopg2(login: Login, seconds: float | None) -> Psycopg2:
    """The same with psycopg2, which begins transactions by itself: what the published evaluators and their tests use."""
    conninfo = _conninfo(login, seconds, **_THEIRS)
    kept = _kept_sessions.pop(conninfo, None)
    if kept is not None and not _has_something_to_say(kept.fileno()):
        return kept
    return _connect(lambda: psycopg2.connect(conninfo), conninfo, login.patience)


def keep_seat(login: Login, first: str, psycopg2_seconds: float | None) -> None:
    """Connected before anybody asks for it here, after a first statement of ours: with psycopg2 if that has a time limit.

    What nobody asks for in this process ends with its database, at the latest.
    """
    if psycopg2_seconds is None:
        connection = take_seat(login)
        execute(connection, first)
        _keep(login, connection)
        return
    session = open_psycopg2(login, psycopg2_seconds)
    with session.cursor() as cursor:
        cursor.execute(first)
    session.commit()
    _kept_sessions[_conninfo(login, psycopg2_seconds, **_THEIRS)] = session
    while len(_kept_sessions) > _MOST_SESSIONS:
        _kept_sessions.popitem(last=False)[1].close()


def is_alive(connection: Connection) -> bool:
    return not connection.closed and not _has_something_to_say(connection.pgconn.socket)


def _has_something_to_say(socket: int) -> bool:
    """A server says nothing unasked, unless it ends the session."""
    poll = select.poll()
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(0))


def _conninfo(login: Login, seconds: float | None, **more: str) -> str:
    timeout = 0 if seconds is None else milliseconds(seconds)
    return _with(login.server, login.database, f"-c role={login.owner} -c statement_timeout={timeout}", **more)


def administrate(server: PostgresServer, database: str, patience: float) -> Connection:
    """Logged in as the administrator."""
    return connect(_with(server, database, "", **OURS), patience)


def cut(login: Login, connection: Connection) -> None:
    """Ends a connection whose statement does not end, and its server process: a block may catch being cancelled.

    It is done as the login's own role. Where that fails, the process ends when the login is given up.
    """
    pid = connection.info.backend_pid
    connection.close()
    with contextlib.suppress(psycopg.Error, Unreachable), connect(login.server.conninfo(login.database, **OURS), 0) as other:
        other.execute("SELECT pg_catalog.pg_terminate_backend(%s, %s)", [pid, _MILLISECONDS_TO_END])


def _with(server: PostgresServer, database: str, settings: str, **more: str) -> str:
    """What was committed shall be there after a crash, also on servers that are set up for speed."""
    options = f"{server.options.get('options', '')} -c synchronous_commit=on {settings}".strip()
    return server.conninfo(database, options=options, **more)


def milliseconds(seconds: float) -> int:
    return max(1, round(seconds * 1000))


def abandoned(seconds: float) -> str:
    """The server's timeout for a statement that is cancelled at its limit by its worker, unless that is gone."""
    return f"statement_timeout = {milliseconds(60 * seconds + 60)}"


def one_line(error: object) -> str:
    return " ".join(str(error).split())


# Connections that are kept between calls. Nothing of a session remains on one that is put back.


_MOST_IDLE = max(2, 32 // (os.cpu_count() or 1))
"""All workers of a machine together shall not fill a server."""

_idle: OrderedDict[tuple[str, int, str], Connection] = OrderedDict()


class CannotBegin(Exception):
    """A connection that is just open does not do what it is told."""


def begin(login: Login, start: str) -> Connection:
    """A connection on which `start`, which begins a transaction, has been done. One that has died meanwhile is replaced."""
    for _ in range(2):
        connection = take_seat(login)
        if send(connection, start):
            return connection
        connection.close()
    raise CannotBegin


def put_back(login: Login, connection: Connection) -> None:
    """Rolls back. What cannot be made as good as new is closed."""
    if connection.closed or not (send(connection, "ROLLBACK") and send(connection, "DISCARD ALL")):
        connection.close()
        return
    _keep(login, connection)


def _keep(login: Login, connection: Connection) -> None:
    _idle[_key(login)] = connection
    while len(_idle) > _MOST_IDLE:
        _idle.popitem(last=False)[1].close()


def send(connection: Connection, sql: str) -> bool:
    """Something of ours. (psycopg's own cursors would begin transactions of their own accord.)"""
    try:
        return connection.pgconn.exec_(sql.encode()).status == ExecStatus.COMMAND_OK
    except psycopg.OperationalError:
        return False


def execute(connection: Connection, sql: str, *parameters: str) -> PGresult:
    """The same where a failure is an error: the text as it is, with $1, … for parameters. It is blocking, and a tenth of the
    work that a cursor makes of it. Raises psycopg.Error."""
    pgconn = connection.pgconn
    values = [value.encode() for value in parameters]
    result = pgconn.exec_params(sql.encode(), values) if values else pgconn.exec_(sql.encode())
    if result.status not in _DONE:
        if result.error_field(DiagnosticField.SQLSTATE) is None:  # one of the client's own: the server is gone
            raise psycopg.OperationalError(result.get_error_message())
        raise error_from_result(result)
    return result


_DONE = (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK, ExecStatus.EMPTY_QUERY)


def _key(login: Login) -> tuple[str, int, str]:
    """No two logins on a server have the same role."""
    return login.server.host, login.server.port, login.role
