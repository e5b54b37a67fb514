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
import re
from collections.abc import Callable, Sequence
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, IPv6Address, IPv6Interface, IPv6Network
from typing import Any, TypeVar, cast
from uuid import UUID

from ...types import Row

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


# What BIRD-Interact does to the text of both queries before it runs them, to the letter.
#
# Three blind changes, none of which knows SQL. What follows from that is kept, because published numbers contain it:
#
# - comments go, also inside of literals; a `--` in the last line, with no line end after it, stays;
# - DISTINCT goes where it stands between single spaces: `COUNT(DISTINCT x)` and `DISTINCT` before a line end stay, while
#   `DISTINCT ON` and `IS DISTINCT FROM` become syntax errors;
# - `ROUND(x, n)` becomes `x` without parentheses, so `10*ROUND(a+1, 0)` becomes `10*a+1`; names that end in round are no
#   different.
#
# Each function takes one text or a list of them, and gives back the same.


T = TypeVar("T", str, list[str])

_BLANK_LINES = re.compile(r"\n\s*\n+")
_LINE_END = re.compile(r"[\r\n]")
_PUNCTUATION = re.compile(r"[(),]")
_ROUND = re.compile(r"round\s*\(", re.IGNORECASE)


def remove_comments(sql: T) -> T:
    return _each(sql, _without_comments)


def remove_distinct(sql: T) -> T:
    return _each(sql, _without_distinct)


def remove_round(sql: T) -> T:
    return _each(sql, _without_round)


def rewritten(sql: T) -> T:
    """All three, in the official order."""
    return remove_round(remove_distinct(remove_comments(sql)))


def _each(sql: T, change: Callable[[str], str]) -> T:
    if isinstance(sql, str):
        return change(sql)
    return [change(text) for text in sql]


def _without_comments(sql: str) -> str:
    return _BLANK_LINES.sub("\n", _without_line_comments(_without_block_comments(sql))).strip()


def _without_block_comments(sql: str) -> str:
    kept: list[str] = []
    start = 0
    while (opening := sql.find("/*", start)) >= 0 and (closing := sql.find("*/", opening + 2)) >= 0:
        kept.append(sql[start:opening])
        start = closing + 2
    return "".join(kept) + sql[start:]


def _without_line_comments(sql: str) -> str:
    kept: list[str] = []
    start = 0
    while (opening := sql.find("--", start)) >= 0 and (end := _LINE_END.search(sql, opening)):
        kept.append(sql[start:opening])
        start = end.start()
    return "".join(kept) + sql[start:]


def _without_distinct(sql: str) -> str:
    return " ".join([word for word in sql.split(" ") if word.lower() != "distinct"])


def _without_round(sql: str) -> str:
    while (call := _ROUND.search(sql)) and (ends := _argument_and_call(sql, call.end())):
        sql = sql[: call.start()] + sql[call.end() : ends[0]].strip() + sql[ends[1] + 1 :]
    return sql


def _argument_and_call(sql: str, start: int) -> tuple[int, int] | None:
    """Where the first argument ends and where the call does; None if it does not."""
    depth, argument = 0, None
    for mark in _PUNCTUATION.finditer(sql, start):
        if mark[0] == "(":
            depth += 1
        elif mark[0] == "," and depth == 0 and argument is None:
            argument = mark.start()
        elif mark[0] == ")" and depth == 0:
            return (mark.start() if argument is None else argument), mark.start()
        elif mark[0] == ")":
            depth -= 1
    return None
