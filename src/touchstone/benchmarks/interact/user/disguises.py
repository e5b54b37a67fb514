"""Secrets of the gold in another form than the gold's: numbers in words, names in other spellings, spelled out or encoded.

`leaks` compares what an answer says as it stands. Here the answer is read in other ways first: "forty-two and a half", "42½"
and "42,5" are 42.5, `signal_registry` and s-i-g-n-a-l-r-e-g-i-s-t-r-y are SignalRegistry, and so are its base64, hexadecimal,
ROT13, reversed and percent-encoded forms, and those with letters of other alphabets or digits that look the same. A sort
direction and a number of decimals are told in words that no query has. Numbers and directions are read in German, French and
Spanish too (`languages`).
"""

from __future__ import annotations

import base64
import binascii
import codecs
import html
import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal
from urllib.parse import unquote

from .languages import ASCENDING, DESCENDING, foreign_numbers

SHORTEST = 4
"""Letters of a name that is recognised in disguise."""
_LONG = 8

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = (
    {word: value for value, word in enumerate(_UNITS)} | {word: 10 * at for at, word in enumerate(_TENS, 2)} | {"dozen": 12}
)
LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_PARTS = {
    "half": 2,
    "halves": 2,
    "third": 3,
    "thirds": 3,
    "quarter": 4,
    "quarters": 4,
    "fifth": 5,
    "fifths": 5,
    "tenth": 10,
    "tenths": 10,
}
_NUMERAL = re.compile(
    rf"(?:{'|'.join([*_SMALL, *LARGE, *_PARTS, 'a', 'an', 'and', 'point', 'per', 'percent', 'cent'])})\b", re.IGNORECASE
)
_COMMA = re.compile(r"(?<![\w.,])(\d{1,3}(?:[. ]\d{3})+|\d+)[,·](\d+)(?!\w|[.,]\d)\s*(%)?")
_VULGAR = re.compile(r"(\d{0,6})\s?([¼-¾⅐-⅞])")
_FRACTION = re.compile(r"(?<![\w./])(?:(\d{1,6})(?: and)? )?(\d{1,4})\s*/\s*(\d{1,4})(?![\w/])")

_SPELLED = re.compile(r"(?<![^\W_])[^\W_](?:[-._ ·*/,]{1,3}[^\W_](?![^\W_])){3,}")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_HEXADECIMAL = re.compile(r"(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s,]*){4,}")
_CODES = re.compile(r"\b\d{2,3}(?:[\s,;-]+\d{2,3}){3,}\b")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")
_LOOKALIKES = str.maketrans(
    "асеорхуікмнтвАВСЕНІКМОРТХУѕјԁοαερντικΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aceopxyikmhtbABCEHIKMOPTXYsjdoaepvtikABEHIKMNOPTXYZ"
)
"""Cyrillic and Greek letters, and the Latin ones that they look like."""
_DASHES = str.maketrans("‐‑‒–—−", "------")
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_HIGH = "highest|largest|biggest|greatest|newest|latest|most recent|best|strongest"
_LOW = "lowest|smallest|oldest|earliest|least|weakest"
_FIRST = r"(?:first|(?:at the|on) top)"
_DESCENDING = re.compile(
    rf"\b(?:descending|decreasing (?:order|sequence)|desc|(?:{_HIGH})(?: \w+)? {_FIRST}|(?:start|begin)\w* with the (?:{_HIGH})"
    r"|from (?:the )?(?:high|large|big|great|new|late)\w* to|(?:high|large|great|big)\w* to (?:the )?(?:low|small)\w*"
    rf"|in reverse order|z to a|sort\w* downwards?|{DESCENDING})\b",
    re.IGNORECASE,
)
_ASCENDING = re.compile(
    rf"\b(?:ascending|increasing (?:order|sequence)|asc|(?:{_LOW})(?: \w+)? {_FIRST}|(?:start|begin)\w* with the (?:{_LOW})"
    r"|from (?:the )?(?:low|small|old|early)\w* to|(?:low|small)\w* to (?:the )?(?:high|large|great|big)\w*"
    rf"|alphabetical(?:ly)?|a to z|sort\w* upwards?|{ASCENDING})\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\border\s+by\b(.*?)(?:\blimit\b|\boffset\b|\)|;|$)", re.IGNORECASE | re.DOTALL)
