"""Pairing off two equally large groups, one to one: columns with columns, rows with rows.

The way is the usual one for bipartite graphs: give each member a free partner, and if there is none, let those who
hold one look for another. `Cut` is raised when that takes too many steps; nothing is then known.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable, Sequence

from ._cells import TOLERANCE, close

Point = tuple[float, ...]
"""The floats of one row."""

_INFINITE = float("inf")


class Cut(Exception):
    """The search took too long."""


class Budget:
    def __init__(self, steps: int) -> None:
        self.steps = steps

    def spend(self, steps: int) -> None:
        self.steps -= steps
        if self.steps < 0:
            raise Cut


class Pairing:
    def __init__(self, candidates: Callable[[int], Sequence[int]], budget: Budget) -> None:
        self.partner: dict[int, int] = {}
        """Of each member of the first group that has been paired."""
        self._holder: dict[int, int] = {}
        self._candidates = candidates
        self._budget = budget

    def add(self, member: int) -> bool:
        """Finds a partner for one more member, if all that are in can have one at the same time."""
        asked: dict[int, int] = {}
        asking = deque([member])
        while asking:
            who = asking.popleft()
            candidates = self._candidates(who)
            self._budget.spend(len(candidates))
            for other in candidates:
                if other in asked:
                    continue
                asked[other] = who
                if other not in self._holder:
                    self._hand_over(other, asked, member)
                    return True
                asking.append(self._holder[other])
        return False

    def _hand_over(self, other: int, asked: dict[int, int], member: int) -> None:
        while True:
            who = asked[other]
            before = self.partner.get(who)
            self.partner[who], self._holder[other] = other, who
            if who == member or before is None:
                return
            other = before


def unpaired(gold: Sequence[Point], predicted: Sequence[Point], budget: Budget) -> int | None:
    """A golden point that is left over when points that are equal within the tolerance are paired off, if one is."""
    order = _widest_first([*gold, *predicted])
    expected, got = [_arranged(point, order) for point in gold], sorted(_arranged(point, order) for point in predicted)
    ascending = sorted(range(len(gold)), key=expected.__getitem__)
    apart = next((place for place, other in zip(ascending, got, strict=True) if not _near(expected[place], other)), None)
    if apart is None or len(order) == 1:
        return apart
    pairing = Pairing(lambda place: _around(expected[place], got, budget), budget)
    return next((place for place in ascending if not pairing.add(place)), None)


def _around(point: Point, others: Sequence[Point], budget: Budget) -> list[int]:
    """Which of the others, in ascending order, are equal within the tolerance."""
    reach = TOLERANCE * 1.001
    window = range(bisect_left(others, (point[0] - reach,)), bisect_right(others, (point[0] + reach, _INFINITE)))
    budget.spend(len(window))
    return [other for other in window if _near(point, others[other])]


def _widest_first(points: Sequence[Point]) -> list[int]:
    """The coordinates in such an order that the first tells most points apart."""
    spreads = [max(values) - min(values) for values in zip(*points, strict=True)]
    return sorted(range(len(spreads)), key=spreads.__getitem__, reverse=True)


def _arranged(point: Point, order: Sequence[int]) -> Point:
    return tuple([point[place] for place in order])


def _near(gold: Point, predicted: Point) -> bool:
    return all(map(close, gold, predicted))
