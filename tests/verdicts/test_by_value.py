"""Results compared by their values."""

from __future__ import annotations

import math
import random
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from itertools import permutations
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from touchstone.benchmarks.interact.tasks import read_conditions
from touchstone.verdicts.by_value import StrictConditions, StrictResult, strict

D = Decimal
Rows = list[tuple[Any, ...]]


class Result(NamedTuple):
    columns: tuple[str, ...]
    rows: Rows


def result(rows: Rows, width: int | None = None) -> Result:
    return Result(tuple("abcdef"[: len(rows[0]) if width is None else width]), rows)


def compared(gold: Rows, predicted: Rows, **conditions: Any) -> StrictResult:
    return strict(
        result(gold, None if gold else 1), result(predicted, None if predicted else 1), StrictConditions(**conditions)
    )


def same(one: Any, other: Any, **conditions: Any) -> bool:
    """Whether two cells are equal, asked both ways, in order and not."""
    answers = {
        compared(rows, others, order=order, **conditions).matched
        for rows, others in (([(one,)], [(other,)]), ([(other,)], [(one,)]))
        for order in (True, False)
    }
    assert len(answers) == 1
    return answers.pop()


BERLIN = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (1, 1.0, True),
        (1, D("1.00"), True),
        (0.1, D("0.1"), True),
        (1 / 3, D("0.33333333"), True),
        (1 / 3, D("0.333"), False),
        (1e-10, 0, True),
        (1e-8, 0, False),
        (-0.0, 0, True),
        (1_000_000, 1_000_001, False),  # whole numbers are keys or counts
        (1_000_000, 1_000_001.0, False),
        (D(10**30), 10**30 + 1, False),
        (10**400, 10**400, True),
        (10**400, 10**400 + 1, False),
        (D("1e400"), math.inf, False),
        (2.0**70, 2.0**70 * (1 + 1e-12), True),  # a float so large has no fraction that would tell
        (1e300, 10**300, True),
        (math.nan, math.nan, True),
        (math.nan, D("NaN"), True),
        (math.nan, None, False),
        (math.inf, D("Infinity"), True),
        (math.inf, -math.inf, False),
        (math.inf, 1e308, False),
        (True, 1, False),
        (True, "true", False),
        (False, False, True),
        ("1", 1, False),
        ("a", "A", False),
        ("ab  ", "ab", True),  # char(4)
        ("  ab", "ab", False),
        (None, "", False),
        (b"a", memoryview(b"a"), True),
        (b"a", "a", False),
        (date(2024, 1, 1), datetime(2024, 1, 1), True),
        (date(2024, 1, 1), datetime(2024, 1, 1, 0, 0, 0, 1), False),
        (date(2024, 1, 1), "2024-01-01", False),
        (datetime(2024, 1, 1, 12, 0), datetime(2024, 1, 1, 12, 1), False),
        (datetime(2024, 1, 1, 12, tzinfo=UTC), datetime(2024, 1, 1, 13, tzinfo=BERLIN), True),
        (datetime(2024, 1, 1, 12, tzinfo=UTC), datetime(2024, 1, 1, 12), False),
        (datetime(1, 1, 1, tzinfo=BERLIN), datetime(1, 1, 1), False),
        (time(1, 2), time(1, 2), True),
        (timedelta(days=1), timedelta(hours=24), True),
        (timedelta(days=1), timedelta(hours=23), False),
        (UUID(int=7), str(UUID(int=7)), True),
        ([1, 2], [1.0, D(2)], True),
        ([1, 2], [2, 1], False),
        ([1, 2], [1, 2, 3], False),
        ([D("0.1"), None], [0.1, None], True),
        ([date(2024, 1, 1)], [datetime(2024, 1, 1)], True),
        ([[1], []], [[1], []], True),
        ([[1], []], [[], [1]], False),
        ([], {}, False),
        ([], None, False),
        ({"a": 1, "b": [0.1 + 0.2]}, {"b": [0.3], "a": D(1)}, True),
        ({"a": 1}, {"a": True}, False),
        ({"a": 1}, {"a": "1"}, False),
        ({"a": None}, {}, False),
        ({"a": 1}, '{"a": 1}', False),
        ({1, 2}, {1, 2}, True),
    ],
)
def test_cells(one: Any, other: Any, equal: bool) -> None:
    assert same(one, other) is equal


