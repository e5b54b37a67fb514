"""What a query leaves open, decided one way and the other.

ORDER BY determines the order of rows only as far as its keys differ, and LIMIT without it determines nothing. To break ties
by the columns of the result, `ORDER BY price LIMIT 1` becomes `ORDER BY price, 1 LIMIT 1`, or `…, 1 DESC …`. Either is a way
in which any database may execute the original, so if their results differ, the original has no determined result.

No parser is needed for this: it is enough to know strings and comments, parentheses, and a few words that are reserved.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Direction = Literal["ASC", "DESC"]

_TOKEN = re.compile(
    r"""
      (?:'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | \[[^\]]*\] | \$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
    | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<word>[^\W\d]\w*)
    | (?P<mark>[();])
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)
_CUTS = {"sqlite": {"limit"}, "postgres": {"limit", "offset", "fetch"}, "duckdb": {"limit", "offset"}}
_MOST_COLUMNS = 100


@dataclass(frozen=True)
class Spot:
    """Where the keys of an order can be added to."""

    position: int
    ordered: bool
    """There is an ORDER BY to add to."""
    limited: bool
    """Only some of the rows are kept."""
    outermost: bool


@dataclass
class _Select:
    """What has been seen of one query, inside its parentheses."""

    is_query: bool = False
    ordered: bool = False
    cut: int | None = None

    def spot(self, end: int, *, outermost: bool) -> Iterator[Spot]:
        if self.is_query and (self.cut is not None or (self.ordered and outermost)):
            yield Spot(end if self.cut is None else self.cut, self.ordered, self.cut is not None, outermost)


def spots(sql: str, dialect: str) -> list[Spot]:
    """Of the last statement and all queries inside of it."""
    found: list[Spot] = []
    last: list[Spot] = []
    open_: list[_Select] = [_Select()]
    before, end, is_empty = "", 0, True
    for token in _TOKEN.finditer(sql):
        if token["comment"]:
            continue
        word = (token["word"] or token["mark"] or "").lower()
        if word == ";" and len(open_) == 1:
            last = last if is_empty else [*found, *open_[0].spot(end, outermost=True)]
            found, open_, before, is_empty = [], [_Select()], "", True
            continue
        if word == "(":
            open_.append(_Select())
        elif word == ")" and len(open_) > 1:
            found += open_.pop().spot(token.start(), outermost=False)
        else:
            _see(open_[-1], word, before, token.start(), _CUTS[dialect])
        before, end, is_empty = word, token.end(), False
    return last if is_empty else [*found, *open_[0].spot(end, outermost=True)]


def decided(sql: str, places: list[Spot], columns: int, direction: Direction) -> str:
    """The query with its ties broken by its columns: all of them outside, the first one inside, where they are not known."""
    for spot in sorted(places, key=lambda spot: -spot.position):
        keys = range(1, min(columns, _MOST_COLUMNS) + 1) if spot.outermost else (1,)
        added = ", ".join(f"{key} {direction}" for key in keys)
        lead = ", " if spot.ordered else " ORDER BY "
        sql = f"{sql[: spot.position].rstrip()}{lead}{added} {sql[spot.position :]}"
    return sql


def _see(query: _Select, word: str, before: str, start: int, cuts: set[str]) -> None:
    if word in ("select", "values"):
        query.is_query = True
    elif word == "by" and before == "order":
        query.ordered = True
    elif word in cuts and query.is_query and query.cut is None:
        query.cut = start
