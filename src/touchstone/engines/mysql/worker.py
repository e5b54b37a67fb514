"""What runs inside worker processes: SQL, or a benchmark's function, by a connection of its own to a MySQL or MariaDB server.

A login that only reads sends one statement at a time, by the protocol that takes no second one, in a read-only transaction of
an account without other rights. A login to a private copy may send anything: its account has rights in that database alone.
Time is the server's limit, and behind it this process's, which then kills the connection on the server.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec
import pymysql
from msgspec import Struct
from pymysql.cursors import SSCursor

from ...errors import SqlError
from ...types import Limits, Table
from ...workers.limits import held_to
from ..judging_connection import PlainConnection, Result, last_result
from ..messages import (
    Fault,
    FunctionResponse,
    ShownTable,
    SqlRows,
    answer_of,
    fetched,
    no_statement,
    out_of_memory,
    out_of_time,
    plain,
    refuse_long,
    respond,
)
from ..postgres.messages import Lost, NeedsCopy, ServerGone
from .statements import is_blank, only_reads, refuse_looking_at_others, split

SECONDS_TO_CONNECT = 10
_GRACE = 2.0
"""Seconds that the server has to end a statement at its limit, before its connection is killed."""
_TIME = {1317, 1969, 3024}
_DENIED = {1044, 1142, 1143, 1227, 1370, 1410, 1049, 1045}
_READ_ONLY = {1792, 1290}
_MEMORY = {1037, 1038, 1041, 5}
_LOST = {2006, 2013, 2055, 1053, 1927}


class MysqlLogin(Struct, frozen=True):
    user: str
    password: str
    database: str
    host: str = ""
    port: int = 3306
    socket: str | None = None
    encrypted: bool = False
    reads: bool = True
    """Only reading statements, one at a time."""


class MysqlWork(Struct, frozen=True):
    """SQL, or a function with its encoded request."""

    login: MysqlLogin
    limits: Limits
    sql: str | None = None
    shown: bool = False
    function: str = ""
    request: msgspec.Raw = msgspec.Raw(b"\xc0")  # nil


Answer = SqlRows | ShownTable | FunctionResponse | Fault | NeedsCopy | Lost | ServerGone


class _End(BaseException):
    """Ends a judgement, past a function that catches every exception."""

    def __init__(self, answer: NeedsCopy | Lost) -> None:
        self.answer = answer


def do(work: MysqlWork) -> Answer:
    try:
        connection = MysqlJudgingConnection(work.login, work.limits)
    except pymysql.Error as error:
        return ServerGone(_words(error))
    try:
        with held_to(memory=2 * work.limits.memory + work.limits.bytes):
            if work.sql is not None:
                return answer_of(plain(connection.table(work.sql)), shown=work.shown)
            return respond(work.function, work.request, connection)
    except _End as end:
        return end.answer
    except SqlError as error:
        return Fault(error.kind, error.message)
    finally:
        connection.close()


def connect(login: MysqlLogin, timeout: float | None = None, *, cursor: Any = SSCursor) -> Any:
    """Raises pymysql.Error if nobody is there, or not for us. The driver's own types are incomplete."""
    where: dict[str, Any] = {"unix_socket": login.socket} if login.socket else {"host": login.host, "port": login.port}
    if login.encrypted:
        import ssl

        where["ssl"] = ssl.create_default_context()
    return pymysql.connect(
        **where,
        user=login.user,
        password=login.password,
        database=login.database or None,
        charset="utf8mb4",
        autocommit=True,
        connect_timeout=SECONDS_TO_CONNECT,
        read_timeout=timeout,
        local_infile=False,
        cursorclass=cursor,
    )


