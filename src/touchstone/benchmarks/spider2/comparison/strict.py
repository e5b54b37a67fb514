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
from typing import Any, NamedTuple

from msgspec import Struct

from ....phrases import clipped, plural
from ....types import Cell, Row
from ....verdicts.difference import LONGEST, Difference
from ....verdicts.row_match import Cut
from ....verdicts.shown import Plain, plain, plain_row, shown, shown_name, shown_names, shown_row
from .column import Cells, CsvColumn, equal
from .conditions import ConditionError, Conditions, columns_at, intended
from .csv_table import CsvTable
from .partners import Partners, candidates, distinct_partners, keyed_rows, likely_partners, matching_partners, reading
from .rows import row_apart

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
        return sides.rowcounted()
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


# Why a prediction does not match a gold result: a sentence for a person, and evidence for a report.
#
# The kinds of difference:
#
#     same                            it does
#     condition_columns               the metadata names columns that the gold result does not have
#     surplus_columns                 too many columns besides those that count
#     empty_gold, empty_prediction,   another number of rows
#     row_count
#     missing_columns                 no predicted column holds the values of these golden ones
#     shared_columns                  they all have candidates, but fewer than there are columns
#     mixed_rows                      the columns match one by one, but not row by row
#     row_order                       the same rows in another order
#     undecided                       the search was cut


_MOST = 100
"""Columns that are listed as evidence."""


class Sides(NamedTuple):
    gold: CsvTable
    places: list[int]
    """The golden columns that count."""
    predicted: CsvTable

    @property
    def surplus(self) -> int:
        """How many predicted columns nobody asked for."""
        return max(0, len(self.predicted.columns) - len(self.places))

    def too_wide(self, most: int) -> Difference:
        asked = plural(len(self.places), "column")
        sentence = f"Expected {asked}, got {len(self.predicted.columns):,}; at most {most} more are allowed."
        return self._difference("surplus_columns", sentence)

    def same(self, partners: Partners) -> Difference:
        few = {0: "No rows, as expected.", 1: "The only row matches."}
        sentence = few.get(self.gold.rows, f"All {self.gold.rows:,} rows match.")
        return self._difference("same", sentence, partners=self._named(partners))

    def conditions(self, error: str) -> Difference:
        return self._difference("condition_columns", f"Cannot be compared: {error}.")

    def rowcounted(self) -> Difference:
        expected, got = self.gold.rows, self.predicted.rows
        if not expected:
            first = shown_row(row_of(self.predicted, range(len(self.predicted.columns)), 0))
            return self._difference("empty_gold", f"No rows were expected, but got {plural(got, 'row')}; first: {first}.")
        if not got:
            first = shown_row(row_of(self.gold, self.places, 0))
            sentence = f"Expected {plural(expected, 'row')}, but the prediction has none; first expected: {first}."
            return self._difference("empty_prediction", sentence)
        return self._difference("row_count", f"Expected {plural(expected, 'row')}, got {got:,}.")

    def missing(self, places: list[int]) -> Difference:
        name = shown_name(self.gold.names[places[0]])
        more = f" (nor of {plural(len(places) - 1, 'other column')})" if len(places) > 1 else ""
        other, fault = self._nearest(places[0])
        nearest = shown_name(self.predicted.names[other])
        return self._difference(
            "missing_columns",
            f"No predicted column holds the values of column {name}{more}; {nearest} {fault}.",
            missing_columns=plain_row(self._names(places)),
            nearest={"column": plain(self.predicted.names[other]), "fault": fault},
        )

    def shared(self, left: int, choices: dict[int, list[int]]) -> Difference:
        rivals = [column for column in self.places if set(choices[column]) & set(choices[left])]
        names = shown_names([self.predicted.names[other] for other in choices[left]])
        sentence = (
            f"Columns {shown_names(self._names(rivals))} need a predicted column each, but only {names} has their values."
        )
        return self._difference("shared_columns", sentence, shared_columns=plain_row(self._names(rivals)))

    def mixed(self, partners: Partners) -> Difference:
        row = self._row_apart(partners)
        sentence = "The columns match one by one, but not row by row"
        if row is None:
            return self._difference("mixed_rows", f"{sentence}.", partners=self._named(partners))
        return self._difference(
            "mixed_rows",
            f"{sentence}; {shown_row(row)} is not there.",
            partners=self._named(partners),
            missing_rows=[plain_row(row)],
        )

    def row_order(self, partners: list[list[Plain]]) -> Difference:
        return self._difference("row_order", "Same rows in another order, and the order counts.", partners=partners)

    def undecided(self) -> Difference:
        sentence = "The columns match one by one; whether the rows do takes too long to find out, so this counts as wrong."
        return self._difference("undecided", sentence)

    def _difference(self, kind: str, sentence: str, **more: Any) -> Difference:
        evidence = {
            "gold_rows": self.gold.rows,
            "predicted_rows": self.predicted.rows,
            "gold_columns": plain_row(self._names(self.places)),
            "predicted_columns": plain_row(self.predicted.names),
            "surplus_columns": self.surplus,
        }
        return Difference(kind, clipped(sentence, LONGEST), evidence | more)

    def _names(self, places: Sequence[int]) -> list[str]:
        return [self.gold.names[column] for column in places]

    def _named(self, partners: Partners) -> list[list[Plain]]:
        pairs = sorted(partners.items())[:_MOST]
        return [[plain(self.gold.names[column]), plain(self.predicted.names[other])] for column, other in pairs]

    def _row_apart(self, partners: Partners) -> Row | None:
        pairs = [reading(self.gold.columns[column], self.predicted.columns[other]) for column, other in partners.items()]
        try:
            row = row_apart([pair[0] for pair in pairs if pair], [pair[1] for pair in pairs if pair])
        except Cut:
            return None
        return None if row is None else row_of(self.gold, self.places, row)

    def _nearest(self, column: int) -> tuple[int, str]:
        """The predicted column that was probably meant, and what is wrong with it."""
        names = [name.casefold() for name in self.predicted.names]
        name = self.gold.names[column].casefold()
        other = names.index(name) if name in names else min(self.places.index(column), len(names) - 1)
        pair = reading(self.gold.columns[column], self.predicted.columns[other])
        if pair is None:
            return other, "does not hold numbers" if self.gold.columns[column].is_number else "holds numbers, not words"
        return other, _fault(*pair)


def row_of(table: CsvTable, places: Sequence[int], row: int) -> Row:
    return tuple([_cell(_cells(table.columns[column]).cell(row)) for column in places])


def _cells(column: CsvColumn) -> Cells:
    cells = column.numbers if column.is_number else column.words
    assert cells is not None  # what is not written down is a number
    return cells


def _cell(item: Any) -> Cell:
    return item.decode() if isinstance(item, bytes) else item


def _fault(gold: Cells, predicted: Cells) -> str:
    expected, got = gold.others[None], predicted.others[None]
    if expected != got:
        return f"has {got:,} NULL instead of {expected:,}"
    lacking = _first_lacking(gold, predicted)
    return "differs" if lacking is None else f"lacks {shown(_cell(lacking))}"


def _first_lacking(gold: Cells, predicted: Cells) -> Any:
    """The smallest golden value that finds no partner of its own."""
    others = iter(predicted.ascending)
    other = next(others, None)
    for item in gold.ascending:
        while other is not None and other < item and not equal(item, other):
            other = next(others, None)
        if other is None or not equal(item, other):
            return item
        other = next(others, None)
    return next(iter(gold.others - predicted.others), None)
