"""The words that BM25 counts: lower case, without the ending of a plural, so that `connections` finds `connection`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from .splitting import EAST_ASIAN

_WORD = re.compile(rf"[{EAST_ASIAN}]|[^\W_{EAST_ASIAN}]+")
_LONGEST = 64
"""Beyond it, it is a key or a picture, not a word."""


def words(text: str) -> list[str]:
    return [stem(word) for word in _WORD.findall(text.lower()) if len(word) <= _LONGEST]


def counted(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in words(text))


def stem(word: str) -> str:
    """Harman's rules for the plural in -s: queries, query; sources, source; but class and status stay."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us")):
        return word
    if word.endswith("ies") and not word.endswith(("aies", "eies")):
        return word[:-3] + "y"
    return word[:-1]
