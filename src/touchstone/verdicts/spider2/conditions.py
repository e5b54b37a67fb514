"""Which columns of which golden result count: `condition_cols` of the evaluation metadata.

It is meant as a list of column numbers, or as a list of such lists, one for each golden result; nothing or an
empty list means all columns. `intended` reads it so. `official_each` and `official_columns` read it as the official
suite does, where one golden result and a flat list do not go together: only the first number of the list is used,
and if that is 0, it means all columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .column import Column
from .csv_table import CsvTable

Conditions = Any
"""As it comes from the metadata, of whatever shape."""


class ConditionError(Exception):
    """The conditions do not fit the golden result."""


def intended(conditions: Conditions, golds: int) -> list[list[int]]:
    """For each golden result the columns that count; an empty list means all."""
    items = conditions if isinstance(conditions, list) else [] if conditions is None else [conditions]
    if any(isinstance(item, list) for item in items):
        lists = [item if isinstance(item, list) else [] for item in items]
        return [*lists, *([[]] * (golds - len(lists)))][:golds]
    return [[item for item in items if item is not None]] * golds


def columns_at(gold: CsvTable, places: Sequence[int]) -> list[int]:
    """The columns that count, each once, from 0 on."""
    width = len(gold.columns)
    if wrong := [place for place in places if not -width <= place < width]:
        raise ConditionError(f"the metadata names column {wrong[0]}, but the golden result has {width}")
    return list(dict.fromkeys(place % width for place in places)) or list(range(width))


def official_each(conditions: Conditions, golds: int) -> Sequence[Conditions]:
    """Conditions of each of several golden results, or of a single one whose file name has a letter."""
    if conditions in (None, [], [[]], [None]):
        return [[]] * golds
    if golds > 1 and not all(isinstance(item, list) for item in conditions):
        return [conditions] * golds
    return conditions


def official_columns(gold: CsvTable, conditions: Conditions) -> list[Column]:
    if not conditions:
        return list(gold.columns)
    places = conditions if isinstance(conditions, list) else [conditions]
    if any(isinstance(place, list) for place in places):
        raise ConditionError("Buffer has wrong number of dimensions (expected 1, got 2)")
    if not all(isinstance(place, int) for place in places):
        raise ConditionError(f".iloc requires numeric indexers, got {places}")
    try:
        return [gold.columns[place] for place in places]
    except IndexError:
        raise ConditionError("positional indexers are out-of-bounds") from None
