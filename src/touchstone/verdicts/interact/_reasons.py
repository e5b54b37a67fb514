"""Why two results are not the same, in words.

`explain` finds the words. It knows only the cells that tables hold, so it is shown the values as they were compared:
numbers rounded if the task asks for it, those that count as equal made the same, times, arrays and JSON as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from typing import Any, Protocol

from ...values import Row, Table
from .._difference import Difference
from ..explain import explain
from ..shown import plain_row, shown_name, shown_names, shown_row
from ._cells import NUMBERS, canonical, plain
from ._sides import Side, Sides


class Rows(Protocol):
    """A result."""

    @property
    def columns(self) -> tuple[str, ...]: ...

    @property
    def rows(self) -> list[Row]: ...


def same(rows: int) -> Difference:
    return Difference("same", f"Same result: {rows:,} row{'' if rows == 1 else 's'}.", {})


def undecided(why: str) -> Difference:
    return Difference("undecided", f"Counted as wrong because the rows could not be compared: {why}.", {"why": why})


def another_width(gold: Rows, predicted: Rows) -> Difference:
    if not gold.columns or not predicted.columns:
        sentence = (
            "A table was expected, but the prediction gave none." if gold.columns else "No table was expected, but one appears."
        )
        return Difference("missing_columns" if gold.columns else "extra_columns", sentence, _names(gold, predicted))
    found = explain(Table(gold.columns, _unrounded(gold)), Table(predicted.columns, _unrounded(predicted)))
    if found.kind in ("missing_columns", "extra_columns"):
        return found
    kind = "missing_columns" if len(gold.columns) > len(predicted.columns) else "extra_columns"
    sentence = f"Expected {_counted(gold)}, got {_counted(predicted)}."
    return Difference(kind, sentence, found.evidence | _names(gold, predicted))


def another_order(gold: Rows, predicted: Rows, sides: Sides, place: int) -> Difference:
    expected, got = _tables(gold, predicted, sides)
    found = explain(expected, got)
    if found.kind == "row_order":
        return found
    first = f"row {place + 1:,} should be {shown_row(expected.rows[place])}, is {shown_row(got.rows[place])}"
    return Difference("row_order", f"Same rows in another order; {first}.", found.evidence | {"first_row_apart": place + 1})


def other_rows(gold: Rows, predicted: Rows, sides: Sides) -> Difference:
    found = explain(*_tables(gold, predicted, sides))
    return found if found.kind not in ("identical", "row_order") else _other_types(gold, predicted, found)


def _other_types(gold: Rows, predicted: Rows, found: Difference) -> Difference:
    """Rows that look alike written out: a date and its text, true and 'true'."""
    columns = zip(gold.columns, zip(*gold.rows, strict=True), zip(*predicted.rows, strict=True), strict=True)
    for name, expected, got in columns:
        if (kinds := _kinds(expected)) != (others := _kinds(got)):
            where = f"column {shown_name(name)} is {kinds} in gold and {others} in the prediction"
            return Difference("types", f"Same rows when written as text, but of other types: {where}.", found.evidence)
    return Difference("types", "Same rows when written as text, but values are of other types.", found.evidence)


_WORDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (NUMBERS, "number"),
    (str, "text"),
    (datetime, "timestamp"),
    (date, "date"),
    ((list, tuple, dict), "array or JSON"),
    ((bytes, bytearray, memoryview), "bytes"),
)


def _kinds(column: Sequence[Any]) -> str:
    one_of_each: dict[str, Any] = {type(cell).__name__: cell for cell in column if cell is not None}
    words = {next((word for kind, word in _WORDS if isinstance(cell, kind)), name) for name, cell in one_of_each.items()}
    return " or ".join(sorted(words)) or "NULL"


def _tables(gold: Rows, predicted: Rows, sides: Sides) -> tuple[Table, Table]:
    return (
        Table(gold.columns, _plain(_compared(sides, sides.gold, sides.standing[0]))),
        Table(
            predicted.columns,
            _plain(_compared(sides, sides.predicted, sides.standing[1])),
            changed=None if predicted.columns else 0,
        ),
    )


def _compared(sides: Sides, side: Side, standing: Side) -> Iterator[Row]:
    """Rows with their standing numbers, except where that would hide a difference."""
    if not sides.unpaired:
        return standing.rows()
    return (row if key in sides.unpaired else key for row, key in zip(side.rows(), standing.rows(), strict=True))


def _plain(rows: Iterable[Row]) -> list[Row]:
    return [tuple([plain(cell) for cell in row]) for row in rows]


def _unrounded(result: Rows) -> list[Row]:
    return _plain(zip(*[canonical(column, None) for column in zip(*result.rows, strict=True)], strict=True))


def _counted(result: Rows) -> str:
    return f"{len(result.columns)} column{'' if len(result.columns) == 1 else 's'} {shown_names(result.columns)}"


def _names(gold: Rows, predicted: Rows) -> dict[str, Any]:
    return {"gold_columns": plain_row(gold.columns), "predicted_columns": plain_row(predicted.columns)}
