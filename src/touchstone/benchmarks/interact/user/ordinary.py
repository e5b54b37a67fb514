"""Whether a word is ordinary English, which a user may say by chance: `period` is, `expemplref` and `mediaowner` are not.

A word is looked up in a list of ours, without its usual endings and beginnings. Of the others, those are names that are made
of shorthand (`modfreq`, `cancelpct`) or of ordinary words run together; what ends as English words do is English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_SHORTHAND = frozenset(
    """acc acct addr amt avg bal cls cnt coef corr cred curr cust dept dest dev dist dur elec empl env fld flg freq grp hrs
    idx inv lat len lim loc lon lvl maint mgmt mins mkt msg mth nbr num nums orig pct perf pos prev prob prod prof pts qty
    ref refs reg req resp secs seq sess stat stats sys temp tie ties tot tx typ uid upd usd val vals vol yrs""".split()
)
"""Parts of names that are no words."""
_LAST_PARTS = _SHORTHAND.union("date hist ident key qual rate sched size state tally total ver vers".split())
"""What names end with, behind two letters and more; the few words that do are in the list."""
_INFLECTIONS = (
    ("ies", ("y",)),
    ("es", ("", "e", "is")),
    ("s", ("",)),
    ("ied", ("y",)),
    ("ed", ("", "e")),
    ("ing", ("", "e")),
    ("iest", ("y",)),
    ("est", ("", "e")),
    ("ier", ("y",)),
    ("er", ("", "e")),
    ("or", ("", "e")),
    ("ily", ("y",)),
    ("ly", ("", "le", "al")),
    ("cy", ("t",)),
    ("ness", ("",)),
    ("ity", ("", "e")),
    ("ility", ("le",)),
    ("ment", ("", "e")),
    ("ation", ("", "e")),
    ("ion", ("", "e")),
    ("able", ("", "e")),
    ("ive", ("", "e")),
    ("ful", ("",)),
    ("less", ("",)),
    ("al", ("", "e", "y")),
    ("ic", ("", "e", "y")),
    ("age", ("", "e")),
    ("y", ("", "e")),
)
"""An ending, and what may stand there instead."""
_BEGINNINGS = ("un", "re", "non", "over", "under", "dis", "in", "im", "mis", "pre", "sub", "inter", "multi", "out")
_ENDINGS = tuple(
    f"{ending}{plural}"
    for ending in """able age al ance ancy ant ary ate cy ed ee ence ency ent er ful graphy hood ia ian ible ic ics ify
    ing ise ism ist ity ive ize less ly man men ment metry ness ology or ory ous ship sion tion ure ward ware wise""".split()
    for plural in ("", "s")
)
_SHORTEST_NAME = 6
_LONGEST_WORD = 15
"""Of those that are not in the list."""
_SHORTEST_PIECE, _LONG_PIECE = 3, 6
_NO_ONSET = re.compile(
    "(?!bl|br|ch|cl|cr|cz|dr|dw|fl|fr|gh|gl|gn|gr|kn|mn|ph|pl|pn|pr|ps|rh|sc|sh|sk|sl|sm|sn|sp|sq|st|sw|th|tr|ts|tw|wh|wr)"
    "[b-df-hj-np-tv-xz]{2}"
)
"""Consonants that no English word begins with: of `txkey`, `ntile`, `rlink`."""


@cache
def is_ordinary(word: str) -> bool:
    """Of a word in small letters. Three consonants are an acronym that people say."""
    if len(word) <= _SHORTEST_PIECE or word in _SHORTHAND:
        return word in _words() or len(word) < _SHORTEST_PIECE or not (has_vowel(word) or word in _SHORTHAND)
    if _is_listed(word):
        return True
    return has_vowel(word) and not _is_compound(word) and word.endswith(_ENDINGS)


def is_everyday(word: str) -> bool:
    """Whether it is in the list as it is, or in the plural."""
    return word in _words() or word.removesuffix("s") in _words()


def may_be_a_word(word: str) -> bool:
    """Whether it is ordinary, or so short that it could be a word that is not in the list."""
    if is_ordinary(word) or len(word) <= _SHORTEST_PIECE:
        return True
    return len(word) < _SHORTEST_NAME and has_vowel(word) and not (_NO_ONSET.match(word) or _is_compound(word))


def has_vowel(word: str) -> bool:
    return not set("aeiouy").isdisjoint(word)


@cache
def _words() -> frozenset[str]:
    return frozenset((files(__package__ or "") / "ordinary_words.txt").read_text().split())


def _is_listed(word: str, endings: int = 2) -> bool:
    """With up to two endings: `sensitivities`."""
    if word in _words():
        return True
    if endings and any(_is_listed(stem, endings - 1) for stem in _stems(word)):
        return True
    bare = (word.removeprefix(beginning) for beginning in _BEGINNINGS if word.startswith(beginning))
    return endings == 2 and any(len(rest) >= _SHORTEST_PIECE and _is_listed(rest, 1) for rest in bare)


def _stems(word: str) -> Iterator[str]:
    for ending, instead in _INFLECTIONS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_PIECE:
            stem = word.removesuffix(ending)
            yield from (stem + letters for letters in instead)
            if stem[-1] == stem[-2]:  # running
                yield stem[:-1]


@cache
def _is_compound(word: str) -> bool:
    """Ends as names do, is too long for a word, or falls apart into shorthand and ordinary words."""
    if len(word) > _LONGEST_WORD or any(word[cut:] in _LAST_PARTS for cut in range(2, len(word) - 2)):
        return True
    if any(word[cut:] in _words() for cut in range(_SHORTEST_PIECE, len(word) - _LONG_PIECE + 1)):  # cult + factor
        return True
    cuts = range(_SHORTEST_PIECE, len(word) - _SHORTEST_PIECE + 1)
    return any(_is_piece(word[:cut]) and (_is_piece(word[cut:]) or _is_compound(word[cut:])) for cut in cuts)


def _is_piece(text: str) -> bool:
    return text in _SHORTHAND or _is_listed(text, endings=1 if len(text) > _SHORTEST_PIECE + 1 else 0)
