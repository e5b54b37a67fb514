"""The gold SQL in pieces that one can point at: clauses, also those of sub-queries and of function bodies.

A statement's clauses are found by their keywords at one level of parentheses: `FROM` within `EXTRACT(YEAR FROM d)` or
`ORDER BY` within a window is no clause of the query around it. The segments of depth 0 are a partition: together they
have every character of the text that is not blank and not in a comment, once. Those of a sub-query come right after the
segment that holds it, are one deeper, and are a partition of what is within its parentheses.

Every text gives segments, broken ones too: without a known keyword it is a STATEMENT.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from .clauses import ClauseStart, Dialect, Token, Tokens, cuts, lex

DEEPEST = 12
"""Sub-queries below this depth stay whole."""


class Segment(Struct, frozen=True):
    """One piece. Its text is the original's, comments left out."""

    clause: str
    """WITH name, SELECT, FROM, LEFT JOIN, WHERE, …; STATEMENT if it has no name."""
    text: str
    within: str = ""
    """The clauses around it, from the outside: "WITH totals > FROM"."""
    depth: int = 0

    @property
    def label(self) -> str:
        return f"{self.within} > {self.clause}" if self.within else self.clause


def segments(sql: str, dialect: Dialect) -> list[Segment]:
    """The pieces in the order of the text."""
    return list(_segments(sql, dialect, "", 0))


@lru_cache(maxsize=256)
def segments_of(gold: tuple[str, ...], dialect: Dialect) -> tuple[Segment, ...]:
    """The pieces of several statements, remembered: a user is asked about the same gold many times."""
    return tuple(segment for sql in gold for segment in segments(sql, dialect))


def _segments(sql: str, dialect: Dialect, within: str, depth: int) -> Iterator[Segment]:
    for statement in _statements(lex(sql, dialect)):
        tokens = Tokens(statement)
        yield from _level(sql, dialect, tokens, 0, len(statement), within, depth)


def _statements(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Cut behind semicolons. Stray ones go with the statement before, or, at the very beginning, with the first."""
    start = 0
    for at, token in enumerate(tokens):
        follows = tokens[at - 1].text == ";" if at else False
        if follows and token.text != ";" and any(before.text != ";" for before in tokens[start:at]):
            yield tokens[start:at]
            start = at
    if start < len(tokens):
        yield tokens[start:]


def _level(sql: str, dialect: Dialect, tokens: Tokens, low: int, high: int, within: str, depth: int) -> Iterator[Segment]:
    """What stands between two tokens at one level of parentheses, and then what is deeper."""
    cut_points = cuts(tokens, low, high)
    ends = [*(cut.at for cut in cut_points[1:]), high]
    for cut, end in zip(cut_points, ends, strict=True):
        segment = Segment(cut.clause, _text(sql, tokens, cut.at, end), within, depth)
        yield segment
        if depth < DEEPEST:
            yield from _deeper(sql, dialect, tokens, cut, end, segment)


def _deeper(sql: str, dialect: Dialect, tokens: Tokens, cut: ClauseStart, end: int, around: Segment) -> Iterator[Segment]:
    at = cut.at
    while at < end:
        if tokens.opens_query(at):
            yield from _level(sql, dialect, tokens, at + 1, tokens.closing[at], around.label, around.depth + 1)
            at = tokens.closing[at]
        elif tokens[at].kind == "body" and tokens.word(0) in ("CREATE", "DO"):
            yield from _segments(_inside(tokens[at].text), dialect, around.label, around.depth + 1)
        at += 1


def _inside(body: str) -> str:
    """Without the dollar quotes."""
    quote = body.index("$", 1) + 1
    return body[quote:-quote]


def _text(sql: str, tokens: Tokens, low: int, high: int) -> str:
    """The original's text from one token to another."""
    parts = [tokens[low].text]
    for at in range(low + 1, high):
        parts += [_gap(sql[tokens[at - 1].end : tokens[at].start]), tokens[at].text]
    return "".join(parts)


def _gap(text: str) -> str:
    """What is between two tokens. A comment leaves a blank, or the end of its line and what the next is indented by."""
    if not text.strip():
        return text
    _, line, indent = text.rpartition("\n")
    return line + (indent if line and not indent.strip() else "" if line else " ")
