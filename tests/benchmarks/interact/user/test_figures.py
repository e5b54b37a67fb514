"""Numbers, days, directions and decimals in the many forms that prose has for them."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.interact.user.figures import dates, plain, values
from touchstone.benchmarks.interact.user.order import told_direction, told_places

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen"
    " nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()


def written(number: int, link: str, hyphen: str) -> str:
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (hyphen + ONES[number % 10] if number % 10 else "")
    size, name = next(
        (size, name) for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")) if number >= size
    )
    rest = number % size
    tail = f" {link if rest < 100 else ''}{written(rest, link, hyphen)}" if rest else ""
    return f"{written(number // size, link, hyphen)} {name}{tail}"


@given(st.integers(11, 9_999_999), st.sampled_from(("and ", "")), st.sampled_from("- "))
def test_integers_in_words_and_groups(number: int, link: str, hyphen: str) -> None:
    words = written(number, link, hyphen)
    assert Decimal(number) in {*values(f"more than {words} of them"), *values(f"{words}-day windows")}
    assert Decimal(number) + Decimal("0.5") in values(f"{words} and a half")
    for separator in (",", ".", "'", "\u202f"):
        grouped = f"{number:,}".replace(",", separator)
        assert Decimal(number) in values(plain(f"over {grouped}; USD{number}, {number}kg"))
        assert Decimal(number) in values(plain(f"it is €{grouped}."))
    assert Decimal(number) in values(f"about {Decimal(number) / 1000}k")
    assert Decimal(number) in values(f"about {Decimal(number) / 1_000_000} million")


@given(st.integers(1, 99), st.integers(1, 99))
def test_decimals_shares_and_sums(whole: int, part: int) -> None:
    name, digits = written(whole, "", "-"), " ".join(ONES[int(digit)] for digit in f"{part:02d}")
    number = Decimal(f"{whole}.{part:02d}").normalize()
    for text in (
        f"{name} point {digits}",
        f"{whole} point {digits}",
        f"{whole},{part:02d}",
        f"{name} dollars and {part} cents",
    ):
        assert number in values(text), text
    for text in (f"{name} point {digits} percent", f"{whole}.{part:02d} pct", f"{whole},{part:02d}%"):
        assert (number / 100).normalize() in values(text), text
    assert number * 10**6 in values(f"{name} point {digits} million")
    for text in (f"{name} percent", f"{name} out of a hundred", f"{whole} to {part} percent", f"{name} in every hundred"):
        assert (Decimal(whole) / 100).normalize() in values(text), text
    assert {Decimal(whole * part), Decimal(whole * 7)} <= values(f"{name} times {part}, {whole} weeks")


def test_other_numbers() -> None:
    text = plain(
        "a quarter of a million, 0x1F4, XLVIII, 6.25 × 10⁴, two thirds, twice 18, 2.5 tonnes, a baker's dozen, 5 grand"
    )
    expected = ("250000", "500", "48", "62500", "0.67", "36", "2500", "13", "5000")
    assert {Decimal(number).normalize() for number in expected} <= values(text)


@given(st.dates(date(2011, 1, 2), date(2029, 12, 30)).filter(lambda day: day.day > 1))
def test_days(day: date) -> None:
    forms = "%d %B %Y|%B %d, %Y|%d-%b-%Y|%d.%m.%Y|%m/%d/%y|%Y/%m/%d|%Y%m%d|%A %d %B %Y|%Y %B %d|%dth of %B, %Y"
    for form in forms.split("|"):
        assert day.isoformat() in dates(f"after {day.strftime(form)}."), form
    assert day.isoformat()[5:] in dates(f"after {day:%d %B} each year")


def test_days_in_words() -> None:
    assert dates("June the twenty-second, twenty twenty-one") >= {"2021-06-22"}
    assert dates("the fifteenth of March, two thousand and nine") >= {"2009-03-15"}
    assert dates("since May 2024") == {"2024-05-01"}
    assert dates("until the end of May 2024") == {"2024-05-31"}


HIGH = ("highest", "newest", "latest", "longest", "heaviest", "most expensive", "most frequent")
LOW = ("lowest", "smallest", "earliest", "shortest", "lightest", "cheapest", "least frequent")


@pytest.mark.parametrize(
    "text",
    [
        "the {} first, please",
        "put the ones that are {} at the top",
        "start with the {} one",
        "from the {} to the {}",
        "{1} ones last",
        "the {1} should be at the bottom of the list",
        "{}→{}",
        "the first row should be the {}",
        "the {} ones lead the list",
        "{} rows above {} ones",
    ],
)
def test_directions(text: str) -> None:
    falling, rising = "SELECT a FROM t ORDER BY a DESC", "SELECT a FROM t ORDER BY a"
    for high, low in zip(HIGH, LOW, strict=True):
        assert told_direction(text.format(high, low), falling, []) == "descending order"
        assert told_direction(text.format(high, low), rising, []) is None
        assert told_direction(text.format(low, high), rising, []) == "ascending order"
        assert told_direction(text.format(low, high), falling, []) is None


@pytest.mark.parametrize(
    "text",
    [
        "From early July to late August.",
        "At least the first one, at the latest on Monday.",
        "The highest reading of the first home.",
        "The worst one is at the end of my street.",
        "The most important thing is the driver, then the lorry.",
        "Highest and lowest are both fine.",
    ],
)
def test_no_directions(text: str) -> None:
    assert told_direction(text, "ORDER BY a) ORDER BY b DESC", []) is None


@pytest.mark.parametrize("places", [1, 2, 3, 4])
def test_decimals_to_round_to(places: int) -> None:
    word, part = ONES[places], ("tenth", "hundredth", "thousandth", "ten-thousandth")[places - 1]
    step = "0." + "1".rjust(places, "0")
    for text in (
        f"{word} decimals",
        f"{word} digits after the decimal point",
        f"{places}dp",
        f"to the nearest {part}",
        f"rounded to {part}s",
        f"{word}-decimal precision",
        f"to {step}",
        f"keep {word} after the comma",
        f"round to {word}",
    ):
        assert told_places(text, f"ROUND(a, {places})", []) == f"{places} decimals", text
        assert told_places(text, "ROUND(a, 6)", []) is None
