"""Recognising a column by its values, whatever its name and its place.

A column's signature is the same for equal multisets of values in any order, takes constant memory, and
practically never agrees otherwise. Signatures only propose which column is which; whoever asks verifies the
proposal on whole rows. Columns with equal signatures are mostly copies of each other, so that a few of the
ways to tell them apart are proposed and never all permutations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice, permutations, product
from operator import itemgetter

from ..values import Cell, Row

Signature = tuple[int, int]

_TRIES = 24
"""Ways to tell columns with equal signatures apart."""


def signatures(rows: Collection[Row], width: int, distinct: bool = False) -> list[Signature]:
    """One per column, for its multiset of values, or for its set of values if those have to be `distinct`."""
    return [_signature(list(map(itemgetter(place), rows)), distinct) for place in range(width)]


def _signature(column: Sequence[Cell], distinct: bool) -> Signature:
    # A sum ignores order. Hashing one-tuples, which `zip` makes of the values, keeps small integers from adding up
    # to the same sum. -1 is counted because -1 and -2 are the only common values with the same hash.
    values = list(set(column)) if distinct else column
    return sum(map(hash, zip(values))), values.count(-1)


def projection(places: Sequence[int]) -> Callable[[Row], Row]:
    """A row cut down to some columns, in the given order."""
    return itemgetter(*places) if len(places) > 1 else lambda row: tuple([row[place] for place in places])


def reordering(
    gold: Mapping[Row, object],
    predicted: Mapping[Row, object],
    columns: tuple[list[Signature], list[Signature]],
) -> tuple[int, ...] | None:
    """Where in the prediction each gold column is, if that makes all rows equal. Rows are distinct on each side."""
    if len(gold) != len(predicted):
        return None
    for order in arrangements(*columns):
        if all(row in gold for row in map(projection(order), predicted)):
            return order
    return None


def arrangements(
    narrow: Sequence[Signature], wide: Sequence[Signature], favoured: Collection[int] = ()
) -> Iterator[tuple[int, ...]]:
    """Some ways to find each column of `narrow` in a column of `wide` of its own with the same signature."""
    sought, found = grouped(narrow), grouped(wide, favoured)
    if any(len(places) > len(found.get(signature, ())) for signature, places in sought.items()):
        return
    ways = [islice(permutations(found[signature], len(places)), _TRIES) for signature, places in sought.items()]
    order = [place for places in sought.values() for place in places]
    for chosen in islice(product(*ways), _TRIES):
        by_place = dict(zip(order, (place for places in chosen for place in places), strict=True))
        yield tuple([by_place[place] for place in range(len(narrow))])


def grouped(columns: Sequence[Signature], favoured: Collection[int] = ()) -> dict[Signature, list[int]]:
    """The places of each signature, favoured ones first."""
    groups: dict[Signature, list[int]] = {}
    for place in sorted(range(len(columns)), key=lambda place: place not in favoured):
        groups.setdefault(columns[place], []).append(place)
    return groups
