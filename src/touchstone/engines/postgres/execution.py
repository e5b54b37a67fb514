"""Runs one text on an open connection, under limits, and reads what it gives chunk by chunk.

A statement is cancelled at its time limit, by a clock that stands still while others have the cores; if it does not end then,
the connection is cut. The server's own `statement_timeout` is only for statements whose worker is gone.
"""

from __future__ import annotations

import contextlib
import select
import time
from dataclasses import dataclass

import psycopg
from psycopg.pq import DiagnosticField as Field
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from ...errors import SqlError, SqlFault
from ...types import Limits
from ...workers.limits import held_to
from .connection import Connection, cut
from .messages import Login
from .values import LastTable, Loader

# How long a statement has taken, whoever else has the cores.
#
# While the private server's process for it works, its CPU time counts, so a statement takes as long at a load of 40 as on an
# idle machine; while it makes no progress (it sleeps, or waits for a lock), the wall clock does. A worker sees no processes
# in /proc, but the kernel tells everybody the CPU clock of any. Of other servers nothing is known but the wall clock.


_WINDOW = 1.0
"""Seconds over which it is seen whether a process works. One that must share its core runs several times within them."""
_AT_WORK = 0.01
"""The least share of a core."""
_STRETCH = 10.0
"""So many times as long as the wall clock says lasts a limit at most, or a statement that mostly sleeps would have no end."""


class StatementClock:
    """Begins to run when it is made."""

    def __init__(self, pgconn: PGconn, *, private: bool) -> None:
        self._cpu_clock = (~pgconn.backend_pid << 3) | 2 if private else None
        self._counted = 0.0
        self._at, self._cpu = time.monotonic(), self._cpu_time()

    def seconds(self) -> float:
        passed = time.monotonic() - self._at
        if passed < _WINDOW or self._cpu_clock is None:
            return self._counted + passed
        cpu = self._cpu_time()
        used = cpu - self._cpu
        self._counted += max(used, passed / _STRETCH) if used > _AT_WORK * passed else passed
        self._at, self._cpu = self._at + passed, cpu
        return self._counted

    def _cpu_time(self) -> float:
        if self._cpu_clock is None:
            return 0.0
        try:
            return time.clock_gettime(self._cpu_clock)
        except OSError:  # the process has ended
            return 0.0


# PostgreSQL's errors, as an agent is told them: the message, what goes with it, and where in the text it is.


_READ_ONLY = b"25006"
_INSIDE_A_TRANSACTION = b"25001"
_NO_PRIVILEGE = b"42501"
_SYNTAX = b"42601"
_PARAMETERS = b"08P01"
_CANCELED = b"57014"
_ENDED = (b"57P01", b"57P02", b"57P03", b"57P04", b"57P05")
_RESOURCES = b"53"
_PARSER = b"exec_parse_message"
"""The server's function that refuses several statements at once; its message may be in any language."""


def is_connection_end(result: PGresult) -> bool:
    """An error without a code is one of the client's own: the server is gone."""
    return _state(result) in (*_ENDED, b"")


def is_out_of_memory(result: PGresult) -> bool:
    """Here, in the client, while it reads."""
    return not _state(result) and b"memory" in (result.error_message or b"")


def is_more_than_reading(result: PGresult) -> bool:
    """Refused by a read-only transaction, for a right that one has in a private copy, or by the protocol for one statement."""
    if _state(result) in (_READ_ONLY, _NO_PRIVILEGE, _INSIDE_A_TRANSACTION, _PARAMETERS):
        return True
    return _state(result) == _SYNTAX and result.error_field(Field.SOURCE_FUNCTION) == _PARSER


def explain(result: PGresult, sql: str, login: Login, limits: Limits) -> SqlError:
    code = _state(result)
    if code == _CANCELED:
        return late(limits)
    lines = [_text(result, Field.MESSAGE_PRIMARY) + _place(result, sql)]
    for title, field in (("Detail", Field.MESSAGE_DETAIL), ("Hint", Field.MESSAGE_HINT)):
        if text := _text(result, field):
            lines.append(f"{title}: {text}")
    return SqlError(_kind(code), in_their_words("\n".join(lines), login))


def late(limits: Limits) -> SqlError:
    return SqlError("time", f"The query was stopped after {limits.seconds:g} seconds, its time limit.")


def too_large() -> SqlError:
    return SqlError("memory", "The result needs too much memory.")


def _state(result: PGresult) -> bytes:
    return result.error_field(Field.SQLSTATE) or b""


def _kind(code: bytes) -> SqlFault:
    if code == _NO_PRIVILEGE:
        return "refused"
    return "memory" if code.startswith(_RESOURCES) else "sql"


def _place(result: PGresult, sql: str) -> str:
    position = _text(result, Field.STATEMENT_POSITION)
    if not position:
        return ""
    before = sql[: int(position) - 1]
    return f" (line {before.count(chr(10)) + 1}, column {len(before) - before.rfind(chr(10))})"


def _text(result: PGresult, field: Field) -> str:
    return (result.error_field(field) or b"").decode(errors="backslashreplace")


def in_their_words(text: str, login: Login) -> str:
    """Without the names that are ours."""
    return text.replace(login.database, login.shown_as).replace(login.role, "agent").replace(login.owner, "agent")


