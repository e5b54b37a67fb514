"""Names of the gold in another form than the gold's: in other spellings, spelled out or encoded.

A text is read in every way there is, and what comes out is compared as letters and digits only: once as words of its own,
`Words` (`signal_registry`, "signal underscore registry", "sgnl reg" are SignalRegistry), once letter by letter or by a code,
`Hidden`. A kind of code is one function in `_DECODERS`.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import groupby, takewhile
from typing import NamedTuple
from urllib.parse import unquote

from .ordinary import has_vowel, is_ordinary

SHORTEST = 4
"""Letters of a name that is recognised in disguise."""
_LONG = 8
_CODED_LETTERS = 6
_MOST_WORDS = 6

_NAME_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_WORD = re.compile(r"[A-Za-z0-9]+")
_SPOKEN = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*")
_TIGHT = re.compile(r"[-_.]|\s*[+&]\s*")
"""Between words that are meant as one."""
_NEAR = re.compile(rf"{_TIGHT.pattern}|[\s\"'`“”‘’*]+")
_SPOKEN_GAP = re.compile(r"\s+(?:underscore|underline|hyphen|dash|dot|plus|followed by)\s+", re.IGNORECASE)
_GLUE = re.compile(
    r"underscore|camel ?case|snake ?case|\b(?:joined|glued?|(?:put|writ\w+|stuck|run|all) together|concatenat\w+|one word"
    r"|(?:start|begin|end)s? (?:with|in)|no spaces?|without (?:a |any )?spaces?|first half|second half|prefix|suffix)\b",
    re.IGNORECASE,
)
_JOINED = re.compile(r"_|[a-z][A-Z]")
_FIGURES = re.compile(r"(?=.*\d)[\w .,:/%'<>=-]{3,}")
"""What a code may mean that has figures; what is no code comes out as anything."""
_FILLERS = frozenset("of to the per in and for by a an on at".split())


def canonical(name: str) -> str:
    """Its letters and digits, without accents."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", name).casefold() if letter.isalnum())


