"""A benchmark's function judges beside the data: on the database that everybody reads, or on one of its own.

The first is tried where reading is expected, in one read-only transaction. As soon as the function needs more than that, the
judgement starts again on a private copy, where every text is committed. The signals for this are no ordinary exceptions, so
that a function that catches all of those cannot swallow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
from psycopg.pq import TransactionStatus

from ...failures import SqlError
from ...protocols import Limits
from ..bench import Result, last_of
from ..functions import found
from . import kept
from .connection import Connection, Unreachable, abandoned, take_seat
from .execution import ConnectionLost, Execution, Impossible
from .messages import CRASHED, Applied, Gone, Judgement, Lost, NeedsCopy, Seat
from .statements import only_reads

_SAVEPOINT = "touchstone"


class _Again(BaseException):
    """The judgement ends here, and the event loop decides how it goes on."""

    def __init__(self, answer: NeedsCopy | Lost | Gone) -> None:
        self.answer = answer


class ReadingBench:
    """Reads what all worlds share."""

    dialect = "postgres"
    timed_out = False

    def __init__(self, request: Judgement) -> None:
        self._seat = request.seat
        timeout = f"SET LOCAL {abandoned(request.limits.seconds)}"
        self._connection = _begun(request.seat, f"BEGIN READ ONLY; SET LOCAL ROLE {request.seat.owner}; {timeout}")
        self._execution = Execution(request.seat, self._connection, request.limits, single=True, as_text=False)

    def run(self, sql: str) -> Result:
        if not only_reads(sql):
            raise _Again(NeedsCopy())
        self._send(f"SAVEPOINT {_SAVEPOINT}")
        try:
            result = _run(self._execution, sql)
        except SqlError as error:
            self.timed_out |= error.kind == "time"
            self._send(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
            raise
        except (Impossible, ConnectionLost):
            raise _Again(NeedsCopy()) from None
        failed = self._connection.pgconn.transaction_status == TransactionStatus.INERROR  # after a table was cut
        self._send(f"{'ROLLBACK TO' if failed else 'RELEASE'} SAVEPOINT {_SAVEPOINT}")
        return result

    def trial(self, statements: Sequence[str], *, continues: bool = False) -> Result:
        """Nothing can be changed here anyway."""
        return last_of(statements, self.run, continues=continues)

    def connect(self) -> Any:
        raise _Again(NeedsCopy())

    def close(self) -> None:
        kept.put_back(self._seat, self._connection)

    def _send(self, sql: str) -> None:
        """If it fails, the connection is gone, with whatever its session had set."""
        if not kept.send(self._connection, sql):
            raise _Again(NeedsCopy())


class CopyBench:
    """Works on a database that nobody else uses."""

    dialect = "postgres"
    timed_out = False

    def __init__(self, request: Judgement) -> None:
        self._request = request
        self._execution = _execution(request)
        self._given: list[Connection] = []

    def run(self, sql: str) -> Result:
        try:
            if self._execution.connection.closed:
                self._execution = _execution(self._request)
            return _run(self._execution, sql)
        except SqlError as error:
            self.timed_out |= error.kind == "time"
            raise
        except ConnectionLost:
            if not self._request.last:
                raise _Again(Lost()) from None
            raise SqlError("crash", CRASHED) from None

    def trial(self, statements: Sequence[str], *, continues: bool = False) -> Result:
        self.run("BEGIN")
        try:
            return last_of(statements, self._within, continues=continues)
        finally:
            with suppress(SqlError):
                self.run("ROLLBACK")

    def _within(self, sql: str) -> Result:
        """Of a transaction that must survive an error."""
        self.run(f"SAVEPOINT {_SAVEPOINT}")
        try:
            return self.run(sql)
        except SqlError:
            with suppress(SqlError):
                self.run(f"ROLLBACK TO SAVEPOINT {_SAVEPOINT}")
            raise

    def connect(self) -> Any:
        """Like those of the drivers that test code is written for, it begins transactions by itself."""
        connection = _open(self._request.seat, self._request.limits, autocommit=False)
        self._given.append(connection)
        return connection

    def close(self) -> None:
        for connection in (self._execution.connection, *self._given):
            connection.close()


def judge(request: Judgement) -> Applied | NeedsCopy | Lost | Gone:
    function, kind = found(request.function)
    bench: ReadingBench | CopyBench | None = None
    try:
        bench = CopyBench(request) if request.writes else ReadingBench(request)
        response = function(bench, msgspec.msgpack.decode(request.request, type=kind))
        return Applied(msgspec.Raw(msgspec.msgpack.encode(response)), bench.timed_out)
    except _Again as again:
        return again.answer
    finally:
        if bench is not None:
            bench.close()


def _run(execution: Execution, sql: str) -> Result:
    table = execution.run(sql)
    return Result(table.columns, table.rows, table.changed)


def _execution(request: Judgement) -> Execution:
    connection = _open(request.seat, request.limits)
    connection.execute(f"SET {abandoned(request.limits.seconds)}".encode())
    return Execution(request.seat, connection, request.limits, single=False, as_text=False)


def _begun(seat: Seat, start: str) -> Connection:
    try:
        return kept.begin(seat, start)
    except kept.CannotBegin:
        raise _Again(NeedsCopy()) from None
    except Unreachable as error:
        raise _Again(Gone(str(error))) from None


def _open(seat: Seat, limits: Limits, *, autocommit: bool = True) -> Connection:
    try:
        return take_seat(seat, limits.seconds, autocommit=autocommit)
    except Unreachable as error:
        raise _Again(Gone(str(error))) from None
