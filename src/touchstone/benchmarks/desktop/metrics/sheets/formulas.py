"""Evaluating the formulas of conditional formats: a small part of the spreadsheet language, over stored values.

The tokens are openpyxl's; what is here is the grammar (comparison < text < sum < product < power < sign) and the functions that
such conditions are made of. What is not understood raises `NotUnderstood`, and never counts as true or false.
"""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Callable, Iterator
from typing import Any, cast

from ...extras import need

# The spreadsheet functions that conditions are made of.


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    **{"<=": operator.le, ">=": operator.ge, "<>": operator.ne},
    **{"<": operator.lt, ">": operator.gt, "=": operator.eq},
}
"""The longer ones first, for who looks what a text begins with."""


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
    symbol = next((symbol for symbol in _COMPARISONS if text.startswith(symbol)), "=")
    rest = text.removeprefix(symbol) if text else condition
    try:
        bound: Any = float(rest)
    except (TypeError, ValueError):
        return [(str(item).lower() == str(rest).lower()) is (symbol == "=") for item in items if symbol in ("=", "<>")]
    return [isinstance(item, int | float) and _COMPARISONS[symbol](float(item), bound) for item in items]


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


Lookup = Callable[[str], list[Any]]
"""The values of a reference such as $C$2:$C$25, row by row."""

_LEVELS: list[dict[str, Callable[[Any, Any], Any]]] = [
    {symbol: lambda a, b, test=test: test(_ranked(a), _ranked(b)) for symbol, test in _COMPARISONS.items()},
    {"&": lambda a, b: f"{_shown(a)}{_shown(b)}"},
    {"+": lambda a, b: number(a) + number(b), "-": lambda a, b: number(a) - number(b)},
    {"*": lambda a, b: number(a) * number(b), "/": lambda a, b: number(a) / number(b)},
    {"^": lambda a, b: number(a) ** number(b)},
]


def holds(formula: str, lookup: Lookup) -> bool:
    """Whether a condition is true; an error in it (a division by zero, a text in a sum) makes it false."""
    try:
        return bool(_Parser(formula, lookup).value())
    except (ZeroDivisionError, ValueError, TypeError, OverflowError):
        return False
    except RecursionError:
        raise NotUnderstood("a formula nested so deep") from None


def _tokens(formula: str) -> list[Any]:
    try:
        return need("openpyxl.formula").Tokenizer("=" + formula.removeprefix("=")).items
    except Exception:  # on a broken formula it raises whatever comes
        raise NotUnderstood(f"the formula {formula!r}") from None


class _Parser:
    """One pass over the tokens, evaluating as it goes."""

    def __init__(self, formula: str, lookup: Lookup) -> None:
        self._tokens = [token for token in _tokens(formula) if token.type != "WHITE-SPACE"]
        self._place = 0
        self._lookup = lookup

    def value(self) -> Any:
        value = _single(self._binary(0))
        if self._place != len(self._tokens):
            raise NotUnderstood(self._tokens[self._place].value)
        return value

    def _next(self) -> Any | None:
        return self._tokens[self._place] if self._place < len(self._tokens) else None

    def _take(self) -> Any:
        token = self._next()
        if token is None:
            raise NotUnderstood("the end of the formula")
        self._place += 1
        return token

    def _binary(self, level: int) -> Any:
        if level == len(_LEVELS):
            return self._unary()
        value = self._binary(level + 1)
        while (token := self._next()) is not None and token.type == "OPERATOR-INFIX" and token.value in _LEVELS[level]:
            self._take()
            value = _LEVELS[level][token.value](_single(value), _single(self._binary(level + 1)))
        return value

    def _unary(self) -> Any:
        token = self._take()
        if token.type == "OPERATOR-PREFIX":
            value = number(_single(self._unary()))
            return -value if token.value == "-" else value
        value = self._operand(token)
        while (following := self._next()) is not None and following.type == "OPERATOR-POSTFIX":
            self._take()
            value = number(_single(value)) / 100
        return value

    def _operand(self, token: Any) -> Any:
        if token.type == "OPERAND":
            return self._constant(token)
        if token.type == "PAREN" and token.subtype == "OPEN":
            value = self._binary(0)
            self._take()
            return value
        if token.type == "FUNC" and token.subtype == "OPEN":
            name = token.value.rstrip("(").upper().removeprefix("_XLFN.")
            arguments = list(self._arguments())
            if name not in FUNCTIONS:
                raise NotUnderstood(name)
            return FUNCTIONS[name](*arguments)
        raise NotUnderstood(token.value)

    def _arguments(self) -> Iterator[Any]:
        while (token := self._next()) is not None:
            if token.type == "FUNC" and token.subtype == "CLOSE":
                self._take()
                return
            if token.type == "SEP":
                self._take()
                continue
            yield self._binary(0)

    def _constant(self, token: Any) -> Any:
        match token.subtype:
            case "NUMBER":
                return float(token.value)
            case "TEXT":
                return token.value[1:-1].replace('""', '"')
            case "LOGICAL":
                return token.value.upper() == "TRUE"
            case "RANGE":
                return self._lookup(token.value)
            case _:
                raise NotUnderstood(token.value)


def _single(value: Any) -> Any:
    if isinstance(value, list):
        values = cast("list[Any]", value)
        if len(values) != 1:
            raise ValueError("a range where one value is needed")
        return values[0]
    return value


def _ranked(value: Any) -> tuple[int, Any]:
    """Numbers before texts before truth values; an empty cell is 0; texts without regard to case."""
    if isinstance(value, bool):
        return 2, value
    return (1, value.lower()) if isinstance(value, str) else (0, float(value or 0))


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else "" if value is None else str(value)
