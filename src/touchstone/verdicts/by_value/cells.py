"""Cells in a form that can be compared: what is equal becomes the same, numbers stay numbers.

    int, float, Decimal    themselves; Python has them equal by value, and hashed alike. NaN becomes a tag that equals itself
    bool                   a tag: true is not 1
    date, datetime         a datetime; a date is its midnight. With a time zone it is an instant, never equal to one without
    UUID, IP addresses     their text
    memoryview, bytearray  bytes
    list, dict             a `Nested`: its shape, with keys in order, and apart from it its numbers
    anything else          itself, or its text if it cannot be hashed

With `places`, every number is rounded half-up to so many decimals as it is written: a float at 15 digits, which are all
it can hold of a decimal number, so that 2.675 gives 2.68 although its binary value is a trifle less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, ROUND_HALF_UP, Context, Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from math import isfinite
from typing import Any, NamedTuple, cast
from uuid import UUID

from ...types import Cell

Number = int | float | Decimal
NUMBERS = (int, float, Decimal)

NAN = ("nan",)
_NUMBER = ("number",)
_TEXTS = (UUID, IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network)
_ANY_SIZE = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
_PLAIN = {type(None), int, float, str, bytes}
_AS_THEY_ARE = {type(None), str, int, bytes, datetime, time}


class Nested(NamedTuple):
    """An array or a JSON value."""

    shape: Any
    """With a mark wherever a number stands."""
    numbers: tuple[Number, ...]


def canonical(column: Sequence[Any], places: int | None) -> list[Any]:
    """The cells of one column of one side."""
    kinds = set(map(type, column))
    cells = list(column)
    if places is None and kinds <= _AS_THEY_ARE | {float}:
        cells = [cell if cell == cell else NAN for cell in cells] if float in kinds else cells
    elif not kinds <= _AS_THEY_ARE:
        cells = [cell if type(cell) in _AS_THEY_ARE else _cell(cell, places) for cell in cells]
    return _unpadded(cells) if str in kinds else cells


def _unpadded(cells: list[Any]) -> list[Any]:
    """Without the blanks that char(n) pads with: where all texts are of one length and some end in a blank."""
    texts = [cell for cell in cells if type(cell) is str]
    if len(set(map(len, texts))) != 1 or not any(text.endswith(" ") for text in texts):
        return cells
    return [cell.rstrip(" ") if type(cell) is str else cell for cell in cells]


def _cell(cell: Any, places: int | None) -> Any:
    if isinstance(cell, float | Decimal):
        return _number(cell, places)
    if isinstance(cell, list | tuple | dict):
        numbers: list[Number] = []
        return Nested(_shape(cast(Any, cell), places, numbers), tuple(numbers))
    for kind, convert in _CONVERSIONS:
        if isinstance(cell, kind):
            return convert(cell)
    return _hashable(cell)


_CONVERSIONS: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    (bool, lambda cell: ("bool", cell)),
    (datetime, lambda cell: cell),
    (date, lambda cell: datetime(cell.year, cell.month, cell.day)),
    ((memoryview, bytearray), bytes),
    (_TEXTS, str),
)


def _hashable(cell: Any) -> Any:
    try:
        hash(cell)
    except TypeError:
        return ("text", repr(cell))
    return cell


def _shape(value: Any, places: int | None, numbers: list[Number]) -> Any:
    if isinstance(value, list | tuple):
        return ("list", *[_shape(item, places, numbers) for item in cast(Sequence[Any], value)])
    if isinstance(value, dict):
        items = sorted(cast(dict[Any, Any], value).items(), key=lambda item: str(item[0]))
        return ("object", *[(str(key), _shape(item, places, numbers)) for key, item in items])
    cell = _cell(value, places)
    if isinstance(cell, NUMBERS) and _is_finite(cell):
        numbers.append(cell)
        return _NUMBER
    return cell


def _number(value: float | Decimal, places: int | None) -> Any:
    if value != value:
        return NAN
    return value if places is None or not _is_finite(value) else _rounded(value, places)


def _rounded(value: float | Decimal, places: int) -> Decimal:
    if not isinstance(value, Decimal):
        # 15 digits where they reach beyond the last place; of a number too large for that, all there are
        value = Decimal(f"{value:.15g}" if abs(value) < 10.0 ** (14 - min(places, 14)) else repr(value))
    if cast(int, value.as_tuple().exponent) >= -places:
        return value
    return value.quantize(Decimal((0, (1,), -places)), rounding=ROUND_HALF_UP, context=_ANY_SIZE)


def _is_finite(value: Number) -> bool:
    return isfinite(value) if isinstance(value, float) else not isinstance(value, Decimal) or value.is_finite()


def plain(cell: Any) -> Cell:
    """A canonical cell as a table holds it."""
    if type(cell) in _PLAIN:
        return cell
    if isinstance(cell, Nested):
        return "".join(_written(cell.shape, iter(cell.numbers)))
    if isinstance(cell, NUMBERS):
        return _plain_number(cell)
    if isinstance(cell, datetime):
        return _written_time(cell)
    if isinstance(cell, tuple):
        return "NaN" if cell == NAN else str(cast(Any, cell)[1]).lower()
    return str(cell)


def _plain_number(number: Number) -> Cell:
    if not isinstance(number, Decimal):
        return number
    return (
        int(number) if number.is_finite() and number == number.to_integral_value() and number.adjusted() < 40 else float(number)
    )


def _written_time(moment: datetime) -> str:
    if moment.tzinfo is not None:
        with suppress(OverflowError):  # the first and the last day that Python knows may have no other zone
            return f"{moment.astimezone(UTC).replace(tzinfo=None)}+00"
    return str(moment.date()) if moment.time() == time() else str(moment)


def _written(shape: Any, numbers: Iterator[Number]) -> Iterator[str]:
    if shape == _NUMBER:
        yield str(_plain_number(next(numbers)))
    elif isinstance(shape, tuple) and shape[:1] == ("list",):
        for position, item in enumerate(cast(Any, shape[1:])):
            yield ", " if position else "["
            yield from _written(item, numbers)
        yield "]" if len(cast(Any, shape)) > 1 else "[]"
    elif isinstance(shape, tuple) and shape[:1] == ("object",):
        for position, (key, item) in enumerate(cast(Any, shape[1:])):
            yield f'{", " if position else "{"}"{key}": '
            yield from _written(item, numbers)
        yield "}" if len(cast(Any, shape)) > 1 else "{}"
    else:
        yield f'"{shape}"' if isinstance(shape, str) else "null" if shape is None else str(plain(shape))
