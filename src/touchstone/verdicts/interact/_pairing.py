"""Whether rows can be paired so that each number is near its partner's.

Asked only of rows that agree in everything but numbers of wide clusters, so there are few of them, or they have a single
such number, or the data is odd. In a single dimension, the smallest of one side may always be paired with the smallest of
the other, and so on, so sorting decides. Otherwise sorting may find a pairing, but cannot exclude that there is another:
then the possible partners of each row are listed, and the question becomes one of matching in a bipartite graph (see
`verdicts.pairing`). The list is bounded; beyond that, `Cut` is raised.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..pairing import Budget, Cut, near_ones, paired
from ._cells import Number
from ._nearness import ABSOLUTE, RELATIVE, as_float, is_whole, is_wide, near

__all__ = ["Cut", "can_be_paired"]

Vector = tuple[Number, ...]

MOST_CHECKS = 2_000_000
"""Pairs of rows that are looked at."""


def can_be_paired(gold: Sequence[Vector], predicted: Sequence[Vector]) -> bool:
    """For as many vectors on both sides, all of the same length."""
    places = [place for place in range(len(gold[0])) if _is_wide(place, gold, predicted)]
    if not places:
        return True
    expected, got = ([tuple([vector[place] for place in places]) for vector in side] for side in (gold, predicted))
    if all(map(_are_near, sorted(expected, key=_as_floats), sorted(got, key=_as_floats))):
        return True
    if len(places) == 1 and len({number for (number,) in (*expected, *got) if is_whole(number)}) < 2:
        return False
    return len(paired(dict(enumerate(_partners(expected, got))))) == len(expected)


def _is_wide(place: int, gold: Sequence[Vector], predicted: Sequence[Vector]) -> bool:
    return is_wide(sorted({vector[place] for side in (gold, predicted) for vector in side}, key=as_float))


def _as_floats(vector: Vector) -> list[float]:
    return [as_float(number) for number in vector]


def _are_near(one: Vector, other: Vector) -> bool:
    return all(map(near, one, other))


def _partners(gold: Sequence[Vector], predicted: Sequence[Vector]) -> list[list[int]]:
    """For each of gold's vectors the places of those it may be paired with, found through the number that tells most apart."""
    pivot = max(range(len(gold[0])), key=lambda place: len({vector[place] for vector in (*gold, *predicted)}))
    return near_ones(
        gold,
        predicted,
        value=lambda vector: as_float(vector[pivot]),
        reach=lambda value: max(ABSOLUTE, abs(value) * RELATIVE) * (1 + 2 * RELATIVE),
        near=_are_near,
        budget=Budget(MOST_CHECKS),
    )