class MysqlJudgingConnection(PlainConnection):
    """One connection, for one exploration or judgement; whatever a session can remember ends with it."""

    dialect = "mysql"
    label = "MySQL"

    def __init__(self, login: MysqlLogin, limits: Limits) -> None:
        self.writes = not login.reads
        self._login = login
        self._limits = limits
        self._connection = connect(login, limits.seconds + _GRACE)
        self._is_mariadb = "mariadb" in self._connection.get_server_info().lower()
        if login.reads:
            self._set("SET SESSION TRANSACTION READ ONLY")

    def trial(self, statements: Sequence[str]) -> Result:
        if not self._login.reads:
            self._set("START TRANSACTION")
        try:
            return last_result(self.run, statements)
        finally:
            with suppress(SqlError):
                self._set("ROLLBACK")

    def close(self) -> None:
        with suppress(pymysql.Error, OSError):
            self._connection.close()

    def table(self, sql: str) -> Table:
        refuse_long(sql)
        if is_blank(sql):
            raise no_statement()
        refuse_looking_at_others(sql)
        statements = [statement for statement in split(sql) if not is_blank(statement)]
        if self._login.reads and not all(map(only_reads, statements)):
            raise _End(NeedsCopy())
        table = Table((), [])
        for statement in statements:
            table = self._statement(statement)
        return table

    def _statement(self, sql: str) -> Table:
        self._set_limits()
        began = time.monotonic()
        try:
            if self._login.reads:
                self._connection.query("START TRANSACTION READ ONLY")
            cursor = self._connection.cursor()
            cursor.execute(sql)
            table = self._fetched(cursor, began)
            if time.monotonic() - began >= self._limits.seconds:  # BENCHMARK ends at the limit, and does not say so
                raise self._out_of_time()
            if self._login.reads and not table.truncated:
                self._connection.query("ROLLBACK")
            return table
        except SqlError:
            self._cut()
            raise
        except pymysql.Error as error:
            raise self._explained(error, began) from None
        except (UnicodeError, ValueError, OverflowError) as error:
            self._cut()
            raise SqlError("sql", f"The result cannot be read: {error}") from None
        except MemoryError:
            self._cut()
            raise out_of_memory(self._limits) from None

    def _fetched(self, cursor: Any, began: float) -> Table:
        if cursor.description is None:
            return Table((), [], changed=max(cursor.rowcount, 0))
        columns = tuple(str(column[0]) for column in cursor.description)

        def look() -> None:
            if time.monotonic() - began > self._limits.seconds + _GRACE:
                raise self._out_of_time()

        table = fetched(columns, cursor.fetchmany, self._limits, look=look)
        if table.truncated:
            self._cut()
        return table

    def _explained(self, error: pymysql.Error, began: float) -> SqlError:
        code = error.args[0] if error.args else 0
        waited = time.monotonic() - began
        if code in _TIME or (code in _LOST and waited >= self._limits.seconds):
            self._cut()
            return self._out_of_time()
        if code in _LOST:
            raise _End(Lost())
        if code in _MEMORY or (code == 1290 and "max-session-mem-used" in _words(error)):
            return out_of_memory(self._limits)
        if code in _READ_ONLY and self._login.reads:
            raise _End(NeedsCopy())
        if code in _DENIED:
            return SqlError("refused", f"Only the database of this task can be used: {_words(error)}")
        return SqlError("sql", _words(error))

    def _out_of_time(self) -> SqlError:
        self.timed_out = True
        return out_of_time(self._limits)

    def _cut(self) -> None:
        """Ends what is still at work on the server, and begins anew."""
        thread = self._connection.thread_id()
        with suppress(pymysql.Error, OSError), connect(self._login, _GRACE) as other:
            other.query(f"KILL CONNECTION {thread:d}")
        # PyMySQL would read the rest of a result before it lets go of it.
        if (rest := self._connection._result) is not None:
            rest.unbuffered_active = False
        self._connection._force_close()
        try:
            self._connection = connect(self._login, self._limits.seconds + _GRACE)
        except pymysql.Error:
            raise _End(Lost()) from None
        if self._login.reads:
            self._set("SET SESSION TRANSACTION READ ONLY")

    def _set_limits(self) -> None:
        if self._is_mariadb:
            seconds, memory = self._limits.seconds, self._limits.memory
            self._set(f"SET SESSION max_statement_time = {seconds:.3f}, max_session_mem_used = {memory:d}")
        else:
            self._set(f"SET SESSION max_execution_time = {max(1, round(1000 * self._limits.seconds))}")

    def _set(self, sql: str) -> None:
        try:
            self._connection.query(sql)
        except pymysql.Error as error:
            if error.args and error.args[0] in _LOST:
                raise _End(Lost()) from None
            raise SqlError("sql", _words(error)) from None


def _words(error: pymysql.Error) -> str:
    """The server's message, without the driver's number beside it."""
    return " ".join(str(error.args[1] if len(error.args) > 1 else error).split())
