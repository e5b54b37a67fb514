"""The real rows that databases for a pair of queries are made of.

Where the queries look: rows that meet the conditions of the gold or of the prediction, whatever else their joins find, and a
sample of each table; and with each row the rows that the invariants ask for beside it. Values come from the rows on either
side of each condition.
"""

from __future__ import annotations

import datetime
import random
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from .invariants import Inclusion, Symmetric, as_key
from .laws import Cell, Laws
from .queries import Atom, Query
from .source import Source, TableInfo, Values, quoted

_SAMPLE = 10
_STARTS = 3
_SIBLINGS = 4
_MOST_ROUNDS = 6
_MOST_PER_TABLE = 150
_TURNING_POINTS = 6
_ROUND = (10, 100, 1000, 5000, 1, 2, 20, 50, 200, 500, 2000)


class Choice(Struct, frozen=True):
    """One condition, with values for its columns that meet it and that do not."""

    table: str
    positions: tuple[int, ...]
    values: tuple[Values, ...]


Combination = tuple[tuple[str, int], ...]
"""Rows that belong together: (table, number in the pool)."""


class Bundle(Struct, frozen=True):
    """What makes up one group."""

    members: tuple[Combination, ...]
    sizes: tuple[int, ...]
    """Numbers that groups are compared with."""


