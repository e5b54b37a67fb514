"""What holds in a database: the laws that every generated database keeps.

Each law is a small value that can be printed, named in a file, and checked against rows. Declared keys and NOT NULL are laws
like the mined ones. A law about NULL is said outright (`NotNull`); the others do not look at rows that hold NULL where they
look. Rows are lists in the order of the original's columns; a `Content` is the rows by table, in lower case.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from .source import TableInfo

Content = Mapping[str, Sequence[Sequence[Any]]]
NEAR = 1e-6


def as_key(value: Any) -> Any:
    """As SQLite joins: '5' in a column of text is the same key as 5 in a column of numbers."""
    if isinstance(value, str) and value.isdecimal() and value.isascii() and len(value) < 19 and str(int(value)) == value:
        return int(value)
    return value


class NotNull(Struct, frozen=True, tag=True):
    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is never NULL"


class Unique(Struct, frozen=True, tag=True):
    table: str
    columns: tuple[str, ...]

    def __str__(self) -> str:
        return f"{_columns(self.table, self.columns)} {'is' if len(self.columns) == 1 else 'are'} unique"


class Inclusion(Struct, frozen=True, tag=True):
    table: str
    column: str
    parent: str
    parent_column: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} occurs in {self.parent}.{self.parent_column}"


class Determines(Struct, frozen=True, tag=True):
    table: str
    column: str
    other: str
    pairs: tuple[tuple[Any, Any], ...] | None = None
    """The pairs of values that occur, where they are few enough to be a list of facts and not an accident of the rows."""

    def __str__(self) -> str:
        return f"{self.table}.{self.column} determines {self.other}"


class Copied(Struct, frozen=True, tag=True):
    """A column holds what the row that a key points at holds. With exceptions: no change may add one."""

    table: str
    key: str
    column: str
    parent: str
    parent_key: str
    parent_column: str
    exceptions: bool = False

    def __str__(self) -> str:
        mostly = "mostly " if self.exceptions else ""
        return f"{self.table}.{self.column} {mostly}equals {self.parent}.{self.parent_column} of the row {self.key} points at"


class NotNullAcross(Struct, frozen=True, tag=True):
    """A column that may be NULL, but not in a row that a key points at."""

    table: str
    key: str
    parent: str
    parent_key: str
    parent_column: str

    def __str__(self) -> str:
        return f"{self.parent}.{self.parent_column} is never NULL in a row that {self.table}.{self.key} points at"


class Agreement(Struct, frozen=True, tag=True):
    """Two keys of one row point at rows that agree in a column."""

    table: str
    key: str
    parent: str
    parent_key: str
    parent_column: str
    other_key: str
    other_parent: str
    other_parent_key: str
    other_parent_column: str

    def __str__(self) -> str:
        one, other = f"{self.parent}.{self.parent_column}", f"{self.other_parent}.{self.other_parent_column}"
        return f"{one} over {self.table}.{self.key} equals {other} over {self.table}.{self.other_key}"


class Symmetric(Struct, frozen=True, tag=True):
    """Every row is there twice: once more with two columns exchanged, and with the same values in the others."""

    table: str
    column: str
    other: str

    def __str__(self) -> str:
        return f"every row of {self.table} is there with {self.column} and {self.other} exchanged, too"

    def mirror(self, row: Sequence[Any], table: TableInfo) -> tuple[Any, ...]:
        one, other = table.position(self.column), table.position(self.other)
        mirrored = list(row)
        mirrored[one], mirrored[other] = row[other], row[one]
        return tuple(mirrored)


class OneOf(Struct, frozen=True, tag=True):
    table: str
    column: str
    values: tuple[Any, ...]

    def __str__(self) -> str:
        shown = ", ".join(repr(value) for value in self.values[:8]) + (", …" if len(self.values) > 8 else "")
        return f"{self.table}.{self.column} is one of {shown}"


class Range(Struct, frozen=True, tag=True):
    table: str
    column: str
    low: int | float
    high: int | float
    whole: bool
    """Only whole numbers."""

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is {'a whole number' if self.whole else 'a number'} from {self.low} to {self.high}"


class Format(Struct, frozen=True, tag=True):
    table: str
    column: str
    shapes: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.table}.{self.column} looks like {' or '.join(self.shapes)}"


class Ordered(Struct, frozen=True, tag=True):
    table: str
    column: str
    other: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is at most {self.other}"


class Sum(Struct, frozen=True, tag=True):
    table: str
    column: str
    parts: tuple[str, str]

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is {self.parts[0]} + {self.parts[1]}"


class Quotient(Struct, frozen=True, tag=True):
    table: str
    column: str
    parts: tuple[str, str]

    def __str__(self) -> str:
        return f"{self.table}.{self.column} is {self.parts[0]} / {self.parts[1]}"


class Prefix(Struct, frozen=True, tag=True):
    table: str
    column: str
    other: str

    def __str__(self) -> str:
        return f"{self.table}.{self.column} begins with {self.other}"


class NullTogether(Struct, frozen=True, tag=True):
    table: str
    column: str
    other: str

    def __str__(self) -> str:
        return f"where {self.table}.{self.column} is NULL, {self.other} is, too"


Invariant = (
    NotNull
    | Unique
    | Inclusion
    | Determines
    | Copied
    | NotNullAcross
    | Agreement
    | Symmetric
    | OneOf
    | Range
    | Format
    | Ordered
    | Sum
    | Quotient
    | Prefix
    | NullTogether
)
ROW_LAWS = (Ordered, Sum, Quotient, Prefix, NullTogether)
CELL_LAWS = (NotNull, OneOf, Range, Format)


def _columns(table: str, columns: Iterable[str]) -> str:
    return ", ".join(f"{table}.{column}" for column in columns)


_UPPER, _LOWER, _DIGITS = re.compile("[A-Z]+"), re.compile("[a-z]+"), re.compile(r"\d")


def shape(text: str) -> str:
    """2019-09-01 is 9999-99-99, Fresno is Aa: letters are shortened, digits are counted."""
    return _LOWER.sub("a", _UPPER.sub("A", _DIGITS.sub("9", text)))


def holds_in_cell(law: NotNull | OneOf | Range | Format, value: Any) -> bool:
    if value is None:
        return not isinstance(law, NotNull)
    match law:
        case NotNull():
            return True
        case OneOf():
            return value in law.values
        case Range():
            if isinstance(value, str | bytes) or (law.whole and value != int(value)):
                return False
            return law.low <= value <= law.high
        case Format():
            return isinstance(value, str) and shape(value) in law.shapes


def holds_in_row(law: Ordered | Sum | Quotient | Prefix | NullTogether, row: Sequence[Any], table: TableInfo) -> bool:
    value = row[table.position(law.column)]
    if isinstance(law, NullTogether):
        return value is not None or row[table.position(law.other)] is None
    if isinstance(law, Sum | Quotient):
        one, other = (row[table.position(part)] for part in law.parts)
        if not (_number(value) and _number(one) and _number(other)):
            return True
        if isinstance(law, Quotient):
            return other == 0 or _near(value, one / other)
        return _near(value, one + other)
    other = row[table.position(law.other)]
    if value is None or other is None:
        return True
    if isinstance(law, Prefix):
        return str(value).startswith(str(other))
    return (type(value) is not type(other) and not (_number(value) and _number(other))) or value <= other


def _number(value: Any) -> bool:
    return isinstance(value, int | float)


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= NEAR * max(1.0, abs(one), abs(other))


def violations(laws: Iterable[Invariant], content: Content, tables: Mapping[str, TableInfo]) -> Iterator[Invariant]:
    """The laws that some row breaks. A law about a table that is not there says nothing."""
    check = Checker(content, tables)
    return (law for law in laws if not check.holds(law))


class Checker:
    """Checks laws on one content; what several laws need is made once."""

    def __init__(self, content: Content, tables: Mapping[str, TableInfo]) -> None:
        self._content = content
        self._tables = tables
        self._indexes: dict[tuple[str, str], dict[Any, list[Sequence[Any]]]] = {}

    def holds(self, law: Invariant) -> bool:
        name = law.table.lower()
        rows = self._content.get(name)
        if rows is None:
            return True
        table = self._tables[name]
        match law:
            case NotNull() | OneOf() | Range() | Format():
                at = table.position(law.column)
                return all(holds_in_cell(law, row[at]) for row in rows)
            case Ordered() | Sum() | Quotient() | Prefix() | NullTogether():
                return all(holds_in_row(law, row, table) for row in rows)
            case Unique():
                positions = [table.position(column) for column in law.columns]
                keys = [tuple(row[at] for at in positions) for row in rows]
                keys = [key for key in keys if None not in key]
                return len(set(keys)) == len(keys)
            case Determines():
                return self._determines(law, rows, table)
            case Symmetric():
                present = {tuple(row) for row in rows}
                return all(law.mirror(row, table) in present for row in rows)
            case Inclusion():
                if law.parent.lower() not in self._content:
                    return True
                at = table.position(law.column)
                parents = self.index(law.parent, law.parent_column)
                return all(row[at] is None or as_key(row[at]) in parents for row in rows)
            case Copied() | NotNullAcross() | Agreement():
                return self._across(law, rows, table)

    def _determines(self, law: Determines, rows: Sequence[Sequence[Any]], table: TableInfo) -> bool:
        one, other = table.position(law.column), table.position(law.other)
        known: dict[Any, Any] = dict(law.pairs or ())
        closed = law.pairs is not None
        for row in rows:
            left, right = row[one], row[other]
            if left is None:
                continue
            if closed and left not in known:
                return False
            if known.setdefault(left, right) != right:
                return False
        return True

    def _across(self, law: Copied | NotNullAcross | Agreement, rows: Sequence[Sequence[Any]], table: TableInfo) -> bool:
        if law.parent.lower() not in self._content:
            return True
        parents = self.index(law.parent, law.parent_key)
        there = self._tables[law.parent.lower()].position(law.parent_column)
        key = table.position(law.key)
        if isinstance(law, Agreement):
            if law.other_parent.lower() not in self._content:
                return True
            others = self.index(law.other_parent, law.other_parent_key)
            other_there = self._tables[law.other_parent.lower()].position(law.other_parent_column)
            other_key = table.position(law.other_key)
            return all(
                parent[there] == other[other_there]
                for row in rows
                for parent in parents.get(as_key(row[key]), ())
                for other in others.get(as_key(row[other_key]), ())
            )
        if isinstance(law, NotNullAcross):
            return all(parent[there] is not None for row in rows for parent in parents.get(as_key(row[key]), ()))
        position = table.position(law.column)
        return law.exceptions or all(
            parent[there] == row[position] for row in rows for parent in parents.get(as_key(row[key]), ())
        )

    def index(self, table: str, column: str) -> dict[Any, list[Sequence[Any]]]:
        name = table.lower()
        index = self._indexes.get((name, column))
        if index is None:
            position = self._tables[name].position(column)
            grouped: defaultdict[Any, list[Sequence[Any]]] = defaultdict(list)
            for row in self._content[name]:
                if row[position] is not None:
                    grouped[as_key(row[position])].append(row)
            index = self._indexes[name, column] = dict(grouped)
        return index


KINDS: dict[str, type[Struct]] = {
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


def kind_of(law: Invariant) -> str:
    """The name of its kind, as a TOML file gives it."""
    return next(name for name, kind in KINDS.items() if kind is type(law))


def named(law: Invariant) -> Iterator[tuple[str, str]]:
    """The tables and columns that a law is about."""
    match law:
        case Unique():
            yield from ((law.table, column) for column in law.columns)
        case Sum() | Quotient():
            yield from ((law.table, column) for column in (law.column, *law.parts))
        case NotNull() | OneOf() | Range() | Format():
            yield law.table, law.column
        case Determines() | Symmetric() | Ordered() | Prefix() | NullTogether():
            yield from ((law.table, law.column), (law.table, law.other))
        case Inclusion():
            yield from ((law.table, law.column), (law.parent, law.parent_column))
        case Copied():
            yield from ((law.table, law.key), (law.table, law.column))
            yield from ((law.parent, law.parent_key), (law.parent, law.parent_column))
        case NotNullAcross():
            yield from ((law.table, law.key), (law.parent, law.parent_key), (law.parent, law.parent_column))
        case Agreement():
            yield from ((law.table, law.key), (law.parent, law.parent_key), (law.parent, law.parent_column))
            yield from ((law.table, law.other_key), (law.other_parent, law.other_parent_key))
            yield law.other_parent, law.other_parent_column
