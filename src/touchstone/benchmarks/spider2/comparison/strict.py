"""Rows compared as rows: what the official comparison of Spider2-lite would be without its traps.

The prediction is right if some of its columns, each used once, form the same rows as the golden columns that count:
as often, and in the same order unless order is ignored. Names and the order of columns do not count, and up to
`MOST_SURPLUS` further columns are allowed. What two cells have to have in common is said in `column`; in short:

- NULL, an empty cell, equals only NULL: neither 0 nor a word like NA;
- floats may be 0.01 apart, integers are exact, and there is no relative tolerance;
- words are compared as they are written. They are numbers only if all of the golden column are, and codes with
  leading zeros are not: 007 is not 7, True is not 1. In a golden column of numbers, 7 may be written 007 or 7.0.

The search for columns and rows that belong together is bounded. Where it is cut the answer counts as wrong, and
`cut` says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from ....verdicts.difference import Difference
from ....verdicts.row_match import Cut
from .conditions import ConditionError, Conditions, columns_at, intended
from .csv_table import CsvTable
from .partners import candidates, distinct_partners, keyed_rows, likely_partners, matching_partners
from .reasons import Sides

MOST_SURPLUS = 16
"""Columns besides those that count. Without a limit a constant row of 26,001 numbers is right for 13 of the 135 questions that
have gold results. The golden files need 9 at most, the recorded right answers 5. A constant row of what 10 to 33 columns can
hold is right for 3 questions each, one of 65 for 5."""

_FAR_TO_NEAR = (
    "condition_columns",
    "surplus_columns",
    "row_count",
    "empty_gold",
    "empty_prediction",
    "missing_columns",
    "shared_columns",
    "mixed_rows",
    "undecided",
    "row_order",
)


class Strict(Struct, frozen=True):
    matched: bool
    difference: Difference
    """Why not, or that all is well."""
    gold: int
    """Which gold result it is about, counted from 0: the one that matched, or else the one that came closest."""
    cut: bool = False
    """The search was given up, and the answer counts as wrong."""


def strict(predicted: CsvTable, gold: CsvTable, condition_cols: Conditions, ignore_order: bool) -> Strict:
    return strict_any(predicted, [gold], condition_cols, ignore_order)


def strict_any(predicted: CsvTable, golds: Sequence[CsvTable], condition_cols: Conditions, ignore_order: bool) -> Strict:
    """With several gold results, one of which has to match."""
    results: list[Strict] = []
    for number, (gold, columns) in enumerate(zip(golds, intended(condition_cols, len(golds)), strict=True)):
        difference = _difference(predicted, gold, columns, ignore_order)
        results.append(Strict(difference.kind == "same", difference, number, difference.kind == "undecided"))
        if results[-1].matched:
            return results[-1]
    return max(results, key=_closeness)


def _closeness(result: Strict) -> int:
    return _FAR_TO_NEAR.index(result.difference.kind)


def _difference(predicted: CsvTable, gold: CsvTable, columns: list[int], ignore_order: bool) -> Difference:
    try:
        sides = Sides(gold, columns_at(gold, columns), predicted)
    except ConditionError as error:
        return Sides(gold, [], predicted).conditions(str(error))
    if sides.surplus > MOST_SURPLUS:
        return sides.too_wide(MOST_SURPLUS)
    if predicted.rows != gold.rows:
        return sides.row_count()
    try:
        return _unordered(sides) if ignore_order else _ordered(sides)
    except Cut:
        return sides.undecided()


def _ordered(sides: Sides) -> Difference:
    choices = {column: candidates(sides.gold, column, sides.predicted, ordered=True) for column in sides.places}
    partners, left = distinct_partners(choices)
    if left is None:
        return sides.same(partners)
    difference = _unordered(sides)
    return sides.row_order(difference.evidence["partners"]) if difference.kind == "same" else difference


def _unordered(sides: Sides) -> Difference:
    if likely := likely_partners(sides.gold, sides.places, sides.predicted):
        return sides.same(likely)
    rows = keyed_rows(sides.gold, sides.places, sides.predicted)
    choices = {column: candidates(sides.gold, column, sides.predicted, ordered=False, rows=rows) for column in sides.places}
    if missing := [column for column in sides.places if not choices[column]]:
        return sides.missing(missing)
    partners, left = distinct_partners(choices)
    if left is not None:
        return sides.shared(left, choices)
    matched = matching_partners(sides.gold, sides.predicted, choices)
    return sides.mixed(partners) if matched is None else sides.same(matched)
