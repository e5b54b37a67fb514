"""The metric on database files: names, columns and rows of SQLite and DuckDB.

The file is the agent's: it is opened read-only, nothing in it can reach other files, and a view that never ends or yields too
much is stopped. Names are quoted, so that a table called `order` is no accident.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, Literal

from ..extras import need
from ..registry import metric
from ..untrusted import MetricResult, Unreadable, refuse_large, shown

Kind = Literal["table", "view"]
Aspect = Literal["table", "view", "table-schema", "view-schema", "table-schema-content", "view-schema-content"]
SECONDS = 60.0
MOST_ROWS = 2_000_000
KINDS: tuple[Kind, ...] = ("table", "view")


class Database:
    """One of the two databases, with one connection for both libraries' common ground."""

    def __init__(self, path: Path, connection: Any) -> None:
        self.path = path
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        try:
            rows = self._connection.execute(sql, list(values)).fetchmany(MOST_ROWS + 1)
        except Exception as error:  # the libraries have no common root, and DuckDB raises many kinds
            raise Unreadable(self.path, f"cannot be queried: {' '.join(str(error).split())}") from None
        if len(rows) > MOST_ROWS:
            raise Unreadable(self.path, f"has a table or view of more than {MOST_ROWS:,} rows")
        return rows

    def names(self, kind: Kind, wanted: Sequence[str]) -> list[str]:
        rows = self.rows("SELECT name FROM sqlite_master WHERE type = ? ORDER BY name", [kind])
        return [name for (name,) in rows if not wanted or name in wanted]

    def columns(self, name: str) -> list[tuple[Any, ...]]:
        return self.rows(f"PRAGMA table_info({_literal(name)})")

    def content(self, name: str) -> list[tuple[Any, ...]]:
        quoted = name.replace('"', '""')
        return self.rows(f'SELECT * FROM "{quoted}"')


@metric()
def check_local_database(
    result: Path,
    expected: Path,
    db_type: Literal["duckdb", "sqlite3"] = "duckdb",
    check_type: Sequence[Aspect] = ("table", "view"),
    schema_name: str = "",
    table_targets: Sequence[str] = (),
    view_targets: Sequence[str] = (),
) -> MetricResult:
    """The same names, columns and rows, as far as `check_type` asks; content implies columns imply names."""
    opened = _duckdb if db_type == "duckdb" else _sqlite
    with opened(result) as mine, opened(expected) as gold:
        if schema_name:
            schema = mine.rows("SELECT 1 FROM information_schema.schemata WHERE schema_name = ?", [schema_name])
            if not schema:
                return MetricResult(0.0, f"there is no schema {schema_name}")
            for database in (mine, gold):
                database.rows(f"SET schema TO {_literal(schema_name)}")
        for kind, targets in zip(KINDS, (table_targets, view_targets), strict=True):
            if difference := _difference(mine, gold, kind, targets, check_type):
                return MetricResult(0.0, difference)
    return MetricResult(1.0, f"equal in {', '.join(check_type)}")


def _difference(mine: Database, gold: Database, kind: Kind, targets: Sequence[str], asked: Sequence[str]) -> str | None:
    if not any(aspect.startswith(kind) for aspect in asked):
        return None
    mine_names, gold_names = mine.names(kind, targets), gold.names(kind, targets)
    if mine_names != gold_names:
        return f"expected the {kind}s {shown(gold_names)}, found {shown(mine_names)}"
    content = f"{kind}-schema-content" in asked
    for name in gold_names if content or f"{kind}-schema" in asked else []:
        if mine.columns(name) != gold.columns(name):
            return f"the columns of {name} differ: expected {shown(gold.columns(name))}, found {shown(mine.columns(name))}"
    for name in gold_names if content else []:
        if difference := _row_difference(mine.content(name), gold.content(name)):
            return f"{name}: {difference}"
    return None


def _row_difference(mine: list[tuple[Any, ...]], gold: list[tuple[Any, ...]]) -> str | None:
    if len(mine) != len(gold):
        return f"expected {len(gold)} rows, found {len(mine)}"
    unequal = next((number for number, pair in enumerate(zip(mine, gold, strict=True)) if pair[0] != pair[1]), None)
    return None if unequal is None else f"row {unequal + 1}: expected {shown(gold[unequal])}, found {shown(mine[unequal])}"


@contextmanager
def _sqlite(path: Path) -> Generator[Database]:
    refuse_large(path)
    deadline = time.monotonic() + SECONDS
    journal = path.with_name(path.name + "-wal").exists()
    how = "mode=ro" if journal else "immutable=1"  # a file alone is read without making files beside it
    with closing(sqlite3.connect(f"{path.resolve().as_uri()}?{how}", uri=True)) as connection:
        connection.set_authorizer(_only_reading)
        connection.set_progress_handler(lambda: int(time.monotonic() > deadline), 10_000)
        yield Database(path, connection)


@contextmanager
def _duckdb(path: Path) -> Generator[Database]:
    refuse_large(path)
    duckdb = need("duckdb")
    limits = {"enable_external_access": "false", "memory_limit": "1GB", "threads": "1", "autoload_known_extensions": "false"}
    try:
        connection = duckdb.connect(str(path), read_only=True, config=limits)
    except Exception as error:
        raise Unreadable(path, f"is not a readable DuckDB file: {' '.join(str(error).split())[:300]}") from None
    timer = Timer(SECONDS, connection.interrupt)
    timer.start()
    try:
        yield Database(path, connection)
    finally:
        timer.cancel()
        connection.close()


def _only_reading(action: int, first: str | None, second: str | None, database: str | None, trigger: str | None) -> int:
    reading = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE)
    if action == sqlite3.SQLITE_PRAGMA:
        return sqlite3.SQLITE_OK if first == "table_info" else sqlite3.SQLITE_DENY
    return sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY


def _literal(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"
