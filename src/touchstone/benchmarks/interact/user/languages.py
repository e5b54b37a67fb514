"""Numbers and sort directions in German, French and Spanish, as a user might let them slip in an answer.

Numbers are written out by rule and looked up, from 12 to 9,999: smaller ones tell nothing, and `elf` or `once` are English
words too. A decimal is read digit by digit behind Komma, virgule or coma.
"""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal
from functools import cache

DESCENDING = (
    r"absteigend\w*|(?:größte|höchste|neueste)n? zuerst|d[ée]croissante?s?|descendente?s?|descendiente|de mayor a menor"
    r"|du plus (?:grand|élevé) au plus (?:petit|bas)"
)
ASCENDING = (
    r"aufsteigend\w*|(?:kleinste|niedrigste|älteste)n? zuerst|(?:ordre|tri|tri[ée]e?s?) croissante?|ascendente?s?"
    r"|de menor a mayor|du plus (?:petit|bas) au plus (?:grand|élevé)"
)

FOREIGN_MONTHS = {
    month: at
    for months in (
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    )
    for at, month in enumerate(months.split(), 1)
}
_PLACES = re.compile(
    r"\b(\w+) (?:nachkomma|dezimal)?stellen?\b|\b(\w+) (?:d[ée]cimales?|chiffres apr[èe]s la virgule|cifras decimales)\b",
    re.IGNORECASE,
)

_GERMAN = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn"
    " neunzehn"
).split()
_GERMAN_TENS = "zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_FRENCH = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf"
).split()
_FRENCH_TENS = "vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt".split()
_SPANISH = (
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho"
    " diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
).split()
_SPANISH_TENS = "treinta cuarenta cincuenta sesenta setenta ochenta noventa".split()
_SPANISH_HUNDREDS = (
    "ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos".split()
)
_WORDS = re.compile(r"[^\W\d_]+")
_POINTS = {"komma": _GERMAN, "virgule": _FRENCH, "coma": _SPANISH}
_SMALLEST, _LARGEST, _MOST_WORDS = 12, 9_999, 9


def foreign_numbers(text: str) -> set[Decimal]:
    """Those that the text says in one of the languages."""
    words = [_plain(word) for word in _WORDS.findall(text)]
    numbers: set[Decimal] = set()
    at = 0
    while at < len(words):
        lengths = range(min(_MOST_WORDS, len(words) - at), 0, -1)
        length = next((size for size in lengths if "".join(words[at : at + size]) in _integers()), 0)
        if length:
            number = _integers()["".join(words[at : at + length])]
            numbers |= {Decimal(number)} if number >= _SMALLEST else set()
            numbers |= _with_decimals(number, words[at + length :])
        at += length or 1
    return numbers


def foreign_places(text: str) -> set[str]:
    """How many decimals the text asks for."""
    counts = {_plain(word) for match in _PLACES.findall(text) for word in match if word}
    tables = (_GERMAN, _FRENCH, _SPANISH)
    return {str(at) for words in tables for at, word in enumerate(words[:10]) if _plain(word) in counts or str(at) in counts}


def _with_decimals(whole: int, words: list[str]) -> set[Decimal]:
    digits = [_plain(word) for word in _POINTS.get(words[0], [])[:10]] if words else []
    read: list[str] = []
    for word in words[1:]:
        if word not in digits:
            break
        read.append(str(digits.index(word)))
    return {Decimal(f"{whole}.{''.join(read)}")} if read else set()


@cache
def _integers() -> dict[str, int]:
    numbers = range(_LARGEST + 1)
    return {
        _plain(say(number)).replace(" ", "").replace("-", ""): number
        for say in (_german, _french, _spanish)
        for number in numbers
    }


def _plain(text: str) -> str:
    folded = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in folded if not unicodedata.combining(letter))


def _german(number: int) -> str:
    if number < 20:
        return _GERMAN[number]
    if number < 100:
        unit = "ein" if number % 10 == 1 else _GERMAN[number % 10]
        return (f"{unit}und" if number % 10 else "") + _GERMAN_TENS[number // 10 - 2]
    size, word = (1000, "tausend") if number >= 1000 else (100, "hundert")
    count = "ein" if number // size == 1 else _german(number // size)
    return f"{count}{word}{_german(number % size) if number % size else ''}"


def _french(number: int) -> str:
    if number < 20:
        return _FRENCH[number]
    if number < 100:
        tens, rest = number // 10, number % 10
        if tens in (7, 9):
            rest += 10
        link = " et " if rest in (1, 11) and tens < 8 else " "
        return _FRENCH_TENS[tens - 2] + (f"{link}{_FRENCH[rest]}" if rest else "s" * (number == 80))
    size, word = (1000, "mille") if number >= 1000 else (100, "cent")
    count = number // size
    plural = "s" if size == 100 and count > 1 and not number % size else ""
    return f"{_french(count) if count > 1 else ''} {word}{plural} {_french(number % size) if number % size else ''}"


def _spanish(number: int) -> str:
    if number < 30:
        return _SPANISH[number]
    if number < 100:
        return _SPANISH_TENS[number // 10 - 3] + (f" y {_SPANISH[number % 10]}" if number % 10 else "")
    if number < 1000:
        hundreds = "cien" if number == 100 else _SPANISH_HUNDREDS[number // 100 - 1]
        return f"{hundreds} {_spanish(number % 100) if number % 100 else ''}"
    count = number // 1000
    return f"{_spanish(count) if count > 1 else ''} mil {_spanish(number % 1000) if number % 1000 else ''}"
