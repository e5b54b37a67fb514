"""Columns of large results as numpy arrays, and the comparisons of `vectors`, `column` and `rows` made on them.

The verdicts are the same. Numbers are 64-bit integers or floats. Words are kept in lanes: eight bytes each as one number, so
that a word of eleven bytes is a pair of numbers. Two columns of words hold the same ones if they agree once both are sorted by
a hash, which is the word itself where one lane suffices; that they agree is then looked at, not assumed.

Sorting numbers by how they print needs no printing: for those without an exponent, the digits before the point, padded to the
right, decide, then how many there are, then the value. The few others are put in where they belong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from secrets import randbits
from typing import Any

import numpy as np

from .column import TOLERANCE, Cells, Column, equal
from .vectors import Vector

Array = Any

_U = np.uint64
_EXACT = 2**53
_FACTORS = [_U(randbits(64) | 1) for _ in range(9)]
"""Drawn anew in each process, so that nobody can prepare words whose hashes collide."""
_TENS = np.array([10**power for power in range(20)], np.uint64)
_ROOM = 16
"""A table may have so many places for each row."""


class Words(Sequence[bytes]):
    def __init__(self, lanes: list[Array]) -> None:
        self.lanes = lanes

    def __len__(self) -> int:
        return len(self.lanes[0])

    def __getitem__(self, row: Any) -> Any:
        if isinstance(row, slice):
            return Words([lane[row] for lane in self.lanes]).tolist()
        return b"".join(int(lane[row]).to_bytes(8, "little") for lane in self.lanes).rstrip(b"\0")

    def __iter__(self) -> Any:
        return iter(self.tolist())

    def tolist(self) -> list[bytes]:
        return np.stack(self.lanes, 1).view(f"S{8 * len(self.lanes)}").ravel().tolist()

    def chosen(self, rows: Array) -> Words:
        """Those at some places, or where a mask is set."""
        return Words([lane[rows] for lane in self.lanes])

    def among(self, short: Array) -> Array:
        """Which of them are one of these words of one lane."""
        found = np.zeros(len(self), bool)
        for word in short:
            found |= self.lanes[0] == word
        for lane in self.lanes[1:]:
            found &= lane == 0
        return found

    def without(self, missing: Array | None) -> Words:
        return self if missing is None else Words([np.where(missing, _U(0), lane) for lane in self.lanes])

    @cached_property
    def hashes(self) -> Array:
        return _mixed(self.lanes)

    @property
    def length(self) -> int:
        """Of all of them together."""
        return sum(int(np.count_nonzero(lane.view(np.uint8))) for lane in self.lanes)


def _mixed(lanes: Sequence[Array]) -> Array:
    """A number for each row, the same for the same lanes; a single lane is itself. Lanes of zeros at the end add nothing."""
    if len(lanes) == 1:
        return lanes[0]
    total = np.zeros(len(lanes[0]), np.uint64)
    for lane, factor in zip(lanes, (_FACTORS * len(lanes))[: len(lanes)], strict=True):
        spread = lane * factor
        total = (total ^ (total >> _U(29))) * _FACTORS[-1] + (spread ^ (spread >> _U(32)))
    return total


def _same_words(gold: Words, predicted: Words) -> bool:
    """As they stand."""
    lanes = max(len(gold.lanes), len(predicted.lanes))
    return all(np.array_equal(*pair) for pair in zip(_padded(gold, lanes), _padded(predicted, lanes), strict=True))


def _padded(words: Words, lanes: int) -> list[Array]:
    return [*words.lanes, *[np.zeros(len(words), np.uint64)] * (lanes - len(words.lanes))]


def _same_words_sorted(gold: Words, predicted: Words) -> bool:
    """In any order."""
    if len(gold) != len(predicted):
        return False
    lanes = max(len(gold.lanes), len(predicted.lanes))
    sides = [Words(_padded(words, lanes)) for words in (gold, predicted)]
    if lanes == 1:
        return np.array_equal(*[np.sort(words.lanes[0]) for words in sides])
    orders = [np.argsort(words.hashes) for words in sides]
    if not np.array_equal(*[words.hashes[order] for words, order in zip(sides, orders, strict=True)]):
        return False
    if _same_words(*[words.chosen(order) for words, order in zip(sides, orders, strict=True)]):
        return True
    return Counter(gold) == Counter(predicted)  # two words have one hash


@dataclass(frozen=True, eq=False, repr=False)
class ArrayColumn(Column):
    missing: Array | None = None
    """Which words are missing."""
    whole: bool = False
    """Floats only because some are missing: nothing is written but integers."""

    @cached_property
    def vector(self) -> Vector:
        return ArrayVector(self.values, self.kind, self.missing)

    @cached_property
    def float_vector(self) -> Vector:
        return self.vector if self.kind == "float" else ArrayVector(self.values.astype(np.float64), "float", None)

    @cached_property
    def numbers(self) -> Cells | None:
        if self.kind == "words":
            return None
        gaps = np.isnan(self.values) if self.kind == "float" else None
        gaps = gaps if gaps is not None and gaps.any() else None
        if self.written is None:
            return ArrayCells(self.values, gaps)
        if self.kind == "int":
            return ArrayCells(self.values, None)
        integers = np.where(gaps, 0, self.values).astype(np.int64)
        if self.whole and (np.abs(integers) <= _EXACT).all():
            return ArrayCells(integers, gaps)
        return super().numbers

    @cached_property
    def words(self) -> Cells | None:
        if self.written is None:
            return None
        gaps = self.written.lanes[0] == 0
        return ArrayCells(self.written, gaps if gaps.any() else None)

    @cached_property
    def listed(self) -> Column:
        values = self.values.tolist()
        if self.kind != "words":
            return Column(self.kind, values, None if self.written is None else self.written.tolist())
        if self.missing is None:
            return Column("words", values, values)
        return Column("words", [None if gap else word for word, gap in zip(values, self.missing, strict=True)], values)


def together(blocks: Sequence[ArrayColumn], written: Words | None) -> ArrayColumn:
    """The blocks of one column, either all words or all numbers."""
    kinds = {block.kind for block in blocks}
    if kinds == {"words"}:
        words = joined_words([block.values for block in blocks])
        gaps = [np.zeros(len(block.values), bool) if block.missing is None else block.missing for block in blocks]
        missing = np.concatenate(gaps)
        return ArrayColumn("words", words, words, missing if missing.any() else None)
    values = np.concatenate([block.values for block in blocks])
    if written is None and blocks[0].written is not None:
        written = joined_words([block.written for block in blocks])
    return ArrayColumn(kinds.pop() if len(kinds) == 1 else "float", values, written, None, _whole(blocks))


def _whole(blocks: Sequence[ArrayColumn]) -> bool:
    return all(block.whole or block.kind == "int" for block in blocks) and not any(
        block.kind == "int" and block.written is not None for block in blocks
    )


def joined_words(parts: Sequence[Any]) -> Words:
    lanes = max(len(part.lanes) for part in parts)
    return Words([np.concatenate(column) for column in zip(*[_padded(part, lanes) for part in parts], strict=True)])


# --- the official comparison ---


class ArrayVector(Vector):
    in_arrays = True

    def __init__(self, values: Any, kind: Any, missing: Array | None) -> None:
        self.kind = kind
        self.array = values.without(missing) if isinstance(values, Words) else values
        self.missing = missing if isinstance(values, Words) else np.isnan(values) if kind == "float" else None
        gaps = 0 if self.missing is None else int(np.count_nonzero(self.missing))
        self.missing = self.missing if gaps else None
        self.gaps = gaps
        self.words = len(values) - gaps if isinstance(values, Words) else 0

    @cached_property
    def items(self) -> Any:
        values = self.array.tolist()
        return values if self.missing is None else [0 if gap else value for value, gap in zip(values, self.missing, strict=True)]

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def listed(self) -> Vector:
        return Vector(self.items, self.kind, self.words)

    @cached_property
    def filled(self) -> Array:
        return self.array if self.missing is None else np.where(self.missing, 0, self.array)

    @cached_property
    def summary(self) -> tuple[str, Any]:
        if self.kind == "words":
            return self.kind, self.array.length
        with np.errstate(all="ignore"):
            return self.kind, (self.by_value if self.kind == "float" else self.array).sum().item()

    @cached_property
    def by_value(self) -> Array:
        return np.sort(self.filled)

    @cached_property
    def by_print(self) -> Array:
        values = self.array if self.missing is None else self.array[~self.missing]
        negative, positive = values[np.signbit(values)], values[~np.signbit(values)]
        arranged = [-_by_print(np.abs(negative)), np.zeros(self.gaps), _by_print(positive)]
        return np.concatenate([part.astype(np.float64) for part in arranged])

    @cached_property
    def prints_one_way(self) -> bool:
        return self.kind != "float" or not (np.signbit(self.array) & (self.array == 0)).any()


def _by_print(values: Array) -> Array:
    """Numbers that are not negative in the order of their digits as text."""
    ascending = np.sort(values)
    if ascending.dtype != np.float64:
        whole = ascending.astype(np.uint64)
        return ascending[_by_digits(whole)]
    with_exponent = ((ascending < 1e-4) & (ascending > 0)) | (ascending >= _EXACT)
    odd, plain = ascending[with_exponent], ascending[~with_exponent]
    plain = plain[_by_digits(np.floor(plain).astype(np.uint64))]
    if len(odd) * 50 > len(plain):
        return np.array(sorted(ascending.tolist(), key=repr))
    odd = sorted(odd.tolist(), key=repr)
    return np.insert(plain, [bisect_left(plain, repr(value), key=_printed) for value in odd], odd)


def _printed(value: Any) -> str:
    return repr(float(value))


def _by_digits(ascending: Array) -> Array:
    """How to order ascending integers by their digits."""
    digits = np.maximum(np.searchsorted(_TENS, ascending, side="right"), 1)
    return np.argsort(ascending * _TENS[19 - digits], kind="stable")


def match(gold: ArrayVector, predicted: ArrayVector, ignore_order: bool) -> bool:
    """For as many items and as many words on both sides."""
    if gold.words:
        return _words_match(gold, predicted, ignore_order)
    if not ignore_order:
        return _close(gold.filled, predicted.filled)
    alike = gold.kind == predicted.kind and gold.prints_one_way and predicted.prints_one_way
    if alike and np.array_equal(gold.by_value, predicted.by_value):
        return True
    if not _close(gold.by_value, predicted.by_value, 1.001):
        return False
    return _close(gold.by_print, predicted.by_print)


def _words_match(gold: ArrayVector, predicted: ArrayVector, ignore_order: bool) -> bool:
    if ignore_order:
        return _same_words_sorted(*[side.array if side.missing is None else side.array.chosen(~side.missing) for side in (gold, predicted)])
    same_gaps = not gold.gaps or np.array_equal(gold.missing, predicted.missing)
    return bool(same_gaps) and _same_words(gold.array, predicted.array)


def _close(gold: Array, predicted: Array, slack: float = 1.0) -> bool:
    """As math.isclose has it, with an absolute tolerance of 0.01."""
    one, other = gold.astype(np.float64), predicted.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(one - other)
        relative = 1e-9 * slack
        near = (apart <= np.abs(relative * one)) | (apart <= np.abs(relative * other)) | (apart <= 1e-2 * slack)
        near &= np.isfinite(one) & np.isfinite(other)
    return bool((near | (one == other)).all())


def same_rows(gold: Sequence[ArrayVector], predicted: Sequence[ArrayVector]) -> bool:
    """Whether exactly equal rows are there on both sides, told apart by a column that has no value twice: False says nothing."""
    pairs = list(zip(gold, predicted, strict=True))
    if all(_identical(one.array, other.array) for one, other in pairs):
        return True
    for one, other in sorted(pairs, key=lambda pair: pair[0].kind != "int"):
        if one.kind != "float" and one.missing is None and (rows := _partner_rows(one.array, other.array)) is not None:
            return all(
                _identical(expected.array.chosen(rows) if expected.words else expected.array[rows], got.array)
                for expected, got in pairs
                if expected is not one
            )
    return False


def _identical(gold: Any, predicted: Any) -> bool:
    if isinstance(gold, Words):
        return _same_words(gold, predicted)
    return gold.dtype == predicted.dtype and np.array_equal(gold, predicted, equal_nan=gold.dtype == np.float64)


def _partner_rows(gold: Any, predicted: Any) -> Array | None:
    """For each predicted row the golden one with the same key, if no key is there twice and all have a partner."""
    if isinstance(gold, Words):
        return _partners_by_hash(gold, predicted)
    lowest, highest = int(gold.min()), int(gold.max())
    if highest - lowest >= _ROOM * len(gold):
        return _partners_by_order(gold, predicted)
    if int(predicted.min()) < lowest or int(predicted.max()) > highest:
        return None
    numbers = np.arange(len(gold), dtype=np.int32)
    table = np.full(highest - lowest + 1, -1, np.int32)
    table[gold - lowest] = numbers
    rows = table[predicted - lowest]
    if (rows < 0).any() or not np.array_equal(table[gold - lowest], numbers):
        return None
    taken = np.zeros(len(gold), bool)
    taken[rows] = True
    return rows if taken.all() else None


def _partners_by_order(gold: Array, predicted: Array) -> Array | None:
    order, other = np.argsort(gold), np.argsort(predicted)
    ascending = gold[order]
    if (ascending[1:] == ascending[:-1]).any() or not np.array_equal(ascending, predicted[other]):
        return None
    rows = np.empty_like(order)
    rows[other] = order
    return rows


def _partners_by_hash(gold: Words, predicted: Words) -> Array | None:
    lanes = max(len(gold.lanes), len(predicted.lanes))
    sides = [Words(_padded(words, lanes)) for words in (gold, predicted)]
    rows = _partners_by_order(sides[0].hashes, sides[1].hashes)
    return rows if rows is not None and _same_words(sides[0].chosen(rows), sides[1]) else None


# --- the strict comparison ---


class ArrayCells(Cells):
    in_arrays = True

    def __init__(self, values: Any, missing: Array | None) -> None:
        self.values = values.without(missing) if isinstance(values, Words) else values if missing is None else np.where(missing, 0, values)
        self.missing = missing
        self.numeric = not isinstance(values, Words)

    def cell(self, row: int) -> Any:
        if self.missing is not None and self.missing[row]:
            return None
        return self.values[row].item() if self.numeric else self.values[row]

    def chosen(self, rows: Array) -> ArrayCells:
        values = self.values[rows] if self.numeric else self.values.chosen(rows)
        return ArrayCells(values, None if self.missing is None else self.missing[rows])

    @cached_property
    def items(self) -> Any:
        values = self.values.tolist()
        return values if self.missing is None else [None if gap else value for value, gap in zip(values, self.missing, strict=True)]

    @cached_property
    def exact(self) -> bool:
        return not self.numeric or self.values.dtype != np.float64

    @cached_property
    def others(self) -> Counter[bytes | None]:
        return Counter() if self.missing is None else Counter({None: int(np.count_nonzero(self.missing))})

    @cached_property
    def proper(self) -> Any:
        if self.missing is None:
            return self.values
        return self.values[~self.missing] if self.numeric else self.values.chosen(~self.missing)

    @cached_property
    def sorted_numbers(self) -> Array:
        return np.sort(self.proper)

    @cached_property
    def ascending(self) -> Sequence[Any]:
        return self.sorted_numbers.tolist() if self.numeric else sorted(self.proper)

    @cached_property
    def total(self) -> float | None:
        if not self.numeric:
            return self.values.length
        with np.errstate(all="ignore"):
            return (self.sorted_numbers if not self.exact else self.proper).sum().item()


def same_values(gold: ArrayCells, predicted: ArrayCells) -> bool:
    if gold.others != predicted.others:
        return False
    if not gold.numeric:
        return _same_words_sorted(gold.proper, predicted.proper)
    return bool(_near(gold.sorted_numbers, predicted.sorted_numbers).all())


def same_cells(gold: ArrayCells, predicted: ArrayCells) -> bool:
    return bool(_equal_at(gold, predicted).all())


def same_exactly(gold: ArrayCells, predicted: ArrayCells) -> bool:
    """As they stand, and without any tolerance."""
    return _identical(gold.values, predicted.values) and np.array_equal(_gaps(gold), _gaps(predicted))


def _equal_at(gold: ArrayCells, predicted: ArrayCells) -> Array:
    """Where the cells of both are equal."""
    same = _near(gold.values, predicted.values) if gold.numeric else _same_at(gold.values, predicted.values)
    if gold.missing is None and predicted.missing is None:
        return same
    return same & (_gaps(gold) == _gaps(predicted))


def _gaps(cells: ArrayCells) -> Array:
    return np.zeros(len(cells.values), bool) if cells.missing is None else cells.missing


def _same_at(gold: Words, predicted: Words) -> Array:
    lanes = max(len(gold.lanes), len(predicted.lanes))
    same = np.ones(len(gold), bool)
    for one, other in zip(_padded(gold, lanes), _padded(predicted, lanes), strict=True):
        same &= one == other
    return same


def _near(gold: Array, predicted: Array) -> Array:
    if gold.dtype == predicted.dtype != np.float64:
        return gold == predicted
    if any(side.dtype != np.float64 and len(side) and int(np.abs(side).max()) > _EXACT for side in (gold, predicted)):
        return np.fromiter(map(equal, gold.tolist(), predicted.tolist()), bool, len(gold))
    with np.errstate(invalid="ignore"):
        return (gold == predicted) | (np.abs(gold - predicted) <= TOLERANCE)


def key_partners(gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], exact: list[int]) -> tuple[int, Array] | None:
    """A column whose values say which row is which, if there is one, and for each predicted row the golden one."""
    for place in sorted(exact, key=lambda place: not gold[place].numeric):
        if gold[place].missing is None and predicted[place].missing is None:
            rows = _partner_rows(gold[place].values, predicted[place].values)
            if rows is not None:
                return place, rows
    return None


def apart_by_key(gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], key: int, rows: Array) -> int | None:
    for place, (expected, got) in enumerate(zip(gold, predicted, strict=True)):
        if place != key:
            same = _equal_at(expected.chosen(rows), got)
            if not same.all():
                return int(rows[~same].min())
    return None


def doubtful_rows(
    gold: Sequence[ArrayCells], predicted: Sequence[ArrayCells], exact: list[int]
) -> tuple[Array, Array]:
    """The rows of each side that are not paired off by agreeing where they must and standing at the same place otherwise.

    Rows that agree where they must are a group, and groups are taken as a whole.
    """
    lanes = [max(_width(one), _width(other)) for one, other in zip(gold, predicted, strict=True)]
    marks = [_group_marks(side, exact, lanes) for side in (gold, predicted)]
    floats = [[side[place].values for place in range(len(side)) if place not in exact] for side in (gold, predicted)]
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
    for place, cells in enumerate(side):
        if place in exact:
            parts += [cells.values.view(np.uint64)] if cells.numeric else _padded(cells.values, lanes[place])
        parts.append(_gaps(cells).astype(np.uint64))
    return _mixed(parts)
