"""Whether rows can be paired so that each number is near its partner's.

Asked only of rows that agree in everything but numbers of wide clusters, so there are few of them, or they have a single
such number, or the data is odd. In a single dimension, the smallest of one side may always be paired with the smallest of
the other, and so on, so sorting decides. Otherwise sorting may find a pairing, but cannot exclude that there is another:
then the possible partners of each row are listed, found through the number that tells rows apart best, and the
question becomes one of matching in a bipartite graph (Hopcroft and Karp). The list is bounded; beyond that, `Cut` is raised.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ._cells import Number
from ._nearness import ABSOLUTE, RELATIVE, as_float, is_whole, is_wide, near

Vector = tuple[Number, ...]

MOST_CHECKS = 2_000_000
"""Pairs of rows that are looked at."""


class Cut(Exception):
    """There are too many possible pairs."""


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
    return _is_perfect(_partners(expected, got), len(got))


def _is_wide(place: int, gold: Sequence[Vector], predicted: Sequence[Vector]) -> bool:
    return is_wide(sorted({vector[place] for side in (gold, predicted) for vector in side}, key=as_float))


def _as_floats(vector: Vector) -> list[float]:
    return [as_float(number) for number in vector]


def _are_near(one: Vector, other: Vector) -> bool:
    return all(map(near, one, other))


def _partners(gold: Sequence[Vector], predicted: Sequence[Vector]) -> list[list[int]]:
    """For each of gold's vectors the places of those it may be paired with."""
    pivot = max(range(len(gold[0])), key=lambda place: len({vector[place] for vector in (*gold, *predicted)}))
    ranked = sorted(range(len(predicted)), key=lambda place: as_float(predicted[place][pivot]))
    values = [as_float(predicted[place][pivot]) for place in ranked]
    partners: list[list[int]] = []
    checks = 0
    for vector in gold:
        value = as_float(vector[pivot])
        reach = max(ABSOLUTE, abs(value) * RELATIVE) * (1 + 2 * RELATIVE)
        window = ranked[bisect_left(values, value - reach) : bisect_right(values, value + reach)]
        checks += len(window)
        if checks > MOST_CHECKS:
            raise Cut
        partners.append([place for place in window if _are_near(vector, predicted[place])])
    return partners


def _is_perfect(partners: list[list[int]], size: int) -> bool:
    """Whether everybody can have a partner of their own."""
    taken: list[int | None] = [None] * size
    single = list(range(len(partners)))
    while single:
        layers = _layers(partners, taken, single)
        left = [one for one in single if not _settle(one, partners, taken, layers)]
        if len(left) == len(single):
            return False
        single = left
    return True


def _layers(partners: list[list[int]], taken: list[int | None], single: list[int]) -> dict[int, int]:
    """How many changes of partner away from a single one each is."""
    layers = dict.fromkeys(single, 0)
    queue = list(single)
    for one in queue:
        for place in partners[one]:
            other = taken[place]
            if other is not None and other not in layers:
                layers[other] = layers[one] + 1
                queue.append(other)
    return layers


def _settle(one: int, partners: list[list[int]], taken: list[int | None], layers: dict[int, int]) -> bool:
    """Finds a partner for one, while others change theirs. What leads nowhere is taken out of the layers."""
    path: list[tuple[int, int]] = []
    untried = {one: iter(partners[one])}
    while True:
        place = next(untried[one], None)
        if place is None:
            layers.pop(one, None)
            if not path:
                return False
            one, _ = path.pop()
            continue
        other = taken[place]
        if other is None:
            for changed, its_place in (*path, (one, place)):
                taken[its_place] = changed
            return True
        if layers.get(other) == layers[one] + 1:
            path.append((one, place))
            one = other
            untried.setdefault(one, iter(partners[one]))
