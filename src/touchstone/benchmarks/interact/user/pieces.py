"""What a guarded user may be told of the gold: pieces, none of which is nearly the whole of it.

A piece with more than `MOST` of the gold's tokens is not offered. What is deeper in it is, being a piece of its own; one that
has nothing deeper is cut at its commas and conditions. A labelled fragment of that size is not offered either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from .lexing import Dialect, lex
from .segments import Segment, segments_of
from .situation import Ambiguity, Situation

MOST = 0.6
"""Of the gold's tokens that one piece may have."""

_SEPARATORS = frozenset([",", "AND", "OR"])


def share(text: str, gold: Sequence[str], dialect: Dialect) -> float:
    """How much of the gold a text is, by tokens."""
    whole = sum(len(lex(sql, dialect)) for sql in gold)
    return len(lex(text, dialect)) / whole if whole else 0.0


@lru_cache(maxsize=256)
def offered_segments(gold: tuple[str, ...], dialect: Dialect) -> tuple[Segment, ...]:
    found = segments_of(gold, dialect)
    return tuple(part for at, segment in enumerate(found) for part in _offered(segment, found[at + 1 :], gold, dialect))


def offered_ambiguities(situation: Situation) -> tuple[Ambiguity, ...]:
    return tuple(each for each in situation.ambiguities if share(each.sql_snippet, situation.gold, situation.dialect) <= MOST)


def _offered(segment: Segment, following: Sequence[Segment], gold: Sequence[str], dialect: Dialect) -> Iterator[Segment]:
    if share(segment.text, gold, dialect) <= MOST:
        yield segment
    elif not (following and following[0].depth > segment.depth):
        for text in _cut(segment.text, dialect):
            if share(text, gold, dialect) <= MOST:
                yield Segment(segment.clause, text, segment.within, segment.depth)


def _cut(text: str, dialect: Dialect) -> Iterator[str]:
    """At the commas and conditions that are in no brackets; nothing if there are none."""
    depth, start, cuts = 0, 0, 0
    for token in lex(text, dialect):
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0 and token.word in _SEPARATORS:
            yield text[start : token.start].strip()
            start, cuts = token.end, cuts + 1
    if cuts:
        yield text[start:].strip()
