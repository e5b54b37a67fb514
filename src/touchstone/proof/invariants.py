"""What holds in a database: the laws that every generated database keeps.

Each law is a small value that can be printed, named in a file, and checked against rows. Declared keys and NOT NULL are laws
like the mined ones. A law about NULL is said outright (`NotNull`); the others do not look at rows that hold NULL where they
look. Rows are lists in the order of the original's columns; a `Content` is the rows by table, in lower case.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Union

from msgspec import Struct

from .source import TableInfo

Content = Mapping[str, Sequence[Sequence[Any]]]
Rows = Sequence[Sequence[Any]]
NEAR = 1e-6


def as_key(value: Any) -> Any:
    """As SQLite joins: '5' in a column of text is the same key as 5 in a column of numbers."""
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 19 and str(int(value)) == value:
        return int(value)
    return value


class Invariant(Struct, frozen=True, tag=True):
    """A law about a table, and perhaps others."""

    table: str
    words: ClassVar[str]
    """The law in words, of its own fields."""
    about: ClassVar[tuple[str, ...]] = ("table.column",)
    """The fields that name its columns, each behind the one that names the table."""

    def __str__(self) -> str:
        return self.words.format(law=self)

    def named(self) -> list[tuple[str, str]]:
        """The tables and columns that it is about."""
        fields = (name.split(".") for name in self.about)
        return [(getattr(self, table), getattr(self, column)) for table, column in fields]

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        """In the rows of its table. `at` has the positions of the columns that are `named`."""
        raise NotImplementedError


class RowLaw(Invariant, frozen=True):
    """A law about the cells of one row, which come in the order in which they are `named`."""

    def holds_for(self, cells: Sequence[Any]) -> bool:
        raise NotImplementedError

    def ways(self, cells: Sequence[Any]) -> list[tuple[int, Any]]:
        """Which of the cells could be changed, and to what, to make it hold again."""
        return []

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        return all(self.holds_for([row[position] for position in at]) for row in rows)


class CellLaw(RowLaw, frozen=True):
    """A law about one cell."""

    column: str

    def allows(self, value: Any) -> bool:
        raise NotImplementedError

    def holds_for(self, cells: Sequence[Any]) -> bool:
        return self.allows(cells[0])


class NotNull(CellLaw, frozen=True):
    words = "{law.table}.{law.column} is never NULL"

    def allows(self, value: Any) -> bool:
        return value is not None


class OneOf(CellLaw, frozen=True):
    values: tuple[Any, ...]

    def __str__(self) -> str:
        shown = ", ".join(repr(value) for value in self.values[:8]) + (", …" if len(self.values) > 8 else "")
        return f"{self.table}.{self.column} is one of {shown}"

    def allows(self, value: Any) -> bool:
        return value is None or value in self.values


class Range(CellLaw, frozen=True):
    low: int | float
    high: int | float
    whole: bool
    """Only whole numbers."""

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is {'a whole number' if self.whole else 'a number'} from {self.low} to {self.high}"

    def allows(self, value: Any) -> bool:
        if value is None:
            return True
        if isinstance(value, str | bytes) or (self.whole and value != int(value)):
            return False
        return self.low <= value <= self.high


class Format(CellLaw, frozen=True):
    shapes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table}.{self.column} looks like {' or '.join(self.shapes)}"

    def allows(self, value: Any) -> bool:
        return value is None or (isinstance(value, str) and shape(value) in self.shapes)


class PairLaw(RowLaw, frozen=True):
    """A law about two cells."""

    column: str
    other: str
    about = ("table.column", "table.other")


class Ordered(PairLaw, frozen=True):
    words = "{law.table}.{law.column} is at most {law.other}"

    def holds_for(self, cells: Sequence[Any]) -> bool:
        value, other = cells
        if value is None or other is None:
            return True
        return (type(value) is not type(other) and not _are_numbers(cells)) or value <= other

    def ways(self, cells: Sequence[Any]) -> list[tuple[int, Any]]:
        less, more = cells
        return [(1, less), (0, more)]


class Prefix(PairLaw, frozen=True):
    words = "{law.table}.{law.column} begins with {law.other}"

    def holds_for(self, cells: Sequence[Any]) -> bool:
        return None in cells or str(cells[0]).startswith(str(cells[1]))


class NullTogether(PairLaw, frozen=True):
    words = "where {law.table}.{law.column} is NULL, {law.other} is, too"

    def holds_for(self, cells: Sequence[Any]) -> bool:
        return cells[0] is not None or cells[1] is None


class ArithmeticLaw(RowLaw, frozen=True):
    """A number that is computed from two others."""

    column: str
    parts: tuple[str, str]

    @staticmethod
    def computed(one: float, other: float) -> float | None:
        raise NotImplementedError

    def named(self) -> list[tuple[str, str]]:
        return [(self.table, column) for column in (self.column, *self.parts)]

    def holds_for(self, cells: Sequence[Any]) -> bool:
        if not _are_numbers(cells):
            return True
        result = self.computed(cells[1], cells[2])
        return result is None or abs(cells[0] - result) <= NEAR * max(1.0, abs(cells[0]), abs(result))


class Sum(ArithmeticLaw, frozen=True):
    words = "{law.table}.{law.column} is {law.parts[0]} + {law.parts[1]}"

    @staticmethod
    def computed(one: float, other: float) -> float:
        return one + other

    def ways(self, cells: Sequence[Any]) -> list[tuple[int, Any]]:
        total, one, other = cells
        return [(2, total - one), (1, total - other), (0, one + other)]


class Quotient(ArithmeticLaw, frozen=True):
    words = "{law.table}.{law.column} is {law.parts[0]} / {law.parts[1]}"

    @staticmethod
    def computed(one: float, other: float) -> float | None:
        return one / other if other else None

    def ways(self, cells: Sequence[Any]) -> list[tuple[int, Any]]:
        result, one, other = cells
        return [(0, one / other), (1, _whole(result * other, one))]


class Unique(Invariant, frozen=True):
    columns: tuple[str, ...]

    def __str__(self) -> str:
        columns = ", ".join(f"{self.table}.{column}" for column in self.columns)
        return f"{columns} {'is' if len(self.columns) == 1 else 'are'} unique"

    def named(self) -> list[tuple[str, str]]:
        return [(self.table, column) for column in self.columns]

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        keys = [tuple(row[position] for position in at) for row in rows]
        keys = [key for key in keys if None not in key]
        return len(set(keys)) == len(keys)


class Determines(Invariant, frozen=True):
    column: str
    other: str
    pairs: tuple[tuple[Any, Any], ...] | None = None
    """The pairs of values that occur, where they are few enough to be a list of facts and not an accident of the rows."""
    words = "{law.table}.{law.column} determines {law.other}"
    about = ("table.column", "table.other")

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        one, other = at
        known: dict[Any, Any] = dict(self.pairs or ())
        for row in rows:
            left, right = row[one], row[other]
            if left is None:
                continue
            if self.pairs is not None and left not in known:
                return False
            if known.setdefault(left, right) != right:
                return False
        return True


class Symmetric(Invariant, frozen=True):
    """Every row is there twice: once more with two columns exchanged, and with the same values in the others."""

    column: str
    other: str
    words = "every row of {law.table} is there with {law.column} and {law.other} exchanged, too"
    about = ("table.column", "table.other")

    def mirror(self, row: Sequence[Any], table: TableInfo) -> tuple[Any, ...]:
        return _exchanged(row, table.position(self.column), table.position(self.other))

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        present = {tuple(row) for row in rows}
        return all(_exchanged(row, *at) in present for row in rows)


class Inclusion(Invariant, frozen=True):
    column: str
    parent: str
    parent_column: str
    words = "{law.table}.{law.column} occurs in {law.parent}.{law.parent_column}"
    about = ("table.column", "parent.parent_column")

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        here, there = at
        parents = checker.index(self.parent, there)
        return all(row[here] is None or as_key(row[here]) in parents for row in rows)


class Copied(Invariant, frozen=True):
    """A column holds what the row that a key points at holds. With exceptions: no change may add one."""

    key: str
    column: str
    parent: str
    parent_key: str
    parent_column: str
    exceptions: bool = False
    about = ("table.key", "table.column", "parent.parent_key", "parent.parent_column")

    def __str__(self) -> str:
        mostly = "mostly " if self.exceptions else ""
        return f"{self.table}.{self.column} {mostly}equals {self.parent}.{self.parent_column} of the row {self.key} points at"

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        key, column, parent_key, there = at
        pairs = checker.joined(rows, key, self.parent, parent_key)
        return self.exceptions or all(parent[there] == row[column] for row, parent in pairs)


class NotNullAcross(Invariant, frozen=True):
    """A column that may be NULL, but not in a row that a key points at."""

    key: str
    parent: str
    parent_key: str
    parent_column: str
    words = "{law.parent}.{law.parent_column} is never NULL in a row that {law.table}.{law.key} points at"
    about = ("table.key", "parent.parent_key", "parent.parent_column")

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        key, parent_key, there = at
        return all(parent[there] is not None for _, parent in checker.joined(rows, key, self.parent, parent_key))


class Agreement(Invariant, frozen=True):
    """Two keys of one row point at rows that agree in a column."""

    key: str
    parent: str
    parent_key: str
    parent_column: str
    other_key: str
    other_parent: str
    other_parent_key: str
    other_parent_column: str
    words = (
        "{law.parent}.{law.parent_column} over {law.table}.{law.key} equals "
        "{law.other_parent}.{law.other_parent_column} over {law.table}.{law.other_key}"
    )
    about = (
        *("table.key", "parent.parent_key", "parent.parent_column"),
        *("table.other_key", "other_parent.other_parent_key", "other_parent.other_parent_column"),
    )

    def holds(self, rows: Rows, at: list[int], checker: Checker) -> bool:
        key, parent_key, there, other_key, other_parent_key, other_there = at
        return all(
            parent[there] == other[other_there]
            for row, parent in checker.joined(rows, key, self.parent, parent_key)
            for _, other in checker.joined([row], other_key, self.other_parent, other_parent_key)
        )


KINDS: dict[str, type[Invariant]] = {
    "not-null": NotNull,
    "unique": Unique,
    "inclusion": Inclusion,
    "determines": Determines,
    "copied": Copied,
    "not-null-across": NotNullAcross,
    "agreement": Agreement,
    "symmetric": Symmetric,
    "one-of": OneOf,
    "range": Range,
    "format": Format,
    "ordered": Ordered,
    "sum": Sum,
    "quotient": Quotient,
    "prefix": Prefix,
    "null-together": NullTogether,
}
ANY_KIND: Any = Union[tuple(KINDS.values())]  # noqa: UP007 - of a list that is known when it runs
"""For decoding."""


def kind_of(law: Invariant) -> str:
    """The name of its kind, as a TOML file gives it."""
    return next(name for name, kind in KINDS.items() if kind is type(law))


_UPPER, _LOWER, _DIGITS = re.compile("[A-Z]+"), re.compile("[a-z]+"), re.compile(r"\d")


def shape(text: str) -> str:
    """2019-09-01 is 9999-99-99, Fresno is Aa: letters are shortened, digits are counted."""
    return _LOWER.sub("a", _UPPER.sub("A", _DIGITS.sub("9", text)))


def _are_numbers(cells: Iterable[Any]) -> bool:
    return all(isinstance(cell, int | float) for cell in cells)


def _whole(value: float, like: Any) -> float:
    """As whole as its column's values are, but for the last digits."""
    return type(like)(round(value)) if isinstance(like, int) or float(like).is_integer() else value


