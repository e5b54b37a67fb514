"""Pairing off: as many pairs as there can be, and the same neighbours as a look at every pair finds."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.verdicts.row_match import Cut, PairBudget, near_ones, paired

GRAPHS = st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 5), max_size=6, unique=True), max_size=6)
NUMBERS = st.lists(st.integers(-20, 20), max_size=12)


def most(partners: dict[int, list[int]]) -> int:
    """By trying everything."""
    members = list(partners)
    orders = permutations([*range(6), *[None] * len(members)], len(members))
    return max(sum(other in partners[one] for one, other in zip(members, order, strict=True)) for order in set(orders))


@given(GRAPHS)
def test_there_are_as_many_pairs_as_can_be(partners: dict[int, list[int]]) -> None:
    pairs = paired(partners)
    assert all(other in partners[one] for one, other in pairs.items())
    assert len(set(pairs.values())) == len(pairs)
    assert len(pairs) == (most(partners) if len(partners) < 4 else len(by_augmenting(partners)))


def by_augmenting(partners: dict[int, list[int]]) -> dict[int, int]:
    """The textbook's way, one member after the other."""
    holder: dict[int, int] = {}

    def settled(one: int, asked: set[int]) -> bool:
        for other in partners[one]:
            if other not in asked:
                asked.add(other)
                if other not in holder or settled(holder[other], asked):
                    holder[other] = one
                    return True
        return False

    for one in partners:
        settled(one, set())
    return holder


@given(NUMBERS, NUMBERS)
def test_those_within_reach_are_found(gold: list[int], predicted: list[int]) -> None:
    def near(one: int, other: int) -> bool:
        return abs(one - other) <= 3

    found = near_ones(gold, predicted, float, lambda _: 3.0, near, PairBudget(1000))
    expected = [{place for place, other in enumerate(predicted) if near(one, other)} for one in gold]
    assert list(map(set, found)) == expected


def test_a_search_that_takes_too_long_is_cut() -> None:
    ones = [1] * 10
    assert len(near_ones(ones, ones, float, lambda _: 1.0, lambda *_: True, PairBudget(100))) == 10
    with pytest.raises(Cut):
        near_ones(ones, ones, float, lambda _: 1.0, lambda *_: True, PairBudget(99))
