"""Evaluating the formulas of conditional formats: a small part of the spreadsheet language, over stored values.

The tokens are openpyxl's; what is here is the grammar (comparison < text < sum < product < power < sign) and the functions that
such conditions are made of. What is not understood raises `NotUnderstood`, and never counts as true or false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, cast

from ...extras import need
from .functions import FUNCTIONS, NotUnderstood, number

Lookup = Callable[[str], list[Any]]
"""The values of a reference such as $C$2:$C$25, row by row."""

_LEVELS: list[dict[str, Callable[[Any, Any], Any]]] = [
    {
        "=": lambda a, b: _ranked(a) == _ranked(b),
        "<>": lambda a, b: _ranked(a) != _ranked(b),
        "<": lambda a, b: _ranked(a) < _ranked(b),
        ">": lambda a, b: _ranked(a) > _ranked(b),
        "<=": lambda a, b: _ranked(a) <= _ranked(b),
        ">=": lambda a, b: _ranked(a) >= _ranked(b),
    },
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
