"""Names of the gold in another form than the gold's: in other spellings, spelled out or encoded.

`signal_registry`, "signal underscore registry" and s-i-g-n-a-l-r-e-g-i-s-t-r-y are SignalRegistry, and so are its base64,
base32, hexadecimal, shifted, reversed and percent-encoded forms, words that begin with its letters, and those with letters of
other alphabets or digits that look the same.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote

SHORTEST = 4
"""Letters of a name that is recognised in disguise."""
_LONG = 8
_CODED_LETTERS = 6

_SPELLED = re.compile(r"(?<![^\W_])[^\W_](?:[-._ ·*/,]{1,3}[^\W_](?![^\W_])){3,}")
_CODED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_HEXADECIMAL = re.compile(r"(?:(?:\\x|0x|%)?[0-9A-Fa-f]{2}[\s,]*){4,}")
_CODES = re.compile(r"\b\d{2,3}(?:[\s,;-]+\d{2,3}){3,}\b")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")
_SEPARATOR = re.compile(r"\s+(?:underscore|underline|hyphen|dash|dot)\s+", re.IGNORECASE)
_GLUE = re.compile(
    r"underscore|camel ?case|snake ?case|\b(?:joined|glued?|together|concatenat\w+|one word"
    r"|no spaces?|without (?:a |any )?spaces?)\b",
    re.IGNORECASE,
)
_LETTER_AS_IN = re.compile(r"\b([A-Za-z]) (?:as in|for|like) \w+")
_LOOKALIKES = str.maketrans(
    "асеорхуікмнтвАВСЕНІКМОРТХУѕјԁοαερντικΑΒΕΗΙΚΜΝΟΡΤΧΥΖ", "aceopxyikmhtbABCEHIKMOPTXYsjdoaepvtikABEHIKMNOPTXYZ"
)
"""Cyrillic and Greek letters, and the Latin ones that they look like."""
_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def canonical(name: str) -> str:
    """Its letters and digits, without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def singular(word: str) -> str:
    """A rough one: two forms of a word need only come out alike."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return word


def spellings(answer: str) -> set[str]:
    """Every name that single words of the answer could be another spelling of."""
    return set(_canonical_words(_SPOKEN.findall(_SEPARATOR.sub("_", answer))))


def joined_words(answer: str) -> set[str]:
    """Names that the answer writes as one word with a capital or an underscore inside, which nobody does by chance."""
    return set(_canonical_words(re.findall(r"\b[A-Za-z]+(?:_[A-Za-z]|(?<=[a-z])[A-Z])\w*", _SEPARATOR.sub("_", answer))))


def glued_words(answer: str) -> list[str]:
    """The words of an answer that speaks of gluing words together."""
    return [singular(word) for word in re.findall(r"[a-z0-9]+", answer.casefold())] if _GLUE.search(answer) else []


def _canonical_words(words: Iterable[str]) -> Iterator[str]:
    for word in words:
        yield canonical(word)
        yield canonical("".join(map(singular, name_parts(word))))


class Hidden:
    """What an answer says letter by letter, or in a code."""

    def __init__(self, answer: str) -> None:
        apart = unicodedata.normalize("NFKD", answer.translate(_LOOKALIKES))
        latin = "".join(letter for letter in apart if not unicodedata.combining(letter))
        letters = _LETTER_AS_IN.sub(r"\1", answer)
        self._spelled = {canonical(text) for text in _spelled(letters)}
        self._initials = "".join(word[0] for word in re.findall(r"[a-z0-9]+", answer.casefold()))
        self._shapes = {_shape(word) for word in map(canonical, _SPOKEN.findall(answer)) if len(word) >= _CODED_LETTERS}
        read: list[str] = [*_decoded(answer), *_with_digits_for_letters(answer)]
        if latin != answer:
            read += _SPOKEN.findall(latin)
        self._read: set[str] = ({canonical(text) for text in read} | self._spelled) - {""}

    def has(self, plain: str) -> bool:
        """Short names occur within other words by chance. Of what is spelled out, a long beginning is enough."""
        if len(plain) >= _CODED_LETTERS and (plain in self._initials or _shape(plain) in self._shapes):
            return True
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
            yield word[::-1]
    for code in _CODED.findall(text):
        yield from _from_base(code)
    for code in _HEXADECIMAL.findall(text):
        yield _from_bytes(re.findall(r"[0-9A-Fa-f]{2}", re.sub(r"\\x|0x|%", "", code)), 16)
    for code in _CODES.findall(text):
        yield _from_bytes(re.findall(r"\d+", code), 10)
    if "%" in text:
        yield from _SPOKEN.findall(unquote(text))
    if "&" in text:
        yield from _SPOKEN.findall(html.unescape(text))


def _from_base(text: str) -> Iterator[str]:
    bare = text.rstrip("=")
    for decode, code, block in (
        (base64.urlsafe_b64decode, bare.replace("+", "-").replace("/", "_"), 4),
        (base64.b32decode, bare.upper(), 8),
    ):
        try:
            yield decode(code + "=" * (-len(code) % block)).decode("ascii")
        except (binascii.Error, ValueError):
            continue


def _shape(word: str) -> tuple[int, ...]:
    """What a word has in common with itself shifted in the alphabet (ROT13, Caesar), and with no other word of its length."""
    first = ord(word[0])
    return tuple((ord(letter) - first) % 26 for letter in word)


def _from_bytes(numbers: Sequence[str], base: int) -> str:
    letters = [int(number, base) for number in numbers]
    return "".join(map(chr, letters)) if all(32 <= letter < 127 for letter in letters) else ""


def name_parts(name: str) -> list[str]:
    """SignalRegistry, signal_registry and SIGNAL_REGISTRY are two words."""
    return [part.casefold() for part in _NAME_PARTS.findall(name)]
