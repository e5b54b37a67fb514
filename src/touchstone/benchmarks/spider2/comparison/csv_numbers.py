"""Numbers as pandas 2.2 reads them from a CSV file: which words are numbers, and which number exactly.

pandas has its own way from digits to a float. It takes the first 17 digits, leading zeros included, into a
float one by one, and then multiplies or divides by a power of ten. So most words of more than 15 digits come out
a few units in the last place beside the nearest float. That decides verdicts in two places: where the difference
of two numbers is the tolerance itself, as after adding 0.01 to a long number; and in the official sorting by
print, where '9.999999999999998' for '10.0' changes the order of a whole column. Hence the same arithmetic here.

Where no digit can be lost the usual reading gives the same float, at a fraction of the time; `numbers` tells
these words apart by their length. It reads a column's words as one JSON array, because JSON's numbers are a
strict part of what pandas takes for numbers, and their decoder is the fastest there is at hand.

Not reproduced: exponents of ten and more digits, which overflow a C int there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from msgspec import DecodeError, ValidationError
from msgspec.json import Decoder

INT64 = range(-(2**63), 2**63)
UINT64 = range(2**64)

NUMBER = re.compile(rb"[ \t\n\v\f\r]*[-+]?(?:\.?[0-9]|inf)", re.IGNORECASE)
"""How a number may begin."""

_SPACE = b" \t\n\v\f\r"
_INTEGER = re.compile(rb"[ \t\n\v\f\r]*([-+]?)0*([0-9]*)")
_FLOAT = re.compile(rb"[ \t\n\v\f\r]*([-+]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([-+]?[0-9]{1,17}))?[ \t\n\v\f\r]*")
_READ_AGAIN = (b"e", b"E", b"-0")
"""Exponents, and minus zero, which JSON does not have as an integer."""
_INFINITE = {
    **dict.fromkeys((b"inf", b"+inf", b"infinity", b"+infinity"), float("inf")),
    **dict.fromkeys((b"-inf", b"-infinity"), float("-inf")),
}
_POWERS = [float(f"1e{power}") for power in range(309)]
DIGITS = 17
SAFE = 15
"""So many digits fit into a float whatever they are."""

_integers = Decoder(list[int]).decode
_floats = Decoder(list[float]).decode


def integer(word: bytes, allowed: range) -> int | None:
    """The integer that a word is. Too many digits are an error even where something else follows them."""
    match = _INTEGER.match(word)
    assert match is not None  # it can match nothing
    if match.end() == match.end(1):
        return None
    value = int(match[1] + (match[2][:30] or b"0"))
    if value not in allowed:
        raise OverflowError
    return None if word[match.end() :].strip(_SPACE) else value


def floating(word: bytes) -> float | None:
    """The float that a word is."""
    match = _FLOAT.fullmatch(word)
    if match is None or not (match[2] or match[3]):
        return _INFINITE.get(word.lower())
    whole, part = match[2], (match[3] or b"")[: max(0, DIGITS - len(match[2]))]
    exponent = max(0, len(whole) - DIGITS) - len(part) + int(match[4] or 0)
    number = _scaled(_mantissa(whole[:DIGITS] + part), exponent)
    if number is None:
        return None
    return -number if match[1] == b"-" else number


def _mantissa(digits: bytes) -> float:
    number = float(int(digits[:SAFE]))
    for digit in digits[SAFE:]:
        number = number * 10.0 + (digit - 48)
    return number


def _scaled(number: float, exponent: int) -> float | None:
    if exponent > 308:
        return None
    if exponent > 0:
        number *= _POWERS[exponent]
        return None if number == float("inf") else number
    if exponent >= -308:
        return number / _POWERS[-exponent]
    return 0.0 if exponent < -616 else number / _POWERS[-308 - exponent] / _POWERS[308]


def numbers(words: Sequence[bytes]) -> list[int] | list[float] | None:
    """All words as integers, or else all as floats, if they are written plainly; `None` says nothing about them."""
    text = b",".join(words)
    try:
        integers = _integers(b"[%b]" % text)
    except ValidationError:
        return _plain_floats(words, text)
    except (DecodeError, ValueError):
        return None
    return integers if len(integers) == len(words) else None


def _plain_floats(words: Sequence[bytes], text: bytes) -> list[float] | None:
    try:
        values = _floats(b"[%b]" % text)
        if len(values) != len(words):
            return None
        for run in _READ_AGAIN:
            for position in _places(text, run):
                values[position] = _sure(words[position])
        return _corrected(words, values)
    except (DecodeError, ValueError):
        return None


def _places(text: bytes, run: bytes) -> Iterator[int]:
    """Which of the words in a text, separated by commas, hold a run of characters."""
    position = end = 0
    while (start := text.find(run, end)) >= 0:
        position += text.count(b",", end, start)
        yield position
        end = text.find(b",", start)
        if end < 0:
            return


def _corrected(words: Sequence[bytes], values: list[float]) -> list[float]:
    """Long words read again, but for those of 16 digits that do not begin with 9: they are below 2**53 and safe too."""
    if max(map(len, words)) <= SAFE:
        return values
    nine = 57
    return [
        value if (length := len(word)) <= SAFE or (length < 18 and word[0] != nine and b"." in word) else _long(word)
        for word, value in zip(words, values, strict=True)
    ]


def _long(word: bytes) -> float:
    """As `floating`, but shorter. Refuses what may be too large for an integer."""
    whole, _, part = word.partition(b".")
    if len(whole) > 18:
        raise ValueError
    if len(whole) > DIGITS or not whole.isdigit() or not part.isdigit():
        return _sure(word)
    part = part[: DIGITS - len(whole)]
    return _mantissa(whole + part) / _POWERS[len(part)]


def _sure(word: bytes) -> float:
    number = floating(word)
    if number is None:
        raise ValueError
    return number
