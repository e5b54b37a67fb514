"""The spreadsheet functions that conditions are made of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from typing import Any


class NotUnderstood(Exception):
    """A part of a formula that is not supported."""


def number(value: Any) -> float:
    """An empty cell counts as 0, a truth value as 0 or 1, a text as the number it spells."""
    return float(value or 0)


def _flat(arguments: tuple[Any, ...]) -> list[Any]:
    return [item for argument in arguments for item in (argument if isinstance(argument, list) else [argument])]  # pyright: ignore


def _flat_one(argument: Any) -> list[Any]:
    return _flat((argument,))


def _numbers(*arguments: Any) -> list[float]:
    return [float(item) for item in _flat(arguments) if isinstance(item, int | float) and not isinstance(item, bool)]


def _one(value: Any) -> Any:
    return value[0] if isinstance(value, list) else value  # pyright: ignore


def _matching(items: list[Any], condition: Any) -> list[bool]:
    """COUNTIF's little language: a value, or a comparison such as ">5"."""
    text = condition if isinstance(condition, str) else ""
    symbol = next((symbol for symbol in ("<=", ">=", "<>", "<", ">", "=") if text.startswith(symbol)), "=")
    rest = text.removeprefix(symbol) if text else condition
    try:
        bound: Any = float(rest)
    except (TypeError, ValueError):
        return [(str(item).lower() == str(rest).lower()) is (symbol == "=") for item in items if symbol in ("=", "<>")]
    tests: dict[str, Callable[[float], bool]] = {
        "=": lambda x: x == bound,
        "<>": lambda x: x != bound,
        "<": lambda x: x < bound,
        ">": lambda x: x > bound,
        "<=": lambda x: x <= bound,
        ">=": lambda x: x >= bound,
    }
    return [isinstance(item, int | float) and tests[symbol](float(item)) for item in items]


def _chosen(condition: Any, then: Any, otherwise: Any = False) -> Any:
    return then if _one(condition) else otherwise


def _truths(arguments: tuple[Any, ...]) -> list[bool]:
    return [bool(item) for item in _flat(arguments) if item is not None]


# pyright: reportUnknownLambdaType=false
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "MAX": lambda *a: max(_numbers(*a), default=0.0),
    "MIN": lambda *a: min(_numbers(*a), default=0.0),
    "SUM": lambda *a: math.fsum(_numbers(*a)),
    "AVERAGE": lambda *a: statistics.fmean(_numbers(*a)),
    "MEDIAN": lambda *a: statistics.median(_numbers(*a)),
    "STDEV": lambda *a: statistics.stdev(_numbers(*a)),
    "COUNT": lambda *a: float(len(_numbers(*a))),
    "COUNTA": lambda *a: float(sum(item is not None for item in _flat(a))),
    "COUNTIF": lambda items, condition: float(sum(_matching(_flat_one(items), _one(condition)))),
    "LARGE": lambda items, k: sorted(_numbers(items), reverse=True)[int(number(_one(k))) - 1],
    "SMALL": lambda items, k: sorted(_numbers(items))[int(number(_one(k))) - 1],
    "RANK": lambda x, items: 1.0 + sum(item > number(_one(x)) for item in _numbers(items)),
    "AND": lambda *a: all(_truths(a)),
    "OR": lambda *a: any(_truths(a)),
    "NOT": lambda x: not _one(x),
    "IF": _chosen,
    "ABS": lambda x: abs(number(_one(x))),
    "INT": lambda x: float(math.floor(number(_one(x)))),
    "MOD": lambda x, y: number(_one(x)) % number(_one(y)),
    "ROUND": lambda x, digits=0: round(number(_one(x)), int(number(_one(digits)))),
    "ISODD": lambda x: int(number(_one(x))) % 2 == 1,
    "ISEVEN": lambda x: int(number(_one(x))) % 2 == 0,
    "ISBLANK": lambda x: _one(x) is None,
    "ISNUMBER": lambda x: isinstance(_one(x), int | float) and not isinstance(_one(x), bool),
    "ISTEXT": lambda x: isinstance(_one(x), str),
    "LEN": lambda x: float(len(str(_one(x) or ""))),
    "LEFT": lambda x, n=1: str(_one(x))[: int(number(_one(n)))],
    "RIGHT": lambda x, n=1: str(_one(x))[-int(number(_one(n))) :],
    "UPPER": lambda x: str(_one(x)).upper(),
    "LOWER": lambda x: str(_one(x)).lower(),
    "TRIM": lambda x: " ".join(str(_one(x)).split()),
    "EXACT": lambda x, y: str(_one(x)) == str(_one(y)),
    "WEEKDAY": lambda x, kind=1: _weekday(number(_one(x)), int(number(_one(kind)))),
    "TRUE": lambda: True,
    "FALSE": lambda: False,
}


def _weekday(serial: float, kind: int) -> float:
    """Day 1 is Sunday, 1 January 1900, by the convention of spreadsheets."""
    sunday_first = (int(serial) - 1) % 7
    match kind:
        case 1:
            return float(sunday_first + 1)
        case 2:
            return float((sunday_first - 1) % 7 + 1)
        case 3:
            return float((sunday_first - 1) % 7)
        case _:
            raise NotUnderstood(f"WEEKDAY of type {kind}")
