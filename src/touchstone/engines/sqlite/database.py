"""The databases of one episode on SQLite: what its workers do, on a private copy each time."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any

from ...errors import SqlError
from ...types import Limits, Table
from ...workers.limits import held_to
from ..file_database import FileDatabase
from ..judging_connection import PlainConnection, Result
from ..messages import (
    MOST_STATEMENTS,
    SECONDS_TO_COMPARE,
    Fault,
    FileWork,
    FunctionResponse,
    ShownTable,
    SqlRows,
    answer_of,
    respond,
)
from .connection import SqliteConnection
from .engine import SqliteEngine
from .guard import statements as cut
from .guard import without_comments

MOST_ROWS = 10_000
"""That the published evaluators read of a query."""

_QUERIES = ("select", "with")
_WRITES = re.compile(r"\s*(?:insert|update|delete|replace)\b", re.IGNORECASE)


class SqliteEpisodeDatabase(FileDatabase):
    """One episode's databases. A private copy costs under a millisecond, so whatever is done makes its own."""

    def __init__(self, engine: SqliteEngine, database: Path) -> None:
        super().__init__(engine, engine.source(database), do)


class SqliteJudgingConnection(PlainConnection):
    """A private copy, for one judgement."""

    dialect = "sqlite"
    writes = True

    def __init__(self, connection: SqliteConnection, limits: Limits) -> None:
        self._connection = connection
        self._limits = limits

    @property
    def wrote(self) -> bool:
        return self._connection.wrote

    def table(self, sql: str) -> Table:
        return self._connection.run(sql, self._limits)

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


def _is_several(sql: str) -> bool:
    """As Python's sqlite3 counts them: behind the first statement, a semicolon alone is another."""
    pieces = cut(sql)
    return len(pieces) > 1 or (len(pieces) == 1 and bool(without_comments(sql.rpartition(pieces[0])[2]).strip()))


def do(work: FileWork) -> SqlRows | ShownTable | Fault | FunctionResponse:
    try:
        connection = SqliteConnection(Path(work.path), private=True)
    except (sqlite3.Error, OSError, MemoryError) as error:
        return Fault("sql", f"cannot open the database: {error}")
    try:
        if work.sql is not None:
            table = connection.run(work.sql, work.limits)
            if work.keep is not None:
                Path(work.keep).write_bytes(connection.serialized())
            return answer_of(table, shown=work.shown)
        with held_to(cpu=work.limits.cpu_seconds * MOST_STATEMENTS + SECONDS_TO_COMPARE):
            return respond(work.function, work.request, SqliteJudgingConnection(connection, work.limits))
    except SqlError as error:
        return Fault(error.kind, error.message)
    finally:
        connection.close()