@pytest.mark.parametrize(
    ("one", "other", "places", "equal"),
    [
        (2.675, D("2.68"), 2, True),
        (2.6749999999999998, 2.68, 2, True),
        (1.005, 1.01, 2, True),
        (0.1 + 0.2, D("0.3"), 15, True),
        (2.674, 2.68, 2, False),
        (-2.675, -2.68, 2, True),
        (D("2.5"), 3, 0, True),
        (2.4, 2, 0, True),
        (1234567890123.456, D("1234567890123.46"), 2, True),
        (98765432101234.56, D("98765432101234.56"), 2, True),
        ([2.675], [2.68], 2, True),
        ({"a": D("1.004")}, {"a": 1}, 2, True),
        (math.nan, math.nan, 2, True),
        (math.inf, D("Infinity"), 2, True),
        (1_000_000.00, 1_000_000.01, 2, False),  # rounding takes the place of the tolerance
        (D("0.12"), D("0.13"), 10**9, False),
        (1 / 3, D("0.33333333"), -1, True),
    ],
)
def test_decimals(one: Any, other: Any, places: int, equal: bool) -> None:
    assert same(one, other, decimal=places) is equal


def test_rows_count_as_often_as_they_come() -> None:
    rows = [(1, "a"), (2, "b"), (2, "b")]
    assert compared(rows, [rows[1], rows[0], rows[2]]).matched
    assert not compared(rows, rows[:2]).matched
    assert not compared(rows, [rows[0], rows[0], rows[1]]).matched
    assert not compared(rows, [("a", 1), ("b", 2), ("b", 2)]).matched


def test_order_counts_where_it_is_asked_for() -> None:
    rows = [(1,), (2,), (3,)]
    found = compared(rows, [(1,), (3,), (2,)], order=True)
    assert (found.matched, found.difference.kind) == (False, "row_order")
    assert "row 2 should be (2), is (3)" in found.difference.sentence
    assert compared(rows, rows, order=True).matched


def test_empty_results() -> None:
    assert strict(result([], 2), result([], 2)).matched
    assert strict(result([], 0), result([], 0)).matched
    wide = strict(result([], 2), result([], 1))
    assert (wide.matched, wide.difference.kind) == (False, "missing_columns")
    none = strict(result([], 1), result([], 0))
    assert (none.matched, none.difference.sentence) == (False, "A table was expected, but the prediction gave none.")
    assert strict(result([(1,)]), result([], 1)).difference.kind == "empty_prediction"
    assert strict(result([], 1), result([(1,)])).difference.kind == "empty_gold"


@pytest.mark.parametrize(
    ("gold", "predicted", "kind", "said"),
    [
        ([(1, 2.0)], [(1,)], "missing_columns", "Expected 2 columns (a, b), got 1 column (a); column b is missing"),
        ([(0.123456,)], [(0.12,)], "rounding", "rounded to 2 decimals"),
        ([(date(2024, 1, 1),)], [("2024-01-01",)], "types", "column a is date in gold and text in the prediction"),
        ([(True,), (None,)], [("true",), (None,)], "types", "column a is boolean in gold and text in the prediction"),
        ([(D("1.50"), "x")], [(1.75, "x")], "different_rows", "In column a, expected 1.5, got 1.75"),
        ([(math.nan,)], [(1,)], "different_rows", "expected 'NaN', got 1"),
        ([({"k": [1.5, True]},)], [({"k": [1.5, False]},)], "different_rows", '{"k": [1.5, true]}'),
        ([(datetime(2024, 1, 1, 12, tzinfo=BERLIN),)], [(None,)], "different_rows", "'2024-01-01 11:00:00+00'"),
        ([(1.0, "a"), (2.0, "b")], [(1.0 + 1e-9, "a"), (3.5, "b")], "different_rows", "in 1 of 2 rows"),
    ],
)
def test_a_sentence_says_why(gold: Rows, predicted: Rows, kind: str, said: str) -> None:
    found = compared(gold, predicted)
    assert (found.matched, found.difference.kind) == (False, kind)
    assert said in found.difference.sentence


def test_values_nested_too_deeply_do_not_stop_it() -> None:
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    assert compared([(deep,)], [(1,)]).difference.kind == "undecided"


numbers = st.one_of(
    st.integers(-5, 5),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.decimals(-1000, 1000, places=3),
    st.sampled_from([0.5, 1.5, 1.5000001, 1.5000011, 1.5000022, 2.5e-10, 1e6 + 0.5, D("1000000.9")]),
)
cells = st.one_of(
    numbers,
    st.none(),
    st.sampled_from([True, "a", "a ", "b", b"a", math.nan, math.inf, date(2024, 1, 1), datetime(2024, 1, 1), UUID(int=1)]),
    st.lists(numbers, max_size=2),
    st.dictionaries(st.sampled_from("ab"), numbers, max_size=2),
)
tables = st.integers(1, 3).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), min_size=1, max_size=6))
conditions = st.builds(StrictConditions, decimal=st.sampled_from([None, 0, 2]), order=st.booleans())


@given(tables, conditions)
def test_everything_equals_itself(rows: Rows, asked: StrictConditions) -> None:
    assert strict(result(rows), result(list(rows)), asked).matched


