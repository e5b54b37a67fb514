"""Proof on a database of PostgreSQL's: rows are chosen and changed here, and the server is asked.

A copy of the tables in SQLite, in memory, is what invariants are mined from and databases are made of: it holds numbers as
numbers, booleans as 0 and 1, and everything else as the text that PostgreSQL writes. Conditions are looked up there in
SQLite's dialect, as far as they can be said in it. Both queries only ever run on the server, in a database of their own whose
tables have made room for small ones; the statements that make those are the refutation's script.

Work cannot be counted on the server, so each statement has a limit of time, and the budget is smaller than on SQLite.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..engines.judging_connection import JudgingConnection
from ..engines.sqlite.guard import statements as split
from ..errors import SqlError
from .arena import ArenaTable, Rows, literal
from .judge import Budget, Subject
from .source import Source, Values, quoted

BUDGET = Budget(databases=300, informative=100, minimising=100)
_MOST_ROWS = 20_000
"""Of a table."""
_ANOTHER_PLAN = ("enable_hashagg", "enable_hashjoin", "enable_mergejoin")

_COLUMNS = """
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), t.typname, t.typtype::text, a.attnotnull
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_type t ON t.oid = a.atttypid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY c.relname, a.attnum"""
_KEYS = """
SELECT c.relname, k.contype::text,
  (SELECT array_agg(a.attname::text ORDER BY p.n) FROM unnest(k.conkey) WITH ORDINALITY AS p(at, n)
   JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = p.at),
  f.relname,
  (SELECT array_agg(a.attname::text ORDER BY p.n) FROM unnest(k.confkey) WITH ORDINALITY AS p(at, n)
   JOIN pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = p.at)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid LEFT JOIN pg_class f ON f.oid = k.confrelid