_SPEAKS_OF_ORDER = re.compile(
    r"\b(?:order(?:ed|ing)?|sort\w*|rank\w*|descend\w*|ascend\w*|top|first|highest|lowest|desc|asc)\b", re.IGNORECASE
)
_ROUNDED = re.compile(r"\bround\s*\(.*?,\s*(\d+)\s*\)", re.IGNORECASE | re.DOTALL)
_PLACES = re.compile(
    r"\b(\d|zero|one|two|three|four|five|six)\s+(?:decimals?|places|digits)\b|\b(?:decimals?|places):?\s+(\d)\b"
    r"|\bto (?:the|its) (\w+)\s+(?:decimal|digit after)\b|\bnearest\s+((?:ten-|hundred-)?\w+th)\b",
    re.IGNORECASE,
)
_ORDINALS = {word: str(at) for at, word in enumerate("first second third fourth fifth sixth".split(), 1)} | {
    "tenth": "1",
    "hundredth": "2",
    "thousandth": "3",
    "ten-thousandth": "4",
}
_SPEAKS_OF_PLACES = re.compile(r"\b(?:round\w*|decimals?|places|digits|precis\w+)\b", re.IGNORECASE)


def numbers_in_words(text: str) -> set[Decimal]:
    """Numbers that are written in words, with a decimal comma, or as a fraction."""
    numbers = {
        Decimal(f"{re.sub(r'[. ]', '', whole)}.{rest}") / (100 if percent else 1)
        for whole, rest, percent in _COMMA.findall(text)
    }
    numbers |= {int(whole or 0) + Decimal(str(unicodedata.numeric(part))) for whole, part in _VULGAR.findall(text)}
    numbers |= foreign_numbers(text)
    numbers |= {
        int(whole or 0) + Decimal(above) / Decimal(below) for whole, above, below in _FRACTION.findall(text) if int(below)
    }
    words = re.findall(r"[A-Za-z]+|[^\sA-Za-z-]", text)
    at = 0
    while at < len(words):
        end = at
        while end < len(words) and _NUMERAL.fullmatch(words[end]):
            end += 1
        if end > at:
            numbers |= set(_spoken([word.lower() for word in words[at:end]]))
        at = end + 1
    return {number.normalize() for number in numbers}


def _spoken(words: Sequence[str]) -> Iterator[Decimal]:
    """What a row of numerals means, and the same as a share if it is a percentage."""
    if not any(word in _SMALL or word in LARGE or word in _PARTS for word in words):
        return
    total, group, share = Decimal(0), Decimal(0), Decimal(0)
    point: list[str] | None = None
    for at, word in enumerate(words):
        if point is not None and word in _SMALL and _SMALL[word] < 10:
            point.append(str(_SMALL[word]))
        elif word == "point":
            point = []
        elif word == "dozen" and group:
            group *= 12
        elif word in _SMALL:
            counts_parts = at + 1 < len(words) and words[at + 1] in _PARTS
            if not counts_parts and not _follows(group, _SMALL[word]):  # "between forty-five and seventy-nine"
                yield total + group
                yield from _spoken(words[at:])
                return
            group += _SMALL[word]
        elif word == "hundred":
            group, share = (group + share or Decimal(1)) * 100, Decimal(0)
        elif word in LARGE:
            total, group, share = total + (group + share or Decimal(1)) * LARGE[word], Decimal(0), Decimal(0)
        elif word in _PARTS:
            before = words[at - 1] if at else ""
            count = _SMALL.get(before, 1)
            group -= count if before in _SMALL else 0
            share += Decimal(count) / _PARTS[word]
    number = total + group + share + (Decimal(f"0.{''.join(point)}") if point else 0)
    yield number
    if "percent" in words or "cent" in words:
        yield number / 100


def _follows(group: Decimal, number: int) -> bool:
    """Behind hundreds any number goes on, behind tens a unit."""
    rest = group % 100
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and 0 < number < 10)


def canonical(name: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKC", name).casefold() if letter.isalnum())


def spellings(answer: str) -> set[str]:
    """Every name that single words of the answer could be another spelling of."""
    return {canonical(word) for word in _SPOKEN.findall(unicodedata.normalize("NFKC", answer).translate(_DASHES))}


def joined_words(answer: str) -> set[str]:
    """Names that the answer writes as one word with a capital or an underscore inside, which nobody does by chance."""
    return {canonical(word) for word in re.findall(r"\b[A-Za-z]+(?:_[A-Za-z]|(?<=[a-z])[A-Z])\w*", answer)}


_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join([*_MONTHS, *(f"{month[:3]}\\b" for month in _MONTHS), "sept\\b"])
_DATES = (
    re.compile(r"(?<!\d)(?P<year>\d{4})([-/.])(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)"),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})([-/.])(?P<month>\d{1,2})\2(?P<year>\d{4})(?!\d)"),
    re.compile(r"(?<!\d)(?P<month>\d{1,2})([-/.])(?P<day>\d{1,2})\2(?P<year>\d{4})(?!\d)"),
    re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of|\.)? (?P<name>{_MONTH})\.?,? (?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(rf"\b(?P<name>{_MONTH})\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})\b", re.IGNORECASE),
    re.compile(
        rf"\b(?P<edge>start|beginning|first|end|last)(?: day)? of (?:(?P<name>{_MONTH}),? )?(?P<year>\d{{4}})\b", re.IGNORECASE
    ),
)


