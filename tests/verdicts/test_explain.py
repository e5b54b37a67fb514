"""The explanation of a difference: an example of every kind, and what holds for any two results."""

from __future__ import annotations

from collections import Counter
from time import perf_counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.verdicts.strategies import pairs, ragged_tables, tables, wild_cells
from touchstone.types import Cell, Row, Table
from touchstone.verdicts.difference import Difference
from touchstone.verdicts.explain import explain
from touchstone.verdicts.metrics import ex, multiset

KINDS = {
    "identical",
    "row_order",
    "duplicates",
    "empty_prediction",
    "empty_gold",
    "missing_columns",
    "extra_columns",
    "missing_rows",
    "extra_rows",
    "column_order",
    "case_or_space",
    "types",
    "dates",
    "number_format",
    "rounding",
    "factor",
    "not_a_number",
    "different_rows",
}
WRITING = {"case_or_space", "types", "dates", "number_format", "rounding", "not_a_number"}
JSON_TYPES = (str, int, float, bool, type(None), list, dict)


def people(*rows: Row) -> Table:
    return Table(("name", "score"), list(rows))


def values(*cells: Cell) -> Table:
    return Table(("x",), [(cell,) for cell in cells])


def has(difference: Difference, **fields: Any) -> bool:
    return {key: difference.evidence.get(key) for key in fields} == fields


ANN, BOB, CAT = ("Ann", 1.5), ("Bob", 2.25), ("Cat", 3.0)


def test_identical() -> None:
    found = explain(people(ANN, BOB), people(ANN, BOB))
    assert (found.kind, found.sentence) == ("identical", "Identical: 2 rows.")
    assert found.evidence == {
        "gold_rows": 2,
        "predicted_rows": 2,
        "gold_columns": ["name", "score"],
        "predicted_columns": ["name", "score"],
        "missing_count": 0,
        "extra_count": 0,
        "missing_rows": [],
        "extra_rows": [],
    }
    assert explain(values(), values()).sentence == "Identical: 0 rows."


def test_row_order() -> None:
    found = explain(people(ANN, BOB, CAT), people(ANN, CAT, BOB))
    assert found.kind == "row_order"
    assert found.sentence == "Same rows in another order; row 2 should be ('Bob', 2.25), is ('Cat', 3.0)."
    assert has(found, first_row_apart=2)


def test_row_order_with_equal_repetitions() -> None:
    assert explain(people(ANN, ANN, BOB), people(ANN, BOB, ANN)).kind == "row_order"


def test_duplicates() -> None:
    found = explain(people(ANN, BOB), people(ANN, ANN, ANN, BOB))
    assert found.kind == "duplicates"
    assert found.sentence == "Same distinct rows, but ('Ann', 1.5) is expected once and appears 3 times."
    assert has(found, counts=[{"row": ["Ann", 1.5], "expected": 1, "got": 3}], counts_apart=1)
    many = explain(values(1, 1, 2, 2, 3), values(1, 2, 3))
    assert many.sentence == "Same distinct rows, but (1) is expected twice and appears once (2 rows like this)."


def test_duplicates_in_as_many_rows() -> None:
    assert explain(values(1, 1, 2), values(1, 2, 2)).kind == "duplicates"


def test_empty_prediction() -> None:
    found = explain(people(ANN, BOB), people())
    assert found.kind == "empty_prediction"
    assert found.sentence == "2 rows were expected, but the prediction returned none; first expected: ('Ann', 1.5)."
    assert has(found, missing_rows=[["Ann", 1.5], ["Bob", 2.25]], missing_count=2, predicted_rows=0)
    statement = explain(values(1), Table((), [], changed=3))
    assert statement.sentence == "1 row was expected, but the prediction is a statement without a result; first expected: (1)."


def test_empty_gold() -> None:
    found = explain(people(), people(ANN))
    assert (found.kind, found.sentence) == ("empty_gold", "No rows were expected, but 1 row appears; first: ('Ann', 1.5).")