WHERE c.relnamespace = current_schema()::regnamespace AND k.contype IN ('p', 'u', 'f') ORDER BY c.relname, k.conname"""
_VIEWS = """
SELECT c.relname, rtrim(pg_get_viewdef(c.oid), '; '),
  (SELECT array_agg(a.attname::text ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0)
FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('v', 'm') ORDER BY c.oid"""
_ENUMS = """
SELECT t.typname, array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid
GROUP BY t.typname ORDER BY t.typname"""


class _ServerColumn(Struct, frozen=True):
    name: str
    declared: str
    """As PostgreSQL writes it: numeric(10,2)."""
    kind: str
    """The type's own name: numeric, int4, text."""
    is_enum: bool
    required: bool

    @property
    def affinity(self) -> str:
        if self.kind in ("int2", "int4", "int8"):
            return "INTEGER"
        return "REAL" if self.kind in ("numeric", "float4", "float8") else "BOOLEAN" if self.kind == "bool" else "TEXT"

    @property
    def selected(self) -> str:
        cast = {"BOOLEAN": "::int", "TEXT": "::text"}.get(self.affinity, "")
        return f"{quoted(self.name)}{cast}"

    def literal(self, value: Any) -> str:
        if self.kind == "bool" and value is not None:
            return "TRUE" if value else "FALSE"
        return f"'{value}'" if isinstance(value, float) and value - value != 0 else literal(value)


class PostgresTables:
    """What the server says of its tables."""

    def __init__(self, bench: JudgingConnection) -> None:
        self.columns: dict[str, list[_ServerColumn]] = {}
        for table, name, declared, kind, category, required in bench.run(_COLUMNS).rows:
            self.columns.setdefault(table, []).append(_ServerColumn(name, declared, kind, category == "e", required))
        self.keys: dict[str, list[tuple[str, list[str], str | None, list[str] | None]]] = {}
        for table, kind, columns, parent, parent_columns in bench.run(_KEYS).rows:
            self.keys.setdefault(table, []).append((kind, columns, parent, parent_columns))
        self.views = {name: (definition, list(columns or ())) for name, definition, columns in bench.run(_VIEWS).rows}
        """By name, in the order in which they were made: the query, and the names of its columns."""
        self.enums: dict[str, list[str]] = {name: list(labels) for name, labels in bench.run(_ENUMS).rows}

    def copied(self, bench: JudgingConnection) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        for table, columns in self.columns.items():
            parts = [f"{quoted(c.name)} {c.affinity}{' NOT NULL' if c.required else ''}" for c in columns]
            connection.execute(f"CREATE TABLE {quoted(table)} ({', '.join([*parts, *self._constraints(table)])})")
            selected = ", ".join(column.selected for column in columns)
            rows = bench.run(f"SELECT {selected} FROM {quoted(table)} LIMIT {_MOST_ROWS}").rows
            marks = ", ".join("?" * len(columns))
            connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({marks})", map(_plain, rows))
        for view, (definition, columns) in self.views.items():
            # Only looked at for the tables behind it: PostgreSQL's query is seldom one of SQLite's.
            nothing = ", ".join(f"NULL AS {quoted(column)}" for column in columns)
            connection.execute(f"CREATE VIEW {quoted(view)} AS SELECT {nothing or 'NULL'} /* {definition.replace('*/', '')} */")
        return connection

    def create(self, table: str, kept: Sequence[str]) -> str:
        """With some of the columns, and the key if all of it is among them."""
        columns = [column for column in self.columns[table] if column.name in kept]
        parts = [f"{quoted(c.name)} {c.declared}{' NOT NULL' if c.required else ''}" for c in columns]
        keys = (names for kind, names, _, _ in self.keys.get(table, ()) if kind == "p" and set(names) <= set(kept))
        parts += [f"PRIMARY KEY ({_listed(names)})" for names in keys]
        return f"CREATE TABLE {quoted(table)} ({', '.join(parts)})"

    def _constraints(self, table: str) -> Iterable[str]:
        for kind, columns, parent, parent_columns in self.keys.get(table, ()):
            if kind == "f" and parent in self.columns and parent_columns:
                yield f"FOREIGN KEY ({_listed(columns)}) REFERENCES {quoted(parent)} ({_listed(parent_columns)})"
            elif kind != "f":
                yield f"{'PRIMARY KEY' if kind == 'p' else 'UNIQUE'} ({_listed(columns)})"


class PostgresSource(Source):
    """A copy of a PostgreSQL database, and the dialect of the queries about it."""

    dialect = "postgres"


class PostgresArena:
    """Tables of a database that nobody else uses, in place of those that were there."""

    def __init__(
        self, bench: JudgingConnection, server: PostgresTables, tables: Mapping[str, ArenaTable], queries: Sequence[str]
    ) -> None:
        self._bench = bench
        self._server = server
        self._tables = {name: filled for name, filled in tables.items() if not filled.info.is_view}
        self._columns = {
            name: [server.columns[filled.info.name][position] for position in filled.positions]
            for name, filled in self._tables.items()
        }
        self._created = [
            server.create(filled.info.name, [column.name for column in self._columns[name]])
            for name, filled in self._tables.items()
        ]
        needed = {filled.info.name for filled in tables.values() if filled.info.is_view}
        self._created += [
            f"CREATE VIEW {quoted(view)} AS {definition}" for view, (definition, _) in server.views.items() if view in needed
        ]
        names = ", ".join(quoted(filled.info.name) for filled in self._tables.values())
        self._clear = ";".join(f"DELETE FROM {quoted(filled.info.name)}" for filled in self._tables.values())
        bench.run(";".join([f"DROP TABLE IF EXISTS {names} CASCADE", *self._created]))
        self.refused = {sql for sql in queries if not self._admits(sql)}

    def close(self) -> None:
        self.reverse(False)

    def _admits(self, sql: str) -> bool:
        return len(split(sql)) == 1 and self._read(f"EXPLAIN {sql}") is not None

    def run(self, sql: str) -> Rows | None:
        return None if sql in self.refused else self._read(sql)

    def _read(self, sql: str) -> Rows | None:
        """What it does is undone: a query may call functions that do something."""
        try:
            return self._bench.trial(["SET TRANSACTION READ ONLY", sql]).rows
        except SqlError:
            return None

    def names(self, sql: str) -> tuple[str, ...]:
        return self._bench.run(sql).columns

    def reverse(self, on: bool) -> None:
        """The server has no switch for it: other plans give rows in another order."""
        self._bench.run(";".join(f"SET {name} = {'off' if on else 'on'}" for name in _ANOTHER_PLAN))

    def fill(self, content: Mapping[str, Sequence[Sequence[Any]]], *, backwards: bool = False) -> bool:
        try:
            self._bench.run(";".join([self._clear, *self._inserts(content, backwards)]))
        except SqlError:
            return False
        return True

    def statements(self, content: Mapping[str, Sequence[Sequence[Any]]]) -> list[str]:
        used = {column.kind for columns in self._columns.values() for column in columns if column.is_enum}
        enums = [
            f"CREATE TYPE {quoted(name)} AS ENUM ({', '.join(map(literal, labels))})"
            for name, labels in self._server.enums.items()
            if name in used
        ]
        return [*enums, *self._created, *self._inserts(content)]

    def _inserts(self, content: Mapping[str, Sequence[Sequence[Any]]], backwards: bool = False) -> Iterable[str]:
        for name, rows in content.items():
            if not rows:
                continue
            filled, columns = self._tables[name], self._columns[name]
            cells = list(zip(columns, filled.positions, strict=True))
            values = [
                f"({', '.join(column.literal(row[position]) for column, position in cells)})"
                for row in (reversed(rows) if backwards else rows)
            ]
            yield f"INSERT INTO {quoted(filled.info.name)} VALUES\n  " + ",\n  ".join(values)


def postgres_subject(bench: JudgingConnection, name: str) -> Subject:
    """For one pair: whoever proves it has the database to itself, and it is not the same afterwards."""
    server = PostgresTables(bench)
    source = PostgresSource(Path(name), server.copied(bench))
    return Subject(source, arena=partial(PostgresArena, bench, server))


def _plain(row: Values) -> list[Any]:
    return [_number(value) if isinstance(value, Decimal) else value for value in row]


def _number(value: Decimal) -> int | float:
    return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(map(quoted, columns))
