"""The first stage's answer: which decision a reply holds, and which term or segment it means.

A reply is one of `labeled(…)`, `unlabeled(…)` and `unanswerable()`, within `<s>…</s>` or alone, after any thinking.
What is in the brackets may be a number of the list, the text, the text in another case or spacing, or the beginning of
just one text. All else is a mistake, and `Mistake` says which, for the model's next try.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from .clauses import Dialect, lex
from .segments import Segment, segments_of
from .view import Ambiguity, Choice, Situation

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r".*</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(r"<think(?:ing)?>.*", re.DOTALL | re.IGNORECASE)
_SAID = re.compile(r"<s>(.*?)(?:</s>|\Z)", re.DOTALL | re.IGNORECASE)
_STRAY = re.compile(r"</?(?:s|think(?:ing)?)>", re.IGNORECASE)
_ACTION = re.compile(r"(labell?ed|unlabell?ed|unanswerable)\s*\((.*)\)[\s.;]*", re.DOTALL | re.IGNORECASE)
_NUMBER = re.compile(r"#?\s*(\d{1,4})\s*[.:)]?")
_QUOTES = "\"'`“”‘’"
SHORTEST_BEGINNING = 4


class Mistake(Exception):
    """Why a reply is no decision, in words that a model can act on."""


class Decision(Struct, frozen=True):
    """What a question is about."""

    choice: Choice
    about: str | None = None
    """The term, or the segment's text."""
    snippet: str = ""
    """What settles the term. A segment speaks for itself."""


def spoken_text(text: str) -> str:
    """What a reply says, without its thinking and its tags."""
    text = _THOUGHT_END.sub("", _THOUGHTS.sub("", text))
    spoken = _SAID.search(text)
    return _STRAY.sub("", spoken[1] if spoken else _THOUGHT_START.sub("", text)).strip()


def decision(text: str, ambiguities: Sequence[Ambiguity], parts: Sequence[Segment]) -> Decision:
    """What the reply decides. Raises Mistake."""
    action = _ACTION.fullmatch(_one(text))
    if action is None:
        raise Mistake("it is not exactly one of the possible decisions")
    kind = action[1].lower()
    if kind == "unanswerable":
        return Decision("unanswerable")
    return _labeled(action[2], ambiguities) if kind.startswith("l") else _unlabeled(action[2], parts)


def _one(text: str) -> str:
    """The only thing that is said, without a code fence around it."""
    rest = _THOUGHT_END.sub("", _THOUGHTS.sub("", text))
    if len({spoken.strip() for spoken in _SAID.findall(rest)}) > 1:
        raise Mistake("it holds several decisions")
    return re.sub(r"^`+(?:\w*\n)?|`+$", "", spoken_text(text)).strip()


def _labeled(argument: str, ambiguities: Sequence[Ambiguity]) -> Decision:
    if not ambiguities:
        raise Mistake("labeled is not possible this time")
    chosen = ambiguities[_find(argument, [ambiguity.term for ambiguity in ambiguities])]
    return Decision("labeled", chosen.term, chosen.sql_snippet)


def _unlabeled(argument: str, parts: Sequence[Segment]) -> Decision:
    if not parts:
        raise Mistake("unlabeled is not possible this time")
    chosen = parts[_find(argument, [part.text for part in parts])]
    return Decision("unlabeled", chosen.text)


def _find(argument: str, texts: Sequence[str]) -> int:
    """The position of the text that is meant."""
    wanted = argument.strip()
    if len(wanted) > 1 and wanted[0] in _QUOTES and wanted[-1] in _QUOTES:
        wanted = wanted[1:-1].strip()
    number = _NUMBER.fullmatch(wanted)
    if number and 1 <= int(number[1]) <= len(texts):
        return int(number[1]) - 1
    if wanted in texts:
        return texts.index(wanted)
    return _loosely(wanted, texts)


def _loosely(wanted: str, texts: Sequence[str]) -> int:
    plain = _plain(wanted)
    those = [_plain(text) for text in texts]
    if plain and plain in those:
        return those.index(plain)
    beginnings = {text for text in those if text.startswith(plain)}
    if len(plain) >= SHORTEST_BEGINNING and len(beginnings) == 1:
        return those.index(beginnings.pop())
    raise Mistake(f"there is no {wanted[:80]!r} in the list; give a number from 1 to {len(texts)}")


def _plain(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip("; ")


# What a guarded user may be told of the gold: pieces, none of which is nearly the whole of it.
#
# A piece with more than `MOST` of the gold is not offered. What is deeper in it is, being a piece of its own; one
# that has nothing deeper is cut at its commas and conditions. A labelled fragment of that size is not offered either.


MOST = 0.6
"""Of the gold that one piece may have."""

_SEPARATORS = frozenset([",", "AND", "OR"])
_PUNCTUATION = frozenset("(),;")
_PIECE = re.compile(r"\w+|[^\w\s]")


def share(text: str, gold: Sequence[str], dialect: Dialect) -> float:
    """How much of the gold a text is: by tokens, by tokens without brackets and commas, or by letters, whichever is most."""
    whole = _sizes(" ".join(gold), dialect)
    return max(part / all_of_it if all_of_it else 0.0 for part, all_of_it in zip(_sizes(text, dialect), whole, strict=True))


def _sizes(sql: str, dialect: Dialect) -> tuple[int, int, int]:
    """The tokens within literals and function bodies count as well: else a body would be one."""
    pieces = [piece for token in lex(sql, dialect) for piece in _PIECE.findall(token.text)]
    return len(pieces), sum(piece not in _PUNCTUATION for piece in pieces), sum(map(len, pieces))


@lru_cache(maxsize=256)
def offered_segments(gold: tuple[str, ...], dialect: Dialect) -> tuple[Segment, ...]:
    segments = segments_of(gold, dialect)
    return tuple(part for at, segment in enumerate(segments) for part in _offered(segment, segments[at + 1 :], gold, dialect))


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