def test_missing_columns() -> None:
    found = explain(people(ANN, BOB), Table(("score",), [(1.5,), (2.25,)]))
    assert found.kind == "missing_columns"
    assert found.sentence == (
        "Expected 2 columns (name, score), got 1 column (score); column name is missing, the rest is as expected."
    )
    assert has(found, found_columns=["score"], missing_columns=["name"], extra_columns=[], otherwise_equal=True)


def test_missing_columns_are_named_by_name_where_values_are_the_same() -> None:
    gold = Table(("a", "b"), [(1, 1), (2, 2)])
    assert has(explain(gold, Table(("b",), [(1,), (2,)])), missing_columns=["a"], otherwise_equal=True)
    assert has(explain(gold, Table(("a",), [(1,), (2,)])), missing_columns=["b"], otherwise_equal=True)


def test_extra_columns() -> None:
    found = explain(people(ANN, BOB), Table(("rank", "n", "s"), [(9, "Ann", 1.5), (8, "Bob", 2.25)]))
    assert found.kind == "extra_columns"
    assert found.sentence == (
        "Expected 2 columns (name, score), got 3 columns (rank, n, s); without column rank the rows are as expected."
    )
    assert has(found, found_columns=["name", "score"], missing_columns=[], extra_columns=["rank"], otherwise_equal=True)


def test_extra_columns_with_other_duplicates() -> None:
    wide = Table(("a", "b"), [(1, 7), (1, 8), (2, 9)])
    assert has(explain(values(1, 2), wide), extra_columns=["b"], otherwise_equal=True)


def test_columns_that_are_there_in_part() -> None:
    found = explain(people(ANN, BOB), Table(("n", "a", "b"), [("Ann", 0, 0), ("Bob", 0, 0)]))
    assert found.kind == "extra_columns"
    assert found.sentence.endswith("; found column name, not column score.")
    assert has(found, missing_columns=["score"], extra_columns=["a", "b"], otherwise_equal=False)


def test_columns_of_which_none_is_there() -> None:
    found = explain(people(ANN, BOB), values(0, 0))
    assert found.sentence == (
        "Expected 2 columns (name, score), got 1 column (x); no expected column is there with all its values."
    )


def test_columns_combined_into_other_rows() -> None:
    found = explain(people(ANN, BOB), Table(("a", "b", "c"), [("Ann", 2.25, 0), ("Bob", 1.5, 0)]))
    assert found.sentence.endswith("all expected columns are there, but their values are combined into other rows.")


def test_numbers_with_the_same_hash_do_not_make_a_column() -> None:
    assert has(explain(values(-1, -1), Table(("a", "b"), [(-2, 0), (-2, 0)])), found_columns=[])


def test_column_order() -> None:
    found = explain(people(ANN, BOB, CAT), Table(("score", "name"), [(3.0, "Cat"), (1.5, "Ann"), (2.25, "Bob")]))
    assert found.kind == "column_order"
    assert found.sentence == ("Same rows, but the columns are in another order: expected (name, score), got (score, name).")
    assert has(found, order=[1, 0], also=[])


def test_column_order_under_the_same_names() -> None:
    found = explain(Table(("x", "x"), [(1, 2)]), Table(("x", "x"), [(2, 1)]))
    assert found.sentence == "Same rows, but the columns are in another order: expected (1, 2), got (2, 1)."
    found = explain(Table((), [("a", "b", "c")]), Table((), [("b", "c", "a")]))
    assert found.sentence.endswith("expected (1, 2, 3), got (2, 3, 1).")
    assert has(found, order=[2, 0, 1])


def test_column_order_among_columns_with_the_same_values() -> None:
    gold = Table(("a", "b", "c"), [(1, 2, 3), (2, 3, 1), (3, 1, 2)])
    turned = Table(("b", "a", "c"), [(row[1], row[0], row[2]) for row in gold.rows])
    assert explain(gold, turned).kind == "column_order"


def test_column_order_of_many_equal_columns() -> None:
    gold = Table((), [(number, "x", *([None] * 200)) for number in range(3)])
    turned = Table((), [row[::-1] for row in gold.rows])
    assert explain(gold, turned).kind == "column_order"


