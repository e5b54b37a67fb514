"""Invariants found in a database's own rows, once per database and kept by its digest.

A law that holds is kept unless chance explains it: that `city` determines `state` in a thousand rows is a fact, in three rows
it is an accident. The chance is computed from how often two random rows agree in a column. Keys are the exception: what is
unique or never NULL stays so however small the table, since a needless law costs a refutation and a missing one a false alarm.

Large tables are mined from a sample of rows, and what the sample suggests is then asked of the whole table in SQL.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations
from typing import Any

import msgspec
from msgspec.structs import astuple

from ..engines.cache import Cache, key
from .invariants import (
    ANY_KIND,
    Agreement,
    Copied,
    Determines,
    Format,
    Inclusion,
    Invariant,
    NotNull,
    NotNullAcross,
    NullTogether,
    OneOf,
    Ordered,
    Prefix,
    Quotient,
    Range,
    Sum,
    Symmetric,
    Unique,
    shape,
)
from .source import Source, TableInfo, quoted

VERSION = 1
MOST_ROWS = 40_000
_HEAD = 400
"""Most candidates are wrong, and already these first rows say so."""
_SURPRISE = 14.0
"""A law is kept if chance alone would give it less often than e to this: about once in a million."""
_MOSTLY = 0.05
"""A copy with so many exceptions is one still: rows keep it that kept it before they were changed."""
_MOST_PAIRS = 3_000
_MOST_SHAPES = 12
_MOST_VALUES = 60
_NUMERIC_COLUMNS = 14


def mine(source: Source, cache: Cache | None = None) -> list[Invariant]:
    """All laws that were found, the declared ones first."""
    known_as = key("invariants", VERSION, source.digest) if cache is not None else b""
    if cache is not None and (known := cache.get(known_as)):
        return msgspec.msgpack.decode(known, type=list[ANY_KIND])
    tables = [table for table in source.tables.values() if not table.is_view]
    loaded = {table.name: _Loaded(source, table) for table in tables}
    laws: list[Invariant] = []
    for table in tables:
        laws += _of_one_table(loaded[table.name])
    declared = [Inclusion(table.name, *astuple(key)) for table in tables for key in table.foreign_keys]
    links = [*declared, *_undeclared(loaded, laws)]
    for number, link in enumerate(links):
        laws += _of_a_link(source, link, loaded, declared=number < len(declared))
    laws += _agreements(source, [link for link in links if _included(source, link)], loaded)
    laws = list(dict.fromkeys(laws))
    if cache is not None:
        cache.put(known_as, msgspec.msgpack.encode(laws))
    return laws


class _ColumnValues:
    """The values of one column in the rows that were loaded."""

    def __init__(self, name: str, values: list[Any]) -> None:
        self.name = name
        self.values = values
        counts: Counter[Any] = Counter(values)
        self.nulls = counts.pop(None, 0)
        self.counts = counts
        self.filled = len(values) - self.nulls
        # How often two random rows agree here, NULL being a value like others.
        total = max(len(values), 1)
        self.agreement = (sum(count * count for count in counts.values()) + self.nulls**2) / total**2
        kinds: set[type] = {type(value) for value in counts}
        self.numeric = bool(kinds) and kinds <= {int, float}
        self.whole = kinds == {int} or (
            self.numeric and all(value == math.floor(value) for value in counts if abs(value) < 1e18)
        )
        self.text = kinds == {str}
        self.measures = self.numeric and not self.whole
        self.unique = self.filled >= 2 and len(counts) == self.filled


class _Loaded:
    """A table's rows, or a sample of them."""

    def __init__(self, source: Source, table: TableInfo) -> None:
        self.source = source
        self.table = table
        name = quoted(table.name)
        self.size: int = source.run(f"SELECT count(*) FROM {name}")[0][0]
        self.sampled = self.size > MOST_ROWS
        rows = source.sample(table, MOST_ROWS, 0) if self.sampled else source.run(f"SELECT * FROM {name}")
        columns = zip(*rows, strict=True) if rows else [()] * len(table.columns)
        self.columns = [_ColumnValues(name, list(values)) for name, values in zip(table.columns, columns, strict=True)]
        self.rows = len(rows)

    def column(self, name: str) -> _ColumnValues:
        return self.columns[self.table.position(name)]

    def confirmed(self, condition: str) -> bool:
        """Whether the whole table has no row like this, where only a sample was seen."""
        return not self.sampled or not self.source.run(f"SELECT 1 FROM {quoted(self.table.name)} WHERE {condition} LIMIT 1")

    def one_each(self, columns: Sequence[str], other: str | None = None) -> bool:
        """Whether in the whole table no two rows share the columns (with different values of the other)."""
        if not self.sampled:
            return True
        names = ", ".join(map(quoted, columns))
        filled = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
        several = f"count(DISTINCT ifnull({quoted(other)}, x'00')) > 1" if other else "count(*) > 1"
        query = f"SELECT 1 FROM {quoted(self.table.name)} WHERE {filled} GROUP BY {names} HAVING {several} LIMIT 1"
        return not self.source.run(query)


