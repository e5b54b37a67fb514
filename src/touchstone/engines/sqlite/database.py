"""The databases of one episode on SQLite: exploring leaves nothing behind, and a judgement has a copy to itself.

A private copy costs under a millisecond, so each of these makes its own. What an episode has come past is kept as a file of its
own, from which later copies are made.
"""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from ...errors import SqlError
from ...protocols import Limits
from ...sandbox.folders import scratch_folder
from ...types import Observation, Table
from ...workers.limits import held_to
from ...workers.pool import STALLED, WorkerLost
from ..judging_connection import JudgingConnection, Result, last_result, name_of, named_function, result_type
from ..tables import observation_of
from .connection import Connection
from .engine import SqliteEngine, blamed
from .guard import statements as cut
from .guard import without_comments
from .worker import SECONDS_TO_COMPARE, SqliteFault, SqliteRows, SqliteShown

_MOST_STATEMENTS = 8
"""Of a judgement, that may each take long."""

MOST_ROWS = 10_000
"""That the published evaluators read of a query."""

A = TypeVar("A")
R = TypeVar("R")

_QUERIES = ("select", "with")
_WRITES = re.compile(r"\s*(?:insert|update|delete|replace)\b", re.IGNORECASE)


class SqliteWork(Struct, frozen=True):
    """Something to be done on a fresh copy: SQL, or a function."""

    path: str
    limits: Limits
    sql: str | None = None
    keep: str | None = None
    """Where the copy goes afterwards, if it is to be kept."""
    shown: bool = False
    """Only what an agent sees of the result is wanted."""
    function: str = ""
    request: msgspec.Raw = msgspec.Raw(b"\xc0")  # nil


class SqliteResponse(Struct, frozen=True, tag="Response"):
    encoded: msgspec.Raw


class SqliteEpisodeDatabase:
    """One episode's databases."""

    def __init__(self, engine: SqliteEngine, database: Path) -> None:
        self._engine = engine
        self._source = str(engine.source(database))
        self._states: list[Path] = []

    async def explore(self, sql: str, limits: Limits) -> Table:
        answer = await self._call(SqliteWork(self._source, limits, sql))
        assert isinstance(answer, SqliteRows)
        return answer.table

    async def show(self, sql: str, limits: Limits) -> Observation:
        answer = await self._call(SqliteWork(self._source, limits, sql, shown=True))
        assert isinstance(answer, SqliteShown)
        return answer.seen

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        """`wall` is for what the function waits for: its SQL is limited by its work."""
        encoded = msgspec.Raw(msgspec.msgpack.encode(request))
        work = SqliteWork(self._source, limits, function=name_of(function), request=encoded)
        answer = _checked(await self._engine.judged(do, work, limits, stalled=max(wall, STALLED)))
        assert isinstance(answer, SqliteResponse)
        return msgspec.msgpack.decode(answer.encoded, type=result_type(function))

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        """The state is from now on what it was, and these run. Raises SqlError, and then it is as before."""
        if not scripts:
            return
        descriptor, name = tempfile.mkstemp(suffix=".sqlite", dir=scratch_folder())
        os.close(descriptor)
        self._states.append(Path(name))
        await self._call(SqliteWork(self._source, limits, "\n;\n".join(scripts), keep=name, shown=True))
        self._source = name

    async def close(self) -> None:
        while self._states:
            self._states.pop().unlink(missing_ok=True)

    async def _call(self, work: SqliteWork) -> SqliteRows | SqliteShown | SqliteResponse:
        try:
            return _checked(await self._engine.pool.call(do, work))
        except WorkerLost as lost:
            raise blamed(lost, work.limits) from None


class SqliteJudgingConnection:
    """A private copy, for one judgement."""

    dialect = "sqlite"
    timed_out = False
    writes = True

    def __init__(self, connection: Connection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits

    def run(self, sql: str) -> Result:
        table = self._connection.run(sql, self._limits)
        return Result(table.columns, table.rows, table.changed)

    def trial(self, statements: Sequence[str]) -> Result:
        self.run("BEGIN")
        try:
            return last_result(self.run, statements)
        finally:
            with suppress(SqlError):
                self.run("ROLLBACK")

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        """They send a text as one statement, and commit what is no query before they read its rows."""
        if _is_several(sql):
            raise SqlError("multiple", "You can only execute one statement at a time.")
        if sql.strip().lower().startswith(_QUERIES):
            return result.rows[:MOST_ROWS]
        if result.rows and _WRITES.match(sql):
            raise SqlError("sql", "cannot commit transaction - SQL statements in progress")
        return result.rows

    def session(self) -> Any:
        return self._connection.copied()

    def shown(self, text: str) -> str:
        return text


def _is_several(sql: str) -> bool:
    """As Python's sqlite3 counts them: behind the first statement, a semicolon alone is another."""
    pieces = cut(sql)
    return len(pieces) > 1 or (len(pieces) == 1 and bool(without_comments(sql.rpartition(pieces[0])[2]).strip()))


def do(work: SqliteWork) -> SqliteRows | SqliteShown | SqliteFault | SqliteResponse:
    try:
        connection = Connection(Path(work.path), private=True)
    except (sqlite3.Error, OSError, MemoryError) as error:
        return SqliteFault("sql", f"cannot open the database: {error}")
    try:
        if work.sql is not None:
            table = connection.run(work.sql, work.limits)
            if work.keep is not None:
                Path(work.keep).write_bytes(connection.serialized())
            return SqliteShown(observation_of(table)) if work.shown else SqliteRows(table)
        function, kind = named_function(work.function)
        with held_to(cpu=work.limits.cpu_seconds * _MOST_STATEMENTS + SECONDS_TO_COMPARE):
            response = function(
                SqliteJudgingConnection(connection, work.limits), msgspec.msgpack.decode(work.request, type=kind)
            )
        return SqliteResponse(msgspec.Raw(msgspec.msgpack.encode(response)))
    except SqlError as error:
        return SqliteFault(error.kind, error.message)
    finally:
        connection.close()


def _checked(answer: SqliteRows | SqliteShown | SqliteFault | SqliteResponse) -> SqliteRows | SqliteShown | SqliteResponse:
    if isinstance(answer, SqliteFault):
        raise SqlError(answer.kind, answer.message)
    return answer