def test_values_scrambled_over_rows_are_not_column_order() -> None:
    found = explain(people(("A", 1), ("B", 2)), people(("A", 2), ("B", 1)))
    assert found.kind == "different_rows"
    assert found.sentence == (
        "Every column holds the expected values, but they are combined into other rows; "
        "first missing: ('A', 1), first unexpected: ('A', 2)."
    )


@pytest.mark.parametrize(
    ("gold", "predicted", "how", "side", "words"),
    [
        (0.3, 0.1 + 0.2, "noise", "prediction", "numbers agree within one part in a million"),
        (74.0775, 74.07749999999999, "noise", "prediction", "numbers agree within one part in a million"),
        (1000.0001, 1000.0008123, "noise", "prediction", "numbers agree within one part in a million"),
        (58.744924, 58.74, "rounded", "prediction", "the prediction is rounded to 2 decimals"),
        (3.84615, 3.8461538461538463, "rounded", "gold", "gold is rounded to 5 decimals"),
        (2.675, 2.7, "rounded", "prediction", "the prediction is rounded to 1 decimal"),
        (0.125, 0.13, "rounded", "prediction", "the prediction is rounded to 2 decimals"),
        (3.0, 2.6, "rounded", "gold", "gold is rounded to 0 decimals"),
        (60.87, 60, "cut", "prediction", "the prediction lacks the fractions, as after integer division"),
        (-1, -1.5, "cut", "gold", "gold lacks the fractions, as after integer division"),
    ],
)
def test_rounding(gold: float, predicted: float, how: str, side: str, words: str) -> None:
    found = explain(people(("a", gold), CAT), people(("a", predicted), CAT))
    assert found.kind == "rounding"
    assert found.sentence == f"Same rows except for rounding ({words}): in column score, expected {gold!r}, got {predicted!r}."
    assert has(found, how=how, coarse_side=side, differing_columns=["score"])
    assert has(found, example={"column": "score", "expected": gold, "got": predicted}, also=[])


def test_rounding_may_collapse_rows() -> None:
    assert explain(values(1.231, 1.234, 5.551), values(1.23, 5.55)).kind == "rounding"
    assert explain(values(1.23, 5.55), values(1.231, 1.234, 5.551)).kind == "rounding"


def test_rounding_to_different_decimals() -> None:
    gold = Table(("a", "b"), [(1.23456, 9.87654), (3.33333, 4.44444)])
    found = explain(gold, Table(("a", "b"), [(3.33, 4.4), (1.23, 9.9)]))
    assert "(the prediction is rounded to 1 or 2 decimals)" in found.sentence
    assert has(found, differing_columns=["a", "b"], decimals=[2, 1])


@pytest.mark.parametrize(
    ("gold", "predicted"), [(36047003300, 36047003301), (2**53 + 1, 2**53), (0.001, 0.009), (2.0, 2.51), (10**400, 1.5)]
)
def test_what_is_not_rounding(gold: float, predicted: float) -> None:
    assert explain(values(gold), values(predicted)).kind == "different_rows"


@pytest.mark.parametrize(
    ("gold", "predicted", "shown"),
    [
        (1, "1", "expected 1, got '1'"),
        ("4.5", 4.5, "expected '4.5', got 4.5"),
        ("007", 7, "expected '007', got 7"),
        ("1e3", 1000, "expected '1e3', got 1000"),
        ("abc", b"abc", "expected 'abc', got x'616263'"),
        (b"12", 12, "expected x'3132', got 12"),
    ],
)
def test_types(gold: Cell, predicted: Cell, shown: str) -> None:
    found = explain(values(gold, None), values(predicted, None))
    assert found.kind == "types"
    assert found.sentence == f"Same rows except for the types of values: in column x, {shown}."


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [("1_000", 1000), ("", None), ("None", None), ("9" * 5000, 9), ("0x10", 16), (b"\xff", 255), ("٣", 3)],
)
def test_what_is_not_types(gold: Cell, predicted: Cell) -> None:
    assert explain(values(gold), values(predicted)).kind == "different_rows"


