"""A benchmark's function judges beside the data: on the database that everybody reads, or on one of its own.

The first is tried where reading is expected, in one read-only transaction. As soon as the function needs more than that, the
judgement starts again on a private copy, where every text is committed. The signals for this are no ordinary exceptions, so
that a function that catches all of those cannot swallow them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from psycopg.pq import TransactionStatus

from ...errors import SqlError
from ...sandbox.later import later
from ..judging_connection import Result, last_result, named_function, rolled_back
from .connection import (
    CannotBegin,
    Connection,
    Unreachable,
    abandoned,
    begin,
    execute,
    open_psycopg2,
    put_back,
    send,
    take_seat,
)
from .execution import ConnectionLost, Execution, Impossible, in_their_words
from .messages import CRASHED, Applied, Login, Lost, NeedsCopy, QueryJudgement, ServerGone
from .statements import only_reads
from .values import official_rows

_SAVEPOINT = "touchstone"
_OPEN = (TransactionStatus.INTRANS, TransactionStatus.INERROR)


class _Again(BaseException):
    """The judgement ends here, and the event loop decides how it goes on."""

    def __init__(self, answer: NeedsCopy | Lost | ServerGone) -> None:
        self.answer = answer


class ReadOnlyJudgingConnection:
    """Reads what all episodes share."""

    dialect = "postgres"
    timed_out = False
    had_session = False
    writes = False

    def __init__(self, request: QueryJudgement) -> None:
        self._seat = request.login
        timeout = f"SET LOCAL {abandoned(request.limits.seconds)}"
        self._connection = _begun(request.login, f"BEGIN READ ONLY; SET LOCAL ROLE {request.login.owner}; {timeout}")
        self._execution = Execution(request.login, self._connection, request.limits, single=True, as_text=False)

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

    def trial(self, statements: Sequence[str]) -> Result:
        """Nothing can be changed here anyway."""
        return last_result(self.run, statements)

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        return _official_rows(self._seat, sql, result)

    def session(self) -> Any:
        raise _Again(NeedsCopy())

    def shown(self, text: str) -> str:
        return in_their_words(text, self._seat)

    def close(self) -> None:
        put_back(self._seat, self._connection)

    def _send(self, sql: str) -> None:
        """If it fails, the connection is gone, with whatever its session had set."""
        if not send(self._connection, sql):
            raise _Again(NeedsCopy())


class CopyJudgingConnection:
    """Works on a database that nobody else uses."""

    dialect = "postgres"
    timed_out = False
    had_session = False
    writes = True

    def __init__(self, request: QueryJudgement) -> None:
        self._request = request
        self._execution: Execution | None = None  # hidden tests need none: they have a session of their own

    def run(self, sql: str) -> Result:
        """A text may leave open what it began: that is committed, too, and after an error undone."""
        try:
            result = self._one(sql)
        except SqlError:
            if self._is_open():
                self._one("ROLLBACK")
            raise
        if self._is_open():
            self._one("COMMIT")
        return result

    def _is_open(self) -> bool:
        connection = self._execution.connection if self._execution is not None else None
        return connection is not None and not connection.closed and connection.pgconn.transaction_status in _OPEN

    def _one(self, sql: str) -> Result:
        try:
            if self._execution is None or self._execution.connection.closed:
                self._execution = _execution(self._request)
            return _run(self._execution, sql)
        except SqlError as error:
            self.timed_out |= error.kind == "time"
            raise
        except ConnectionLost:
            if not self._request.last:
                raise _Again(Lost()) from None
            raise SqlError("crash", CRASHED) from None

    def trial(self, statements: Sequence[str]) -> Result:
        return rolled_back(self._one, statements)

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        return _official_rows(self._request.login, sql, result)

    def session(self) -> Any:
        self.had_session = True
        try:
            return open_psycopg2(self._request.login, self._request.limits.seconds)
        except Unreachable as error:
            raise _Again(ServerGone(str(error))) from None

    def shown(self, text: str) -> str:
        return in_their_words(text, self._request.login)

    def close(self) -> None:
        if self._execution is not None:
            later(self._execution.connection.close)


def judge(request: QueryJudgement) -> Applied | NeedsCopy | Lost | ServerGone:
    function, kind = named_function(request.function)
    bench: ReadOnlyJudgingConnection | CopyJudgingConnection | None = None
    try:
        bench = CopyJudgingConnection(request) if request.writes else ReadOnlyJudgingConnection(request)
        response = function(bench, msgspec.msgpack.decode(request.request, type=kind))
        return Applied(msgspec.Raw(msgspec.msgpack.encode(response)), bench.timed_out, bench.had_session)
    except _Again as again:
        return again.answer
    finally:
        if bench is not None:
            bench.close()


def _run(execution: Execution, sql: str) -> Result:
    table = execution.run(sql)
    return Result(table.columns, table.rows, table.changed, table.results)


def _official_rows(login: Login, sql: str, result: Result) -> list[tuple[Any, ...]]:
    try:
        return official_rows(login, sql, result.raw)
    except Unreachable as error:
        raise _Again(ServerGone(str(error))) from None


def _execution(request: QueryJudgement) -> Execution:
    connection = _open(request.login)
    execute(connection, f"SET {abandoned(request.limits.seconds)}")
    return Execution(request.login, connection, request.limits, single=False, as_text=False)


def _begun(login: Login, start: str) -> Connection:
    try:
        return begin(login, start)
    except CannotBegin:
        raise _Again(NeedsCopy()) from None
    except Unreachable as error:
        raise _Again(ServerGone(str(error))) from None


def _open(login: Login) -> Connection:
    try:
        return take_seat(login)
    except Unreachable as error:
        raise _Again(ServerGone(str(error))) from None