_LOOK = 0.25
"""Seconds between two looks at the clock."""
_ROWS_PER_CHUNK = 64
_SECONDS_TO_STOP = 2.0
_OLDEST_WITH_CHUNKS = 170000
_ENDINGS = (b"COMMIT", b"ROLLBACK", b"PREPARE TRANSACTION")
_WITH_ROWS = (ExecStatus.TUPLES_OK, ExecStatus.TUPLES_CHUNK, ExecStatus.SINGLE_TUPLE)
_COPY = (ExecStatus.COPY_IN, ExecStatus.COPY_OUT, ExecStatus.COPY_BOTH)


class ConnectionLost(Exception):
    """The server closed the connection, or died."""


class Impossible(Exception):
    """What the text wants cannot be done by reading alone, in one statement."""


class _Overdue(Exception):
    pass


@dataclass
class Execution:
    """How texts are run for one login. The connection is closed whenever it cannot be used any more."""

    login: Login
    connection: Connection
    limits: Limits
    single: bool
    """One statement only, by the protocol that takes no more; what would have to write is Impossible."""
    as_text: bool
    """Cells as PostgreSQL writes them, instead of Python values."""
    ended: bool = False
    """Whether a statement has ended the transaction that it was run in."""

    def run(self, sql: str) -> LastTable:
        """Raises SqlError, Impossible or ConnectionLost."""
        if "\0" in sql:
            raise SqlError("sql", "The SQL holds a NUL character.")
        table = LastTable(Loader(self.connection, as_text=self.as_text), self.limits)
        try:
            with held_to(memory=self.limits.memory + self.limits.bytes):
                failure = self._read(sql, table)
        except MemoryError:
            self.connection.close()
            raise too_large() from None
        except _Overdue:
            self._stop()
            raise late(self.limits) from None
        except psycopg.OperationalError:
            self.connection.close()
            raise ConnectionLost from None
        except SqlError:
            self._stop()
            raise
        if failure is not None:
            raise failure
        if table.empty:
            raise SqlError("blank", "There is no SQL statement in this text.")
        return table

    def _read(self, sql: str, table: LastTable) -> Exception | None:
        pgconn = self.connection.pgconn
        if self.single:
            pgconn.send_query_params(sql.encode(), None)
        else:
            pgconn.send_query(sql.encode())
        _read_in_chunks(pgconn)
        clock = StatementClock(pgconn, private=self.login.server.private)
        failure = None
        while (result := _next(pgconn, clock, self.limits.seconds)) is not None:
            failure = failure or self._take(result, table, sql)
            if self.single and table.truncated:  # in a text of several statements the last one is still to come
                self._stop()
                break
        return failure

    def _take(self, result: PGresult, table: LastTable, sql: str) -> Exception | None:
        status = result.status
        if status in _WITH_ROWS:
            table.add(result)
        elif status == ExecStatus.COMMAND_OK:
            self.ended |= (result.command_status or b"").startswith(_ENDINGS)
            table.start(result.command_tuples or 0)
        elif status in _COPY:
            cut(self.login, self.connection)
            raise SqlError("refused", "COPY from or to the client is not possible here; use INSERT or SELECT.")
        elif status != ExecStatus.EMPTY_QUERY:
            return self._failure(result, sql)
        return None

    def _failure(self, result: PGresult, sql: str) -> Exception:
        if is_out_of_memory(result):
            self.connection.close()
            return too_large()
        if is_connection_end(result):
            self.connection.close()
            return ConnectionLost()
        if self.single and is_more_than_reading(result):
            return Impossible()
        return explain(result, sql, self.login, self.limits)

    def _stop(self) -> None:
        """Ends a statement whose result is not wanted any more."""
        if self.connection.closed:
            return
        with contextlib.suppress(psycopg.Error, _Overdue):
            self.connection.cancel_safe(timeout=_SECONDS_TO_STOP)
            clock = StatementClock(self.connection.pgconn, private=self.login.server.private)
            while _next(self.connection.pgconn, clock, _SECONDS_TO_STOP) is not None:
                pass
        if self.connection.pgconn.transaction_status in (TransactionStatus.ACTIVE, TransactionStatus.UNKNOWN):
            cut(self.login, self.connection)


def _read_in_chunks(pgconn: PGconn) -> None:
    if psycopg.pq.version() >= _OLDEST_WITH_CHUNKS:
        pgconn.set_chunked_rows_mode(_ROWS_PER_CHUNK)
    else:
        pgconn.set_single_row_mode()


def _next(pgconn: PGconn, clock: StatementClock, limit: float) -> PGresult | None:
    """The next result, waited for until the clock shows the limit."""
    while pgconn.is_busy():
        left = limit - clock.seconds()
        if left <= 0:
            raise _Overdue
        if _readable(pgconn.socket, min(left, _LOOK)):
            pgconn.consume_input()
    return pgconn.get_result()


def _readable(socket: int, seconds: float) -> bool:
    poll = select.poll()  # unlike select(), it takes any number of open files
    poll.register(socket, select.POLLIN)
    return bool(poll.poll(max(1, seconds * 1000)))