def _of_one_table(loaded: _Loaded) -> Iterator[Invariant]:
    table = loaded.table
    for column, required in zip(loaded.columns, table.not_null, strict=True):
        name = quoted(column.name)
        if required or column.name in table.key or (column.filled and not column.nulls and loaded.confirmed(f"{name} IS NULL")):
            yield NotNull(table.name, column.name)
        yield from _of_values(loaded, column)
    yield from _uniqueness(loaded)
    yield from _dependencies(loaded)
    yield from _within_rows(loaded)


def _of_values(loaded: _Loaded, column: _ColumnValues) -> Iterator[Invariant]:
    table, name = loaded.table.name, quoted(column.name)
    few = 0 < len(column.counts) <= _MOST_VALUES and column.filled >= 5 * len(column.counts)
    if few and column.name not in _pointing(loaded.table) and (column.text or _is_code(column)):
        values = tuple(sorted(column.counts, key=lambda value: (isinstance(value, str), value)))
        whole = (
            {row[0] for row in loaded.source.run(f"SELECT DISTINCT {name} FROM {quoted(table)}")}
            if loaded.sampled
            else set(values)
        )
        if whole - {None} == set(values):
            yield OneOf(table, column.name, values)
            return
    if column.numeric:
        low, high = min(column.counts), max(column.counts)
        if loaded.sampled:
            low, high = loaded.source.run(f"SELECT min({name}), max({name}) FROM {quoted(table)}")[0]
            if isinstance(low, str) or isinstance(high, str | bytes):
                return
        yield Range(table, column.name, low, high, column.whole)
    elif column.text:
        shapes = Counter(shape(value) for value in column.counts)
        if len(shapes) <= _MOST_SHAPES and all(len(one) <= 40 for one in shapes):
            yield Format(table, column.name, tuple(sorted(shapes)))


def _is_code(column: _ColumnValues) -> bool:
    """Whole numbers that stand for a choice, and measure nothing."""
    return column.whole and column.numeric and max(column.counts) - min(column.counts) <= 4 * len(column.counts)


def _pointing(table: TableInfo) -> set[str]:
    return {foreign.column for foreign in table.foreign_keys}


def _uniqueness(loaded: _Loaded) -> Iterator[Invariant]:
    table = loaded.table
    declared = [table.key, *table.unique] if table.key else list(table.unique)
    alone = {columns[0] for columns in declared if len(columns) == 1}
    for columns in declared:
        yield Unique(table.name, columns)
    for column in loaded.columns:
        if column.unique and column.name not in alone and loaded.one_each([column.name]):
            alone.add(column.name)
            yield Unique(table.name, (column.name,))
    pairs = loaded.rows * (loaded.rows - 1) / 2
    rest = [column for column in loaded.columns if column.name not in alone and len(column.counts) > 1 and not column.measures]
    for one, other in combinations(rest, 2):
        if (one.name, other.name) in declared or pairs * one.agreement * other.agreement < 3:
            continue
        held = _distinct(one.values[:_HEAD], other.values[:_HEAD]) and _distinct(one.values, other.values)
        if held and loaded.one_each([one.name, other.name]):
            yield Unique(table.name, (one.name, other.name))