@pytest.mark.parametrize(("gold", "predicted"), [("a", "A"), ("a", "a "), ("Straße", "\nSTRASSE")])
def test_case_or_space(gold: str, predicted: str) -> None:
    found = explain(values(gold, 1), values(1, predicted))
    assert found.kind == "case_or_space"
    assert found.sentence == (
        f"Same rows except for letter case or surrounding spaces: in column x, expected {gold!r}, got {predicted!r}."
    )


def test_not_a_number() -> None:
    found = explain(values(float("nan"), 1), values(float("nan"), 1))
    assert found.kind == "not_a_number"
    assert found.sentence == "Same rows except for NaN, which equals nothing: in column x, expected nan, got nan."
    assert has(found, missing_rows=[["nan"]])


def test_types_and_case() -> None:
    found = explain(people(("ann", 1)), people(("ANN", "1")))
    assert found.kind == "types"
    assert found.sentence.startswith(
        "Same rows except for the types of values and letter case or surrounding spaces: in column name"
    )
    assert has(found, also=["case_or_space"], differing_columns=["name", "score"])


def test_types_and_rounding() -> None:
    found = explain(people(("a", 1.23456)), people(("a", "1.23")))
    assert found.kind == "types"
    assert has(found, also=["rounding"], decimals=[2])


def test_column_order_and_case() -> None:
    found = explain(people(ANN, BOB), Table(("score", "name"), [(1.5, "ANN"), (2.25, "BOB")]))
    assert found.kind == "column_order"
    assert found.sentence == (
        "Same rows except for letter case or surrounding spaces, but the columns are in another order: "
        "expected (name, score), got (score, name)."
    )
    assert has(found, also=["case_or_space"], order=[1, 0])


def test_missing_rows() -> None:
    found = explain(people(ANN, BOB, CAT), people(BOB))
    assert found.kind == "missing_rows"
    assert found.sentence == "2 of 3 expected rows are missing; first missing: ('Ann', 1.5)."
    assert has(found, missing_count=2, extra_count=0, missing_rows=[["Ann", 1.5], ["Cat", 3.0]], extra_rows=[])
    assert explain(values(1, 1, 2), values(1)).sentence == "1 of 2 distinct expected rows is missing; first missing: (2)."


def test_extra_rows() -> None:
    found = explain(people(BOB), people(ANN, BOB, CAT))
    assert found.kind == "extra_rows"
    assert found.sentence == "All expected rows are there, but 2 unexpected rows appear; first: ('Ann', 1.5)."


def test_different_rows() -> None:
    found = explain(values(*range(12)), values(*range(3, 12), 20, 21))
    assert found.kind == "different_rows"
    assert found.sentence == (
        "3 of 12 expected rows are missing and 2 unexpected rows appear; first missing: (0), first unexpected: (20)."
    )
    assert has(found, missing_rows=[[0], [1], [2]], extra_rows=[[20], [21]])


def test_different_rows_with_nothing_in_common() -> None:
    found = explain(values("a", "b"), values("c"))
    assert found.sentence == (
        "None of the 2 expected rows is there and 1 unexpected row appears; first missing: ('a'), first unexpected: ('c')."
    )


def test_one_column_differs() -> None:
    found = explain(people(ANN, ("Oakland", 4.5), CAT), people(CAT, ("Oakland", 6), ANN))
    assert found.kind == "different_rows"
    assert found.sentence == (
        "Only column score differs, in 1 of 3 rows; first: expected ('Oakland', 4.5), got ('Oakland', 6)."
    )
    assert has(found, differing_columns=["score"])


def test_one_value_differs() -> None:
    assert explain(values(7), values(None)).sentence == "In column x, expected 7, got NULL."
    assert explain(people(("a", "b")), people(("a", "c"))).sentence == "In column score, expected 'b', got 'c'."


def test_a_column_that_differs_besides_other_rows_is_not_blamed_alone() -> None:
    gold, predicted = [("A", 1, "x"), ("B", 2, "y")], [("C", 1, "y"), ("D", 2, "x")]
    assert explain(Table((), gold), Table((), predicted)).sentence.startswith("None of the 2 expected rows is there")


