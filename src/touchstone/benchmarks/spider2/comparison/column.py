"""One column of a CSV file with the type that pandas gives it, and the two ways to look at it.

A column as the strict comparison sees it: NULL, and either words or numbers, which are all integers or all floats.

Two cells are equal if they are both NULL, the same word, the same integer, or numbers not more than `TOLERANCE`
apart one of which is a float. There is no relative tolerance, so that large identifiers never pass for one
another; for the same reason an integer beyond 2**53 and a float have to be exactly equal.

Equality within a tolerance is not transitive. For the values of one column that does no harm: if any pairing of
two lists brings all pairs within the tolerance, then pairing them in ascending order does.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import fsum, isclose, isnan
from operator import eq
from typing import Any, Literal

from .csv_numbers import INT64, UINT64, floating, integer
from .vectors import Vector, is_word

TOLERANCE = 0.01

_EXACT = 2**53


class Cells:
    in_arrays = False
    """They are `ArrayCells`."""

    def __init__(self, items: Sequence[Any], numeric: bool) -> None:
        self.items = items
        """Numbers or words as bytes, and None for NULL. Among numbers, words stand for themselves."""
        self.numeric = numeric

    def cell(self, row: int) -> Any:
        return self.items[row]

    @cached_property
    def exact(self) -> bool:
        """Nothing here is a float."""
        if isinstance(self.items, array):
            return self.items.typecode != "d"
        return not self.numeric or not any(isinstance(item, float) for item in self.items)

    @cached_property
    def others(self) -> Counter[bytes | None]:
        """NULL, and words among numbers."""
        if isinstance(self.items, array):
            return Counter()
        if not self.numeric:
            return Counter([None] * self.items.count(None))
        return Counter(item for item in self.items if item is None or isinstance(item, bytes))

    @cached_property
    def proper(self) -> Sequence[Any]:
        """Everything else."""
        return [item for item in self.items if item not in self.others] if self.others else self.items

    @cached_property
    def ascending(self) -> Sequence[Any]:
        ascending = sorted(self.proper)
        return array(self.items.typecode, ascending) if isinstance(self.items, array) else ascending

    @cached_property
    def total(self) -> float | None:
        """The sum, for words of their lengths. Infinities have none."""
        try:
            return fsum(self.proper) if self.numeric else len(b"".join(self.proper))
        except (OverflowError, ValueError):
            return None


def same_values(gold: Cells, predicted: Cells, rows: Any = None) -> bool:
    """Whether some order of the cells makes all of them equal. `rows` is, for arrays, a golden row for each predicted one."""
    if gold.in_arrays and predicted.in_arrays:
        return array_cells().same_values(gold, predicted, rows)
    if gold.others != predicted.others or not _same_total(gold, predicted):
        return False
    return gold.ascending == predicted.ascending or all(map(comparison(gold, predicted), gold.ascending, predicted.ascending))


def _same_total(gold: Cells, predicted: Cells) -> bool:
    """A cheap test that equal cells pass, before anything is sorted."""
    if gold.in_arrays or predicted.in_arrays:
        return True
    if gold.total is None or predicted.total is None or (gold.exact and predicted.exact):
        return gold.total == predicted.total
    slack = 1.01 * TOLERANCE * len(gold.items) + 1e-12 * abs(gold.total)
    return abs(gold.total - predicted.total) <= slack


def same_sum(gold: Cells, predicted: Cells) -> bool:
    """Arrays are summed in another way, so of an array and a list both are taken as lists."""
    if gold.in_arrays != predicted.in_arrays:
        gold, predicted = Cells(gold.items, gold.numeric), Cells(predicted.items, predicted.numeric)
    return gold.total == predicted.total


def same_cells(gold: Cells, predicted: Cells) -> bool:
    """Whether all cells are equal as they stand."""
    if gold.in_arrays and predicted.in_arrays:
        return array_cells().same_cells(gold, predicted)
    return gold.items == predicted.items or all(map(comparison(gold, predicted), gold.items, predicted.items))


def comparison(gold: Cells, predicted: Cells) -> Callable[[Any, Any], bool]:
    """The fastest way to tell whether a cell equals another."""
    if gold.exact and predicted.exact:
        return eq
    if gold.exact or predicted.exact or gold.others or predicted.others:
        return equal
    return partial(isclose, rel_tol=0, abs_tol=TOLERANCE)


def array_cells() -> Any:
    from . import array_cells  # which needs numpy

    return array_cells


def equal(gold: Any, predicted: Any) -> bool:
    if gold == predicted:
        return True
    if not (isinstance(gold, (int, float)) and isinstance(predicted, (int, float))):
        return False
    return close(gold, predicted)


def close(gold: float, predicted: float) -> bool:
    if gold == predicted:
        return True
    if isinstance(gold, int) and isinstance(predicted, int):
        return False
    return abs(gold) <= _EXACT and abs(gold - predicted) <= TOLERANCE


NA = frozenset(
    b"|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split(b"|")
)
"""Words that pandas takes for missing, the empty one among them."""

Kind = Literal["int", "uint", "float", "bool", "words", "mixed"]
"""Of the values. For pandas, the last two are one: objects."""

_ZERO_LED = re.compile(rb"[ \t\n\v\f\r]*[-+]?0[0-9]")
_INTEGERS = range(INT64.start, UINT64.stop)


@dataclass(frozen=True, eq=False, repr=False)
class CsvColumn:
    kind: Kind
    values: Any
    """A sequence of what pandas holds, but with None for what is missing among words, and words as bytes."""
    written: Any = None
    """A sequence of the words as they stand in the file; None if they are all plain numbers or, among floats, empty."""

    @cached_property
    def listed(self) -> CsvColumn:
        """The same with plain sequences."""
        return self

    @cached_property
    def vector(self) -> Vector:
        """For the official comparison."""
        if self.kind in ("int", "uint"):
            return Vector(self.values, "int")
        if self.kind == "float":
            return _float_vector(self.values)
        if self.values is self.written:
            return Vector(self.values, "words", len(self.values))
        items = [0 if value is None else value for value in self.values]
        return Vector(items, "words" if self.kind == "words" else "mixed", sum(map(is_word, items)))

    @cached_property
    def float_vector(self) -> Vector:
        """The same, in a frame of numbers that are not all of one type."""
        return self.vector if self.kind == "float" else _float_vector(array("d", self.values))

    @cached_property
    def is_number(self) -> bool:
        """As far as rows are compared as rows, a code like 007 is none."""
        return self._numeric and (self.written is None or not any(map(_ZERO_LED.match, self.written)))

    @cached_property
    def numbers(self) -> Cells | None:
        """For the strict comparison: numbers, None for an empty word, and words that only pandas takes for missing."""
        if not self._numeric:
            return None
        if self.written is not None:
            return Cells(_number_cells(self.written), numeric=True)
        return Cells(_empty_for_nan(self.values) if self.kind == "float" else self.values, numeric=True)

    @cached_property
    def words(self) -> Cells | None:
        """For the strict comparison: the words as they are written, None for an empty one."""
        if self.written is None:
            return None
        return Cells(self.written if all(self.written) else [word or None for word in self.written], numeric=False)

    @property
    def _numeric(self) -> bool:
        return self.kind in ("int", "uint", "float")


def _float_vector(values: Sequence[float]) -> Vector:
    return Vector([0 if value != value else value for value in values] if isnan(sum(values)) else values, "float")


def _empty_for_nan(values: Sequence[float]) -> Sequence[float | None]:
    return [None if value != value else value for value in values] if isnan(sum(values)) else values


def _number_cells(words: list[bytes]) -> list[Any]:
    cells = [_number_cell(word) for word in words]
    if any(isinstance(cell, float) for cell in cells):
        return [float(cell) if isinstance(cell, int) else cell for cell in cells]
    return cells


def _number_cell(word: bytes) -> int | float | bytes | None:
    if word in NA:
        return word or None
    try:
        number = integer(word, _INTEGERS)
    except OverflowError:
        number = None
    return floating(word) if number is None else number
