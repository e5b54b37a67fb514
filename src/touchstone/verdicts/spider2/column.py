"""One column of a CSV file with the type that pandas gives it, and the two ways to look at it."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan
from typing import Any, Literal

from ._cells import Cells
from ._numbers import INT64, UINT64, floating, integer
from ._vectors import Vector, is_word

NA = frozenset(
    b"|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split(b"|")
)
"""Words that pandas takes for missing, the empty one among them."""

Kind = Literal["int", "uint", "float", "bool", "words", "mixed"]
"""Of the values. For pandas, the last two are one: objects."""

_ZERO_LED = re.compile(rb"[ \t\n\v\f\r]*[-+]?0[0-9]")
_INTEGERS = range(INT64.start, UINT64.stop)


@dataclass(frozen=True, eq=False, repr=False)
class Column:
    kind: Kind
    values: Sequence[Any]
    """What pandas holds, but with None for what is missing among words, and words as bytes."""
    written: list[bytes] | None = None
    """The words as they stand in the file; None if they are all plain numbers or, among floats, empty."""

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