def test_long_cells_and_names_are_shortened() -> None:
    gold = Table(("SUM(CASE WHEN " + "x" * 500,) * 3, [("long " * 1000, "b" * 1000, "c" * 1000)])
    predicted = Table(gold.columns, [("other " * 1000, "d" * 1000, "e" * 1000)])
    found = explain(gold, predicted)
    assert len(found.sentence) <= 300
    assert len(msgspec.json.encode(found.evidence)) < 5000


def test_a_cut_prediction_is_mentioned() -> None:
    found = explain(values(*range(5)), Table(("x",), [(0,), (1,)], truncated=True))
    assert found.sentence.endswith("first missing: (2). The prediction was cut at 2 rows.")
    assert has(found, predicted_truncated=True)


def test_missing_names_are_numbers() -> None:
    assert explain(Table((), [(1, 2)]), Table((), [(1,)])).sentence.startswith("Expected 2 columns (1, 2), got 1 column (1);")


def test_large_differences_are_not_searched_for_other_writing_and_the_sentence_says_so() -> None:
    found = explain(values(*range(60_000)), values(*map(str, range(60_000))))
    assert found.kind == "different_rows"
    assert found.sentence.endswith("Too much differs to look for rounding, types or letter case.")
    assert has(found, not_tried=["not_a_number", "case_or_space", "types", "number_format", "dates", "rounding"])


def test_small_differences_are_found_in_large_results() -> None:
    rows: list[Row] = [(number, f"name {number}") for number in range(60_000)]
    other = [*rows[:-1], (rows[-1][0], "NAME 59999")]
    assert explain(people(*rows), people(*other)).kind == "case_or_space"


def test_large_results_take_no_quadratic_time() -> None:
    gold = people(*[(f"name {number}", number / 7) for number in range(100_000)])
    predicted = Table(("s", "n"), [(score, name) for name, score in reversed(gold.rows)])
    start = perf_counter()
    assert explain(gold, predicted).kind == "column_order"
    assert perf_counter() - start < 10  # takes a third of a second; ten thousand million steps would take an hour


@given(pairs(wild_cells) | st.tuples(ragged_tables(), ragged_tables()) | st.tuples(tables(wild_cells), tables(wild_cells)))
@settings(max_examples=500)
def test_anything_can_be_explained(pair: tuple[Table, Table]) -> None:
    found = explain(*pair)
    assert found.kind in KINDS
    assert 0 < len(found.sentence) <= 300
    assert len(found.sentence.splitlines()) == 1
    assert found.sentence.isprintable()
    assert msgspec.json.decode(msgspec.json.encode(found.evidence)) == found.evidence
    assert_json_only(found.evidence)


def assert_json_only(value: Any) -> None:
    assert type(value) in JSON_TYPES
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        assert_json_only(inner)


@given(pairs(wild_cells))
@settings(max_examples=300)
def test_identical_means_equal_lists(pair: tuple[Table, Table]) -> None:
    assert (explain(*pair).kind == "identical") == (pair[0].rows == pair[1].rows)


@given(pairs())
@settings(max_examples=500)
def test_kinds_agree_with_the_policies(pair: tuple[Table, Table]) -> None:
    gold, predicted = pair
    kind = explain(gold, predicted).kind
    assert (kind in ("identical", "row_order", "duplicates")) == ex(gold, predicted)
    assert (kind in ("identical", "row_order")) == (Counter(gold.rows) == Counter(predicted.rows))
    assert kind not in ("identical", "row_order") or multiset(gold, predicted)


@given(pairs())
@settings(max_examples=500)
def test_evidence_counts_what_ex_sees(pair: tuple[Table, Table]) -> None:
    gold, predicted = pair
    found = explain(gold, predicted)
    missing, extra = set(gold.rows) - set(predicted.rows), set(predicted.rows) - set(gold.rows)
    assert has(found, missing_count=len(missing), extra_count=len(extra))
    assert has(found, gold_rows=len(gold.rows), predicted_rows=len(predicted.rows))
    assert len(found.evidence["missing_rows"]) == min(5, len(missing))


