"""Where two queries meet: a small database in memory that is filled again and again.

The queries are untrusted. They run under the engine's guard, read-only, with a limit on steps (counted, so the same
everywhere), on the length of a value and on the size of a result.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Protocol

from msgspec import Struct

from ..engines.sqlite.guard import Guard
from .source import FAILURES, TableInfo, bounded, create, decode, quoted

STEPS = 400_000
"""For one statement on a small database."""
_PER_CHECK = 2_000
_MOST_ROWS = 5_000
_MOST_BYTES = 8 * 2**20
_LONGEST_VALUE = 2**20

Rows = list[tuple[Any, ...]]
Frozen = frozenset[tuple[Any, ...]]


class ArenaTable(Struct, frozen=True):
    """A table as it is in the arena."""

    info: TableInfo
    positions: tuple[int, ...]
    """Which of the original's columns it has."""


class GuardedDatabase:
    """A database in memory that untrusted queries may only read."""

    def __init__(self, statements: Sequence[str], queries: Sequence[str] = ()) -> None:
        self._left = STEPS
        self._guard = Guard(private=False)
        self._guarded = False
        self._reversed = False
        self._connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=64)
        self._connection.text_factory = decode
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        for statement in statements:
            self._connection.execute(statement)
        self._connection.execute("PRAGMA trusted_schema = OFF")
        self._connection.set_authorizer(self._authorize)
        self._connection.set_progress_handler(self._spent, _PER_CHECK)
        self._guarded = True
        self.refused = {sql for sql in queries if not self._admits(sql)}

    def close(self) -> None:
        self._connection.close()

    def _authorize(self, *asked: Any) -> int:
        return self._guard(*asked) if self._guarded else sqlite3.SQLITE_OK

    def _spent(self) -> bool:
        self._left -= _PER_CHECK
        return self._left < 0

    def _admits(self, sql: str) -> bool:
        try:
            self._left = STEPS
            self._connection.execute(f"EXPLAIN {sql}").fetchall()
        except FAILURES:
            return False
        return True

    def reverse(self, on: bool) -> None:
        """Whether rows whose order is not asked for come the other way round."""
        if on != self._reversed:
            self._guarded = False
            self._connection.execute(f"PRAGMA reverse_unordered_selects = {int(on)}")
            self._guarded = True
            self._reversed = on

    def run(self, sql: str) -> Rows | None:
        """The rows, or None if the statement fails or is too much work."""
        if sql in self.refused:
            return None
        self._left = STEPS
        try:
            return bounded(self._connection.execute(sql), _MOST_ROWS, _MOST_BYTES)
        except FAILURES:
            return None

    def names(self, sql: str) -> tuple[str, ...]:
        cursor = self._connection.execute(sql)
        names = tuple(column[0] for column in cursor.description or ())
        cursor.close()
        return names


class Arena(Protocol):
    """A small database that both queries run on, filled with other rows again and again."""

    refused: set[str]
    """Queries that cannot be run there at all."""

    def fill(self, content: Mapping[str, Sequence[Sequence[Any]]], *, backwards: bool = False) -> bool:
        """Other rows in place of those that are there; False if the declarations refuse them."""
        ...

    def run(self, sql: str) -> Rows | None:
        """The rows, or None if the statement fails or is too much work."""
        ...

    def reverse(self, on: bool) -> None:
        """Whether rows whose order is not asked for come another way."""
        ...

    def names(self, sql: str) -> tuple[str, ...]:
        """Of the columns of a result."""
        ...

    def statements(self, content: Mapping[str, Sequence[Sequence[Any]]]) -> list[str]:
        """CREATE and INSERT, which make the same database elsewhere."""
        ...

    def close(self) -> None: ...


class SqliteArena(GuardedDatabase):
    """In memory."""

    def __init__(self, tables: Mapping[str, ArenaTable], queries: Sequence[str]) -> None:
        # The queries are admitted before anything is filled: Python remembers compiled statements by their text, so a query
        # that is the text of one of ours must have been refused by then.
        super().__init__(schema(tables), queries)
        self.tables = tables
        base = [(filled.info.name, len(filled.positions)) for filled in tables.values() if not filled.info.is_view]
        self._clear = [f"DELETE FROM {quoted(name)}" for name, _ in base]
        self._fill = {name.lower(): f"INSERT INTO {quoted(name)} VALUES ({','.join('?' * width)})" for name, width in base}

    def statements(self, content: Mapping[str, Sequence[Sequence[Any]]]) -> list[str]:
        made = schema(self.tables)
        for name, rows in content.items():
            filled = self.tables[name]
            if rows:
                values = ",\n  ".join(f"({', '.join(literal(row[position]) for position in filled.positions)})" for row in rows)
                made.append(f"INSERT INTO {quoted(filled.info.name)} VALUES\n  {values}")
        return made

    def fill(self, content: Mapping[str, Sequence[Sequence[Any]]], *, backwards: bool = False) -> bool:
        self._guarded = False
        self._left = STEPS
        connection = self._connection
        try:
            connection.execute("BEGIN")
            for statement in self._clear:
                connection.execute(statement)
            for name, rows in content.items():
                positions = self.tables[name].positions
                if rows:
                    cut = (
                        rows if len(positions) == len(rows[0]) else [[row[position] for position in positions] for row in rows]
                    )
                    connection.executemany(self._fill[name], reversed(cut) if backwards else cut)
            connection.execute("COMMIT")
        except FAILURES:
            connection.rollback()
            return False
        finally:
            self._guarded = True
        return True


def schema(tables: Mapping[str, ArenaTable]) -> list[str]:
    """CREATE statements, views last."""
    ordered = sorted(tables.values(), key=lambda filled: filled.info.is_view)
    return [create(filled.info, [filled.info.columns[position] for position in filled.positions]) for filled in ordered]


def canonical(rows: Rows) -> Frozen:
    """A result as EX sees it, a set of rows, but numbers only to nine digits: sums depend on the order of their parts."""
    return frozenset(tuple(_comparable(value) for value in row) for row in rows)


def _comparable(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else value
    if isinstance(value, Decimal):
        return _comparable(float(value))
    return repr(value) if isinstance(value, list | dict) else value  # PostgreSQL's arrays and JSON  # pyright: ignore[reportUnknownArgumentType]


def is_void(rows: Frozen) -> bool:
    """Nothing, NULL or 0: what queries say in different ways when there is nothing to say."""
    return all(value is None or value == 0 for row in rows for value in row)


def differ(one: Frozen, other: Frozen) -> bool:
    """Whether two results differ, and one of them says something."""
    return one != other and not (is_void(one) and is_void(other))


def both_results(
    arena: Arena, content: Mapping[str, Sequence[Sequence[Any]]], gold: str, prediction: str
) -> tuple[Rows, Rows] | None:
    """What both queries give on a database, if both give something there."""
    if not arena.fill(content):
        return None
    expected, got = arena.run(gold), arena.run(prediction)
    return None if expected is None or got is None else (expected, got)


def literal(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        if "\0" in value:
            return f"CAST(x'{value.encode().hex()}' AS TEXT)"
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    if isinstance(value, float):
        return {"inf": "9e999", "-inf": "-9e999"}.get(str(value), repr(value))
    return str(value)