def _exchanged(row: Sequence[Any], one: int, other: int) -> tuple[Any, ...]:
    exchanged = list(row)
    exchanged[one], exchanged[other] = row[other], row[one]
    return tuple(exchanged)


def violations(laws: Iterable[Invariant], content: Content, tables: Mapping[str, TableInfo]) -> Iterator[Invariant]:
    """The laws that some row breaks. A law about a table that is not there says nothing."""
    checker = Checker(content, tables)
    return (law for law in laws if not checker.holds(law))


class Checker:
    """Checks laws on one content; what several laws need is made once."""

    def __init__(self, content: Content, tables: Mapping[str, TableInfo]) -> None:
        self._content = content
        self._tables = tables
        self._indexes: dict[tuple[str, int], dict[Any, list[Sequence[Any]]]] = {}

    def holds(self, law: Invariant) -> bool:
        cells = [(table.lower(), column) for table, column in law.named()]
        if any(table not in self._content for table, _ in cells):
            return True
        at = [self._tables[table].position(column) for table, column in cells]
        return law.holds(self._content[law.table.lower()], at, self)

    def index(self, table: str, position: int) -> dict[Any, list[Sequence[Any]]]:
        """The rows of a table by their key there."""
        name = table.lower()
        index = self._indexes.get((name, position))
        if index is None:
            grouped: defaultdict[Any, list[Sequence[Any]]] = defaultdict(list)
            for row in self._content[name]:
                if row[position] is not None:
                    grouped[as_key(row[position])].append(row)
            index = self._indexes[name, position] = dict(grouped)
        return index

    def joined(self, rows: Rows, key: int, parent: str, parent_key: int) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
        """Each row with each row of the parent that its key points at."""
        index = self.index(parent, parent_key)
        return ((row, other) for row in rows for other in index.get(as_key(row[key]), ()))