@given(tables(), st.permutations([0, 1, 2]))
def test_any_reordering_of_columns_is_recognised(some: Table, order: list[int]) -> None:
    order = [place for place in order if place < len(some.columns)]
    turned = Table((), [tuple(row[place] for place in order) for row in some.rows])
    kind = explain(some, turned).kind
    assert kind == ("column_order" if not ex(some, turned) else kind)


def test_a_column_with_more_values_is_not_said_to_lack_them() -> None:
    found = explain(values("a", "b"), Table(("k", "y"), [("a", 1), ("b", 2), ("c", 3)]))
    assert found.sentence == "Expected 1 column (x), got 2 columns (k, y); the values of column x are there, among others."
    lacking = explain(values("a", "b"), Table(("k", "y"), [("a", 1), ("c", 3)]))
    assert "no expected column is there with all its values" in lacking.sentence


def test_a_column_with_the_same_values_in_other_numbers_is_not_said_to_lack_them() -> None:
    found = explain(Table(("x", "y"), [("a", 1), ("b", 2), ("b", 3)]), Table(("k",), [("a",), ("a",), ("b",)]))
    assert found.sentence.endswith("the values of column x are there, but not as often as expected.")


def test_columns_are_not_said_to_be_in_another_order_where_leaving_out_another_one_puts_them_in_order() -> None:
    gold = Table(("a", "b", "c"), [("x", 2.5, 200)])
    wider = explain(gold, Table(("a", "b", "c", "d"), [(200, "x", 2.5, 200)]))
    assert wider.sentence.endswith("without column a the rows are as expected.")
    narrower = explain(Table(("a", "b", "c"), [("x", "y", "x")]), Table(("a", "b"), [("y", "x")]))
    assert narrower.sentence.endswith("column a is missing, the rest is as expected.")


def test_a_column_too_many_and_two_in_another_order() -> None:
    gold = Table(("name", "score"), [("Ann", 1), ("Bob", 2)])
    found = explain(gold, Table(("school", "score", "name"), [("A", 1, "Ann"), ("B", 2, "Bob")]))
    assert found.sentence.endswith("without column school the rows are as expected, but for the order of the columns.")
    straight = explain(gold, Table(("school", "name", "score"), [("A", "Ann", 1), ("B", "Bob", 2)]))
    assert straight.sentence.endswith("without column school the rows are as expected.")


def test_names_joined_in_one_column() -> None:
    apart = Table(("first", "last", "n"), [("Ann", "Ray", 1), ("Bo", "Lee", 2)])
    joined = Table(("who", "n"), [("Ann Ray", 1), ("Bo Lee", 2)])
    found = explain(apart, joined)
    assert found.kind == "missing_columns"
    assert found.sentence.endswith("columns (first, last) are joined in column who, the rest is as expected.")
    assert explain(joined, apart).sentence.endswith("column who is split into columns (first, last), the rest is as expected.")


def test_a_factor_of_100() -> None:
    found = explain(values(0.25), values(25.0))
    assert (found.kind, found.sentence) == (
        "factor",
        "Same rows, but the numbers in column x are 100 times too large: expected 0.25, got 25.0.",
    )
    small = explain(people(("a", 12.5), ("b", 50)), people(("a", 0.125), ("b", 0.5)))
    assert (small.kind, small.evidence["differing_columns"]) == ("factor", ["score"])
    assert "100 times too small" in small.sentence
    rounded = explain(values(100 / 3), values(0.33))
    assert (rounded.kind, rounded.evidence["also"]) == ("factor", ["rounding"])
    assert "100 times too small and rounded: expected" in rounded.sentence
    assert explain(values(1, 2), values(100, 300)).kind == "different_rows"


def test_a_factor_says_which_side_is_rounded() -> None:
    assert "100 times too small and not rounded as expected:" in explain(values(33.33), values(1 / 3)).sentence


@pytest.mark.parametrize(("gold", "prediction"), [(53, 1), (101, 1), (0.012, 1.0), (250, 3.0), (3.0, 250)])
def test_one_digit_is_no_sign_of_a_factor(gold: float, prediction: float) -> None:
    assert "times too" not in explain(values(gold), values(prediction)).sentence


