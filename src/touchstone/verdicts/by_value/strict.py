"""Results compared by their values.

No SQL is rewritten. Rows are the same if each row of one side has one of its own on the other, with equal cells in the same
columns; where order counts, the row in the same place. Names of columns do not count, two empty results of as many columns
are the same. `cells` and `match` say when two cells are equal; in short:

- int, float and decimal are equal by value. Where the task names decimals, both sides are rounded half-up to them;
  otherwise numbers may be one part in a million apart, or 1e-9, but whole numbers are exact. NaN equals NaN;
- true is not 1, and text is never a number or a date. Blanks at the end of texts do not count where char(n) has put them;
- a date is a timestamp at midnight, timestamps with time zones are instants, UUIDs are their text;
- arrays and JSON are compared item by item, objects without regard to the order of their keys.

Time grows with the number of rows and no faster than sorting does. Only for two or more columns in which hundreds
of numbers lie within one part in a million of each other the search for pairs of rows may be given up: the answer then counts
as wrong, and `cut` says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple, Protocol

from msgspec import Struct

from ...types import Row, Table
from ..difference import Difference
from ..explain import explain
from ..shown import plain_row, shown_name, shown_names, shown_row
from .cells import NUMBERS, Nested, Number, canonical, plain
from .match import Clusters, Cut, Vector, can_be_paired, clusters, near


class StrictConditions(Struct, frozen=True):
    """What a task says about how its results are to be compared."""

    decimal: int | None = None
    """Places that numbers are rounded to. None or a negative number: not said."""
    distinct: bool = False
    order: bool = False
    """Rows must come in gold's order."""

    @property
    def places(self) -> int | None:
        return None if self.decimal is None or self.decimal < 0 else self.decimal


# Why two results are not the same, in words.
#
# `explain` finds the words. It knows only the cells that tables hold, so it is shown the values as they were compared:
# numbers rounded if the task asks for it, those that count as equal made the same, times, arrays and JSON as text.


