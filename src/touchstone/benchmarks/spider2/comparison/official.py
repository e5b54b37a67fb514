"""The comparison of the official Spider2-lite suite, to the letter.

Column names do not count. Each golden column that counts has to match some predicted column, each on its own (see
`vectors`); a predicted column may match several, and further ones are free. So rows are not compared at all if
order is ignored, as it is in all published tasks: values may be scrambled between rows. NULL is 0. Integers in a
frame that holds integers and floats and nothing else are floats.

Where the original would raise an error, the task scores 0, even if a later gold result would have matched.

If the rows as a whole agree, so do the columns. That is checked first, because it takes one look at all columns
together, and no sorting.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from .column import CsvColumn
from .conditions import ConditionError, Conditions, official_columns, official_each
from .csv_table import CsvTable
from .partners import guesses
from .rows import same_rows
from .vectors import Vector, array_vectors, match, print_alike


class Official(Struct, frozen=True):
    """What the official suite would say."""

    matched: bool
    gold: int | None = None
    """Which gold result matched, counted from 0."""
    error: str | None = None
    """What the suite would have failed with."""


def official(predicted: CsvTable, gold: CsvTable, condition_cols: Conditions, ignore_order: bool) -> Official:
    """With a single gold result, whose file is named by the task alone."""
    try:
        matched = _matches(predicted, gold, condition_cols, ignore_order)
    except ConditionError as error:
        return Official(False, error=str(error))
    return Official(matched, 0 if matched else None)


def official_any(predicted: CsvTable, golds: Sequence[CsvTable], condition_cols: Conditions, ignore_order: bool) -> Official:
    """With gold results whose files are named by the task and a letter, be it only one."""
    each = official_each(condition_cols, len(golds))
    for number, gold in enumerate(golds):
        if number >= len(each):
            return Official(False, error="list index out of range")
        result = official(predicted, gold, each[number], ignore_order)
        if result.error:
            return result
        if result.matched:
            return Official(True, number)
    return Official(False)


def _matches(predicted: CsvTable, gold: CsvTable, conditions: Conditions, ignore_order: bool) -> bool:
    places = official_columns(gold, conditions)
    if predicted.rows != gold.rows:
        return False
    expected = _vectors([gold.columns[column] for column in places])
    got = _vectors(predicted.columns)
    same, rows = False, None
    if ignore_order:
        same, rows = _same_rows([gold.names[column] for column in places], expected, predicted.names, got)
    return same or all(any(match(vector, other, ignore_order, rows) for other in got) for vector in expected)


def _vectors(columns: Sequence[CsvColumn]) -> list[Vector]:
    kinds = {column.kind for column in columns}
    if len(kinds) > 1 and kinds <= {"int", "uint", "float"}:
        return [column.float_vector for column in columns]
    return [column.vector for column in columns]


def _same_rows(
    names: Sequence[str], gold: Sequence[Vector], others: Sequence[str], predicted: Sequence[Vector]
) -> tuple[bool, Any]:
    """Whether the rows agree under some guess, and if not, which rows an array's key made partners."""

    def may_be(column: int, other: int) -> bool:
        return print_alike(gold[column], predicted[other])

    def looks_like(column: int, other: int) -> bool:
        return gold[column].summary == predicted[other].summary

    in_arrays = all(vector.in_arrays for vector in gold)
    rows = None
    for guess in guesses(names, others, may_be, looks_like):
        chosen = [predicted[other] for other in guess]
        if in_arrays and all(vector.in_arrays for vector in chosen):
            same, keyed = array_vectors().same_rows(gold, chosen)
            if same:
                return True, None
            rows = rows if keyed is None else keyed
        elif same_rows([vector.items for vector in gold], [vector.items for vector in chosen]):
            return True, None
    return False, rows
