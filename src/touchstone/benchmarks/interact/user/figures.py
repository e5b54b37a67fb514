"""Numbers and days as prose says them, read in two steps: words become figures, then figures become numbers and days.

"Forty-two and a half", "42½", "42,5" and "half of 85" are 42.5; "fifteen percent" and "3 out of 20" are 0.15; "seven
eighths" are also 87.5 and "three weeks" 21; "the fifteenth of March 2023" and "3/15/23" are one day. Everything a text
could mean is in the set: what counts is whether the gold's own number is among it.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date
from decimal import Decimal, DecimalException
from functools import lru_cache
from itertools import product

from .languages import FOREIGN_MONTHS, foreign_numbers

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_CARDINALS = {word: value for value, word in enumerate(_ONES)} | {word: 10 * at for at, word in enumerate(_TENS, 2)}
_POWERS = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_DOZENS = {"dozen": 12}
_SCALES = _POWERS | {"dozen": 12, "k": 10**3, "grand": 10**3, "lakh": 10**5, "m": 10**6, "mn": 10**6, "bn": 10**9}
_IRREGULAR = {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_ORDINALS = _IRREGULAR | {
    (f"{word[:-1]}ie" if word in _TENS else word) + "th": value
    for word, value in (_CARDINALS | _POWERS).items()
    if value not in _IRREGULAR.values() and value
}
_SHARES = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_PARTS = _SHARES | {word + plural: value for word, value in _ORDINALS.items() if value > 2 for plural in ("", "s")}
_NUMERALS = "|".join(sorted({*_CARDINALS, *_POWERS, *_DOZENS, *_ORDINALS, *_PARTS}, key=len, reverse=True))
_SPOKEN = re.compile(
    rf"(?<!\d[ -])(?<!\d)\b(?:(?:and|an?|point)[ -]+){{0,2}}(?:{_NUMERALS})\b"
    rf"(?:[ -]+(?:(?:and|an?|of an?|point)[ -]+){{0,2}}(?:{_NUMERALS})\b){{0,24}}",
    re.IGNORECASE,
)
_DOZENS_SAID = (
    (re.compile("baker['’]?s dozen", re.IGNORECASE), "thirteen"),
    (re.compile("half a dozen", re.IGNORECASE), "six"),
)
_FIGURE = r"(?<![\d.])\d+(?:\.\d+)?"
_UNITS = {
    "week": (7,),
    "fortnight": (14,),
    "year": (12, 52, 365),
    "month": (30,),
    "day": (24, 1440),
    "hour": (60, 3600),
    "minute": (60,),
    **dict.fromkeys(("tonne", "ton", "kilometre", "kilometer", "kilo", "kilogram", "litre", "second", "gram"), (1000,)),
    **dict.fromkeys(("metre", "meter"), (100, 1000)),
    **dict.fromkeys(("kilobyte", "megabyte", "gigabyte", "terabyte", "mb", "gb", "tb"), (1000, 1024)),
}
_AND_A_PART = re.compile(rf"\b(\w+) ({'|'.join(_UNITS)})s? and (a half|a quarter)\b", re.IGNORECASE)
_PART_OF = re.compile(rf"\b(0\.\d+) (?:of )?(?:an? |1 )(?={'|'.join(_UNITS)}|per ?cent)", re.IGNORECASE)
_ONE_AND = re.compile(r"\ban? and a ", re.IGNORECASE)
_A_FORTNIGHT = re.compile(r"\ba (?=fortnight\b)", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:(?<![\w.])|(?<=\b[A-Z]{3}))(\d{1,3}(?:[, '’]\d{3})+|\d{1,3}(?:\.\d{3}){2,}|\d+)(\.\d+)?"
    rf"(?:[ -]?({'|'.join(_SCALES)}))?(?:[a-zA-Z]{{1,2}}\d?\b)?(?!\w|\.\d)"
    r"\s*(%|‰|per ?cent\b|pct\b|percentage points?\b|basis points\b|bps\b)?"
    rf"(?:[ -]?({'|'.join(_UNITS)})s?\b)?",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"({_FIGURE}) ?(?:-|to|and|or|;) ?({_FIGURE}) ?(%|per ?cent|pct)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<![\w.,])([1-9]\d{0,2})\.(\d{3})(?!\w|[.,]\d)")
_HUNDREDTHS = {"‰": 1000, "b": 10_000}
_COMMA = re.compile(r"(?<![\w.,])(\d{1,3}(?:[. ]\d{3})+|\d+)[,·](\d+)(?:[a-zA-Z]{1,2}\b)?(?!\w|[.,]\d)\s*(%)?")
_MIXED = re.compile(r"(?<![\w./])(?:(\d{1,6})(?: and)? )?(\d{1,4})\s*/\s*(\d{1,4})(?![\w/])\s*(%|per ?cent|pct)?")
_MONEY = re.compile(r"(?<!\d)(\d+) (?:dollar|euro|pound|franc)s?(?: and)? (\d\d?)(?: (?:cents?|pence))?\b", re.IGNORECASE)
_REMAINDER = re.compile(rf"({_FIGURE}) and (0\.\d+)\b")
_POINT = re.compile(r"(?<![\w.])(\d+) point (\d+(?:; \d)*)(?![\w.])", re.IGNORECASE)
_BARE_POINT = re.compile(r"(?<![\w.])\.(?=\d)")
_SUM = re.compile(
    rf"(?<![\w.])(?=({_FIGURE})\s*(times|multiplied by|[x×*]|plus|\+|minus|divided by|out of|in|÷|/|:)"
    rf"\s*(?:a |every |each )?({_FIGURE}))",
    re.IGNORECASE,
)
_MULTIPLE = re.compile(rf"\b(twice|double|triple|0\.5 of|squared?) (?:of )?({_FIGURE})|({_FIGURE}) (squared)", re.IGNORECASE)
_POWER = re.compile(rf"(?<![\w.])({_FIGURE})(?:e|\s*[x×*]\s*10\s*(?:\^|\*\*|to the )\s*)([+-]?\d{{1,2}})(?!\w)", re.IGNORECASE)
_BASE = re.compile(r"\b0(?:x[0-9a-f]+|b[01]+|o[0-7]+)\b", re.IGNORECASE)
_ROMAN = re.compile(r"\b(?=[MDCLXVI]{3})M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b")
_VULGAR = re.compile(r"(\d?)\s?([¼-¾⅐-⅞])")
_SUPERSCRIPTS = str.maketrans({letter: f"^{digit}" for digit, letter in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")})
_DASHES = str.maketrans("‐‑‒–—−", "------")
_OTHER_POINT = re.compile(r"(?<!\w)[·٫](?=\d)|(?<=\d)[·٫](?=\d)|(?<![\w.,]),(?=\d)")
_VARIATIONS = frozenset(map(chr, range(0xFE00, 0xFE10)))
_UNSPACED = re.compile(r"(?<=[\u3040-\u30ff\u4e00-\u9fff])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=[\u3040-\u30ff\u4e00-\u9fff])")
"""Between Chinese or Japanese, which has no spaces, and a name or a number."""
_COUNTED_PARTS = re.compile(r"\b(\d+) (\w+ths)\b", re.IGNORECASE)


def plain(text: str) -> str:
    """With usual characters: compatibility forms, dashes, fractions, single spaces; without invisible ones and frames."""
    text = _UNSPACED.sub(" ", re.sub(r"(\s)\s+", r"\1", text))
    apart = _VULGAR.sub(lambda match: f"{match[1]} {unicodedata.normalize('NFKC', match[2]).replace('⁄', '/')}", text)
    usual = unicodedata.normalize("NFKC", apart.translate(_SUPERSCRIPTS)).translate(_DASHES)
    shown = (letter for letter in usual if unicodedata.category(letter) not in ("Cf", "Me") and letter not in _VARIATIONS)
    return _OTHER_POINT.sub(".", "".join(str(unicodedata.decimal(letter, letter)) for letter in shown))


@lru_cache(maxsize=16)
def in_figures(text: str) -> str:
    """With figures for numbers in words: 42.5 for "forty-two and a half", 15th for "fifteenth"."""
    for dozen, number in _DOZENS_SAID:
        text = dozen.sub(number, text)
    figures = _AND_A_PART.sub(r"\1 and \3 \2", text)  # a year and a half
    figures = _SPOKEN.sub(_figures, _ONE_AND.sub("one and a ", figures))
    figures = _POINT.sub(lambda match: f"{match[1]}.{match[2].replace('; ', '')}", _BARE_POINT.sub("0.", figures))
    figures = _A_FORTNIGHT.sub("1 ", _PART_OF.sub(r"\1 ", figures))  # three quarters of an hour
    return _REMAINDER.sub(lambda match: f"{match[1]}; {Decimal(match[1]) + Decimal(match[2])}", figures)


def _figures(match: re.Match[str]) -> str:
    words = re.findall("[a-z]+", match[0].lower())
    read = list(_read([word for word in words if word != "of"]))
    for at in range(len(read) - 2, -1, -1):  # one forty, twelve fifty, June twelfth twenty twenty-three
        if "and" not in words and read[at].isdigit() and len(read[at]) <= len(read[at + 1]) == 2:
            read.insert(at, read[at] + read[at + 1])
    if len(read) > 1 and "and" not in words[-3:] and read[-2].isdigit() and read[-1].isdigit() and len(read[-1]) == 2:
        read.append(f"{read[-2]}.{read[-1]}")  # a hundred forty-nine ninety-nine
    if len(read) > 2 and all(len(digit) == 1 and digit.isdigit() for digit in read):  # six two five zero
        read.append("".join(read))
    if words[-1].endswith("s") and _PARTS.get(words[-1], 0) > 2:  # sixty-four hundredths
        read += [_figure(Decimal(count) / _PARTS[words[-1]]) for count in _read(words[:-1]) if count.isdigit()]
    return ("and " if words[0] == "and" else "") + "; ".join(read)


def _read(words: Sequence[str]) -> Iterator[str]:
    """The numbers of a row of numerals."""
    total, group = Decimal(0), Decimal(0)
    point: str | None = None
    for at, word in enumerate(words):
        before = words[at - 1] if at else ""
        if point and word == "and":
            yield f"{_figure(total + group)}.{point}"
            yield from _read(words[at + 1 :])
            return
        if point is not None and word in _CARDINALS:
            value = _CARDINALS[word]
            point = point[:-1] + str(value) if before in _TENS and value < 10 else point + str(value)
        elif word == "point":
            point = ""
        elif word in _CARDINALS:
            counts_parts = words[at + 1 : at + 2] and words[at + 1] in _PARTS and _is_part(word, words[at + 1])
            if not counts_parts and (
                before == "zero" or (before == "and" and group % 100) or not _follows(group, _CARDINALS[word])
            ):  # "between forty-five and seventy-nine"
                yield _figure(total + group)
                yield from _read(words[at:])
                return
            group += _CARDINALS[word]
        elif point and (word in _POWERS or word in _DOZENS):
            total, group, point = (total + group + Decimal(f"0.{point}")) * (_POWERS | _DOZENS)[word], Decimal(0), None
        elif word == "hundred" or word in _DOZENS:
            group = (group or Decimal(1)) * (_POWERS | _DOZENS)[word]
        elif word in _POWERS:
            total, group = total + (group or 1) * _POWERS[word], Decimal(0)
        elif word in _PARTS and (word in _SHARES or _is_part(before, word)):
            count = _CARDINALS.get(before, 1)
            if scale := (_POWERS | _DOZENS).get(words[at - 3] if at > 2 else ""):  # a dozen and a half
                yield _figure(total + group + Decimal(scale) / _PARTS[word])
            group += Decimal(count) / _PARTS[word] - (count if before in _CARDINALS else 0)
        elif word in _ORDINALS:
            value = _ORDINALS[word]
            yield f"{_figure(total + (group or 1) * value if value >= 100 else total + group + value)}th"
            if words[at + 1 :]:
                yield from _read(words[at + 1 :])
            return
    if any(word in _CARDINALS or word in _POWERS or word in _DOZENS or word in _PARTS for word in words):
        yield f"{_figure(total + group)}.{point}" if point else _figure(total + group)


def _is_part(count: str, part: str) -> bool:
    """Two thirds, an eighth and one hundredth are shares; twenty-third, the eighth and ten-thousandth are places."""
    return count in ("a", "an", "one") or (part.endswith("s") and count in _CARDINALS) or part in _SHARES


def _follows(group: Decimal, number: int) -> bool:
    """Behind hundreds any number goes on, behind tens a unit."""
    rest = group % 100
    return rest == 0 or (rest >= 20 and rest % 10 == 0 and 0 < number < 10)


def _figure(number: Decimal) -> str:
    return f"{number.normalize():f}"


def values(text: str) -> set[Decimal]:
    """Every number that a text could mean."""
    figures = _RANGE.sub(r"\1 \3 to \2 \3", in_figures(text))
    numbers: set[Decimal] = foreign_numbers(text)
    for reading in (_plain_numbers, _composed_numbers):
        numbers.update(reading(figures))
    numbers.update(number * 100 for number in tuple(numbers) if 0 < number < 1 and not _is_simple(1 / number))
    long = (number for number in numbers if len(number.as_tuple().digits) > 12 and number < 10**12)
    thirds = {round(number, places) for number in long for places in (2, 3, 4)}
    return {number.normalize() for number in numbers | thirds}


def _is_simple(parts: Decimal) -> bool:
    """A half or a quarter, which is everyday talk and no 50 or 25 percent."""
    return parts == parts.to_integral_value() and 100 % parts == 0


def _plain_numbers(text: str) -> Iterator[Decimal]:
    for whole, fraction, scale, percent, unit in _NUMBER.findall(text):
        number = Decimal(re.sub(r"\D", "", whole) + fraction)
        yield number
        yield number * _SCALES.get(scale.lower(), 1)
        if percent:
            yield number / _HUNDREDTHS.get(percent[0].lower(), 100)
        yield from (number * times for times in _UNITS.get(unit.lower(), ()))
    for whole, rest, percent in _COMMA.findall(text):
        yield Decimal(f"{re.sub(r'[. ]', '', whole)}.{rest}") / (100 if percent else 1)
    yield from (Decimal(whole + rest) for whole, rest in _THOUSANDS.findall(text))
    yield from (Decimal(int(number, 0)) for number in _BASE.findall(text))
    yield from (Decimal(_roman(match[0])) for match in _ROMAN.finditer(text))


def _composed_numbers(text: str) -> Iterator[Decimal]:
    for whole, above, below, percent in _MIXED.findall(text):
        if int(below):
            yield (int(whole or 0) + Decimal(above) / Decimal(below)) / (100 if percent else 1)
    yield from (Decimal(whole) + Decimal(cents) / 100 for whole, cents in _MONEY.findall(text))
    for count, part in _COUNTED_PARTS.findall(text):
        yield Decimal(count) / _PARTS.get(part.lower(), 1)
    yield from (Decimal(f"{number}e{power}") for number, power in _POWER.findall(text))
    for left, sign, right in _SUM.findall(text):
        try:
            yield _result(Decimal(left), sign.lower(), Decimal(right))
        except DecimalException:
            continue
    for word, number, squared, square in _MULTIPLE.findall(text):
        one = Decimal(number or squared)
        yield one * {"twice": 2, "double": 2, "triple": 3, "0.5 of": Decimal("0.5")}.get((word or square).lower(), one)


def _result(left: Decimal, sign: str, right: Decimal) -> Decimal:
    if sign in ("plus", "+", "minus"):
        return left - right if sign == "minus" else left + right
    return left * right if sign in ("times", "multiplied by", "x", "×", "*") else left / right


def _roman(text: str) -> int:
    digits = [dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000), strict=True))[letter] for letter in text]
    return sum(-one if one < max(digits[at:]) else one for at, one in enumerate(digits))


_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(
    sorted([*_MONTHS, *(f"{month[:3]}\\b" for month in _MONTHS), "sept\\b", *FOREIGN_MONTHS], key=len, reverse=True)
)
_YEAR = r"(?P<year>\d{4}|['’]?\d\d(?![\d:]))"
_FIRST_DAY = "start|beginning|first|1st|since|from|before|starting|as of"
_LAST_DAY = "end|last|after|through|until|till|close"
_DATES = (
    re.compile(r"(?<!\d)(?P<year>\d{4})([-/.]?)(?P<month>\d{1,2})\2(?P<day>\d{1,2})(?!\d)"),
    re.compile(rf"(?<!\d)(?P<day>\d{{1,2}})([-/.])(?P<month>\d{{1,2}})\2{_YEAR}"),
    re.compile(rf"(?<!\d)(?P<month>\d{{1,2}})([-/.])(?P<day>\d{{1,2}})\2{_YEAR}"),
    re.compile(
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:[ -](?:of |de )?|\. ?)(?P<name>{_MONTH})\.?"
        rf"(?:(?:[,;]? (?:of |de )?|-){_YEAR})?",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?P<name>{_MONTH})\.? (?:the )?(?P<day>\d{{1,2}})(?!\d)(?:st|nd|rd|th)?(?:[,;]? (?:of )?(?P<year>\d{{4}}))?",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<year>\d{{4}}),? (?P<name>{_MONTH})\.? (?P<day>\d{{1,2}})(?!\d)", re.IGNORECASE),
    re.compile(
        rf"\b(?P<edge>{_FIRST_DAY}|{_LAST_DAY})(?: day)?(?: (?:of|in|with))?(?: the)? "
        rf"(?:(?P<name>{_MONTH}),? )?(?P<year>\d{{4}})\b",
        re.IGNORECASE,
    ),
)


_APART = {
    "day": re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)\b|\bday (\d{1,2})\b", re.IGNORECASE),
    "month": re.compile(rf"\b({_MONTH})|\bmonth (\d{{1,2}})\b|\b(\d{{1,2}})(?:st|nd|rd|th) month", re.IGNORECASE),
    "year": re.compile(r"\b(\d{4})\b"),
}
_PERIOD = re.compile(
    r"\b(?:q([1-4])|([1-4])(?:st|nd|rd|th) quarter|(1|2)(?:st|nd|th) half)(?: of| in)?,? (\d{4})\b", re.IGNORECASE
)


def dates(text: str) -> set[str]:
    """The days that a text names, 2021-06-30 or 06-30 without its year: in figures (of which the order may be either), with a
    month's name, or as the first or last of a month or year."""
    figures = in_figures(text)
    days = {_day(match.groupdict()) for pattern in _DATES for match in pattern.finditer(figures)}
    days.update(_periods(figures))
    for sentence in re.split(r"[.!?;]", figures):  # mid December 2019 (the 14th)
        parts = ({next(filter(None, match.groups())) for match in each.finditer(sentence)} for each in _APART.values())
        days.update(_day({"day": day, "month": month, "year": year}) for day, month, year in product(*parts))
    return {day for day in days if day}


