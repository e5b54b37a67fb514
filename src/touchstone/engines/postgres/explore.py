"""An agent looks at its world: whatever it sends is rolled back.

A single statement that reads goes to the database that all episodes share, in a read-only transaction; the protocol for single
statements makes sure that nothing can end the transaction and go on. Everything else goes to a private copy, which is used
again unless something has happened to it that a rollback does not undo.
"""

from __future__ import annotations

import psycopg
from psycopg.pq import TransactionStatus

from ...errors import SqlError
from ...types import Table
from ..tables import observation_of
from .connection import CannotBegin, Connection, Unreachable, abandoned, begin, put_back
from .execution import ConnectionLost, Execution, Impossible
from .messages import Exploration, Lost, NeedsCopy, PostgresFault, PostgresRows, PostgresShown, ServerGone
from .statements import only_reads

_SEQUENCES_USED = b"""
    SELECT FROM pg_catalog.pg_locks JOIN pg_catalog.pg_class ON pg_class.oid = pg_locks.relation
    WHERE pg_locks.pid = pg_catalog.pg_backend_pid() AND pg_class.relkind = 'S' AND pg_locks.mode = 'RowExclusiveLock'
"""
"""A number that was drawn from a sequence does not come back with a rollback."""


def explore(request: Exploration) -> PostgresRows | PostgresShown | PostgresFault | NeedsCopy | Lost | ServerGone:
    if not request.writes and not only_reads(request.sql):
        return NeedsCopy()
    try:
        connection = begin(request.login, _start(request))
    except CannotBegin:
        return Lost()
    except Unreachable as error:
        return ServerGone(str(error))
    answer = Lost()
    try:
        answer = _run(request, connection)
    except Impossible:
        answer = NeedsCopy()
    except (ConnectionLost, psycopg.OperationalError):
        pass
    finally:
        if isinstance(answer, Lost) or (isinstance(answer, PostgresRows | PostgresShown | PostgresFault) and answer.spoiled):
            connection.close()
        put_back(request.login, connection)
    return answer


def _start(request: Exploration) -> str:
    mode = "READ WRITE" if request.writes else "READ ONLY"
    timeout = f"SET LOCAL {abandoned(request.limits.seconds)}"
    return f"BEGIN ISOLATION LEVEL READ COMMITTED {mode}; SET LOCAL ROLE {request.login.owner}; {timeout}"


def _run(request: Exploration, connection: Connection) -> PostgresRows | PostgresShown | PostgresFault:
    execution = Execution(request.login, connection, request.limits, single=not request.writes, as_text=True)
    try:
        result = execution.run(request.sql)
    except SqlError as error:
        return PostgresFault(error.kind, error.message, execution.ended or _has_lasted(request, connection))
    table = Table(result.columns, result.rows, result.truncated, result.changed)
    spoiled = execution.ended or _has_lasted(request, connection)
    return PostgresShown(observation_of(table), spoiled) if request.shown else PostgresRows(table, spoiled)


def _has_lasted(request: Exploration, connection: Connection) -> bool:
    """Whether something may have happened that a rollback leaves as it is. After an error in a writing text one cannot ask."""
    if connection.closed:
        return True
    status = connection.pgconn.transaction_status
    if not request.writes:
        return status == TransactionStatus.IDLE
    return status != TransactionStatus.INTRANS or connection.pgconn.exec_(_SEQUENCES_USED).ntuples > 0
