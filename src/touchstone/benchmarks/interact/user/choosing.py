"""The first stage's answer: which decision a reply holds, and which term or segment it means.

A reply is one of `labeled(…)`, `unlabeled(…)` and `unanswerable()`, within `<s>…</s>` or alone, after any thinking.
What is in the brackets may be a number of the list, the text, the text in another case or spacing, or the beginning of
just one text. All else is a mistake, and `Mistake` says which, for the model's next try.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from .segments import Segment
from .situation import Ambiguity, Choice

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


def said(text: str) -> str:
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
    return re.sub(r"^`+(?:\w*\n)?|`+$", "", said(text)).strip()


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
