"""Pairing off two groups one to one: columns with columns, rows with rows.

Who may be paired with whom is a bipartite graph; `paired` finds as many pairs as there can be (Hopcroft and Karp). Rows of
numbers that only have to be near one another can make that graph large, so `near_ones` lists its edges through a single
number of each row, within a budget: `Cut` is raised when that takes too long, and nothing is then known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


class Cut(Exception):
    """The search took too long."""


class PairBudget:
    """How many pairs may be looked at."""

    def __init__(self, pairs: int) -> None:
        self._left = pairs

    def spend(self, pairs: int) -> None:
        self._left -= pairs
        if self._left < 0:
            raise Cut


def near_ones(
    gold: Sequence[T],
    predicted: Sequence[T],
    value: Callable[[T], float],
    reach: Callable[[float], float],
    near: Callable[[T, T], bool],
    budget: PairBudget,
) -> list[list[int]]:
    """For each of gold's the places of those that are near it, which lie within `reach` of its `value`."""
    ranked = sorted(range(len(predicted)), key=lambda row: value(predicted[row]))
    values = [value(predicted[row]) for row in ranked]
    windows: list[list[int]] = []
    for one in gold:
        middle = value(one)
        far = reach(middle)
        window = ranked[bisect_left(values, middle - far) : bisect_right(values, middle + far)]
        budget.spend(len(window))
        windows.append([row for row in window if near(one, predicted[row])])
    return windows


def paired(partners: Mapping[int, Sequence[int]]) -> dict[int, int]:
    """A partner of its own for as many as can have one, from those that each may be paired with."""
    taken: dict[int, int] = {}
    """By partner."""
    single = list(partners)
    while single:
        layers = _layers(partners, taken, single)
        left = [one for one in single if not _settle(one, partners, taken, layers)]
        if len(left) == len(single):
            break
        single = left
    return {one: partner for partner, one in taken.items()}


def _layers(partners: Mapping[int, Sequence[int]], taken: Mapping[int, int], single: list[int]) -> dict[int, int]:
    """How many changes of partner away from a single one each is."""
    layers = dict.fromkeys(single, 0)
    queue = list(single)
    for one in queue:
        for partner in partners[one]:
            other = taken.get(partner)
            if other is not None and other not in layers:
                layers[other] = layers[one] + 1
                queue.append(other)
    return layers


def _settle(one: int, partners: Mapping[int, Sequence[int]], taken: dict[int, int], layers: dict[int, int]) -> bool:
    """Finds a partner for one, while others change theirs. What leads nowhere is taken out of the layers."""
    path: list[tuple[int, int]] = []
    untried = {one: iter(partners[one])}
    while True:
        partner = next(untried[one], None)
        if partner is None:
            layers.pop(one, None)
            if not path:
                return False
            one, _ = path.pop()
            continue
        other = taken.get(partner)
        if other is None:
            taken |= {its_partner: changed for changed, its_partner in (*path, (one, partner))}
            return True
        if layers.get(other) == layers[one] + 1:
            path.append((one, partner))
            one = other
            untried.setdefault(one, iter(partners[one]))
