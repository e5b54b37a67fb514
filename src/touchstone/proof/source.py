"""The original database, read only: its tables as they are declared, and rows of it.

Questions may hold parts of untrusted queries. They run under the engine's guard and are limited by counted work (steps of
SQLite's virtual machine), so that an answer never depends on how busy the machine is. Small answers are remembered.
"""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from msgspec.structs import replace

from ..engines.sqlite.files import check, digest, folded
from ..engines.sqlite.guard import Guard

STEPS = 4_000_000
"""For one question to the original. About a tenth of a second."""
STEPS_OF_A_QUERY = 40_000_000
"""For a gold or a prediction on the original."""
_PER_CHECK = 10_000
_MOST_ROWS = 200_000
_MOST_BYTES = 64 * 2**20
_LONGEST_VALUE = 4 * 2**20
_REMEMBERED_ROWS = 500
_MOST_REMEMBERED = 20_000
_LITERAL_DDL = re.compile(r"\bcollate\b|\bgenerated\b|\bcheck\b|\bas\s*\(|\bstrict\b|\bwithout\b", re.IGNORECASE)

Values = tuple[Any, ...]


class ForeignKey(Struct, frozen=True):
    column: str
    parent: str
    parent_column: str


class TableInfo(Struct, frozen=True):
    """One table, or a view (then `is_view`, and it has no rows of its own)."""

    name: str
    sql: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    not_null: tuple[bool, ...]
    key: tuple[str, ...]
    """The declared primary key."""
    unique: tuple[tuple[str, ...], ...]
    """Other declared unique columns."""
    foreign_keys: tuple[ForeignKey, ...]
    is_view: bool = False

    def position(self, column: str) -> int:
        return _positions(self)[column.lower()]

    def has(self, column: str) -> bool:
        return column.lower() in _positions(self)

    @property
    def whole(self) -> bool:
        """Its declaration says what a list of columns cannot (collations, checks, generated columns): keep it as it is."""
        return _LITERAL_DDL.search(self.sql) is not None


_known_positions: dict[tuple[str, ...], dict[str, int]] = {}


def _positions(table: TableInfo) -> dict[str, int]:
    known = _known_positions.get(table.columns)
    if known is None:
        known = _known_positions[table.columns] = {name.lower(): position for position, name in enumerate(table.columns)}
    return known


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def decode(raw: bytes) -> str:
    """Text that is not UTF-8 occurs in real data."""
    return raw.decode("utf-8", "replace")


FAILURES = (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError)
"""Of a query that is not our own."""


def bounded(cursor: sqlite3.Cursor, most_rows: int, most_bytes: int) -> list[Values] | None:
    """All rows, or None if they are larger than they may be."""
    rows: list[Values] = []
    size = 0
    while batch := cursor.fetchmany(16):
        rows += batch
        size += sum(len(value) for row in batch for value in row if isinstance(value, str | bytes))
        if len(rows) > most_rows or size > most_bytes:
            cursor.close()
            return None
    return rows


