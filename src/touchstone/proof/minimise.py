"""A refutation made smaller: as few rows as still show it, each step keeping the invariants.

Large parts are tried first, then single rows, then pairs of rows: a third of three is a difference that a third of four is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from .generator import Content
from .judge import Refutation, Search

_PAIRS_BELOW = 16

Place = tuple[str, int]


def minimised(search: Search, content: Content, budget: int) -> Refutation:
    left, first = budget, content
    shrinking = True
    while shrinking and left > 0:
        shrinking = False
        for part in _parts(content):
            left -= 1
            smaller = search.without(content, part)
            if search.differs(smaller):
                content, shrinking = smaller, True
                break
            if left <= 0:
                break
    search.found = content
    return search.refutation(content, first)


def _parts(content: Content) -> Iterator[Iterable[Place]]:
    places = [
        (name, place) for name in sorted(content, key=lambda name: -len(content[name])) for place in range(len(content[name]))
    ]
    size = len(places) // 2
    while size > 1:
        yield from (places[start : start + size] for start in range(0, len(places), size))
        size //= 2
    yield from ([place] for place in reversed(places))
    if len(places) <= _PAIRS_BELOW:
        yield from combinations(places, 2)
