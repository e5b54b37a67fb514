"""What BIRD-Interact does to the text of both queries before it runs them, to the letter.

Three blind changes, none of which knows SQL. What follows from that is kept, because published numbers contain it:

- comments go, also inside of literals; a `--` in the last line, with no line end after it, stays;
- DISTINCT goes where it stands between single spaces: `COUNT(DISTINCT x)` and `DISTINCT` before a line end stay, while
  `DISTINCT ON` and `IS DISTINCT FROM` become syntax errors;
- `ROUND(x, n)` becomes `x` without parentheses, so `10*ROUND(a+1, 0)` becomes `10*a+1`; names that end in round are no
  different.

Each function takes one text or a list of them, and gives back the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

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
