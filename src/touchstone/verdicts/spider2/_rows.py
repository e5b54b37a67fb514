"""Whether two results have the same rows, whatever their order.

`same_rows` compares them exactly. `row_apart` allows floats their tolerance, and says which row has no partner: it
groups rows that agree exactly where they have to, and pairs off the floats within each group. Only if a group is
large and rows with several floats lie very close can that take long; then it is cut short.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

from ._cells import Cells
from ._pairing import Point, unpaired

STEPS = 2_000_000

Columns = Sequence[Sequence[Any]]
Groups = dict[tuple[Any, ...], list[int]]


def same_rows(gold: Columns, predicted: Columns) -> bool:
    """Whether equal rows are there equally often on both sides. Columns are given, all of one length."""
    if all(map(_same, gold, predicted)):
        return True
    rows = set(zip(*gold, strict=True))
    if len(rows) < len(gold[0]):
        return Counter(zip(*gold, strict=True)) == Counter(zip(*predicted, strict=True))
    try:
        deque(map(rows.remove, zip(*predicted, strict=True)), maxlen=0)
    except KeyError:
        return False
    return True


def _same(gold: Sequence[Any], predicted: Sequence[Any]) -> bool:
    return gold == predicted


def row_apart(gold: Sequence[Cells], predicted: Sequence[Cells]) -> int | None:
    """A golden row without a partner, if there is one. Both sides have as many rows."""
    if same_rows([cells.items for cells in gold], [cells.items for cells in predicted]):
        return None
    floats = [place for place in range(len(gold)) if not (gold[place].exact and predicted[place].exact)]
    others = _groups(predicted, floats)
    for key, rows in _groups(gold, floats).items():
        place = _apart_in_group(gold, rows, predicted, others.get(key, []), floats)
        if place is not None:
            return place
    return None


def _apart_in_group(
    gold: Sequence[Cells], rows: list[int], predicted: Sequence[Cells], others: list[int], floats: list[int]
) -> int | None:
    if len(rows) > len(others):
        return rows[len(others)]
    if len(rows) < len(others) or not floats:
        return None  # then another group has more
    place = unpaired(_points(gold, rows, floats), _points(predicted, others, floats), STEPS)
    return None if place is None else rows[place]


def _groups(side: Sequence[Cells], floats: list[int]) -> Groups:
    """The rows by everything but their floats."""
    keys = [_key(cells, place in floats) for place, cells in enumerate(side)]
    groups: Groups = {}
    for row, key in enumerate(zip(*keys, strict=True)):
        groups.setdefault(key, []).append(row)
    return groups


def _key(cells: Cells, floats: bool) -> Sequence[Any]:
    if not floats:
        return cells.items
    return [True if cells.is_proper(item) else item for item in cells.items] if cells.others else [True] * len(cells.items)


def _points(side: Sequence[Cells], rows: list[int], floats: list[int]) -> list[Point]:
    columns = [side[place].items for place in floats]
    return [tuple([_number(column[row]) for column in columns]) for row in rows]


def _number(item: Any) -> float:
    return item if isinstance(item, (int, float)) else 0.0