def _distinct(one: list[Any], other: list[Any]) -> bool:
    filled = [pair for pair in zip(one, other, strict=True) if None not in pair]
    return len(set(filled)) == len(filled)


def _dependencies(loaded: _Loaded) -> Iterator[Invariant]:
    for one, other in permutations(loaded.columns, 2):
        repeats = one.filled - len(one.counts)
        if one.unique or one.measures or len(one.counts) < 2 or other.agreement >= 1 or other.agreement <= 0:
            continue
        if repeats * -math.log(other.agreement) < _SURPRISE or not _determines(one.values[:_HEAD], other.values[:_HEAD]):
            continue
        pairs = _determines(one.values, other.values)
        if pairs and loaded.one_each([one.name], other.name):
            listed = tuple(pairs.items()) if len(pairs) <= _MOST_PAIRS and not loaded.sampled else None
            yield Determines(loaded.table.name, one.name, other.name, listed)


def _determines(one: list[Any], other: list[Any]) -> dict[Any, Any]:
    """The pairs, or nothing if a value of the one goes with two of the other."""
    known: dict[Any, Any] = {}
    for left, right in zip(one, other, strict=True):
        if left is not None and known.setdefault(left, right) != right:
            return {}
    return known


def _within_rows(loaded: _Loaded) -> Iterator[Invariant]:
    table = loaded.table.name
    keys = _pointing(loaded.table) | set(loaded.table.key)
    numbers = [column for column in loaded.columns if column.numeric and len(column.counts) > 2 and column.name not in keys]
    dates = [column for column in loaded.columns if column.text and _is_date(column)]
    for group in (numbers, dates):
        for one, other in permutations(group, 2):
            if _at_most(one, other) and loaded.confirmed(f"{quoted(one.name)} > {quoted(other.name)}"):
                yield Ordered(table, one.name, other.name)
    yield from _arithmetic(loaded, numbers)
    texts = [column for column in loaded.columns if column.text and len(column.counts) > 1]
    for one, other in permutations(texts, 2):
        if _begins(one, other) and loaded.confirmed(
            f"substr({quoted(one.name)}, 1, length({quoted(other.name)})) <> {quoted(other.name)}"
        ):
            yield Prefix(table, one.name, other.name)
    holed = [column for column in loaded.columns if column.nulls >= 3 and column.filled >= 3]
    for one, other in permutations(holed, 2):
        if one.nulls > other.nulls or any(b is not None for a, b in zip(one.values, other.values, strict=True) if a is None):
            continue
        if loaded.confirmed(f"{quoted(one.name)} IS NULL AND {quoted(other.name)} IS NOT NULL"):
            yield NullTogether(table, one.name, other.name)


def _is_date(column: _ColumnValues) -> bool:
    some = list(column.counts)[:20]
    return bool(some) and all(shape(value)[:10] == "9999-99-99" for value in some)


def _at_most(one: _ColumnValues, other: _ColumnValues) -> bool:
    head = zip(one.values[:_HEAD], other.values[:_HEAD], strict=True)
    if any(a is not None and b is not None and a > b for a, b in head):
        return False
    both = [(a, b) for a, b in zip(one.values, other.values, strict=True) if a is not None and b is not None]
    if len(both) < 12 or any(a > b for a, b in both):
        return False
    lowest = min(b for _, b in both)
    return sum(a > lowest for a, _ in both) >= 8  # else the two ranges merely lie apart