class Source:
    """An original that is only ever read."""

    dialect = "sqlite"
    """Of the queries that are about it; the rows lie in SQLite wherever they come from."""

    def __init__(self, path: Path, connection: sqlite3.Connection | None = None) -> None:
        """A file; or a connection to a copy in memory, and then the path is no more than its name."""
        self.path = path
        if connection is None:
            check(path)
            uri = f"file:{quote(str(folded(path).resolve()))}?mode=ro&immutable=1"
            connection = sqlite3.connect(uri, uri=True, isolation_level=None)
        self._connection = connection
        self._connection.text_factory = decode
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.set_authorizer(Guard(private=False))
        self._known: dict[tuple[str, Values], list[Values] | None] = {}

    def close(self) -> None:
        self._connection.close()

    @cached_property
    def digest(self) -> str:
        return digest(self.path)

    @cached_property
    def tables(self) -> dict[str, TableInfo]:
        """By name in lower case."""
        entries = self._connection.execute(
            "SELECT name, sql, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%' "
            "AND sql IS NOT NULL AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid"
        ).fetchall()
        tables: dict[str, TableInfo] = {}
        for name, sql, kind in entries:
            try:
                tables[name.lower()] = self._describe(name, sql, kind == "view")
            except sqlite3.Error:
                continue  # a view over something that is gone
        return {name: _complete(table, tables) for name, table in tables.items()}

    def _describe(self, name: str, sql: str, is_view: bool) -> TableInfo:
        columns = self._connection.execute(f"PRAGMA table_info({quoted(name)})").fetchall()
        keys = self._connection.execute(f"PRAGMA foreign_key_list({quoted(name)})").fetchall()
        widths: dict[int, int] = {}
        for key in keys:
            widths[key[0]] = widths.get(key[0], 0) + 1
        unique: list[tuple[str, ...]] = []
        for index in self._connection.execute(f"PRAGMA index_list({quoted(name)})").fetchall():
            if index[2] and not index[4]:
                parts = self._connection.execute(f"PRAGMA index_info({quoted(index[1])})").fetchall()
                if all(part[2] is not None for part in parts):
                    unique.append(tuple(part[2] for part in parts))
        return TableInfo(
            name,
            sql,
            tuple(column[1] for column in columns),
            tuple(column[2] or "" for column in columns),
            tuple(bool(column[3]) for column in columns),
            tuple(column[1] for column in sorted(columns, key=lambda column: column[5]) if column[5]),
            tuple(sorted(set(unique))),
            tuple(ForeignKey(key[3], key[2], key[4] or "") for key in keys if widths[key[0]] == 1),
            is_view,
        )

    def ask(self, sql: str, values: Values = (), steps: int = STEPS) -> list[Values] | None:
        """Rows, or None where the question makes no sense here or is too much work."""
        if (sql, values) in self._known:
            return self._known[sql, values]
        try:
            rows = self._limited(sql, values, steps)
        except FAILURES:
            rows = None
        if rows is None or len(rows) <= _REMEMBERED_ROWS:
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[sql, values] = rows
        return rows

    def forget(self) -> None:
        """So that the next question is asked again: for measurements."""
        self._known.clear()

    def run(self, sql: str, values: Values = ()) -> list[Values]:
        """Rows of a query of our own, without limits: for mining, once per database."""
        return self._connection.execute(sql, values).fetchall()

    def finds(self, sql: str) -> bool:
        """Whether a query of our own has any row. Remembered, since mining asks some things twice."""
        if (sql, ()) not in self._known:
            self._known[sql, ()] = self.run(sql)
        return bool(self._known[sql, ()])

    def _limited(self, sql: str, values: Values, steps: int) -> list[Values] | None:
        left = steps // _PER_CHECK

        def spent() -> bool:
            nonlocal left
            left -= 1
            return left < 0

        longest = self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
        self._connection.set_progress_handler(spent, _PER_CHECK)
        try:
            return bounded(self._connection.execute(sql, values), _MOST_ROWS, _MOST_BYTES)
        finally:
            self._connection.set_progress_handler(None, 0)
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, longest)

    def sample(self, table: TableInfo, size: int, seed: int) -> list[Values]:
        """Rows from all over a table, the same for the same seed."""
        name = quoted(table.name)
        span = self.ask(f"SELECT min(rowid), max(rowid) FROM {name}")
        if not span or span[0][0] is None or not isinstance(span[0][0], int):
            return (self.ask(f"SELECT * FROM {name} LIMIT {size}") or []) if not table.is_view else []
        low, high = span[0]
        if high - low < size:
            return self.ask(f"SELECT * FROM {name} LIMIT {size}") or []
        chance = random.Random(f"{seed} {table.name}")
        positions = sorted({chance.randint(low, high) for _ in range(size)})
        return self.ask(f"SELECT * FROM {name} WHERE rowid IN ({','.join(map(str, positions))})") or []


def _complete(table: TableInfo, tables: dict[str, TableInfo]) -> TableInfo:
    """Foreign keys with the parent's own name and column; those that point nowhere are left out."""
    keys: list[ForeignKey] = []
    for key in table.foreign_keys:
        parent = tables.get(key.parent.lower())
        if parent is None or not table.has(key.column):
            continue
        column = key.parent_column or (parent.key[0] if len(parent.key) == 1 else "")
        if column and parent.has(column):
            own = table.columns[table.position(key.column)]
            keys.append(ForeignKey(own, parent.name, parent.columns[parent.position(column)]))
    return replace(table, foreign_keys=tuple(keys))


def create(table: TableInfo, columns: Sequence[str]) -> str:
    """A CREATE statement with some of the columns, and of the keys what is left of them."""
    if table.is_view or (table.whole and len(columns) == len(table.columns)):
        return table.sql.rstrip().rstrip(";")
    kept = {column.lower() for column in columns}
    parts: list[str] = []
    for name, kind, required in zip(table.columns, table.types, table.not_null, strict=True):
        if name.lower() in kept:
            only_key = table.key == (name,)
            words = [quoted(name), kind, "NOT NULL" if required else "", "PRIMARY KEY" if only_key else ""]
            parts.append(" ".join(word for word in words if word))
    if len(table.key) > 1 and all(column.lower() in kept for column in table.key):
        parts.append(f"PRIMARY KEY ({', '.join(map(quoted, table.key))})")
    return f"CREATE TABLE {quoted(table.name)} ({', '.join(parts)})"
