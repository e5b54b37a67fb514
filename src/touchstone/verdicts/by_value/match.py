"""Whether rows can be paired so that each number is near its partner's.

Asked only of rows that agree in everything but numbers of wide clusters, so there are few of them, or they have a single
such number, or the data is odd. In a single dimension, the smallest of one side may always be paired with the smallest of
the other, and so on, so sorting decides. Otherwise sorting may find a pairing, but cannot exclude that there is another:
then the possible partners of each row are listed, and the question becomes one of matching in a bipartite graph (see
`verdicts.row_match`). The list is bounded; beyond that, `Cut` is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from math import inf, isclose, isfinite
from operator import itemgetter
from typing import NamedTuple

from ..row_match import Cut, PairBudget, near_ones, paired
from .cells import Number

# When two numbers are equal, and which numbers of a column that brings together.
#
# Numbers are near when they are at most one part in a million apart, or 1e-9. Whole numbers are not: 1000000 and 1000001 are
# counts or keys, and equal only if they are the same. (A float of a million millions or more may have lost its fraction,
# so it does not count as whole.)
#
# Nearness is no equivalence, so numbers cannot be replaced by rounded ones. They are put into clusters instead: sorted, and
# parted wherever two neighbours are not near. Numbers that are near are always in one cluster; all numbers of a cluster are
# near each other unless it is `wide`, a chain of near numbers that leads further than that.


RELATIVE = 1e-6
ABSOLUTE = 1e-9
_FRACTIONLESS = 1e12


class Clusters(NamedTuple):
    of: dict[Number, Number]
    """For each number the one that stands for its cluster; a number that is not there stands for itself."""
    wide: set[Number]
    """Numbers that stand for wide clusters."""


def near(one: Number, other: Number) -> bool:
    if one == other:
        return True
    try:
        if not isclose(one, other, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            return False
    except OverflowError:
        return False
    return isfinite(one) and not (is_whole(one) and is_whole(other))


def close(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def as_float(number: Number) -> float:
    try:
        return float(number)
    except OverflowError:
        return inf if number > 0 else -inf


def is_whole(number: Number) -> bool:
    if isinstance(number, float):
        return number.is_integer() and abs(number) < _FRACTIONLESS
    return not isinstance(number, Decimal) or (number.is_finite() and number == number.to_integral_value())


def clusters(gold: Iterable[Number], predicted: Iterable[Number]) -> Clusters:
    """The clusters of a column's numbers. A number of gold's stands for its cluster, where there is one."""
    expected = dict.fromkeys(gold)
    every = expected | dict.fromkeys(predicted)
    joined = Clusters({}, set())
    if all(map(is_whole, every)):
        return joined
    values, numbers = _ranked(every)
    start = 0
    for end in _ends(values):
        if end - start > 1:
            _add(joined, numbers[start:end], expected)
        start = end
    return joined


def _ranked(every: Iterable[Number]) -> tuple[list[float], list[Number]]:
    """Numbers in their order, and as floats. What no float can hold is equal only to itself, and is left out."""
    ranked = sorted([(value, number) for number in every if isfinite(value := as_float(number))], key=itemgetter(0))
    return [value for value, _ in ranked], [number for _, number in ranked]


def _ends(values: list[float]) -> Iterator[int]:
    for end, (a, b) in enumerate(pairwise(values), 1):
        if not isclose(a, b, rel_tol=RELATIVE, abs_tol=ABSOLUTE):
            yield end
    yield len(values)


def _add(groups: Clusters, numbers: list[Number], expected: dict[Number, None]) -> None:
    representative = numbers[0]
    if representative not in expected:
        representative = next((number for number in numbers if number in expected), representative)
    for number in numbers:
        groups.of[number] = representative
    if is_wide(numbers):
        groups.wide.add(representative)


def is_wide(numbers: Sequence[Number]) -> bool:
    """Whether some of these distinct numbers, which are sorted, are not near each other."""
    if not close(as_float(numbers[0]), as_float(numbers[-1])):
        return True
    return sum(map(is_whole, numbers)) > 1


__all__ = ["Cut", "can_be_paired"]

Vector = tuple[Number, ...]

MOST_CHECKS = 2_000_000
"""Pairs of rows that are looked at."""


def can_be_paired(gold: Sequence[Vector], predicted: Sequence[Vector]) -> bool:
    """For as many vectors on both sides, all of the same length."""
    columns = [column for column in range(len(gold[0])) if _is_wide(column, gold, predicted)]
    if not columns:
        return True
    expected, got = ([tuple([vector[column] for column in columns]) for vector in side] for side in (gold, predicted))
    if all(map(_are_near, sorted(expected, key=_as_floats), sorted(got, key=_as_floats))):
        return True
    if len(columns) == 1 and len({number for (number,) in (*expected, *got) if is_whole(number)}) < 2:
        return False
    return len(paired(dict(enumerate(_partners(expected, got))))) == len(expected)


def _is_wide(column: int, gold: Sequence[Vector], predicted: Sequence[Vector]) -> bool:
    return is_wide(sorted({vector[column] for side in (gold, predicted) for vector in side}, key=as_float))


def _as_floats(vector: Vector) -> list[float]:
    return [as_float(number) for number in vector]


def _are_near(one: Vector, other: Vector) -> bool:
    return all(map(near, one, other))


def _partners(gold: Sequence[Vector], predicted: Sequence[Vector]) -> list[list[int]]:
    """For each of gold's vectors the places of those it may be paired with, found through the number that tells most apart."""
    pivot = max(range(len(gold[0])), key=lambda column: len({vector[column] for vector in (*gold, *predicted)}))
    return near_ones(
        gold,
        predicted,
        value=lambda vector: as_float(vector[pivot]),
        reach=lambda value: max(ABSOLUTE, abs(value) * RELATIVE) * (1 + 2 * RELATIVE),
        near=_are_near,
        budget=PairBudget(MOST_CHECKS),
    )