@given(tables, tables, conditions)
def test_sides_can_be_exchanged(one: Rows, other: Rows, asked: StrictConditions) -> None:
    assert strict(result(one), result(other), asked).matched is strict(result(other), result(one), asked).matched


@given(tables, st.data())
def test_rows_may_come_in_any_order(rows: Rows, data: st.DataObject) -> None:
    other = data.draw(tables.filter(lambda other: len(other[0]) == len(rows[0])) | st.just(rows))
    mixed = data.draw(st.permutations(other))
    assert strict(result(rows), result(mixed)).matched is strict(result(rows), result(other)).matched


fractions = st.floats(-1e9, 1e9, allow_nan=False).filter(lambda number: not float(number).is_integer())
"""Those that may be off a little: whole numbers may not."""


@given(st.lists(st.tuples(fractions, fractions, st.sampled_from("ab")), min_size=1, max_size=8), st.data())
@example([(1.5 * (1 + 9e-7 * step), 0.5, "a") for step in range(8)], None)
def test_what_is_off_by_less_than_the_tolerance_passes(rows: Rows, data: st.DataObject | None) -> None:
    shift = st.floats(-0.999e-6, 0.999e-6)
    moved = [
        tuple([cell * (1 + (data.draw(shift) if data else 9e-7)) if type(cell) is float else cell for cell in row])
        for row in rows
    ]
    assume(all(type(cell) is str or not cell.is_integer() for row in moved for cell in row))
    random.Random(1).shuffle(moved)
    assert compared(rows, moved).matched


@given(st.lists(fractions.filter(lambda number: abs(number) > 1e-2), min_size=1, max_size=8), st.data())
def test_what_is_off_by_ten_times_as_much_fails(numbers: list[float], data: st.DataObject) -> None:
    """For the largest number: it has no other to be paired with."""
    place = max(range(len(numbers)), key=lambda place: abs(numbers[place]))
    moved = list(numbers)
    moved[place] *= 1 + data.draw(st.floats(1e-5, 1e3))
    if moved.count(moved[place]) == 1 and sum(math.isclose(abs(moved[place]), abs(n), rel_tol=1e-5) for n in numbers) == 0:
        assert not compared([(number,) for number in numbers], [(number,) for number in moved]).matched


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6),
)
def test_a_pairing_is_found_if_there_is_one(gold: list[tuple[int, int]], predicted: list[tuple[int, int]]) -> None:
    """On chains of numbers, each near the next but not the one after: against trying all pairings."""
    chain = [1.5 * (1 + 0.9e-6) ** step for step in range(7)]
    expected = any(
        all(abs(a[0] - b[0]) < 2 and abs(a[1] - b[1]) < 2 for a, b in zip(gold, order, strict=True))
        for order in permutations(predicted)
        if len(gold) == len(predicted)
    )
    rows, others = ([(chain[a], chain[b]) for a, b in side] for side in (gold, predicted))
    assert compared(rows, others).matched is expected


def test_large_results_are_compared_in_little_more_than_linear_time() -> None:
    """Also where all numbers are near each other; anything quadratic would take minutes."""
    some = random.Random(5)
    near = [(1 + some.random() * 1e-4, 2 + some.random() * 1e-4) for _ in range(20_000)]
    moved = [(a * (1 + 9e-7), b * (1 - 5e-7)) for a, b in near]
    some.shuffle(moved)
    assert compared(near, moved).matched
    far = [(number, some.random() * 1000, f"n{number % 10}") for number in range(20_000)]
    wrong = [(*row[:2], "x") if row[0] == 7 else row for row in reversed(far)]
    assert compared(far, wrong).difference.evidence["missing_count"] == 1


def test_a_search_without_end_is_given_up() -> None:
    some = random.Random(5)
    near = [(1 + some.random() * 1e-5, 2 + some.random() * 1e-5) for _ in range(5_000)]
    moved = [(a * (1 + some.uniform(-9e-7, 9e-7)), b) for a, b in near]
    some.shuffle(moved)
    found = compared(near, moved)
    assert (found.matched, found.cut, found.difference.kind) == (False, True, "undecided")


def test_conditions_of_a_dataset() -> None:
    assert read_conditions({"decimal": 2, "distinct": True, "order": False, "new": 1}) == StrictConditions(2, True, False)
    assert (
        read_conditions({}) == read_conditions(None) == read_conditions({"decimal": None, "order": None}) == StrictConditions()
    )
    assert (StrictConditions(-1).places, StrictConditions(0).places, StrictConditions().places) == (None, 0, None)


@pytest.mark.parametrize(
    ("data", "name"), [({"decimal": "2"}, "decimal"), ({"decimal": True}, "decimal"), ({"order": 1}, "order")]
)
def test_conditions_of_a_wrong_type_are_named(data: dict[str, Any], name: str) -> None:
    with pytest.raises(ValueError, match=f"conditions.{name} "):
        read_conditions(data)
