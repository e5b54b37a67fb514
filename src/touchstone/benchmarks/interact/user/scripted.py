"""A user without a model: the same question gives the same answer, at no cost.

A question is about the labelled wording that it quotes, else about the one whose words it has, if it has enough of them.
Words count without case, plural and the small words of the language; what a wording has in brackets, often an
abbreviation, counts for itself too. Only the best wording is answered, one question a time, and the answer says so if
there were others. A question about none of them is looked through for what clauses are about (sorting, limits, …), if
there is a gold to look into.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from ....types import CallPosition
from .disguises import singular
from .leaks import leaks
from .segments import Segment, segments_of
from .view import REFUSAL, Ambiguity, Situation, UserAnswer

ENOUGH = 0.6
"""Of a wording's words must be in the question: both of two, two of three."""
ONE_AT_A_TIME = " Please ask about one thing at a time; this is about that one only."
_WORD = re.compile(r"[^\W_]+")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)")
_BRACKETS = re.compile(r"\(([^()]+)\)")
_SMALL = frozenset(
    """a about an and are as at be by can could define defined do does for from give has have how i in is it its mean means
    me my of on or please should tell that the their them these they this those to us use want was we were what when which
    with would you your""".split()
)
_TOPICS: tuple[tuple[str, str], ...] = (
    (r"\b(sort|(?<!in )order(ed|ing)?\b|ascend|descend|rank)", r"\bORDER\s+BY\b"),
    (r"\b(limit|top\b|first (\d|few|ten|five)|how many (rows|results|records))", r"^(LIMIT|FETCH)\b"),
    (r"\b(round|decimal|precision)", r"\bROUND\s*\("),
    (r"\b(duplicate|distinct|unique)", r"\bDISTINCT\b"),
    (r"\b(null|missing|empty|blank)", r"\b(COALESCE|NULLIF|IS\s+(NOT\s+)?NULL)\b"),
    (r"\b(group|break ?down|broken down|per\b)", r"^GROUP\s+BY\b"),
    (r"\b(filter|exclud|includ|condition|criteri|threshold)", r"^(WHERE|HAVING)\b"),
    (r"\b(join|combin|relationship)", r"\bJOIN\b"),
    (r"\b(set to|new value|updat|chang)", r"^SET\b"),
)
"""What a question says, and what the segment has that settles it."""
_PATTERNS = tuple((re.compile(asked, re.IGNORECASE), re.compile(has, re.IGNORECASE)) for asked, has in _TOPICS)


class _Match(NamedTuple):
    """Compared from left to right: the better match is the greater."""

    quoted: bool
    share: float
    words: int
    earlier: int
    ambiguity: Ambiguity


class ScriptedUser:
    """A user that reads the annotations out."""

    name = "scripted"

    def identity(self) -> dict[str, Any]:
        return {"model": self.name}

    async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
        matches = sorted(_matches(question, situation.ambiguities), key=lambda match: match[:4], reverse=True)
        if matches:
            return _labeled(question, situation, [match.ambiguity for match in matches])
        part = _part(question, segments_of(situation.gold, situation.dialect))
        if part is None:
            return UserAnswer(REFUSAL, "unanswerable")
        return _answer(f"For that I have this in mind: {part.text.rstrip('; ')}", "unlabeled", part.text, question, situation)


def _labeled(question: str, situation: Situation, ambiguities: list[Ambiguity]) -> UserAnswer:
    best = ambiguities[0]
    text = f'By "{best.term}" I mean: {best.sql_snippet}.'
    if any(each.sql_snippet != best.sql_snippet for each in ambiguities[1:]):
        text += ONE_AT_A_TIME
    return _answer(text, "labeled", best.term, question, situation, best.sql_snippet)


def _answer(text: str, choice: Any, about: str, question: str, situation: Situation, *also_allowed: str) -> UserAnswer:
    allowed = (about, *also_allowed, question, situation.shown)
    return UserAnswer(text, choice, about, leaks(text, situation.gold, allowed, situation.dialect))


def _matches(question: str, ambiguities: tuple[Ambiguity, ...]) -> Iterator[_Match]:
    places = {word: at for at, word in reversed(list(enumerate(_stems(question))))}
    quoted = {phrase.strip(" ,.").casefold() for match in _QUOTED.findall(question) for phrase in match}
    for ambiguity in ambiguities:
        exact = ambiguity.term.casefold() in quoted
        share, words = max(
            _shares(ambiguity.term, places), default=(0.0, set[str]()), key=lambda match: (match[0], len(match[1]))
        )
        if exact or share >= ENOUGH:
            yield _Match(exact, share, len(words), -min((places[word] for word in words), default=0), ambiguity)


def _shares(term: str, places: dict[str, int]) -> Iterator[tuple[float, set[str]]]:
    """For each way to say a wording: how much of it the question has, and which words."""
    for words in filter(None, map(set, map(_stems, _names(term)))):
        there = words & places.keys()
        yield len(there) / len(words), there


def _names(term: str) -> Iterator[str]:
    """The wording without what is in brackets, that alone, and all of it."""
    yield _BRACKETS.sub(" ", term)
    yield from _BRACKETS.findall(term)
    yield term


def _stems(text: str) -> list[str]:
    words = (word.casefold() for word in _WORD.findall(text))
    return [singular(word) for word in words if word not in _SMALL]


def _part(question: str, parts: tuple[Segment, ...]) -> Segment | None:
    """The segment that settles what is asked: of the outermost that do, the last, which is nearest to the result."""
    for asked, has in _PATTERNS:
        if asked.search(question):
            fitting = [part for part in parts if has.search(part.text)]
            if fitting:
                return min(reversed(fitting), key=lambda part: part.depth)
    return None
