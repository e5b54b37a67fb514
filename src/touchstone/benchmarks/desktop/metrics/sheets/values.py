"""Cell values: as frames (rounded, then equal), one by one, and fuzzily."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import date, datetime, time
from typing import Any

from ...judgement import shown
from .matching import matches_fuzzily

BLANK = frozenset(
    ["#N/A N/A", *"#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null".split()]
)
"""What counts as an empty cell below the header, as it does for pandas, which the original reads with."""

_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
_TRUTHS = {"True": True, "TRUE": True, "true": True, "False": False, "FALSE": False, "false": False}


def frame(sheet: Any, digits: int) -> list[list[Any]]:
    """The rows, without empty cells at the right and empty rows at the end; numbers rounded."""
    rows = [[_plain(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    while rows and not any(value is not None for value in rows[-1]):
        rows.pop()
    width = max((_used(row) for row in rows), default=0)
    body = [[None if value in BLANK else value for value in row[:width]] for row in rows[1:]]
    columns = [_typed(column) for column in zip(*body, strict=True)]
    return [row[:width] for row in rows[:1]] + [
        [_rounded(value, digits) for value in row] for row in zip(*columns, strict=True)
    ]


def _typed(column: Sequence[Any]) -> Sequence[Any]:
    """As pandas, which the original reads with, makes a type for a column: texts that are all numbers are numbers, also beside
    numbers, and texts that are all true or false are that."""
    texts = [value for value in column if isinstance(value, str)]
    others = [value for value in column if value is not None and not isinstance(value, str)]
    if not texts or any(isinstance(value, bool) or not isinstance(value, int | float) for value in others):
        return column
    if all(_NUMBER.fullmatch(text) for text in texts):
        return [_plain(float(value)) if isinstance(value, str) else value for value in column]
    if not others and all(text in _TRUTHS for text in texts):
        return [None if value is None else _TRUTHS[value] for value in column]
    return column


def frame_difference(found: list[list[Any]], wanted: list[list[Any]]) -> str | None:
    """Where two frames differ first, or None."""
    shape = [(len(rows), len(rows[0]) if rows else 0) for rows in (found, wanted)]
    if shape[0] != shape[1]:
        return f"expected {shape[1][0]} rows and {shape[1][1]} columns, found {shape[0][0]} and {shape[0][1]}"
    for number, (mine, gold) in enumerate(zip(found, wanted, strict=True), 1):
        for column, (value, other) in enumerate(zip(mine, gold, strict=True), 1):
            if not _equal(value, other):
                return f"row {number}, column {column}: expected {shown(other)}, found {shown(value)}"
    return None


def fuzzy_difference(found: Any, wanted: Any, rules: list[dict[str, Any]]) -> str | None:
    """Cells of the given ranges that do not match as their rule asks."""
    for rule in rules:
        given: Any = rule["range"]
        ranges: list[str] = given.split() if isinstance(given, str) else given
        for reference in ranges:
            for mine, gold in zip(_cells(found, reference), _cells(wanted, reference), strict=True):
                if not matches_fuzzily(stored(mine.value), stored(gold.value), rule):
                    return f"{mine.coordinate}: {shown(mine.value)} does not match {shown(gold.value)}"
    return None


def stored(value: Any) -> str | float | None:
    """As the file keeps it: a text, or a floating-point number."""
    if isinstance(value, datetime | date | time):
        from openpyxl.utils.datetime import to_excel  # pyright: ignore

        return float(to_excel(value))  # pyright: ignore
    return float(value) if isinstance(value, int | float) else None if value is None else str(value)


def _cells(sheet: Any, reference: str) -> list[Any]:
    block = sheet[reference]
    if not isinstance(block, tuple):
        return [block]
    return [cell for row in block for cell in (row if isinstance(row, tuple) else (row,))]  # pyright: ignore


def _plain(value: Any) -> Any:
    """Whole numbers are integers, however they were typed."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return None if value == "" else value


def _rounded(value: Any, digits: int) -> Any:
    return round(value, digits) if isinstance(value, float) and math.isfinite(value) else value


def _used(row: list[Any]) -> int:
    return max((position for position, value in enumerate(row, 1) if value is not None), default=0)


def _equal(first: Any, second: Any) -> bool:
    return first == second and isinstance(first, bool) == isinstance(second, bool)
