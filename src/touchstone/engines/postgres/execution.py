"""Runs one text on an open connection, under limits, and reads what it gives chunk by chunk.

A statement is cancelled at its time limit, by a clock that stands still while others have the cores; if it does not end then,
the connection is cut. The server's own `statement_timeout` is only for statements whose worker is gone.
"""

from __future__ import annotations

import contextlib
import select
from dataclasses import dataclass

import psycopg
from psycopg.pq import ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from ...failures import SqlError
from ...protocols import Limits
from ...workers.rlimits import held_to
from . import errors
from .cells import Loader
from .clock import StatementClock
from .connection import Connection, cut
from .messages import Seat
from .tables import LastTable

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
    """How texts are run for one seat. The connection is closed whenever it cannot be used any more."""

    seat: Seat
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
            raise errors.too_large() from None
        except _Overdue:
            self._stop()
            raise errors.late(self.limits) from None
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
        clock = StatementClock(pgconn)
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
            cut(self.seat, self.connection)
            raise SqlError("refused", "COPY from or to the client is not possible here; use INSERT or SELECT.")
        elif status != ExecStatus.EMPTY_QUERY:
            return self._failure(result, sql)
        return None

    def _failure(self, result: PGresult, sql: str) -> Exception:
        if errors.is_out_of_memory(result):
            self.connection.close()
            return errors.too_large()
        if errors.is_connection_end(result):
            self.connection.close()
            return ConnectionLost()
        if self.single and errors.is_more_than_reading(result):
            return Impossible()
        return errors.explain(result, sql, self.seat, self.limits)

    def _stop(self) -> None:
        """Ends a statement whose result is not wanted any more."""
        if self.connection.closed:
            return
        with contextlib.suppress(psycopg.Error, _Overdue):
            self.connection.cancel_safe(timeout=_SECONDS_TO_STOP)
            clock = StatementClock(self.connection.pgconn)
            while _next(self.connection.pgconn, clock, _SECONDS_TO_STOP) is not None:
                pass
        if self.connection.pgconn.transaction_status in (TransactionStatus.ACTIVE, TransactionStatus.UNKNOWN):
            cut(self.seat, self.connection)


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
