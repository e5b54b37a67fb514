"""Rows as rows: single rules, laws, and a search through all possibilities beside ours."""

from __future__ import annotations

import json
import random
import re
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from touchstone.benchmarks.spider2.comparison import MOST_SURPLUS, CsvTable, Strict, official, read_csv, strict, strict_any

from .strategies import csv_text
from .test_official import table

many = settings(max_examples=400, deadline=None)


def judged(gold: CsvTable, predicted: CsvTable, ignore_order: bool = True, conditions: Any = ()) -> Strict:
    return strict(predicted, gold, list(conditions), ignore_order)


def kind(gold: CsvTable, predicted: CsvTable, ignore_order: bool = True, conditions: Any = ()) -> str:
    result = judged(gold, predicted, ignore_order, conditions)
    assert result.matched == (result.difference.kind == "same")
    json.dumps(result.difference.evidence)
    return result.difference.kind


@pytest.mark.parametrize(
    ("gold", "predicted", "verdict"),
    [
        ("1|2", "1.0|2.00", True),
        ("1|2", "01|2", True),
        ("1.50", "1.505", True),
        ("2.00", "2.01", True),
        ("1.00", "1.02", False),
        ("1", "1.005", True),
        ("1", "2", False),
        ("36047003300", "36047003301", False),
        ("9007199254740993", "9007199254740992", False),
        ("9007199254740993", "9007199254740992.0", False),
        ("18446744073709551615", "18446744073709551614", False),
        ("1000000000000.5", "1000000000900.5", False),
        ("9007199254740993|", "9007199254740993|", True),
        ("9007199254740993|", "9007199254740992|", False),
        ("1|", "1|0", False),
        ("1|", "1|NA", False),
        ("|", "|", True),
        ("x|", "x|NA", False),
        ("x|NULL", "x|NULL", True),
        ("1|NULL", "1|NULL", True),
        ("1|NULL", "1|", False),
        ("007", "7", False),
        ("007", "007", True),
        ("True", "1", False),
        ("True", "true", False),
        ("5|x", "5.0|x", False),
        ("1e3", "1000", True),
        ("inf", "Infinity", True),
        ("2020-01-01", "2020-01-01 00:00:00", False),
        ("10.0|2.0", "9.9999|2.0", True),
        ("0.000|0.008", "0.008|0.016", True),
        ("a|b", "a|b ", False),
    ],
)
def test_cells(gold: str, predicted: str, verdict: bool) -> None:
    for ignore_order in (True, False):
        assert judged(table(gold), table(predicted), ignore_order).matched == verdict


@pytest.mark.parametrize(
    ("gold", "predicted", "expected"),
    [
        (["A|B", "1|2"], ["A|B", "1|2"], "same"),
        (["A|B", "1|2"], ["B|A", "2|1"], "same"),
        (["A|B", "1|2"], ["2|1", "x|y", "B|A"], "same"),
        (["A|B", "1|2"], ["A|B", "2|1"], "mixed_rows"),
        (["A|B", "1.0|2.0"], ["A|B", "2.001|1.001"], "mixed_rows"),
        (["1|2", "1|2"], ["1|2"], "shared_columns"),
        (["1|2", "1|2"], ["1|2", "1|2"], "same"),
        (["1|2", "a|b"], ["1|2", "a|c"], "missing_columns"),
        (["1|2"], ["1|2|2"], "row_count"),
        (["1|2|2"], ["1|1|2"], "missing_columns"),
        (["a|a|b", "1|2|1"], ["a|b|a", "2|1|1"], "same"),
        (["a|a|b", "1|2|1"], ["a|b|a", "1|2|1"], "mixed_rows"),
        (["0|0|1|1", "0|1|0|1", "0|1|1|0"], ["0|1|1|0", "0|1|0|1", "0|0|1|1"], "same"),
    ],
)
def test_rows(gold: list[str], predicted: list[str], expected: str) -> None:
    assert kind(table(*gold), table(*predicted)) == expected


def test_order_counts_if_it_has_to() -> None:
    gold = table("A|B|C", "1|2|3")
    assert kind(gold, table("3|2|1", "C|B|A")) == "same"
    assert kind(gold, table("3|2|1", "C|B|A"), ignore_order=False) == "row_order"
    assert kind(gold, table("1|2|3", "A|B|C"), ignore_order=False) == "same"
    assert kind(gold, table("1|2|3", "A|B|D"), ignore_order=False) == "missing_columns"