class ResultRows(Protocol):
    """A result."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> list[Row]: ...


def same(rows: int) -> Difference:
    return Difference("same", f"Same result: {rows:,} row{'' if rows == 1 else 's'}.", {})


def undecided(why: str) -> Difference:
    return Difference("undecided", f"Counted as wrong because the rows could not be compared: {why}.", {"why": why})


def another_width(gold: ResultRows, predicted: ResultRows) -> Difference:
    if not gold.columns or not predicted.columns:
        sentence = (
            "A table was expected, but the prediction gave none." if gold.columns else "No table was expected, but one appears."
        )
        return Difference("missing_columns" if gold.columns else "extra_columns", sentence, _names(gold, predicted))
    difference = explain(Table(gold.columns, _unrounded(gold)), Table(predicted.columns, _unrounded(predicted)))
    if difference.kind in ("missing_columns", "extra_columns"):
        return difference
    kind = "missing_columns" if len(gold.columns) > len(predicted.columns) else "extra_columns"
    sentence = f"Expected {_counted(gold)}, got {_counted(predicted)}."
    return Difference(kind, sentence, difference.evidence | _names(gold, predicted))


def another_order(gold: ResultRows, predicted: ResultRows, sides: ResultSides, row: int) -> Difference:
    expected, got = _tables(gold, predicted, sides)
    difference = explain(expected, got)
    if difference.kind == "row_order":
        return difference
    first = f"row {row + 1:,} should be {shown_row(expected.rows[row])}, is {shown_row(got.rows[row])}"
    return Difference("row_order", f"Same rows in another order; {first}.", difference.evidence | {"first_row_apart": row + 1})


def other_rows(gold: ResultRows, predicted: ResultRows, sides: ResultSides) -> Difference:
    difference = explain(*_tables(gold, predicted, sides))
    return difference if difference.kind not in ("identical", "row_order") else _other_types(gold, predicted, difference)


def _other_types(gold: ResultRows, predicted: ResultRows, difference: Difference) -> Difference:
    """Rows that look alike written out: a date and its text, true and 'true'."""
    columns = zip(gold.columns, zip(*gold.rows, strict=True), zip(*predicted.rows, strict=True), strict=True)
    for name, expected, got in columns:
        if (kinds := _kinds(expected)) != (others := _kinds(got)):
            where = f"column {shown_name(name)} is {kinds} in gold and {others} in the prediction"
            return Difference("types", f"Same rows when written as text, but of other types: {where}.", difference.evidence)
    return Difference("types", "Same rows when written as text, but values are of other types.", difference.evidence)


_WORDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (NUMBERS, "number"),
    (str, "text"),
    (datetime, "timestamp"),
    (date, "date"),
    ((list, tuple, dict), "array or JSON"),
    ((bytes, bytearray, memoryview), "bytes"),
)


def _kinds(column: Sequence[Any]) -> str:
    one_of_each: dict[str, Any] = {type(cell).__name__: cell for cell in column if cell is not None}
    words = {next((word for kind, word in _WORDS if isinstance(cell, kind)), name) for name, cell in one_of_each.items()}
    return " or ".join(sorted(words)) or "NULL"


def _tables(gold: ResultRows, predicted: ResultRows, sides: ResultSides) -> tuple[Table, Table]:
    return (
        Table(gold.columns, _plain(_compared(sides, sides.gold, sides.snapped[0]))),
        Table(
            predicted.columns,
            _plain(_compared(sides, sides.predicted, sides.snapped[1])),
            changed=None if predicted.columns else 0,
        ),
    )


def _compared(sides: ResultSides, side: ResultSide, snapped: ResultSide) -> Iterator[Row]:
    """Rows with snapped numbers, except where that would hide a difference."""
    if not sides.unpaired:
        return snapped.rows()
    return (row if key in sides.unpaired else key for row, key in zip(side.rows(), snapped.rows(), strict=True))


def _plain(rows: Iterable[Row]) -> list[Row]:
    return [tuple([plain(cell) for cell in row]) for row in rows]


def _unrounded(result: ResultRows) -> list[Row]:
    return _plain(zip(*[canonical(column, None) for column in zip(*result.rows, strict=True)], strict=True))


def _counted(result: ResultRows) -> str:
    return f"{len(result.columns)} column{'' if len(result.columns) == 1 else 's'} {shown_names(result.columns)}"


def _names(gold: ResultRows, predicted: ResultRows) -> dict[str, Any]:
    return {"gold_columns": plain_row(gold.columns), "predicted_columns": plain_row(predicted.columns)}


_NO_CONDITIONS = StrictConditions()


class StrictResult(Struct, frozen=True):
    matched: bool
    difference: Difference
    """Why not, or that all is well."""
    cut: bool = False
    """The search was given up, and the answer counts as wrong."""


def strict(gold: ResultRows, predicted: ResultRows, conditions: StrictConditions = _NO_CONDITIONS) -> StrictResult:
    try:
        difference = _difference(gold, predicted, conditions)
    except Cut:
        return StrictResult(False, undecided("too many numbers are nearly the same"), cut=True)
    except RecursionError:
        return StrictResult(False, undecided("values are nested too deeply"), cut=True)
    return StrictResult(difference.kind == "same", difference)


def _difference(gold: ResultRows, predicted: ResultRows, conditions: StrictConditions) -> Difference:
    if len(gold.columns) != len(predicted.columns):
        return another_width(gold, predicted)
    places = conditions.places
    sides = ResultSides(_side(gold, places), _side(predicted, places), tolerance=places is None)
    apart = sides.apart()
    if apart is None and sides.gold.height == sides.predicted.height:
        return same(sides.gold.height)
    if not sides.are_alike():
        return other_rows(gold, predicted, sides)
    return another_order(gold, predicted, sides, apart or 0) if conditions.order else same(sides.gold.height)


def _side(result: ResultRows, places: int | None) -> ResultSide:
    columns = zip(*result.rows, strict=True) if result.rows else [()] * len(result.columns)
    return ResultSide([canonical(column, places) for column in columns], len(result.rows))


# Gold and prediction by columns of canonical cells, and whether their rows are the same.
#
# Rows are first compared as they are, by counting. If that fails, each number is replaced by the one that stands for its
# cluster, and rows are counted again: unless the counts agree now, no pairing is possible. If they agree, all is decided but
# for rows with numbers from wide clusters, which are left to `match`, one group of otherwise equal rows at a time.


Columns = list[list[Any]]

_TOLERANT = {float, Decimal, Nested}
_NUMBER = object()


class ResultSide(NamedTuple):
    columns: Columns
    height: int

    def rows(self) -> Iterator[Row]:
        return zip(*self.columns, strict=True)


class ResultSides:
    def __init__(self, gold: ResultSide, predicted: ResultSide, *, tolerance: bool) -> None:
        self.gold = gold
        self.predicted = predicted
        self._tolerance = tolerance

    @cached_property
    def _clusters(self) -> dict[int, Clusters]:
        """For each column, by its place, in which different numbers are near each other."""
        if not self._tolerance:
            return {}
        columns = enumerate(zip(self.gold.columns, self.predicted.columns, strict=True))
        by_column = {at: _clusters(gold, predicted) for at, (gold, predicted) in columns}
        return {at: of for at, of in by_column.items() if of}

    @cached_property
    def snapped(self) -> tuple[ResultSide, ResultSide]:
        """Both sides, each number replaced by the one that stands for its cluster."""
        return self._snapped(self.gold), self._snapped(self.predicted)

    def are_alike(self) -> bool:
        """As multisets."""
        if self.gold.height != self.predicted.height:
            return False
        if _are_same(self.gold, self.predicted) or (self._tolerance and _are_near(self.gold, self.predicted)):
            return True
        return bool(self._clusters) and _are_same(*self.snapped) and not self.unpaired

    def apart(self) -> int | None:
        """Where the rows first differ, in order, counted from 0."""
        for at, (expected, got) in enumerate(zip(self.gold.rows(), self.predicted.rows(), strict=False)):
            if expected != got and not (self._tolerance and all(map(_are_equal, expected, got))):
                return at
        return None

    @cached_property
    def unpaired(self) -> set[Row]:
        """Snapped rows, of those with numbers from wide clusters, whose rows cannot be paired."""
        expected, got = (self._grouped(*both) for both in zip((self.gold, self.predicted), self.snapped, strict=True))
        return {
            row
            for row in expected | got
            if len(gold := expected.get(row, [])) != len(predicted := got.get(row, [])) or not can_be_paired(gold, predicted)
        }

    def _snapped(self, side: ResultSide) -> ResultSide:
        columns = [
            _snapped(column, self._clusters[number].of) if number in self._clusters else column
            for number, column in enumerate(side.columns)
        ]
        return ResultSide(columns, side.height)

    def _grouped(self, side: ResultSide, snapped: ResultSide) -> dict[Row, list[Vector]]:
        """By their snapped row, the numbers of rows that have any from a wide cluster."""
        places = [at for at, of in self._clusters.items() if of.wide]
        wide_rows = {index for at in places for index in _any_of(self._clusters[at].wide, snapped.columns[at])}
        groups: defaultdict[Row, list[Vector]] = defaultdict(list)
        for index in sorted(wide_rows):
            numbers = [number for at in places for number in _cell_numbers(side.columns[at][index])]
            groups[tuple([column[index] for column in snapped.columns])].append(tuple(numbers))
        return groups


def _are_same(one: ResultSide, other: ResultSide) -> bool:
    # As plain dictionaries, which compare quicker than counters do.
    return dict(Counter(one.rows())) == dict(Counter(other.rows()))


def _are_near(gold: ResultSide, predicted: ResultSide) -> bool:
    """Whether rows that are equal but for their numbers are near each other once they are sorted: the usual case."""
    places = {at for side in (gold, predicted) for at, column in enumerate(side.columns) if _has_fractions(column)}
    if not places:
        return False
    expected, got = _by_rest(gold, places), _by_rest(predicted, places)
    return expected.keys() == got.keys() and all(_are_near_sorted(one, got[rest]) for rest, one in expected.items())


def _are_near_sorted(gold: list[Vector], predicted: list[Vector]) -> bool:
    if len(gold) != len(predicted):
        return False
    if len(gold) > 1:
        gold, predicted = sorted(gold), sorted(predicted)
    return all(map(near, chain.from_iterable(gold), chain.from_iterable(predicted)))


def _has_fractions(column: list[Any]) -> bool:
    return not {float, Decimal}.isdisjoint(map(type, column))


def _by_rest(side: ResultSide, places: set[int]) -> dict[Row, list[Vector]]:
    """The numbers in these columns, by what else the rows hold."""
    rest = [_marked(column) if at in places else column for at, column in enumerate(side.columns)]
    numbers = [[cell if isinstance(cell, NUMBERS) else 0 for cell in side.columns[at]] for at in sorted(places)]
    groups: dict[Row, list[Vector]] = {}
    for key, vector in zip(zip(*rest, strict=True), zip(*numbers, strict=True), strict=True):
        groups.setdefault(key, []).append(vector)
    return groups


def _marked(column: list[Any]) -> list[Any]:
    return [_NUMBER if isinstance(cell, NUMBERS) else cell for cell in column]


def _clusters(gold: list[Any], predicted: list[Any]) -> Clusters | None:
    if _TOLERANT.isdisjoint(map(type, gold)) and _TOLERANT.isdisjoint(map(type, predicted)):
        return None
    made = clusters(_numbers(gold), _numbers(predicted))
    return made if made.of else None


def _numbers(column: Sequence[Any]) -> Iterable[Number]:
    for cell in column:
        if isinstance(cell, NUMBERS):
            yield cell
        elif isinstance(cell, Nested):
            yield from cell.numbers


def _snapped(column: list[Any], of: dict[Number, Number]) -> list[Any]:
    if Nested not in set(map(type, column)):
        return [of.get(cell, cell) for cell in column]
    return [
        Nested(cell.shape, tuple([of.get(number, number) for number in cell.numbers]))
        if isinstance(cell, Nested)
        else of.get(cell, cell)
        for cell in column
    ]


def _any_of(numbers: set[Number], column: list[Any]) -> list[int]:
    """Where the column has one of the numbers."""
    if Nested not in set(map(type, column)):
        return [index for index, cell in enumerate(column) if cell in numbers]
    return [index for index, cell in enumerate(column) if not numbers.isdisjoint(_cell_numbers(cell))]


def _cell_numbers(cell: Any) -> Vector:
    if isinstance(cell, Nested):
        return cell.numbers
    return (cell,) if isinstance(cell, NUMBERS) else ()


def _are_equal(one: Any, other: Any) -> bool:
    if isinstance(one, Nested) and isinstance(other, Nested):
        return one.shape == other.shape and all(map(near, one.numbers, other.numbers))
    return one == other or (isinstance(one, NUMBERS) and isinstance(other, NUMBERS) and near(one, other))
