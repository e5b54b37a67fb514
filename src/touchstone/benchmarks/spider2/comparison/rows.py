"""Whether two results have the same rows, whatever their order.

If some column has no value twice, its values say which row is which, and everything else is compared in place. This
is the fast way. Else `same_rows` counts whole rows; and `row_apart`, which allows floats their tolerance, groups
rows that agree exactly where they have to, and pairs off the floats within each group. Only if a group is large
and rows with several floats lie very close can that take long; then it is cut short.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from operator import eq
from typing import Any

from ....verdicts.row_match import PairBudget, near_ones, paired
from .column import TOLERANCE, Cells, array_cells, close, comparison

Items = Sequence[Any]
Groups = dict[tuple[Any, ...], list[int]]
Point = tuple[float, ...]
"""The floats of one row."""

_STEPS = 2_000_000
_SAMPLE = 1000


def same_rows(gold: Sequence[Items], predicted: Sequence[Items]) -> bool:
    """Whether exactly equal rows are there equally often on both sides. Columns are given, all of one length."""
    if all(map(_same, gold, predicted)):
        return True
    key = _key_column(gold, range(len(gold)))
    if key is None:
        return Counter(zip(*gold, strict=True)) == Counter(zip(*predicted, strict=True))
    rows = _partner_rows(gold[key], predicted[key])
    rest = [column for column in range(len(gold)) if column != key]
    return rows is not None and all(_same_at(rows, gold[column], predicted[column], eq) for column in rest)


def _same(gold: Items, predicted: Items) -> bool:
    return gold == predicted


def _key_column(columns: Sequence[Items], places: Sequence[int]) -> int | None:
    """A column that has no value twice, if possible one of numbers."""
    for column in sorted(places, key=lambda column: not isinstance(columns[column], array)):
        items = columns[column]
        sample = items[:_SAMPLE]
        if len(set(sample)) == len(sample) and len(set(items)) == len(items):
            return column
    return None


def _partner_rows(gold: Items, predicted: Items) -> array[int] | None:
    """For each predicted row the golden one with the same key, if all have one of their own."""
    rows = dict(zip(gold, range(len(gold)), strict=True))
    try:
        return array("q", map(rows.pop, predicted))
    except KeyError:
        return None


def _same_at(rows: array[int], gold: Items, predicted: Items, same: Callable[[Any, Any], bool]) -> bool:
    return all(map(same, map(gold.__getitem__, rows), predicted))


def row_apart(gold: Sequence[Cells], predicted: Sequence[Cells]) -> int | None:
    """A golden row without a partner, if there is one. Both sides have as many rows."""
    if all(cells.in_arrays for cells in (*gold, *predicted)):
        return _apart_in_arrays(gold, predicted)
    if all(_same(expected.items, got.items) for expected, got in zip(gold, predicted, strict=True)):
        return None
    exact = [column for column in range(len(gold)) if gold[column].exact and predicted[column].exact]
    key = _key_column([cells.items for cells in gold], exact)
    if key is not None:
        return _apart_by_key(gold, predicted, key)
    if same_rows([cells.items for cells in gold], [cells.items for cells in predicted]):
        return None
    return _apart_in_groups(gold, predicted, exact)


def _apart_in_arrays(gold: Sequence[Any], predicted: Sequence[Any]) -> int | None:
    """Pairs off what agrees with arrays, and looks at what is left row by row."""
    exact = [column for column in range(len(gold)) if gold[column].exact and predicted[column].exact]
    if all(map(array_cells().same_exactly, gold, predicted)):
        return None
    if keyed := array_cells().key_partners(gold, predicted, exact):
        return array_cells().apart_by_key(gold, predicted, *keyed)
    rows, others = array_cells().doubtful_rows(gold, predicted, exact)
    if not len(rows):
        return None
    row = row_apart(_listed(gold, rows), _listed(predicted, others))
    return None if row is None else int(rows[row])


def _listed(side: Sequence[Any], rows: Any) -> list[Cells]:
    return [Cells(cells.chosen(rows).items, cells.numeric) for cells in side]


def _apart_by_key(gold: Sequence[Cells], predicted: Sequence[Cells], key: int) -> int | None:
    rows = _partner_rows(gold[key].items, predicted[key].items)
    if rows is None:
        there = set(predicted[key].items)
        return next(row for row, item in enumerate(gold[key].items) if item not in there)
    for column, (expected, got) in enumerate(zip(gold, predicted, strict=True)):
        same = comparison(expected, got)
        if column != key and not _same_at(rows, expected.items, got.items, same):
            return min(row for other, row in enumerate(rows) if not same(expected.items[row], got.items[other]))
    return None


def _apart_in_groups(gold: Sequence[Cells], predicted: Sequence[Cells], exact: list[int]) -> int | None:
    floats = [apart for apart in range(len(gold)) if apart not in exact]
    others, budget = _groups(predicted, exact), PairBudget(_STEPS)
    for key, rows in _groups(gold, exact).items():
        partners = others.get(key, [])
        if len(rows) > len(partners):
            return rows[len(partners)]
        if len(rows) == len(partners) and floats:
            apart = _unpaired(_points(gold, rows, floats), _points(predicted, partners, floats), budget)
            if apart is not None:
                return rows[apart]
    return None  # a group with fewer rows than partners means another one with more


def _groups(side: Sequence[Cells], exact: list[int]) -> Groups:
    """The rows by everything but their floats."""
    keys = [cells.items if column in exact else _without_floats(cells) for column, cells in enumerate(side)]
    groups: Groups = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        groups.setdefault(key, []).append(row)
    return groups


def _without_floats(cells: Cells) -> Items:
    if not cells.others:
        return [True] * len(cells.items)
    return [item if item in cells.others else True for item in cells.items]


def _points(side: Sequence[Cells], rows: list[int], floats: list[int]) -> list[Point]:
    columns = [side[number].items for number in floats]
    return [tuple([_number(column[row]) for column in columns]) for row in rows]


def _number(item: Any) -> float:
    return item if isinstance(item, (int, float)) else 0.0


def _unpaired(gold: Sequence[Point], predicted: Sequence[Point], budget: PairBudget) -> int | None:
    """A golden point that is left over when points that are equal within the tolerance are paired off, if one is."""
    order = _widest_first([*gold, *predicted])
    expected, got = [_arranged(point, order) for point in gold], sorted(_arranged(point, order) for point in predicted)
    ascending = sorted(range(len(gold)), key=expected.__getitem__)
    apart = next((at for at, other in zip(ascending, got, strict=True) if not _near(expected[at], other)), None)
    if apart is None or len(order) == 1:
        return apart
    points = [expected[at] for at in ascending]
    near = near_ones(points, got, lambda point: point[0], lambda _: TOLERANCE * 1.001, _near, budget)
    pairs = paired(dict(zip(ascending, near, strict=True)))
    return next((at for at in ascending if at not in pairs), None)


def _widest_first(points: Sequence[Point]) -> list[int]:
    """The coordinates in such an order that the first tells most points apart."""
    spreads = [max(values) - min(values) for values in zip(*points, strict=True)]
    return sorted(range(len(spreads)), key=spreads.__getitem__, reverse=True)


def _arranged(point: Point, order: Sequence[int]) -> Point:
    return tuple([point[at] for at in order])


def _near(gold: Point, predicted: Point) -> bool:
    return all(map(close, gold, predicted))
