"""The official comparison of columns in arrays: the verdicts of `vectors`.

Sorting numbers by how they print needs no printing: for those without an exponent, the digits before the point, padded to the
right, decide, then how many there are, then the value. The few others are put in where they belong.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from .lanes import Array, WordLanes, identical, np, partner_rows, same_by_pairs, same_words, same_words_sorted, sum_in_any_order
from .vectors import Vector

_EXACT = 2**53
_TENS = np.array([10**power for power in range(20)], np.uint64)


class ArrayVector(Vector):
    in_arrays = True
    array: Any
    """Of numbers, or `WordLanes`."""

    def __init__(self, values: Any, kind: Any, missing: Array | None) -> None:
        self.kind = kind
        self.array = values.without(missing) if isinstance(values, WordLanes) else values
        self.missing = missing if isinstance(values, WordLanes) else np.isnan(values) if kind == "float" else None
        gaps = 0 if self.missing is None else int(np.count_nonzero(self.missing))
        self.missing = self.missing if gaps else None
        self.gaps = gaps
        self.words = len(values) - gaps if isinstance(values, WordLanes) else 0

    @cached_property
    def items(self) -> Any:
        values = self.array.tolist()
        if self.missing is None:
            return values
        return [0 if gap else value for value, gap in zip(values, self.missing, strict=True)]

    def __len__(self) -> int:
        return len(self.array)

    @cached_property
    def listed(self) -> Vector:
        return Vector(self.items, self.kind, self.words)

    @property
    def proper(self) -> Any:
        """Without what is missing."""
        if self.missing is None:
            return self.array
        return self.array.chosen(~self.missing) if self.words else self.array[~self.missing]

    @cached_property
    def filled(self) -> Array:
        return self.array if self.missing is None else np.where(self.missing, 0, self.array)

    @cached_property
    def summary(self) -> tuple[str, Any]:
        if self.kind == "words":
            return self.kind, self.array.length
        return self.kind, sum_in_any_order(self.filled)

    @cached_property
    def by_value(self) -> Array:
        return np.sort(self.filled)

    @cached_property
    def extremes(self) -> Array:
        return np.array([self.filled.min(), self.filled.max()])

    @cached_property
    def by_print(self) -> Array:
        if self.prints_one_way and not self.gaps:
            first = np.searchsorted(self.by_value, 0)
            negative, positive = self.by_value[:first], self.by_value[first:]
        else:  # apart, since sorting confuses both zeros
            minus = np.signbit(self.proper)
            negative, positive = np.sort(self.proper[minus]), np.sort(self.proper[~minus])
        arranged = [-_by_print(np.abs(negative[::-1])), np.zeros(self.gaps), _by_print(positive)]
        return np.concatenate([part.astype(np.float64, copy=False) for part in arranged])

    @cached_property
    def prints_one_way(self) -> bool:
        return self.kind != "float" or not (np.signbit(self.array) & (self.array == 0)).any()


def _by_print(ascending: Array) -> Array:
    """Numbers that are not negative in the order of their digits as text."""
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


def match(gold: ArrayVector, predicted: ArrayVector, ignore_order: bool, rows: Array | None) -> bool:
    """For as many items and as many words on both sides."""
    if gold.words:
        return _words_match(gold, predicted, ignore_order, rows)
    if not ignore_order:
        return _close(gold.filled, predicted.filled)
    alike = gold.kind == predicted.kind and gold.prints_one_way and predicted.prints_one_way
    if len(gold) and not _close(gold.extremes, predicted.extremes, 1.001):
        return False
    if alike and rows is not None and same_by_pairs(gold.filled, predicted.filled, rows):
        return True
    if alike and np.array_equal(gold.by_value, predicted.by_value):
        return True
    if not _close(gold.by_value, predicted.by_value, 1.001):
        return False
    return _close(gold.by_print, predicted.by_print)


def _words_match(gold: ArrayVector, predicted: ArrayVector, ignore_order: bool, rows: Array | None) -> bool:
    if ignore_order:
        if gold.summary != predicted.summary:
            return False
        if rows is not None and (same := same_by_pairs(gold.array, predicted.array, rows)) is not None:
            return same
        return same_words_sorted(gold.proper, predicted.proper)
    same_gaps = not gold.gaps or np.array_equal(gold.missing, predicted.missing)
    return bool(same_gaps) and same_words(gold.array, predicted.array)


def _close(gold: Array, predicted: Array, slack: float = 1.0) -> bool:
    """As math.isclose has it, with an absolute tolerance of 0.01."""
    one, other = gold.astype(np.float64, copy=False), predicted.astype(np.float64, copy=False)
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(one - other)
        relative = 1e-9 * slack
        near = (apart <= np.abs(relative * one)) | (apart <= np.abs(relative * other)) | (apart <= 1e-2 * slack)
        near &= np.isfinite(one) & np.isfinite(other)
    return bool((near | (one == other)).all())


def same_rows(gold: Sequence[ArrayVector], predicted: Sequence[ArrayVector]) -> tuple[bool, Array | None]:
    """Whether both sides have exactly the same rows, told apart by a column that has no value twice, and then the partner of
    each predicted row. False says nothing."""
    pairs = list(zip(gold, predicted, strict=True))
    if all(identical(one.array, other.array) for one, other in pairs):
        return True, None
    for one, other in sorted(pairs, key=lambda pair: pair[0].kind != "int"):
        if one.kind != "float" and one.missing is None and (rows := partner_rows(one.array, other.array)) is not None:
            same = all(
                identical(expected.array.chosen(rows) if expected.words else expected.array[rows], got.array)
                for expected, got in pairs
                if expected is not one
            )
            return same, rows
    return False, None