def _arithmetic(loaded: _Loaded, numbers: list[_ColumnValues]) -> Iterator[Invariant]:
    if len(numbers) > _NUMERIC_COLUMNS or loaded.rows < 8:
        return
    name = loaded.table.name
    for one, other in permutations(numbers, 2):
        for total in numbers:
            if total is one or total is other:
                continue
            if one.name < other.name and _computed(total, one, other, Sum.computed):
                yield Sum(name, total.name, (one.name, other.name))
            if _computed(total, one, other, Quotient.computed):
                yield Quotient(name, total.name, (one.name, other.name))


def _computed(
    total: _ColumnValues, one: _ColumnValues, other: _ColumnValues, formula: Callable[[float, float], float | None]
) -> bool:
    seen = 0
    for value, a, b in zip(total.values, one.values, other.values, strict=True):
        if value is None or a is None or b is None:
            continue
        result = formula(a, b)
        if result is None:
            continue
        if abs(value - result) > 1e-6 * max(1.0, abs(value), abs(result)):
            return False
        seen += a != 0 and b != 0 and b != 1
    return seen >= 8


def _begins(one: _ColumnValues, other: _ColumnValues) -> bool:
    seen = 0
    for a, b in zip(one.values, other.values, strict=True):
        if a is None or b is None:
            continue
        if len(b) < 2 or not a.startswith(b):
            return False
        seen += 1
    return seen >= 8


# A link is a column that points at rows of another table, or of the same: the inclusion that it would be as a law.


def _undeclared(loaded: dict[str, _Loaded], laws: list[Invariant]) -> Iterator[Inclusion]:
    """Columns whose values all occur in a unique column of another table. Numbers do by accident: there the names decide."""
    unique = {(law.table, law.columns[0]) for law in laws if isinstance(law, Unique) and len(law.columns) == 1}
    for parent_name, parent_column in sorted(unique):
        parent = loaded[parent_name].column(parent_column)
        if loaded[parent_name].size < 2:
            continue
        for name, child in loaded.items():
            declared = {key.column for key in child.table.foreign_keys}
            for column in child.columns:
                if column.name in declared or (name == parent_name and column.name == parent_column) or len(column.counts) < 2:
                    continue
                alike = _alike(column.name, parent_name, parent_column)
                if not (alike or (column.text and parent.text and len(column.counts) >= 8)) or column.numeric != parent.numeric:
                    continue
                if not loaded[parent_name].sampled and any(value not in parent.counts for value in column.counts):
                    continue
                link = Inclusion(name, column.name, parent_name, parent_column)
                if _included(child.source, link):
                    yield link


def _alike(column: str, parent: str, parent_column: str) -> bool:
    """`customer_id`, `CustomerID` and `customer` for customers.id; `cds` for cds."""
    plain, table, target = (word.lower().replace("_", "").replace(" ", "") for word in (column, parent, parent_column))
    singular = table.removesuffix("s")
    if plain == target and target not in ("id", "name", "no", "key", "code", "number"):
        return True
    return len(singular) > 2 and singular in plain and (plain.endswith(("id", target)) or plain in (table, singular))


def _included(source: Source, law: Inclusion) -> bool:
    column, parent_column = quoted(law.column), quoted(law.parent_column)
    query = (
        f"SELECT 1 FROM {quoted(law.table)} WHERE {column} IS NOT NULL AND {column} NOT IN "
        f"(SELECT {parent_column} FROM {quoted(law.parent)} WHERE {parent_column} IS NOT NULL) LIMIT 1"
    )
    return not source.finds(query)


def _of_a_link(source: Source, link: Inclusion, loaded: dict[str, _Loaded], *, declared: bool) -> Iterator[Invariant]:
    child, parent = loaded[link.table], loaded[link.parent]
    populated = child.size and parent.size
    if declared or (populated and _included(source, link)):  # a declared key is a law even where the data break it
        yield link
    if not populated or link.table == link.parent:
        return
    back = Inclusion(link.parent, link.parent_column, link.table, link.column)
    if parent.size >= 3 and _included(source, back):
        yield back
    yield from _copies(source, link, child, parent)