class RowPool:
    def __init__(self, source: Source, laws: Laws, tables: dict[str, TableInfo], queries: Sequence[Query], seed: int) -> None:
        self._source = source
        self._laws = laws
        self.tables = tables
        self.rows: dict[str, list[Values]] = {name: [] for name in self.tables}
        self._known: dict[str, dict[Values, int]] = {name: {} for name in self.tables}
        self._indexes: dict[tuple[str, int], dict[Any, list[int]]] = {}
        self.meeting = [self._combinations(query, meets=True, seed=seed) for query in queries]
        self.joined = [combination for query in queries for combination in self._combinations(query, meets=False, seed=seed)]
        self.bundles = [bundle for query in queries for bundle in self._bundles(query)]
        for name, table in self.tables.items():
            for row in source.sample(table, _SAMPLE, seed):
                self._add(name, row)
        self._add_siblings()
        self._close()
        self.group_keys = self._cells(key for query in queries for key in query.group_keys)
        self.order_keys = self._cells(key for query in queries for key in query.order_keys)
        atoms = dict.fromkeys(atom for query in queries for atom in query.atoms if atom.table in self.tables)
        believed = set(queries[0].atoms)
        self.released = self._released(queries[0])
        self._idle: set[tuple[str, str]] = set()
        self.choices = [choice for atom in atoms if (choice := self._choice(atom, atom in believed))]
        self.pairs = [
            (atom.table, *(self.tables[atom.table].position(column) for column in atom.columns))
            for atom in atoms
            if len(atom.columns) == 2
        ]
        every = ((name, column) for name, table in self.tables.items() for column in table.columns)
        self.columns = self._cells(column for query in queries for column in query.columns) or self._cells(every)

    def _cells(self, columns: Iterable[tuple[str, str]]) -> list[tuple[str, int]]:
        """Each once, with its position in its table."""
        known = ((name, column) for name, column in columns if name in self.tables)
        return list(dict.fromkeys((name, self.tables[name].position(column)) for name, column in known))

    def rows_with(self, table: str, position: int, value: Any) -> list[int]:
        """Numbers of the rows that have this value in a column, as keys are compared."""
        return self._index(table, position).get(as_key(value), [])

    def _index(self, table: str, position: int) -> dict[Any, list[int]]:
        index = self._indexes.get((table, position))
        if index is None:
            index = self._indexes[table, position] = {}
            for number, row in enumerate(self.rows[table]):
                index.setdefault(as_key(row[position]), []).append(number)
        return index

    def number_of(self, table: str, row: Values) -> int | None:
        return self._known[table].get(row)

    def _add(self, table: str, row: Values) -> int:
        known = self._known[table]
        if row not in known:
            known[row] = len(self.rows[table])
            self.rows[table].append(row)
            for (name, position), index in self._indexes.items():
                if name == table:
                    index.setdefault(as_key(row[position]), []).append(known[row])
        return known[row]

    def _combinations(self, query: Query, *, meets: bool, seed: int) -> list[Combination]:
        combinations: dict[Combination, None] = {}
        chance = random.Random(f"{seed} {query.sql}")
        for sources, meeting, joined in query.witnesses:
            if meets:
                numbers = self._source.ask(meeting) or []
            else:
                first = self._source.ask(f"SELECT max(rowid) FROM {quoted(sources[0][1])}")
                last = first[0][0] if first and isinstance(first[0][0], int) else 1
                starts = sorted({1, *(chance.randint(1, max(last, 1)) for _ in range(_STARTS - 1))})
                numbers = [row for start in starts for row in self._source.ask(joined, (start,)) or []]
            combinations |= dict.fromkeys(self._combination(sources, row) for row in numbers)
        return [combination for combination in combinations if combination]

    def _combination(self, sources: list[tuple[str, str]], row_numbers: Sequence[Any]) -> Combination:
        """The rows of these tables, each once."""
        parts = zip(sources, row_numbers, strict=True)
        return tuple(dict.fromkeys((name, number) for (_, name), rowid in parts for number in self._row(name, rowid)))

    def _bundles(self, query: Query) -> list[Bundle]:
        """The rows of whole groups."""
        bundles: list[Bundle] = []
        for sources, grouped, numbers in query.groups:
            members: dict[Any, dict[Combination, None]] = {}
            for key, *row in self._source.ask(grouped) or []:
                members.setdefault(key, {})[self._combination(sources, row)] = None
            bundles += [Bundle(tuple(combinations), numbers) for combinations in members.values()]
        return bundles

    def _row(self, table: str, rowid: Any) -> list[int]:
        if rowid is None or table not in self.tables:
            return []
        rows = self._source.ask(f"SELECT * FROM {quoted(table)} WHERE rowid = ?", (rowid,))
        return [self._add(table, row) for row in rows or []]

    def _add_siblings(self) -> None:
        """Beside a row that meets a condition, others that point at the same row: what is counted twice, or is the larger."""
        met = {part for combinations in self.meeting for combination in combinations[:_SIBLINGS] for part in combination}
        for table, number in sorted(met):
            row = self.rows[table][number]
            for name, column in self._laws.pointing:
                if name == table and row[column] is not None:
                    key = quoted(self.tables[table].columns[column])
                    query = f"SELECT * FROM {quoted(self.tables[table].name)} WHERE {key} = ? LIMIT {_SIBLINGS}"
                    self._add_all(table, self._source.ask(query, (row[column],)))

    def _close(self) -> None:
        """Rows that inclusion and symmetry ask for beside those that are there."""
        for _ in range(_MOST_ROUNDS):
            before = sum(map(len, self.rows.values()))
            for law in self._laws.asking:
                _, (parent, _) = self._laws.cells(law)
                if len(self.rows[parent]) < _MOST_PER_TABLE:
                    self._partners(law)
            if sum(map(len, self.rows.values())) == before:
                return

    def _partners(self, law: Inclusion | Symmetric) -> None:
        (table, here), (parent, there) = self._laws.cells(law)
        if isinstance(law, Symmetric):
            info = self.tables[table]
            query = f"SELECT * FROM {quoted(info.name)} WHERE {quoted(law.column)} = ? AND {quoted(law.other)} = ? LIMIT 4"
            for row in list(self.rows[table]):
                if law.mirror(row, info) not in self._known[table]:
                    self._add_all(table, self._source.ask(query, (row[there], row[here])))
            return
        query = f"SELECT * FROM {quoted(law.parent)} WHERE {quoted(law.parent_column)} = ? LIMIT 1"
        for row in list(self.rows[table]):
            if row[here] is not None and not self.rows_with(parent, there, row[here]):
                self._add_all(parent, self._source.ask(query, (row[here],)))

    def _add_all(self, table: str, rows: Iterable[Values] | None) -> None:
        for row in rows or ():
            self._add(table, row)

    def _released(self, gold: Query) -> set[Cell]:
        """Merely unique columns that the gold does not take for the name of a thing: it asks for another fixed column as well,
        or for more or less than a value. In all others, a row with an exchanged value would be about another thing."""
        asked = [
            ((atom.table, self.tables[atom.table].position(atom.columns[0])), atom.equates)
            for atom in gold.atoms
            if atom.table in self.tables and len(atom.columns) == 1
        ]
        several = len({cell for cell, _ in asked} & self._laws.fixed) > 1
        return {cell for cell, equates in asked if cell in self._laws.merely_unique and (several or not equates)}

    def _choice(self, atom: Atom, believed: bool) -> Choice | None:
        """Text that the gold asks for may be there, even if no row has it: whoever wrote the gold believed so."""
        info = self.tables[atom.table]
        columns = ", ".join(quoted(info.columns[info.position(column)]) for column in atom.columns)
        values: list[Values] = []
        for condition in (f"NOT ({atom.sql})", atom.sql, f"({atom.sql}) IS NULL"):
            query = f"SELECT DISTINCT {columns} FROM {quoted(info.name)} WHERE {condition} LIMIT 4"
            values += self._source.ask(query) or []
        values += self._turning_points(atom, info)
        positions = tuple(info.position(column) for column in atom.columns)
        if len(positions) == 1:
            like = next((row[positions[0]] for row in self.rows[atom.table] if row[positions[0]] is not None), None)
            made = [value for literal in atom.literals for value in neighbours(literal, info.types[positions[0]], like)]
            values += [(value,) for value in made if self._laws.may_be_new(atom.table, positions[0], value)]
            if believed and atom.equates:
                values += [(literal,) for literal in atom.literals if isinstance(literal, str)]
        allowed = [
            row for row in values if all(self._laws.allows(atom.table, p, v) for p, v in zip(positions, row, strict=True))
        ]
        if allowed and all(self._meets(atom, info, row) for row in allowed):
            self._idle.add((atom.table, atom.sql))
        return Choice(atom.table, positions, tuple(dict.fromkeys(allowed))) if allowed else None

    def _meets(self, atom: Atom, info: TableInfo, values: Values) -> bool:
        named = ", ".join(f"? AS {quoted(info.columns[info.position(column)])}" for column in atom.columns)
        rows = self._source.ask(f"SELECT {atom.sql} FROM (SELECT {named})", values)
        return bool(rows) and rows[0][0] == 1

    def is_idle(self, atom: Atom) -> bool:
        """Whether every value that the laws allow meets the condition, as far as values were tried."""
        return (atom.table, atom.sql) in self._idle

    def _turning_points(self, atom: Atom, info: TableInfo) -> list[Values]:
        """Values for which both sides of a comparison are equal. A column is solved for, as if the difference of the sides were
        linear in it, beside round values of the other one; what comes out is then put to the test."""
        if atom.sides is None or len(atom.columns) > 2:
            return []
        columns = [info.columns[info.position(column)] for column in atom.columns]
        others = [self._round_values(info, column) for column in columns[1:] + columns[:1]] if len(columns) == 2 else [[None]]
        difference = f"({atom.sides[0]}) - ({atom.sides[1]})"
        points: list[Values] = []
        for solved, beside in enumerate(others):
            for other in beside:
                for value in self._zeros(difference, columns, solved, other):
                    point = _filled(columns, solved, value, other)
                    cells = [(info.position(name), new) for name, new in zip(columns, point, strict=True)]
                    if all(self._laws.may_be_new(atom.table, position, new) for position, new in cells):
                        points.append(point)
        return points[:_TURNING_POINTS]

    def _zeros(self, difference: str, columns: list[str], solved: int, other: Any) -> list[int | float]:
        named = ", ".join(f"? AS {quoted(column)}" for column in columns)

        def asked(what: str, value: float) -> Any:
            rows = self._source.ask(f"SELECT {what} FROM (SELECT {named})", _filled(columns, solved, value, other))
            return rows[0][0] if rows else None

        low, high = asked(difference, 0.0), asked(difference, 1.0)
        if not isinstance(low, int | float) or not isinstance(high, int | float) or low == high:
            return []
        return [value for value in _both_kinds(-low / (high - low)) if asked(f"{difference} = 0", value) == 1]

    def _round_values(self, info: TableInfo, column: str) -> list[int | float]:
        """Values of a number's column that much divides."""
        name = quoted(column)
        span = self._source.ask(f"SELECT min({name}), max({name}), typeof(max({name})) FROM {quoted(info.name)}")
        if not span or span[0][2] not in ("integer", "real"):
            return []
        low, high, kind = span[0]
        return [float(number) if kind == "real" else number for number in _ROUND if low <= number <= high]


