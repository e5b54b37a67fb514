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
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from math import fsum, isclose
from operator import eq
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


def same_values(gold: Cells, predicted: Cells) -> bool:
    """Whether some order of the cells makes all of them equal."""
    if gold.others != predicted.others or not _same_total(gold, predicted):
        return False
    return gold.ascending == predicted.ascending or all(map(comparison(gold, predicted), gold.ascending, predicted.ascending))


def _same_total(gold: Cells, predicted: Cells) -> bool:
    """A cheap test that equal cells pass, before anything is sorted."""
    if gold.total is None or predicted.total is None or (gold.exact and predicted.exact):
        return gold.total == predicted.total
    slack = 1.01 * TOLERANCE * len(gold.items) + 1e-12 * abs(gold.total)
    return abs(gold.total - predicted.total) <= slack


def same_cells(gold: Cells, predicted: Cells) -> bool:
    """Whether all cells are equal as they stand."""
    return gold.items == predicted.items or all(map(comparison(gold, predicted), gold.items, predicted.items))


def comparison(gold: Cells, predicted: Cells) -> Callable[[Any, Any], bool]:
    """The fastest way to tell whether a cell equals another."""
    if gold.exact and predicted.exact:
        return eq
    if gold.exact or predicted.exact or gold.others or predicted.others:
        return equal
    return partial(isclose, rel_tol=0, abs_tol=TOLERANCE)


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