def _periods(text: str) -> Iterator[str]:
    """The first and the last day of quarters and halves of years."""
    for quarter, ordinal, half, year in _PERIOD.findall(text):
        length = 6 if half else 3
        last = int(quarter or ordinal or half) * length
        yield date(int(year), last - length + 1, 1).isoformat()
        yield date(int(year), last, monthrange(int(year), last)[1]).isoformat()


def _day(parts: dict[str, str | None]) -> str | None:
    digits = (parts.get("year") or "").strip("'’")
    year = int(digits) if len(digits) == 4 else 2000 + int(digits or 0)
    month_told = parts.get("month") or parts.get("name") or ""
    edge = (parts.get("edge") or "").lower()
    last = bool(edge) and re.fullmatch(_LAST_DAY, edge) is not None
    month = int(month_told) if month_told.isdigit() else _month(month_told.lower()) or (12 if last else 1)
    try:
        day = date(year, month, int(parts.get("day") or 0) or (monthrange(year, month)[1] if last else 1))
    except ValueError:
        return None
    return day.isoformat() if digits else day.isoformat()[5:]


def _month(name: str) -> int | None:
    """By its first letters, which tell it in English, or by its whole name in another language."""
    return FOREIGN_MONTHS.get(name) or next((at for at, month in enumerate(_MONTHS, 1) if name and month[:3] == name[:3]), None)
