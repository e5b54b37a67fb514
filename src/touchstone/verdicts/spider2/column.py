"""One column of a CSV file with the type that pandas gives it, and the two ways to look at it.

pandas tries, on all words of a block at once: 64-bit integers, floats, truth values; else they remain words. What
is in `NA` is missing, and turns integers into floats and truth values into a mixture. The traps on the way:

- integers beyond 64 bits are noticed before anything else that is wrong, so whether a column becomes words or
  floats can depend on which word comes first;
- between 2**63 and 2**64 a column is unsigned; with a negative or a missing value beside it, all remain words, even
  the missing ones;
- among missing values, the smallest 64-bit integer is missing too;
- blocks of different types are joined to floats if all are numbers, else each block keeps its own type.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isnan
from typing import Any, Literal

from ._cells import Cells
from ._numbers import INT64, UINT64, floating, integer, numbers
from ._vectors import Vector

NA = frozenset(
    b"|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split(b"|")
)
Kind = Literal["int", "uint", "float", "bool", "words"]

_NAN = float("nan")
_TRUTH = {b"true": True, b"false": False}
_NUMBER = re.compile(rb"[ \t\n\v\f\r]*[-+]?(?:\.?[0-9]|inf)", re.IGNORECASE)
_ZERO_LED = re.compile(rb"[ \t\n\v\f\r]*[-+]?0[0-9]")
_CODES: dict[Kind, str] = {"int": "q", "uint": "Q", "float": "d"}
_INTEGERS = range(INT64.start, UINT64.stop)
_SAMPLE = 1000


@dataclass(frozen=True, eq=False)
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
            return Vector(self.values, "words")
        return Vector([0 if value is None else value for value in self.values], "mixed")

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
        return None if self.written is None else Cells([word or None for word in self.written], numeric=False)

    @property
    def _numeric(self) -> bool:
        return self.kind in ("int", "uint", "float")


def column(words: list[bytes]) -> Column:
    """The type and the values of one block of words."""
    first = next((word for word in words if word not in NA), None)
    if first is None:
        return Column("float", array("d", [_NAN]) * len(words), words if any(words) else None)
    if _NUMBER.match(first):
        return _plain(words) or _careful(words)
    return (_truths(words) if first.lower() in _TRUTH else None) or _words(words)


def _plain(words: list[bytes]) -> Column | None:
    """Numbers without peculiarities, which are most columns."""
    found = numbers(words)
    if found is None and b"" in words:
        return _plain_with_gaps(words)
    try:
        return found and (Column("int", array("q", found)) if isinstance(found[0], int) else Column("float", array("d", found)))
    except OverflowError:
        return None


def _plain_with_gaps(words: list[bytes]) -> Column | None:
    found = numbers([word for word in words if word])
    if not found or (isinstance(found[0], int) and not all(INT64.start < number < INT64.stop for number in found)):
        return None
    rest = iter(found)
    values = array("d", [next(rest) if word else _NAN for word in words])
    return Column("float", values, words if isinstance(found[0], int) else None)


def _careful(words: list[bytes]) -> Column:
    try:
        found = _signed(words)
    except OverflowError:
        try:
            found = _unsigned(words)
        except OverflowError:
            return _words(words)
        except ValueError:
            return Column("words", words, words)
    return found or _floats(words) or _truths(words) or _words(words)


def _signed(words: list[bytes]) -> Column | None:
    found: list[int | None] = []
    for word in words:
        number = None if word in NA else integer(word, INT64)
        if number is None and word not in NA:
            return None
        found.append(number)
    if None not in found:
        return Column("int", array("q", found), words)  # type: ignore
    smallest = INT64.start
    return Column("float", array("d", [_NAN if n is None or n == smallest else n for n in found]), words)


def _unsigned(words: list[bytes]) -> Column | None:
    found: list[int] = []
    missing = negative = False
    for word in words:
        if word in NA:
            missing = True
        elif word.lstrip().startswith(b"-"):
            negative = True
        elif (number := integer(word, UINT64)) is None:
            return None
        else:
            found.append(number)
    if (missing or negative) and any(number not in INT64 for number in found):
        raise ValueError
    if negative:
        raise OverflowError
    return Column("uint", array("Q", found), words)


def _floats(words: list[bytes]) -> Column | None:
    found = [_NAN if word in NA else floating(word) for word in words]
    return None if None in found else Column("float", array("d", found), words)  # type: ignore


def _truths(words: list[bytes]) -> Column | None:
    found = [None if word in NA else _TRUTH.get(word.lower(), word) for word in words]
    if any(isinstance(value, bytes) for value in found):
        return None
    return Column("words" if None in found else "bool", found, words)


def _words(words: list[bytes]) -> Column:
    if len(set(words[:_SAMPLE])) * 2 < _SAMPLE < len(words):
        kept: dict[bytes, bytes] = {}
        words = list(map(kept.setdefault, words, words))
    return Column("words", words if NA.isdisjoint(words) else [None if word in NA else word for word in words], words)


def joined(blocks: Sequence[Column]) -> Column:
    """The blocks of one column as one."""
    if len(blocks) == 1:
        return blocks[0]
    written = _joined_words(blocks)
    if all(block.values is block.written for block in blocks):
        return Column("words", written or [], written)
    kinds = {block.kind for block in blocks}
    if kinds <= _CODES.keys():
        kind = _common(kinds)
        return Column(kind, array(_CODES[kind], _chained(blocks)), written)
    return Column("bool" if kinds == {"bool"} else "words", _mixture(blocks, kinds), written)


def _joined_words(blocks: Sequence[Column]) -> list[bytes] | None:
    if all(block.written is None for block in blocks):
        return None
    return [word for block in blocks for word in (block.written or _rewritten(block))]


def _rewritten(block: Column) -> list[bytes]:
    """Words for plain numbers, written as plainly as can be."""
    return [b"" if value is None else repr(value).encode() for value in _objects(block)]


def _mixture(blocks: Sequence[Column], kinds: set[Kind]) -> list[Any]:
    """Each block as it is, except that truth values beside numbers alone become numbers."""
    if "words" in kinds or kinds == {"bool"}:
        return [value for block in blocks for value in _objects(block)]
    kind = _common(kinds - {"bool"})
    return _objects(Column(kind, array(_CODES[kind], _chained(blocks))))


def _common(kinds: set[Kind]) -> Kind:
    return next(iter(kinds)) if len(kinds) == 1 else "float"


def _chained(blocks: Sequence[Column]) -> Iterator[Any]:
    return chain.from_iterable(block.values for block in blocks)


def _objects(block: Column) -> list[Any]:
    return [None if value != value else value for value in block.values]


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