def test_a_factor_in_one_column_does_not_explain_rounding_in_another() -> None:
    found = explain(people((0.333, 12.5), (0.777, 50)), people((0.3, 0.125), (0.8, 0.5)))
    assert (found.kind, found.evidence["also"]) == ("factor", ["rounding"])
    assert "column score are 100 times too small; apart from that: same rows except for rounding" in found.sentence
    assert "in column name, expected 0.333, got 0.3" in found.sentence


def test_two_causes_are_both_named() -> None:
    gold = people(("a", 1 / 3), ("b", 2 / 3))
    found = explain(gold, people(("a", 0.33), ("b", 0.67), ("c", 5.0)))
    assert (found.kind, found.evidence["also"], found.evidence["left_over"]) == ("rounding", ["extra_rows"], 1)
    assert "rounding (the prediction is rounded to 2 decimals), and 1 row too many" in found.sentence
    fewer = explain(values("Ann", "Bob", "Cat"), values("ann", "BOB"))
    assert (fewer.kind, fewer.evidence["also"]) == ("case_or_space", ["missing_rows"])
    assert fewer.sentence.startswith("Two causes: letter case or surrounding spaces, and 1 row missing; in column x")


def test_long_texts_are_shown_where_they_differ() -> None:
    start = "the same beginning " * 10
    found = explain(values(start + "one end"), values(start + "another end"))
    assert "one end" in found.sentence
    assert "another end" in found.sentence


FULL = [("Ann", "Lee"), ("Bo", "Ray"), ("Cy", "Fox"), ("Di", "Kay")]


@pytest.mark.parametrize(
    ("gold", "predicted", "kind", "said"),
    [
        (
            [("a", 1), ("b", 2)],
            [(1, "a"), (2, "b"), (3, "c")],
            "column_order",
            "(expected (1, 2), got (2, 1)), and 1 row too many",
        ),
        ([("a", 1), ("b", 2), ("c", 3)], [(1, "a"), (2, "b")], "column_order", "and 1 row missing"),
        (
            [("a", 0.25), ("b", 0.5)],
            [("a", 25.0), ("b", 50.0), ("c", 75.0)],
            "factor",
            "100 times too large (expected 0.25, got 25.0), and 1 row too many",
        ),
        (
            [("a", 25.0), ("b", 50.0), ("c", 1.0)],
            [("a", 0.25), ("b", 0.5)],
            "factor",
            "100 times too small (expected 25.0, got 0.25), and 1 row missing",
        ),
        (
            FULL,
            [(f"{a} {b}",) for a, b in FULL[:3]],
            "missing_columns",
            "joined in column 1, and there is a second cause: 1 row missing",
        ),
        (FULL[:3], [(f"{a} {b}",) for a, b in FULL], "missing_columns", "1 row too many"),
        (
            [(f"{a} {b}",) for a, b in FULL[:3]],
            FULL,
            "extra_columns",
            "is split into columns (1, 2), and there is a second cause: 1 row too many",
        ),
        ([(1, "x"), (2, "y"), (3, "z")], [(1,), (2,)], "missing_columns", "column 2 is missing; apart from that: 1 of 3"),
        ([("2020-01-02",)], [("2020-01-02 00:00:00",)], "dates", "the writing of dates"),
        ([("2020-01-02",), ("2020-03-04",)], [("1/2/2020",), ("3/4/2020",)], "dates", "the writing of dates"),
        ([("2020-01-22",)], [("22.01.2020",)], "dates", "the writing of dates"),
        ([(25.0,)], [("25%",)], "number_format", "the writing of numbers: in column 1, expected 25.0, got '25%'"),
        ([("$1,250.50",)], [(1250.5,)], "number_format", "the writing of numbers"),
        ([(33.333333,)], [("33.33%",)], "number_format", "the writing of numbers and rounding"),
    ],
)
def test_two_causes_and_other_writing_are_named(gold: list[Row], predicted: list[Row], kind: str, said: str) -> None:
    names = [tuple(str(n) for n in range(1, len(rows[0]) + 1)) for rows in (gold, predicted)]
    difference = explain(Table(names[0], gold), Table(names[1], predicted))
    assert difference.kind == kind, difference.sentence
    assert said in difference.sentence


