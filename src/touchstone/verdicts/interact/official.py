"""The comparison of BIRD-Interact's default test, to the letter.

Dates and timestamps become their day, floats and decimals are rounded to two places, lists and objects become JSON text;
then rows are compared as sets, or as lists where order counts. What follows from that is kept: timestamps of one day are
equal, duplicates do not count, 1 is true, a float is a decimal only where two places have an exact binary value, NaN is never
right, nor is an empty result. Arrays of decimals or dates, and decimals of more than 26 digits before the point, make the
original stop with an error, which counts as wrong.

The original sees values as psycopg 2 gives them; where psycopg 3 gives an object of its own for what was text, the text
is compared.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any, cast
from uuid import UUID

from ...values import Row

PLACES = 2

_ONCE_TEXT = (UUID, IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network)
_ERRORS = (TypeError, ValueError, ArithmeticError, RecursionError)


def official(gold_rows: Sequence[Row], predicted_rows: Sequence[Row], *, order: bool) -> bool:
    """Whether the original would accept the rows. Its errors are refusals."""
    try:
        return same_rows(gold_rows, predicted_rows, order=order)
    except _ERRORS:
        return False


def same_rows(gold_rows: Sequence[Row], predicted_rows: Sequence[Row], *, order: bool) -> bool:
    """The same, but it raises what the original raises."""
    predicted, gold = normalise(predicted_rows), normalise(gold_rows)
    if not predicted or not gold:
        return False
    return predicted == gold if order else set(predicted) == set(gold)


def normalise(rows: Sequence[Row], places: int = PLACES) -> list[Row]:
    """Rows as the original compares them. Raises what the original raises."""
    return [tuple([_cell(cell, places) for cell in row]) for row in rows]


def round_numbers(value: Any, places: int = PLACES) -> Any:
    """The value with every float and decimal in it rounded."""
    if isinstance(value, Decimal):
        # The precision is Python's usual one, at which 27 digits before the point and two behind it are too many.
        return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=Context(prec=28))
    if isinstance(value, float):
        return round(value, places)
    if isinstance(value, list | tuple):
        items = [round_numbers(item, places) for item in cast(Sequence[Any], value)]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: round_numbers(item, places) for key, item in cast(dict[Any, Any], value).items()}
    return str(value) if isinstance(value, _ONCE_TEXT) else value


def _cell(cell: Any, places: int) -> Any:
    if isinstance(cell, date):
        return cell.strftime("%Y-%m-%d")
    rounded = round_numbers(cell, places)
    return json.dumps(rounded, sort_keys=True) if isinstance(rounded, list | dict) else rounded