def _filled(columns: list[str], solved: int, value: Any, other: Any) -> Values:
    return tuple(value if position == solved else other for position in range(len(columns)))


def _both_kinds(value: float) -> list[int | float]:
    near = round(value)
    return [near, float(near)] if abs(value - near) < 1e-6 else [value]


def neighbours(literal: Any, declared: str, like: Any = None) -> list[Any]:
    """A literal and what lies just beside it: numbers, days, numbers as text; days written like a value of the column."""
    if isinstance(literal, float):
        return [literal, literal - 1, literal + 1, literal - 0.01, literal + 0.01]
    if isinstance(literal, int):
        values: list[Any] = [literal, literal - 1, literal + 1]
        if any(word in declared.upper() for word in ("REAL", "FLOA", "DOUB")):
            values = [float(value) for value in values] + [literal + 0.01]
        return values + ([str(value) for value in values] if any(word in declared.upper() for word in ("CHAR", "TEXT")) else [])
    if (day := _day(literal)) is not None:
        rest = literal[10:] or (like[10:] if isinstance(like, str) and _day(like) is not None else "")
        return [literal[:10] + rest, *(f"{day + datetime.timedelta(days=step)}{rest}" for step in (-1, 1))]
    if literal.isdigit() and len(literal) < 10:
        return [literal, *(str(max(int(literal) + step, 0)).zfill(len(literal)) for step in (-1, 1))]
    return [literal]


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text[:10])
    except ValueError:
        return None
