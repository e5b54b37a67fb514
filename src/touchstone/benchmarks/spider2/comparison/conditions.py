"""Which columns of which gold result count: `condition_cols` of the evaluation metadata.

It is meant as a list of column numbers, or as a list of such lists, one for each gold result; nothing or an
empty list means all columns. `intended` reads it so. `official_each` and `official_columns` read it as the official
suite does, where one gold result and a flat list do not go together: only the first number of the list is used,
and if that is 0, it means all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .csv_table import CsvTable

Conditions = list[Any] | int | None
"""As it comes from the metadata: the items may be anything."""


class ConditionError(Exception):
    """The conditions do not fit the gold result."""


def intended(conditions: Conditions, golds: int) -> list[list[int]]:
    """For each gold result the columns that count; an empty list means all."""
    items = _listed(conditions)
    if any(isinstance(item, list) for item in items):
        return [*map(_listed, items), *([_ALL] * golds)][:golds]
    return [[item for item in items if item is not None]] * golds


def columns_at(gold: CsvTable, places: Sequence[int]) -> list[int]:
    """The columns that count, each once, from 0 on."""
    width = len(gold.columns)
    if wrong := [column for column in places if column not in range(-width, width)]:
        raise ConditionError(f"the metadata names column {wrong[0]}, but the gold result has {width}")
    return list(dict.fromkeys(column % width for column in places)) or list(range(width))


def official_each(conditions: Conditions, golds: int) -> list[Any]:
    """Conditions of each of several gold results, or of a single one whose file name has a letter."""
    if conditions in (None, [], [[]], [None]):
        return [_ALL] * golds
    items = _listed(conditions)
    if golds > 1 and not all(isinstance(item, list) for item in items):
        return [items] * golds
    return items


def official_columns(gold: CsvTable, conditions: Conditions) -> list[int]:
    width = len(gold.columns)
    if not conditions:
        return list(range(width))
    places = _listed(conditions)
    if any(isinstance(column, list) for column in places):
        raise ConditionError("Buffer has wrong number of dimensions (expected 1, got 2)")
    if not all(isinstance(column, int) for column in places):
        raise ConditionError(f".iloc requires numeric indexers, got {places}")
    if not all(column in range(-width, width) for column in places):
        raise ConditionError("positional indexers are out-of-bounds")
    return [column % width for column in places]


_ALL: list[int] = []


def _listed(conditions: Conditions) -> list[Any]:
    if isinstance(conditions, list):
        return conditions
    return [] if conditions is None else [conditions]