def dates(text: str) -> set[date]:
    """The days that a text names: in figures (of which the order may be either), with a month's name, or as the first or last
    of a month or year."""
    return {day for pattern in _DATES for match in pattern.finditer(text) if (day := _day(match.groupdict()))}


def _day(parts: dict[str, str | None]) -> date | None:
    year, name, edge = int(parts["year"] or 0), (parts.get("name") or "")[:3].lower(), (parts.get("edge") or "").lower()
    last = edge in ("end", "last")
    month = int(parts.get("month") or 0) or next(
        (at for at, one in enumerate(_MONTHS, 1) if one[:3] == name), 12 if last else 1
    )
    try:
        return date(year, month, int(parts.get("day") or 0) or (monthrange(year, month)[1] if last else 1))
    except ValueError:
        return None


class Hidden:
    """What an answer says letter by letter, or in a code."""

    def __init__(self, answer: str) -> None:
        plain = "".join(letter for letter in unicodedata.normalize("NFKC", answer) if unicodedata.category(letter) != "Cf")
        latin = plain.translate(_LOOKALIKES)
        self._spelled = {canonical(text) for text in _spelled(plain)}
        read: list[str] = [*_decoded(plain), *_with_digits_for_letters(plain)]
        if latin != answer:
            read += _SPOKEN.findall(latin)
        self._read: set[str] = ({canonical(text) for text in read} | self._spelled) - {""}

    def has(self, plain: str) -> bool:
        """Short names occur within other words by chance. Of what is spelled out, a long beginning is enough."""
        if plain in self._read or (len(plain) >= _LONG and any(plain in text for text in self._read)):
            return True
        return any(len(text) >= _LONG and plain.startswith(text) for text in self._spelled)


def _with_digits_for_letters(text: str) -> Iterator[str]:
    for word in _SPOKEN.findall(text):
        if any(map(str.isdigit, word)) and any(map(str.isalpha, word)):
            for digits in ("oleasbt", "oieasbt"):
                yield word.translate(str.maketrans("0134587", digits))


def _spelled(text: str) -> Iterator[str]:
    for match in _SPELLED.finditer(text):
        letters = re.sub(r"[\W_]", "", match[0])
        yield letters
        yield letters[1:]  # behind "a", or the end of "it's"


def _decoded(text: str) -> Iterator[str]:
    words: list[str] = _SPOKEN.findall(text)
    for word in words:
        if len(word) > SHORTEST:
            yield codecs.encode(word, "rot13")
            yield word[::-1]
    for code in _CODED.findall(text):
        yield _from_base64(code)
    for code in _HEXADECIMAL.findall(text):
        yield _from_bytes(re.findall(r"[0-9A-Fa-f]{2}", re.sub(r"\\x|0x|%", "", code)), 16)
    for code in _CODES.findall(text):
        yield _from_bytes(re.findall(r"\d+", code), 10)
    if "%" in text:
        yield from _SPOKEN.findall(unquote(text))
    if "&" in text:
        yield from _SPOKEN.findall(html.unescape(text))


def _from_base64(text: str) -> str:
    try:
        padded = text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
        return base64.urlsafe_b64decode(padded.replace("+", "-").replace("/", "_")).decode("ascii")
    except (binascii.Error, ValueError):
        return ""


def _from_bytes(numbers: Sequence[str], base: int) -> str:
    letters = [int(number, base) for number in numbers]
    return "".join(map(chr, letters)) if all(32 <= letter < 127 for letter in letters) else ""


def name_parts(name: str) -> list[str]:
    """SignalRegistry, signal_registry and SIGNAL_REGISTRY are two words."""
    return [part.casefold() for part in _NAME_PARTS.findall(name)]


def told_direction(answer: str, gold: str, allowed: Sequence[str]) -> str | None:
    """The gold's sort direction, where nothing that may be told speaks of an order."""
    if any(map(_SPEAKS_OF_ORDER.search, allowed)):
        return None
    orders = _ORDER.findall(gold)
    if orders and _DESCENDING.search(answer) and any(re.search(r"\bdesc\b", order, re.IGNORECASE) for order in orders):
        return "descending order"
    if orders and _ASCENDING.search(answer) and any(not re.search(r"\bdesc\b", order, re.IGNORECASE) for order in orders):
        return "ascending order"
    return None


def told_places(answer: str, gold: str, allowed: Sequence[str]) -> str | None:
    """The gold's number of decimals, where nothing that may be told speaks of rounding."""
    if any(map(_SPEAKS_OF_PLACES.search, allowed)):
        return None
    wanted = set(_ROUNDED.findall(gold))
    for word, digit, ordinal, nearest in _PLACES.findall(answer):
        counted = word if word.isdigit() else str(_SMALL.get(word.lower(), ""))
        places = digit or counted or _ORDINALS.get((ordinal or nearest).lower(), "")
        if places in wanted:
            return f"{places} decimals"
    return None
