"""Gold and prediction by columns of canonical cells, and whether their rows are the same.

Rows are first compared as they are, by counting. If that fails, each number is replaced by the one that stands for its
cluster, and rows are counted again: unless the counts agree now, no pairing is possible. If they agree, all is decided but for
rows with numbers from wide clusters, which are left to `match`, one group of otherwise equal rows at a time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from ...types import Row
from .cells import NUMBERS, Nested, Number
from .match import Clusters, Vector, can_be_paired, clusters, near

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