@pytest.mark.parametrize(
    ("gold", "predicted"),
    [
        ([("2020-01-02",)], [("2020-02-01",)]),
        ([("2020-01-02",)], [("2020-01-02 10:00:00",)]),
        ([("a", 1)], [(1, "a"), (2, "b")]),
        ([(25.0,)], [("26%",)]),
        ([("Ann", "Lee"), ("Bo", "Ray")], [("Ann Lee",), ("Bo Fox",)]),
    ],
)
def test_what_does_not_explain_it_is_not_said(gold: list[Row], predicted: list[Row]) -> None:
    sentence = explain(Table((), gold), Table((), predicted)).sentence
    assert not any(word in sentence for word in ("writing", "another order", "joined", "split", "Two causes"))


INVOICES = [("Ann", "Ray", 12.3456, "2020-03-01"), ("Bo", "Fox", 7.8912, "2020-04-02"), ("Cy", "Lee", 3.1419, "2020-05-03")]
INVOICE = ("first", "last", "amount", "day")


@pytest.mark.parametrize(
    ("columns", "rows", "kind", "also", "words"),
    [
        (
            (*INVOICE, "id"),
            [(a, b, round(c, 2), d, number) for number, (a, b, c, d) in enumerate(INVOICES)],
            "extra_columns",
            ["rounding"],
            "Two causes: column id is too many; apart from that: same rows except for rounding",
        ),
        (
            INVOICE[:3],
            [(a.upper(), b, c) for a, b, c, _ in INVOICES],
            "missing_columns",
            ["case_or_space"],
            "Two causes: column day is missing; apart from that: same rows except for letter case",
        ),
        (
            ("last", "first", *INVOICE[2:]),
            [(b, a, c * 100, d) for a, b, c, d in INVOICES],
            "column_order",
            ["factor"],
            "Two causes: the columns are in another order (expected (first, last, amount, day)); "
            "apart from that: same rows, but the numbers in column amount are 100 times too large",
        ),
        (
            ("name", *INVOICE[2:]),
            [(f"{a} {b}", round(c, 2), d) for a, b, c, d in INVOICES],
            "missing_columns",
            ["rounding"],
            "Two causes: columns (first, last) are joined in column name; apart from that: same rows except for rounding",
        ),
        (
            INVOICE,
            [(a.upper(), b, c * 100, d) for a, b, c, d in INVOICES],
            "factor",
            ["case_or_space"],
            "Two causes: the numbers in column amount are 100 times too large; apart from that: same rows except for letter",
        ),
        (
            INVOICE,
            [(a.upper(), b, c, f"{d[5:7]}/{d[8:]}/{d[:4]}") for a, b, c, d in INVOICES],
            "dates",
            ["case_or_space"],
            "Same rows except for the writing of dates and letter case",
        ),
        (
            (*INVOICE, "id"),
            [(a, b, c, d, number) for number, (a, b, c, d) in enumerate(INVOICES[:2])],
            "extra_columns",
            ["missing_rows"],
            "Two causes: column id is too many; apart from that: 1 of 3 expected rows is missing",
        ),
    ],
)
def test_a_second_cause_is_found_behind_the_first(
    columns: tuple[str, ...], rows: list[Row], kind: str, also: list[str], words: str
) -> None:
    difference = explain(Table(INVOICE, INVOICES), Table(columns, rows))
    assert (difference.kind, difference.evidence["also"]) == (kind, also)
    assert difference.sentence.startswith(words)


def test_a_column_of_the_same_name_is_no_cause_where_its_rows_differ() -> None:
    other = [(a, b, c + number, d, number) for number, (a, b, c, d) in enumerate(INVOICES, 1)]
    difference = explain(Table(INVOICE, INVOICES), Table((*INVOICE, "id"), other))
    assert "Two causes" not in difference.sentence