def test_empty_results() -> None:
    nothing, something = read_csv("a,b\n"), read_csv("a,b\n1,x\n")
    assert kind(nothing, read_csv("c,d\n")) == "same"
    assert kind(nothing, read_csv("c\n")) == "shared_columns"
    assert kind(nothing, something) == "empty_gold"
    assert kind(something, nothing) == "empty_prediction"


def test_condition_columns() -> None:
    gold = table("1|2", "a|b", "5|6")
    assert kind(gold, table("5|6"), conditions=[2]) == "same"
    assert kind(gold, table("6|5", "1|2"), conditions=[0, -1]) == "mixed_rows"
    assert kind(gold, table("1|2"), conditions=[0, 0]) == "same"
    assert kind(gold, gold, conditions=[3]) == "condition_columns"
    assert kind(gold, table("1|2"), conditions=[[0]]) == "same"
    assert kind(gold, table("1|2"), conditions=[0]) == "same"


def test_several_golden_results() -> None:
    golds = [table("1|2", "x|y"), table("1|2|3"), table("7|8")]
    assert strict_any(table("7|8"), golds, [], ignore_order=True).gold == 2
    assert strict_any(table("1|2"), golds, [[0], [0], [0]], ignore_order=True).gold == 0
    assert strict_any(table("8|7"), golds, [[5], [0], [0]], ignore_order=True).matched
    missed = strict_any(table("1|2"), golds, None, ignore_order=True)
    assert (missed.matched, missed.gold, missed.difference.kind) == (False, 0, "missing_columns")


@pytest.mark.parametrize(
    ("gold", "predicted", "sentence"),
    [
        (["1|2", "a|b"], ["1|2", "a|c"], "No predicted column holds the values of column c1; c1 lacks 'b'."),
        (["1|", "a|b"], ["1|0", "a|b"], "No predicted column holds the values of column c0; c0 has 0 NULL instead of 1."),
        (["1|2"], ["x|y"], "No predicted column holds the values of column c0; c0 does not hold numbers."),
        (["x|y"], ["1|2"], "No predicted column holds the values of column c0; c0 holds numbers, not words."),
        (["1.5|2.5"], ["1.6|2.5"], "No predicted column holds the values of column c0; c0 lacks 1.5."),
        (["1|2", "a|b"], ["7|8"], "No predicted column holds the values of column c0 (nor of 1 other column); c0 lacks 1."),
        (["1|2"], ["1|2|3"], "Expected 2 rows, got 3."),
        (["1|2"], ["1"], "Expected 2 rows, got 1."),
        (["A|B", "1|2"], ["A|B", "2|1"], "The columns match one by one, but not row by row; ('A', 1) is not there."),
        (["1|2", "1|2"], ["1|2"], "Columns (c0, c1) need a predicted column each, but only (c0) has their values."),
        (["1|2"], ["2|1"], "All 2 rows match."),
        (["1"], ["1"], "The only row matches."),
    ],
)
def test_sentences(gold: list[str], predicted: list[str], sentence: str) -> None:
    assert judged(table(*gold), table(*predicted)).difference.sentence == sentence


def test_evidence_names_columns_and_rows() -> None:
    evidence = judged(table("A|B", "1|2"), table("2|1", "A|B")).difference.evidence
    assert evidence == {
        "gold_rows": 2,
        "predicted_rows": 2,
        "gold_columns": ["c0", "c1"],
        "predicted_columns": ["c0", "c1"],
        "surplus_columns": 0,
        "partners": [["c0", "c1"], ["c1", "c0"]],
        "missing_rows": [["A", 1]],
    }


@pytest.mark.parametrize("surplus", [0, 1, MOST_SURPLUS])
def test_some_surplus_columns_do_no_harm_and_are_counted(surplus: int) -> None:
    found = judged(table("7"), table(*(str(number) for number in range(7, 8 + surplus))))
    assert found.matched
    assert found.difference.evidence["surplus_columns"] == surplus


def test_a_wide_constant_row_is_no_answer() -> None:
    wide = table(*map(str, range(26_001)))
    found = judged(table("7", "9"), wide)
    assert not found.matched
    assert found.difference.kind == "surplus_columns"
    assert found.difference.sentence == "Expected 2 columns, got 26,001; at most 16 more are allowed."
    assert official(wide, table("7", "9"), [], True).matched  # and this is what the official comparison says


# --- laws ---

WORDS = ["", "1", "2", "1.005", "1.01", "1.02", "a", "b", "01", "NA", "3.5"]


