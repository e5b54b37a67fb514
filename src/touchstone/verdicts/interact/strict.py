"""Results compared by their values: what the official comparison of BIRD-Interact would be without its traps.

No SQL is rewritten. Rows are the same if each row of one side has one of its own on the other, with equal cells in the same
columns; where order counts, the row in the same place. Names of columns do not count, two empty results of as many columns
are the same. When two cells are equal is said in `_cells` and `_nearness`; in short:

- int, float and decimal are equal by value. Where the task names decimals, both sides are rounded half-up to them;
  otherwise numbers may be one part in a million apart, or 1e-9, but whole numbers are exact. NaN equals NaN;
- true is not 1, and text is never a number or a date. Blanks at the end of texts do not count where char(n) has put them;
- a date is a timestamp at midnight, timestamps with time zones are instants, UUIDs are their text;
- arrays and JSON are compared item by item, objects without regard to the order of their keys.

Time grows with the number of rows and no faster than sorting does. Only for two or more columns in which hundreds
of numbers lie within one part in a million of each other the search for pairs of rows may be given up: the answer then counts
as wrong, and `cut` says so.
"""

from __future__ import annotations

from msgspec import Struct

from .._difference import Difference
from ._cells import canonical
from ._pairing import Cut
from ._reasons import Rows, another_order, another_width, other_rows, same, undecided
from ._sides import Side, Sides
from .conditions import Conditions

_NO_CONDITIONS = Conditions()


class Strict(Struct, frozen=True):
    matched: bool
    difference: Difference
    """Why not, or that all is well."""
    cut: bool = False
    """The search was given up, and the answer counts as wrong."""


def strict(gold: Rows, predicted: Rows, conditions: Conditions = _NO_CONDITIONS) -> Strict:
    try:
        difference = _difference(gold, predicted, conditions)
    except Cut:
        return Strict(False, undecided("too many numbers are nearly the same"), cut=True)
    except RecursionError:
        return Strict(False, undecided("values are nested too deeply"), cut=True)
    return Strict(difference.kind == "same", difference)


def _difference(gold: Rows, predicted: Rows, conditions: Conditions) -> Difference:
    if len(gold.columns) != len(predicted.columns):
        return another_width(gold, predicted)
    places = conditions.places
    sides = Sides(_side(gold, places), _side(predicted, places), tolerance=places is None)
    apart = sides.apart()
    if apart is None and sides.gold.height == sides.predicted.height:
        return same(sides.gold.height)
    if not sides.are_alike():
        return other_rows(gold, predicted, sides)
    return another_order(gold, predicted, sides, apart or 0) if conditions.order else same(sides.gold.height)


def _side(result: Rows, places: int | None) -> Side:
    columns = zip(*result.rows, strict=True) if result.rows else [()] * len(result.columns)
    return Side([canonical(column, places) for column in columns], len(result.rows))