def singular(word: str) -> str:
    """A rough one: two forms of a word need only come out alike."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]
    return word


def name_parts(name: str) -> list[str]:
    """SignalRegistry, signal_registry and SIGNAL_REGISTRY are two words."""
    return [part.casefold() for part in _NAME_PARTS.findall(name)]


@cache
def name_forms(name: str) -> frozenset[str]:
    """As letters and digits, in singular and plural."""
    parts = name_parts(name)
    forms = (canonical(name), singular(canonical(name)), canonical("".join(map(singular, parts))))
    return frozenset(form for form in forms if form)


class Run(NamedTuple):
    """Words of a text that stand next to each other."""

    words: tuple[str, ...]
    is_tight: bool
    """Whether nobody could take them for words of their own: signal-registry, "signal dot registry"."""


class Words:
    """The words of a text, one by one and next to each other."""

    def __init__(self, text: str) -> None:
        self._runs: dict[str, list[Run]] = {}
        self._tokens: list[list[str]] = []
        self._all = [word for word in map(str.casefold, _WORD.findall(text)) if word not in _FILLERS]
        self._is_glued = bool(_GLUE.search(text))
        for run in _runs(text):
            for form in {"".join(run.words), "".join(map(singular, run.words))}:
                self._runs.setdefault(form, []).append(run)
        for token in _SPOKEN.findall(text):
            parts = _without_single_letters(name_parts(token))
            if len(parts) > 1 and (_JOINED.search(token) or not all(map(is_ordinary, parts))):
                self._tokens.append(parts)

    def runs(self, name: str) -> list[Run]:
        """The words that make up the name, wherever they do."""
        return [run for form in name_forms(name) for run in self._runs.get(form, ())]

    def glued(self, name: str) -> bool:
        """Whether the text tells how to put the name together from its words."""
        return self._is_glued and any(
            _is_made_of(form, words) for form in name_forms(name) for words in (self._all, list(map(singular, self._all)))
        )

    def abbreviated(self, name: str) -> bool:
        """As a name of the same parts, some of them shorter or longer: `tmp_dev_cnt` for TempDevCount."""
        plain = canonical(name)
        size = sum(part != "and" for part in name_parts(name))
        return len(plain) >= _CODED_LETTERS and any(
            (len(token) > 2 or len(token) == size or 2 * sum(map(len, token)) > len(plain)) and _is_row(plain, token)
            for token in self._tokens
        )

    def expanded(self, name: str) -> bool:
        """As three words or more that the name abbreviates: "temperature deviation count" for TempDevCount."""
        plain = canonical(name)
        return len(plain) >= _LONG and any(
            word[0] == plain[0] and _expand(plain, self._all[at : at + len(plain) // 2], 0) for at, word in enumerate(self._all)
        )


def _runs(text: str) -> Iterator[Run]:
    """Every row of up to six words; those with capitals inside are several."""
    for told in dict.fromkeys((text, _SPOKEN_GAP.sub("_", text))):
        words = list(_gaps(told))
        for at, (first, _) in enumerate(words):
            near = list(takewhile(lambda each: _NEAR.fullmatch(each[1]), words[at + 1 : at + _MOST_WORDS]))
            for size in range(len(near) + 1):
                is_tight = bool(size) and all(_TIGHT.fullmatch(gap) for _, gap in near[:size])
                yield Run((first, *(word for word, _ in near[:size])), is_tight)


def _gaps(text: str) -> Iterator[tuple[str, str]]:
    """The words, and what stands before each."""
    end = 0
    for match in _WORD.finditer(text):
        gap, end = text[end : match.start()], match.end()
        for part in name_parts(match[0]):
            yield part, gap
            gap = "_"


def _is_made_of(name: str, words: Sequence[str]) -> bool:
    """In the order in which the words are said. Of a word that is said twice the first is enough: more follows it."""
    beginnings = {word: at for at, word in reversed(list(enumerate(words))) if len(word) > 1 and name.startswith(word)}
    return any(
        name.removeprefix(word) in words[at + 1 :] or _is_made_of(name.removeprefix(word), words[at + 1 :])
        for word, at in beginnings.items()
    )


def _without_single_letters(parts: Sequence[str]) -> list[str]:
    """Each goes with the part before it: the m and the 3 of `cap_m3`."""
    joined: list[str] = []
    for part in parts:
        joined[-1:] = [joined[-1] + part] if joined and len(part) == 1 else [*joined[-1:], part]
    return joined


def _is_row(name: str, parts: Sequence[str]) -> bool:
    """Whether the name falls into pieces that the parts abbreviate or are short for, one for each."""
    if not parts or not name:
        return not parts and not name
    rest = name.removeprefix("and")
    return (rest != name and _is_row(rest, parts)) or any(
        _abbreviate(name[:cut], parts[0])
        and (cut >= len(parts[0]) or not is_ordinary(name[:cut]))
        and _is_row(name[cut:], parts[1:])
        for cut in range(2, len(name) + 1)
    )


def _abbreviate(one: str, other: str) -> bool:
    """Whether one of two parts of names is the other without some letters."""
    short, long = sorted((one, other), key=len)
    letters = iter(long)
    return len(short) > 1 and short[0] == long[0] and all(letter in letters for letter in short)


def _expand(name: str, words: Sequence[str], used: int) -> bool:
    """Whether each word in turn begins with, or is meant by, the next letters of the name."""
    if not name:
        return used > 2
    if not words:
        return False
    return any(
        (cut > 2 or not used or cut == len(name) or not has_vowel(name[:cut]))
        and _stands_for(name[:cut], words[0])
        and _expand(name[cut:], words[1:], used + 1)
        for cut in range(min(len(name), len(words[0])), 1, -1)
    )


def _stands_for(piece: str, word: str) -> bool:
    """Whether a piece of a name is the beginning of a word, or some of its letters and no word itself."""
    return word.startswith(piece) or (_abbreviate(piece, word) and (not has_vowel(piece) or not is_ordinary(piece)))


_LOOKALIKES = str.maketrans(
    "асеорхуікмнтвгпиьһԛԝѵѕјԁАВСЕНІКМОРТХУЅЈοαβγερντικησυχωΑΒΕΗΙΚΜΝΟΡΤΧΥΖօսոհցզɑɡıοⅼ",
    "aceopxyikmhtbrnubhqwvsjdABCEHIKMOPTXYSJoabyepvtiknouxwABEHIKMNOPTXYZounhgqagiol",
)
"""Cyrillic, Greek and Armenian letters, and the Latin ones that they look like."""
_LETTER = re.compile(r"(?:LETTER|CAPITAL|TURNED|REVERSED)(?: DOTLESS)? ([A-Z])$")
_SIGNS_FOR_LETTERS = (str.maketrans("013456789@$!|+€", "oieasgtbgasilte"), str.maketrans("01345789@$!|+€", "oleastbgasllte"))


def latin(text: str) -> str:
    """In plain letters: no accents, small capitals, flags or letters of other alphabets that look the same."""
    apart = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
    return "".join(map(_latin_letter, (letter for letter in apart if not unicodedata.combining(letter))))


@cache
def _latin_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    match = _LETTER.search(unicodedata.name(letter, ""))
    return match[1].lower() if match else letter


class Hidden:
    """What a text says letter by letter, or in a code."""

    def __init__(self, text: str) -> None:
        plain = latin(text)
        self._spelled = {canonical(word) for word in _spelled(plain)} - {""}
        self._initials = "".join(word[0] for word in re.findall(r"[a-z0-9]+", plain.casefold()))
        decoded = [code for decode in _DECODERS for code in decode(plain)]
        self.decoded = " \n ".join([*(code for code in decoded if _FIGURES.fullmatch(code)), *self._spelled])
        """With the figures among it."""
        decoded += _SPOKEN.findall(plain) if plain != text else ()
        self._read = (
            {canonical(word) for word in (*decoded, *_with_signs_for_letters(plain), *_turned(plain))} | self._spelled
        ) - {""}
        self._shifted = {canonical(word) for word in _shifted(plain)}

    def has(self, name: str) -> bool:
        """Short names occur within other words by chance. Of what is spelled out, a long beginning is enough."""
        return any(map(self._has, name_forms(name)))

    def _has(self, plain: str) -> bool:
        if len(plain) < SHORTEST:
            return False
        if len(plain) >= _CODED_LETTERS and (plain in self._initials or plain in self._shifted):
            return True
        if plain in self._read or (len(plain) >= _LONG and any(plain in text for text in self._read)):
            return True
        return any(len(text) >= _LONG and plain.startswith(text) for text in self._spelled)


_SPELLED = re.compile(r"(?<![^\W_])[^\W_](?:[-._ ·*/,:|>~+]{1,3}[^\W_](?![^\W_])){3,}")
_LETTER_AS_IN = re.compile(r"\b([A-Za-z]) (?:as in|for|like) \w+")
_CAPITAL = re.compile(r"\b(?:capital|upper-?case|lower-?case|small|then|and|letters?) (?=[A-Za-z]\b)", re.IGNORECASE)
_DOUBLED = re.compile(r"\bdouble[- ]([A-Za-z])\b", re.IGNORECASE)
_SPELLING_WORDS = (
    "al(?:ph|f)a bravo charlie delta echo foxtrot golf hotel india juliett?e? kilo lima mike november oscar papa quebec romeo"
    " sierra tango uniform victor whiske?y x-?ray yankee zulu"
).split()
_SPELLING_WORD = re.compile(rf"\b(?:{'|'.join(_SPELLING_WORDS)})\b", re.IGNORECASE)


def _spelled(text: str) -> Iterator[str]:
    """Letter by letter, or by the words that stand for letters."""
    bare = _DOUBLED.sub(r"\1 \1", _CAPITAL.sub("", _LETTER_AS_IN.sub(r"\1", text)))
    for each in (bare, _SPELLING_WORD.sub(lambda match: match[0][0], bare)):
        for match in _SPELLED.finditer(each):
            letters = re.sub(r"[\W_]", "", match[0])
            yield letters
            yield letters[1:]  # behind "a", or the end of "it's"


def _with_signs_for_letters(text: str) -> Iterator[str]:
    for word in re.findall(r"[\w@$!|+€]+", text):
        if re.search(r"[\d@$!|+€]", word) and any(map(str.isalpha, word)):
            yield from (word.translate(table) for table in _SIGNS_FOR_LETTERS)


def _turned(text: str) -> Iterator[str]:
    """Backwards, word by word and as a whole."""
    yield from (word[::-1] for word in _SPOKEN.findall(text) if len(word) > SHORTEST)
    yield text[::-1]


def _shifted(text: str) -> Iterator[str]:
    """Letters moved along the alphabet (ROT13, Caesar), or counted from its other end (Atbash)."""
    for word in {canonical(word) for word in _SPOKEN.findall(text)}:
        if len(word) >= _CODED_LETTERS:
            letters = [ord(letter) - 97 for letter in word if "a" <= letter <= "z"]
            yield from ("".join(chr(97 + (letter + by) % 26) for letter in letters) for by in range(1, 26))
            yield "".join(chr(122 - letter) for letter in letters)


_BASES = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")


def _from_bases(text: str) -> Iterator[str]:
    """Also of a code in groups: neighbours that are no words."""
    codes: list[str] = _BASES.findall(text)
    for is_code, group in groupby(text.split(), lambda word: not word.isalpha() or not is_ordinary(word.casefold())):
        codes += [re.sub(r"[^\w+/=-]", "", "".join(group))] if is_code else []
    for code in codes:
        bare = code.rstrip("=")
        for decode, letters, block in (
            (base64.urlsafe_b64decode, bare.replace("+", "-").replace("/", "_"), 4),
            (base64.b32decode, bare.upper(), 8),
        ):
            try:
                yield decode(letters + "=" * (-len(letters) % block)).decode("ascii")
            except (binascii.Error, ValueError):
                continue


_BYTES = (
    (
        re.compile(r"(?<![0-9A-Za-z])(?:(?:\\x|0x|%|U\+00|\\u00|\$)?[0-9A-Fa-f]{2}[\s,:;.-]*){4,}"),
        re.compile(r"[0-9A-Fa-f]{2}"),
        16,
    ),
    (re.compile(r"\b\d{2,3}(?:[\s,;.-]+\d{2,3}){3,}\b"), re.compile(r"\d+"), 10),
    (re.compile(r"\b[0-7]{3}(?:[\s,;-]+[0-7]{3}){3,}\b"), re.compile(r"[0-7]{3}"), 8),
    (re.compile(r"\b[01]{7,8}(?:[\s,;-]*[01]{7,8}){3,}\b"), re.compile(r"[01]{8}|[01]{7}"), 2),
)
_BYTE_PREFIX = re.compile(r"\\x|0x|%|U\+00|\\u00|\$")
_PLACES = re.compile(r"\b\d{1,2}(?:[\s,;.-]+\d{1,2}){3,}\b")


def _from_bytes(text: str) -> Iterator[str]:
    for row, one, base in _BYTES:
        for code in row.findall(text):
            letters = [int(number, base) for number in one.findall(_BYTE_PREFIX.sub("", code))]
            if all(32 <= letter < 127 for letter in letters):
                yield "".join(map(chr, letters))


def _from_places(text: str) -> Iterator[str]:
    """Of letters in the alphabet: 1 for a."""
    for code in _PLACES.findall(text):
        places = [int(number) for number in re.findall(r"\d+", code)]
        if all(1 <= place <= 26 for place in places):
            yield "".join(chr(96 + place) for place in places)


_MORSE = {
    code: letter
    for letter, code in zip(
        "abcdefghijklmnopqrstuvwxyz0123456789",
        ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
        " ----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.".split(),
        strict=True,
    )
}
_MORSE_ROW = re.compile(r"[.\-]{1,5}(?:[ /|,]{1,3}[.\-]{1,6}){3,}")
_DITS, _DAHS = re.compile(r"\b(?:dot|dit?)s?\b", re.IGNORECASE), re.compile(r"\b(?:dash|dah)(?:es|s)?\b", re.IGNORECASE)


def _from_morse(text: str) -> Iterator[str]:
    """A stop at the end may be the sentence's."""
    signs = _DAHS.sub("-", _DITS.sub(".", text.translate(str.maketrans("·•–—−_", "..----"))))
    glued = re.sub(r"(?<=[.-])-(?=[.-])" if _DITS.search(text) else r"(?!)", "", signs)
    for row in (*_MORSE_ROW.findall(signs), *_MORSE_ROW.findall(glued)):
        codes = re.findall(r"[.\-]+", row)
        for last in (codes[-1], codes[-1][:-1]):
            yield "".join(_MORSE.get(code, "") for code in (*codes[:-1], last))


_BRAILLE = str.maketrans("⠁⠃⠉⠙⠑⠋⠛⠓⠊⠚⠅⠇⠍⠝⠕⠏⠟⠗⠎⠞⠥⠧⠺⠭⠽⠵", "abcdefghijklmnopqrstuvwxyz")


def _from_signs(text: str) -> Iterator[str]:
    """Percent signs, entities, escapes, Braille."""
    escaped = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    for read in (unquote(text), html.unescape(text), escaped, text.translate(_BRAILLE)):
        if read != text:
            yield from _SPOKEN.findall(read)


_DECODERS: tuple[Callable[[str], Iterator[str]], ...] = (_from_bases, _from_bytes, _from_places, _from_morse, _from_signs)