@st.composite
def grids(draw: st.DrawFn) -> list[list[str]]:
    """Columns of words."""
    rows = draw(st.integers(1, 4))
    words = st.sampled_from(
        draw(st.sampled_from([WORDS, ["1", "1.005", "1.01", "1.02"], ["a", "b"], ["", "1", "2"], ["1", "1.01"]]))
    )
    column = st.lists(words, min_size=rows, max_size=rows)
    return draw(st.lists(column, min_size=1, max_size=3))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[list[list[str]], list[list[str]]]:
    """The second often made of the first: rows and columns permuted, a column more, a cell changed."""
    gold = draw(grids())
    if draw(st.integers(0, 3)) == 0:
        return gold, draw(grids())
    order = draw(st.permutations(range(len(gold[0]))))
    other = [[column[row] for row in order] for column in draw(st.permutations(gold))]
    if draw(st.booleans()):
        place, row = draw(st.integers(0, len(other) - 1)), draw(st.integers(0, len(order) - 1))
        other[place][row] = draw(st.sampled_from(WORDS))
    return gold, other


def as_table(columns: list[list[str]]) -> CsvTable:
    rows = [list(row) for row in zip(*columns, strict=True)]
    return read_csv(csv_text(rows, len(columns)))


def is_number(column: list[str]) -> bool:
    proper = [word for word in column if word not in ("", "NA")]
    return all(re.fullmatch(r"(0|[1-9]\d*)(\.\d+)?", word) for word in proper)


def equal(gold: str, predicted: str, numbers: bool) -> bool:
    if not numbers or not all(re.fullmatch(r"\d+(\.\d+)?", word) for word in (gold, predicted)):
        return gold == predicted
    return abs(float(gold) - float(predicted)) <= 0.01


def possible(gold: list[list[str]], predicted: list[list[str]], ignore_order: bool) -> bool:
    """Whether any choice of columns and any order of rows makes everything equal."""
    rows = range(len(gold[0]))
    if len(predicted[0]) != len(rows):
        return False
    for chosen in permutations(predicted, len(gold)):
        pairs = [(column, other, is_number(column)) for column, other in zip(gold, chosen, strict=True)]
        for order in permutations(rows) if ignore_order else [tuple(rows)]:
            if all(equal(column[row], other[order[row]], numbers) for column, other, numbers in pairs for row in rows):
                return True
    return False


@many
@given(pairs(), st.booleans())
def test_the_verdict_is_that_of_a_search_through_all_possibilities(
    pair: tuple[list[list[str]], list[list[str]]], ignore_order: bool
) -> None:
    gold, predicted = pair
    assert judged(as_table(gold), as_table(predicted), ignore_order).matched == possible(gold, predicted, ignore_order)


@many
@given(grids())
def test_a_result_matches_itself(columns: list[list[str]]) -> None:
    for ignore_order in (True, False):
        assert judged(as_table(columns), as_table(columns), ignore_order).matched


# --- bounds ---


def test_many_columns_of_the_same_values_are_told_apart() -> None:
    some = random.Random(3)
    gold = [[some.choice("01") for _ in range(60)] for _ in range(12)]
    order = some.sample(range(60), 60)
    predicted = [[column[row] for row in order] for column in some.sample(gold, 12)]
    assert judged(as_table(gold), as_table(predicted)).matched


def test_a_search_for_columns_that_takes_too_long_is_cut_and_counts_as_wrong() -> None:
    """All rows of seven bits, in which columns can be exchanged at will, and the same but for the last column."""
    rows = list(product("01", repeat=7))
    odd = [str(row.count("1") % 2) for row in (row[:-1] for row in rows)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    result = judged(as_table(columns), as_table([*columns[:-1], odd]))
    assert (result.matched, result.cut, result.difference.kind) == (False, True, "undecided")


def test_a_search_for_rows_that_takes_too_long_is_cut_and_counts_as_wrong() -> None:
    some = random.Random(6)
    gold = [[f"{some.uniform(0, 0.05):.4f}" for _ in range(4000)] for _ in range(2)]
    order = some.sample(range(4000), 4000)
    predicted = [[f"{float(column[row]) + some.uniform(-0.009, 0.009):.4f}" for row in order] for column in gold]
    result = judged(as_table(gold), as_table(predicted))
    assert (result.matched, result.cut) == (False, True)


def test_floats_without_a_key_are_paired_whatever_their_order() -> None:
    some = random.Random(4)
    gold = [[some.choice(["1.000", "1.004", "1.008"]) for _ in range(200)] for _ in range(3)]
    order = some.sample(range(200), 200)
    predicted = [[f"{float(column[row]) + some.choice([0, 0.004, -0.004]):.3f}" for row in order] for column in gold]
    assert judged(as_table(gold), as_table(predicted)).matched
    predicted[1][17] = "2.5"
    assert not judged(as_table(gold), as_table(predicted)).matched
