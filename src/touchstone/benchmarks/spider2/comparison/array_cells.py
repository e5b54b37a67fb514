"""The strict comparison of columns in arrays: the verdicts of `column` and `rows`."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from .column import TOLERANCE, Cells, equal
from .lanes import (
    Array,
    WordLanes,
    identical,
    mixed,
    np,
    padded,
    partner_rows,
    same_at,
    same_by_pairs,
    same_words_sorted,
    sum_in_any_order,
)

_EXACT = 2**53


class ArrayCells(Cells):
    in_arrays = True

    values: Any
    """An array or `WordLanes`, with 0 or nothing for what is missing."""

    def __init__(self, values: Any, missing: Array | None) -> None:
        self.numeric = not isinstance(values, WordLanes)
        self.values = values
        if missing is not None:
            self.values = np.where(missing, 0, values) if self.numeric else values.without(missing)
        self.missing = missing

    def cell(self, row: int) -> Any:
        if self.missing is not None and self.missing[row]:
            return None
        return self.values[row].item() if self.numeric else self.values[row]

    def chosen(self, rows: Array) -> ArrayCells:
        values = self.values[rows] if self.numeric else self.values.chosen(rows)
        return ArrayCells(values, None if self.missing is None else self.missing[rows])

    @cached_property
    def items(self) -> Any:
        if self.missing is None and self.numeric:
            return array("d" if self.values.dtype == np.float64 else "q", self.values.tobytes())
        values = self.values.tolist()
        if self.missing is None:
            return values
        return [None if gap else value for value, gap in zip(values, self.missing, strict=True)]

    @cached_property
    def exact(self) -> bool:
        return not self.numeric or bool(self.values.dtype != np.float64)

    @cached_property
    def others(self) -> Counter[bytes | None]:
        return Counter() if self.missing is None else Counter({None: int(np.count_nonzero(self.missing))})

    @cached_property
    def proper(self) -> Any:
        if self.missing is None:
            return self.values
        return self.values[~self.missing] if self.numeric else self.values.chosen(~self.missing)

    @cached_property
    def extremes(self) -> Array:
        return np.array([self.proper.min(), self.proper.max()])

    @cached_property
    def sorted_numbers(self) -> Array:
        return np.sort(self.proper)

    @cached_property
    def ascending(self) -> Sequence[Any]:
        return np.sort(self.proper, kind="stable").tolist() if self.numeric else sorted(self.proper)

    @cached_property
    def total(self) -> float | None:
        if not self.numeric:
            return self.values.length
        return sum_in_any_order(self.proper)


def same_values(gold: ArrayCells, predicted: ArrayCells, rows: Array | None) -> bool:
    if gold.others != predicted.others or (not gold.numeric and gold.total != predicted.total):
        return False
    if rows is not None and (not gold.numeric or gold.values.dtype == predicted.values.dtype):
        same = same_by_pairs(gold.values, predicted.values, rows)
        if same or (same is not None and gold.exact):
            return same
    if not gold.numeric:
        return same_words_sorted(gold.proper, predicted.proper)
    if len(gold.proper) and not _near(gold.extremes, predicted.extremes).all():
        return False
    return bool(_near(gold.sorted_numbers, predicted.sorted_numbers).all())


def same_cells(gold: ArrayCells, predicted: ArrayCells) -> bool:
    return bool(_equal_at(gold, predicted).all())


def same_exactly(gold: ArrayCells, predicted: ArrayCells) -> bool:
    """As they stand, and without any tolerance."""
    return identical(gold.values, predicted.values) and np.array_equal(_gaps(gold), _gaps(predicted))


def _equal_at(gold: ArrayCells, predicted: ArrayCells) -> Array:
    """Where the cells of both are equal."""
    same = _near(gold.values, predicted.values) if gold.numeric else same_at(gold.values, predicted.values)
    if gold.missing is None and predicted.missing is None:
        return same
    return same & (_gaps(gold) == _gaps(predicted))


def _gaps(cells: ArrayCells) -> Array:
    return np.zeros(len(cells.values), bool) if cells.missing is None else cells.missing


def _near(gold: Array, predicted: Array) -> Array:
    if gold.dtype == predicted.dtype != np.float64:
        return gold == predicted
    if any(side.dtype != np.float64 and len(side) and int(np.abs(side).max()) > _EXACT for side in (gold, predicted)):
        return np.fromiter(map(equal, gold.tolist(), predicted.tolist()), bool, len(gold))
    with np.errstate(invalid="ignore"):
        return (gold == predicted) | (np.abs(gold - predicted) <= TOLERANCE)


def key_partners(gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], exact: list[int]) -> tuple[int, Array] | None:
    """A column whose values say which row is which, if there is one, and for each predicted row the golden one."""
    for column in sorted(exact, key=lambda column: not gold[column].numeric):
        if gold[column].missing is None and predicted[column].missing is None:
            rows = partner_rows(gold[column].values, predicted[column].values)
            if rows is not None:
                return column, rows
    return None


def apart_by_key(gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], key: int, rows: Array) -> int | None:
    for column, (expected, got) in enumerate(zip(gold, predicted, strict=True)):
        if column != key:
            same = _equal_at(expected.chosen(rows), got)
            if not same.all():
                return int(rows[~same].min())
    return None


def doubtful_rows(gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], exact: list[int]) -> tuple[Array, Array]:
    """The rows of each side that are not paired off by agreeing where they must and standing at the same place otherwise.

    Rows that agree where they must are a group, and groups are taken as a whole.
    """
    lanes = [max(_width(one), _width(other)) for one, other in zip(gold, predicted, strict=True)]
    marks = [_group_marks(side, exact, lanes) for side in (gold, predicted)]
    floats = [[side[column].values for column in range(len(side)) if column not in exact] for side in (gold, predicted)]
    orders = [np.lexsort((*reversed(some), mark)) for some, mark in zip(floats, marks, strict=True)]
    sorted_marks = [mark[order] for mark, order in zip(marks, orders, strict=True)]
    counted = [np.unique(mark, return_counts=True) for mark in sorted_marks]
    common, at, other = np.intersect1d(counted[0][0], counted[1][0], assume_unique=True, return_indices=True)
    equally_often = common[counted[0][1][at] == counted[1][1][other]]
    aligned = [order[np.isin(mark, equally_often)] for order, mark in zip(orders, sorted_marks, strict=True)]
    same = np.ones(len(aligned[0]), bool)
    for expected, got in zip(gold, predicted, strict=True):
        same &= _equal_at(expected.chosen(aligned[0]), got.chosen(aligned[1]))
    good = np.setdiff1d(equally_often, marks[0][aligned[0][~same]], assume_unique=False)
    rows = [np.flatnonzero(~np.isin(mark, good)) for mark in marks]
    return rows[0], rows[1]


def _width(cells: ArrayCells) -> int:
    return 1 if cells.numeric else len(cells.values.lanes)


def _group_marks(side: Sequence[ArrayCells], exact: list[int], lanes: list[int]) -> Array:
    parts: list[Array] = [np.zeros(len(side[0].values), np.uint64)] * 2
    for column, cells in enumerate(side):
        if column in exact:
            parts += [cells.values.view(np.uint64)] if cells.numeric else padded(cells.values, lanes[column])
        parts.append(_gaps(cells).astype(np.uint64))
    return mixed(parts)
