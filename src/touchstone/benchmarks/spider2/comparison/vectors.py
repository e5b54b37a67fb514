"""A column as the official comparison sees it, and when two of them match.

A vector is a list of numbers (truth values among them) and words, with 0 for whatever is missing. Two vectors
match if they are equally long and match item by item: two numbers if `math.isclose` holds with an absolute
tolerance of 0.01 and its usual relative one of 1e-9, anything else if it is equal. If order is to be ignored,
both are sorted by how the items print, a word before the number that prints like it.

Sorting by print is slow and mostly not needed. Numbers that are equal once sorted by value match if both sides
print alike; numbers that are too far apart once sorted by value do not match, for if any order brings all items
within tolerance, then that one does. Only what is left over is printed.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import cached_property, partial
from math import fsum, isclose
from typing import Any, Literal

Items = Sequence[Any]
"""Of truth values, numbers, and words as bytes."""

_close = partial(isclose, abs_tol=1e-2)
_nearly_close = partial(isclose, rel_tol=1.001e-9, abs_tol=1.001e-2)
_MINUS_ZERO = array("d", [-0.0]).tobytes()


class Vector:
    in_arrays = False
    """It is an `ArrayVector`."""

    def __init__(self, items: Items, kind: Literal["int", "float", "words", "mixed"], words: int = 0) -> None:
        self.items = items
        self.kind = kind
        """Zeros may be among words; any other mixture is "mixed"."""
        self.words = words
        """How many items are words."""

    @cached_property
    def listed(self) -> Vector:
        """The same with a plain sequence of items."""
        return self

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def summary(self) -> tuple[str, float | int | None]:
        """Cheap, and equal for equal items in any order."""
        if not self.words:
            return self.kind, _total(self.items)
        words = self.items if self.words == len(self.items) else filter(is_word, self.items)
        return self.kind, len(b"".join(words))

    @cached_property
    def extremes(self) -> tuple[float, float]:
        return min(self.items), max(self.items)

    @cached_property
    def by_value(self) -> Items:
        ascending = sorted(self.items)
        return array(self.items.typecode, ascending) if isinstance(self.items, array) else ascending

    @cached_property
    def by_print(self) -> Items:
        if self.words == len(self.items):
            return self.by_value
        return sorted(self.items, key=_printed if self.words else str)

    @cached_property
    def prints_one_way(self) -> bool:
        """Equal items of two such vectors of one kind print alike, or next to each other: minus zero is not among them."""
        if self.kind == "float":
            return _MINUS_ZERO not in array("d", self.items).tobytes()
        return self.kind != "mixed"


def match(gold: Vector, predicted: Vector, ignore_order: bool, rows: Any = None) -> bool:
    """`rows` is, for arrays, a golden row for each predicted one: where these mostly agree, little is left to sort."""
    if len(gold) != len(predicted) or gold.words != predicted.words:
        return False
    if gold.in_arrays and predicted.in_arrays:
        return array_vectors().match(gold, predicted, ignore_order, rows)
    gold, predicted = gold.listed, predicted.listed
    if ignore_order:
        return _match_sorted(gold, predicted)
    return gold.items == predicted.items or _match_items(gold.items, predicted.items, gold.words)


def array_vectors() -> Any:
    from . import array_vectors  # which needs numpy

    return array_vectors


def _match_sorted(gold: Vector, predicted: Vector) -> bool:
    alike = print_alike(gold, predicted)
    if alike and gold.items == predicted.items:
        return True
    if not gold.words and gold.items:
        if not all(map(_nearly_close, gold.extremes, predicted.extremes)):
            return False
        if alike and gold.by_value == predicted.by_value:
            return True
        if not all(map(_nearly_close, gold.by_value, predicted.by_value)):
            return False
    return _match_items(gold.by_print, predicted.by_print, gold.words)


def print_alike(gold: Vector, predicted: Vector) -> bool:
    """If they hold equal items, these stand in the same order once sorted by print."""
    return gold.kind == predicted.kind and gold.prints_one_way and predicted.prints_one_way


def _match_items(gold: Items, predicted: Items, words: int) -> bool:
    if not words:
        return all(map(_close, gold, predicted))
    if words == len(gold):
        return gold == predicted
    return all(map(_match_item, gold, predicted))


def _match_item(gold: Any, predicted: Any) -> bool:
    if is_word(gold) or is_word(predicted):
        return gold == predicted
    return _close(gold, predicted)


def is_word(item: object) -> bool:
    return isinstance(item, bytes)


def _printed(item: Any) -> tuple[bytes, bool]:
    return (item, False) if is_word(item) else (str(item).encode(), True)


def _total(items: Items) -> float | None:
    try:
        return fsum(items)
    except (OverflowError, ValueError):  # infinities
        return None
