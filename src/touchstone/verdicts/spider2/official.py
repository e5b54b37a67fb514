"""The comparison of the official Spider2-lite suite, to the letter.

Column names do not count. Each golden column that counts has to match some predicted column, each on its own (see
`_vectors`); a predicted column may match several, and further ones are free. So rows are not compared at all if
order is ignored, as it is in all published tasks: values may be scrambled between rows. NULL is 0. Integers in a
frame that holds integers and floats and nothing else are floats.

Where the original would raise an error, the task scores 0, even if a later golden result would have matched.

If the rows as a whole agree, so do the columns. That is checked first, because it takes one look at all columns
together, and no sorting.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ._rows import same_rows
from ._vectors import Vector, match, print_alike
from .column import Column
from .conditions import ConditionError, Conditions, official_columns, official_each
from .csv_table import CsvTable


class Official(Struct, frozen=True):
    """What the official suite would say."""

    matched: bool
    gold: int | None = None
    """Which golden result matched, counted from 0."""
    error: str | None = None
    """What the suite would have failed with."""


def official(predicted: CsvTable, gold: CsvTable, condition_cols: Conditions, ignore_order: bool) -> Official:
    """With a single golden result, whose file is named by the task alone."""
    try:
        matched = _matches(predicted, gold, condition_cols, ignore_order)
    except ConditionError as error:
        return Official(False, error=str(error))
    return Official(matched, 0 if matched else None)


def official_any(predicted: CsvTable, golds: Sequence[CsvTable], condition_cols: Conditions, ignore_order: bool) -> Official:
    """With golden results whose files are named by the task and a letter, be it only one."""
    each = official_each(condition_cols, len(golds))
    for place, gold in enumerate(golds):
        if place >= len(each):
            return Official(False, error="list index out of range")
        result = official(predicted, gold, each[place], ignore_order)
        if result.error:
            return result
        if result.matched:
            return Official(True, place)
    return Official(False)


def _matches(predicted: CsvTable, gold: CsvTable, conditions: Conditions, ignore_order: bool) -> bool:
    columns = official_columns(gold, conditions)
    if predicted.rows != gold.rows:
        return False
    expected, found = _vectors(columns), _vectors(predicted.columns)
    if ignore_order and _same_rows(expected, found):
        return True
    return all(any(match(vector, other, ignore_order) for other in found) for vector in expected)


def _vectors(columns: Sequence[Column]) -> list[Vector]:
    kinds = {column.kind for column in columns}
    if len(kinds) > 1 and kinds <= {"int", "uint", "float"}:
        return [column.float_vector for column in columns]
    return [column.vector for column in columns]


def _same_rows(gold: list[Vector], predicted: list[Vector]) -> bool:
    """Whether the first column that may be each golden one makes equal rows."""
    partners: list[Vector] = []
    for vector in gold:
        for other in predicted:
            if vector.summary == other.summary and print_alike(vector, other):
                partners.append(other)
                break
        else:
            return False
    return same_rows([vector.items for vector in gold], [vector.items for vector in partners])
