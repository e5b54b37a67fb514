"""Recognising rows that are equal but for the precision of their numbers.

Three ways, tried on both sides: float noise, where numbers agree within one part in a million; whole numbers
that lack the other side's fraction, as integer division leaves them; and one side rounded, where each number
is as close to the other side's as half a unit of the last decimal shown in its column.

Noise and rounding are found by snapping: each number of the precise side is replaced by the nearest number
in the same column of the coarse side, if that is near enough, and then whole rows must be equal. This needs
no pairing of rows beforehand, lets several rows collapse into one as rounding does, and does not care which
way halves go. It can miss noise where numbers lie as close together as the noise is large. Two different
integers never count as near, however large: they are keys rather than roundings.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import partial
from math import trunc
from typing import NamedTuple, TypeGuard

from ..types import Cell, Row

NOISE = 1e-6
_LAST_DIGITS = 1e-12
_HUGE = 1e300  # beyond it, differences overflow

Column = Sequence[Cell]
Change = Callable[[Cell], Cell]


class Rounding(NamedTuple):
    how: str
    """noise, cut or rounded."""
    side: str
    """Which side is the coarse one: gold or prediction."""
    decimals: list[int]
    """The most that each column of the coarse side shows."""
    partners: list[tuple[Row, Row]]
    """Gold and predicted rows that are each other's."""


def find_rounding(gold: list[Row], predicted: list[Row], spare: str = "") -> Rounding | None:
    """How the rows of one side become the other's by rounding, if they do. Both have rows, all of one width.

    The side that is `spare`, gold or prediction, may have further rows.
    """
    if not any(isinstance(cell, float) for rows in (gold, predicted) for row in rows for cell in row):
        return None
    for how, change in _WAYS:
        if partners := _changed(gold, predicted, change, spare == "gold", spare == "prediction"):
            return Rounding(how, "prediction", _most_decimals(predicted), partners)
        if partners := _changed(predicted, gold, change, spare == "prediction", spare == "gold"):
            return Rounding(how, "gold", _most_decimals(gold), [(row, other) for other, row in partners])
    return None


def _changed(
    precise: list[Row],
    coarse: list[Row],
    change: Callable[[Column], Change],
    spare_precise: bool = False,
    spare_coarse: bool = False,
) -> list[tuple[Row, Row]] | None:
    """Each precise row with the coarse row it changes into, or None if rows of a side that has none to spare are left over."""
    changes = [change(column) for column in zip(*coarse, strict=True)]
    rows = set(coarse)
    partners: list[tuple[Row, Row]] = []
    for row in precise:
        changed = tuple([change(cell) for change, cell in zip(changes, row, strict=True)])
        if changed in rows:
            partners.append((row, changed))
        elif not spare_precise:
            return None
    return partners if spare_coarse or {changed for _, changed in partners} == rows else None


def _noise(coarse: Column, relative: float) -> Change:
    return partial(_snap, _stops(coarse), relative, 0.0)


def _rounded(coarse: Column) -> Change:
    # A little more than half a unit, because a binary difference can exceed a decimal half in its last digits.
    return partial(_snap, _stops(coarse), 0.0, 0.5 * 10.0 ** -max(map(_decimals, coarse)) * (1 + 1e-6))


def _cut(coarse: Column) -> Change:
    # ROUND gives floats, so whole floats are left to the next way; only integers look like integer division.
    return _whole if all(cell is None or isinstance(cell, int) for cell in coarse) else _unchanged


def _snap(stops: list[float], relative: float, absolute: float, cell: Cell) -> Cell:
    if not stops or not is_number(cell):
        return cell
    position = bisect_left(stops, cell)
    nearest = min(stops[max(0, position - 1) : position + 1], key=lambda stop: abs(stop - cell))
    if isinstance(cell, int) and isinstance(nearest, int):
        return cell
    near = max(absolute, relative * max(abs(cell), abs(nearest)))
    return nearest if abs(cell - nearest) <= near else cell


def _whole(cell: Cell) -> Cell:
    return trunc(cell) if is_number(cell) else cell


def _unchanged(cell: Cell) -> Cell:
    return cell


def _stops(column: Column) -> list[float]:
    return sorted(set(filter(is_number, column)))


def is_number(cell: Cell) -> TypeGuard[float]:
    return isinstance(cell, int | float) and -_HUGE < cell < _HUGE


def _most_decimals(rows: list[Row]) -> list[int]:
    return [max(map(_decimals, column)) for column in zip(*rows, strict=True)]


def _decimals(cell: Cell) -> int:
    """Digits after the point in the shortest way to write a number."""
    if not isinstance(cell, float) or not is_number(cell):
        return 0
    exponent = Decimal(repr(cell)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


# Noise in the last digits comes first, lest 74.0775 pass for 74.07749999999999 rounded to four decimals; larger noise
# comes last, lest 3.84615 not pass for 3.84615384 rounded to five.
_WAYS: tuple[tuple[str, Callable[[Column], Change]], ...] = (
    ("noise", partial(_noise, relative=_LAST_DIGITS)),
    ("cut", _cut),
    ("rounded", _rounded),
    ("noise", partial(_noise, relative=NOISE)),
)
