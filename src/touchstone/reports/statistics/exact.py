"""McNemar's test in integers, so that no p-value is rounded before its end, and Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class McNemar(NamedTuple):
    p: float
    """Two-sided and exact: never rejects too often."""
    mid_p: float
    """Counts what was observed half. Rejects about as often as it says, where the exact test is cautious."""


def mcnemar(one: int, other: int) -> McNemar:
    """Of the tasks on which two runs differ, `one` speak for the first and `other` for the second.

    Without a difference between the runs each such task is the toss of a coin.
    """
    tosses, fewer = one + other, min(one, other)
    term, below = 1, 0  # of a row of Pascal's triangle
    for position in range(fewer):
        below += term
        term = term * (tosses - position) // (position + 1)
    everything = 1 << tosses
    return McNemar(min(1.0, 2 * (below + term) / everything), min(1.0, (2 * below + term) / everything))


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p-values: those at or below 5% are significant with at most 5% risk of any error among them.

    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6 (1979).
    """
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, position in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[position]))
        adjusted[position] = largest
    return adjusted
