"""A column as the strict comparison sees it: NULL, and either words or numbers, which are all integers or all floats.

Two cells are equal if they are both NULL, the same word, the same integer, or numbers not more than `TOLERANCE`
apart one of which is a float. There is no relative tolerance, so that large identifiers never pass for one
another; for the same reason an integer beyond 2**53 and a float have to be exactly equal.

Equality within a tolerance is not transitive. For the values of one column that does no harm: if any pairing of
two lists brings all pairs within the tolerance, then pairing them in ascending order does.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from math import fsum
from typing import Any

TOLERANCE = 0.01

_EXACT = 2**53


class Cells:
    def __init__(self, items: Sequence[Any], numeric: bool) -> None:
        self.items = items
        """Numbers or words as bytes, and None for NULL. Among numbers, words stand for themselves."""
        self.numeric = numeric

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
        return Counter(item for item in self.items if not self.is_proper(item))

    @cached_property
    def ascending(self) -> list[Any]:
        """Everything else."""
        return sorted(filter(self.is_proper, self.items) if self.others else self.items)

    @cached_property
    def total(self) -> tuple[int, float | None]:
        """Cheap, and equal for equal cells in any order: how many are proper, and their sum, or their length as words."""
        proper = list(filter(self.is_proper, self.items)) if self.others else self.items
        if not self.numeric:
            return len(proper), len(b"".join(proper))
        try:
            return len(proper), fsum(proper)
        except (OverflowError, ValueError):  # infinities
            return len(proper), None

    def is_proper(self, item: Any) -> bool:
        return item is not None and isinstance(item, bytes) != self.numeric


def same_values(gold: Cells, predicted: Cells) -> bool:
    """Whether some order of the cells makes all of them equal."""
    if gold.others != predicted.others:
        return False
    if gold.ascending == predicted.ascending:
        return True
    return not (gold.exact and predicted.exact) and all(map(close, gold.ascending, predicted.ascending))


def same_cells(gold: Cells, predicted: Cells) -> bool:
    """Whether all cells are equal as they stand."""
    return gold.items == predicted.items or all(map(equal, gold.items, predicted.items))


def equal(gold: Any, predicted: Any) -> bool:
    if isinstance(gold, (int, float)) and isinstance(predicted, (int, float)):
        return close(gold, predicted)
    return gold == predicted


def close(gold: float, predicted: float) -> bool:
    if gold == predicted:
        return True
    if isinstance(gold, int) and isinstance(predicted, int):
        return False
    return abs(gold) <= _EXACT and abs(gold - predicted) <= TOLERANCE