def _join(link: Inclusion, alias: str) -> str:
    column, parent_column = quoted(link.column), quoted(link.parent_column)
    return f"JOIN {quoted(link.parent)} AS {alias} ON c.{column} = {alias}.{parent_column}"


def _copies(source: Source, link: Inclusion, child: _Loaded, parent: _Loaded) -> Iterator[Invariant]:
    """Compared in a sample of the joined rows first."""
    joined = f"FROM {quoted(link.table)} AS c {_join(link, 'p')}"
    rows = source.run(f"SELECT c.*, p.* {joined} LIMIT 2000")
    width = len(child.columns)
    for there, column in enumerate(parent.columns):
        values = [row[width + there] for row in rows]
        if column.nulls > 0 and len(rows) >= 8 and None not in values and column.name not in parent.table.key:
            odds = 1 - column.nulls / max(parent.rows, 1)
            if len(rows) * -math.log(odds or 1e-9) > _SURPRISE and not source.run(
                f"SELECT 1 {joined} WHERE p.{quoted(column.name)} IS NULL LIMIT 1"
            ):
                yield NotNullAcross(link.table, link.column, link.parent, link.parent_column, column.name)
        if column.name == link.parent_column or len(column.counts) < 2:
            continue
        for here, own in enumerate(child.columns):
            if own.name == link.column or len(own.counts) < 2 or own.numeric != column.numeric:
                continue
            apart = sum(row[here] != value for row, value in zip(rows, values, strict=True))
            if len(rows) * -math.log(column.agreement or 1e-9) < _SURPRISE or apart > _MOSTLY * len(rows):
                continue
            total = source.run(f"SELECT count(*), sum(c.{quoted(own.name)} IS NOT p.{quoted(column.name)}) {joined}")[0]
            if total[1] <= _MOSTLY * total[0]:
                yield Copied(link.table, link.column, own.name, link.parent, link.parent_column, column.name, total[1] > 0)


def _agreements(source: Source, links: list[Inclusion], loaded: dict[str, _Loaded]) -> Iterator[Invariant]:
    """Two keys of a row that lead to rows which agree; and pairs of columns that are there both ways."""
    for one, other in combinations(links, 2):
        if one.table != other.table or one.column == other.column:
            continue
        first, second = loaded[one.parent], loaded[other.parent]
        names = [
            (a.name, b.name)
            for a in first.columns
            for b in second.columns
            if a.name.lower() == b.name.lower() and len(a.counts) > 1 and a.name not in (one.parent_column, other.parent_column)
        ]
        joined = f"FROM {quoted(one.table)} AS c {_join(one, 'p')} {_join(other, 'q')}"
        for a, b in names:
            pairs = source.run(f"SELECT p.{quoted(a)}, q.{quoted(b)} {joined} LIMIT 500")
            surprise = len(pairs) * -math.log(first.column(a).agreement or 1e-9)
            if surprise < _SURPRISE or any(left != right for left, right in pairs):
                continue
            if not source.run(f"SELECT 1 {joined} WHERE p.{quoted(a)} IS NOT q.{quoted(b)} LIMIT 1"):
                first_key, second_key = (
                    (one.column, one.parent, one.parent_column),
                    (other.column, other.parent, other.parent_column),
                )
                yield Agreement(one.table, *first_key, a, *second_key, b)
        if one.parent == other.parent and one.parent_column == other.parent_column:
            yield from _symmetry(loaded[one.table], one.column, other.column)


def _symmetry(loaded: _Loaded, one: str, other: str) -> Iterator[Invariant]:
    if loaded.sampled or loaded.rows < 4:
        return
    one, other = sorted((one, other), key=loaded.table.position)
    law = Symmetric(loaded.table.name, one, other)
    rows = set(zip(*(column.values for column in loaded.columns), strict=True))
    mirrored = [law.mirror(row, loaded.table) for row in rows]
    if sum(row not in rows for row in mirrored) == 0 and sum(a != b for a, b in zip(rows, mirrored, strict=True)) >= 4:
        yield law
