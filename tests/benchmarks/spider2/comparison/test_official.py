"""The official comparison with its traps, verdict by verdict as the official code gave them."""

from __future__ import annotations

from typing import Any

import pytest

from touchstone.benchmarks.spider2.comparison import CsvTable, official, official_any, read_csv


def table(*columns: str) -> CsvTable:
    """A table of columns, each written as words with bars between."""
    grid = [column.split("|") for column in columns]
    names = ",".join(f"c{place}" for place in range(len(columns)))
    return read_csv("\n".join([names, *(",".join(row) for row in zip(*grid, strict=True)), ""]))


def matched(gold: CsvTable, predicted: CsvTable, ignore_order: bool = True, conditions: Any = ()) -> bool:
    return official(predicted, gold, list(conditions), ignore_order).matched


@pytest.mark.parametrize(
    ("gold", "predicted", "verdict"),
    [
        ("2.00", "2.01", True),
        ("1.00", "1.01", False),
        ("1000000000000", "1000000000900", True),
        ("1000000000000", "1000000001100", False),
        ("36047003300", "36047003301", True),
        ("18446744073709551615", "18446744073709551614", True),
        (str(2**128 - 1), str(2**128 - 2), False),
        ("|1", "0|1", True),
        ("NA|1", "0|1", True),
        ("None", "null", True),
        ("|x", "0|x", False),
        ("007", "7", True),
        ("1e3", "1000", True),
        ("True", "1", True),
        ("true", "True", True),
        (" 5", "5", True),
        ("inf", "Infinity", True),
        ("0x10", "16", False),
        ("1_000", "1000", False),
        ('"1;234"', "1234", False),
        ("12.5%", "12.5", False),
        ("5|x", "5.0|x", False),
        ("2020-01-01", "2020-01-01 00:00:00", False),
        ("10.0|2.0", "9.9999|2.0", False),
        ("-0.0|-1.0", "0.0|-1.0", False),
        ("a|b", "b|a", True),
        ("a|b|b", "a|a|b", False),
        ("|a|", "a||", True),
        ("True||False", "False|True|", True),
    ],
)
def test_one_column_in_any_order(gold: str, predicted: str, verdict: bool) -> None:
    assert matched(table(gold, gold), table(predicted, predicted)) == verdict
    assert matched(table(predicted, predicted), table(gold, gold)) == verdict


def test_integers_beside_floats_print_as_floats() -> None:
    """So 10**16 is sorted as '1e+16' on one side and as '10000000000000000' on the other."""
    gold, predicted = "10000000000000000|15", "1e+16|15.0"
    assert not matched(table(gold), table(predicted))
    assert matched(table(gold), table(predicted), ignore_order=False)
    assert matched(table(gold, "1.5|2.5"), table(predicted, "1.5|2.5"))
    assert not matched(table(gold, "1.5|2.5"), table(predicted, "1.5|2.5"), conditions=[0])


@pytest.mark.parametrize(
    ("gold", "predicted", "any_order", "in_order"),
    [
        (["A|B", "1|2"], ["A|B", "2|1"], True, False),
        (["1|2"], ["2|1"], True, False),
        (["10.0|2.0"], ["9.9999|2.0"], False, True),
        (["1|2", "a|b"], ["a|b", "1|2"], True, True),
        (["1|2"], ["x|y", "1|2"], True, True),
        (["1|2", "1|2"], ["1|2"], True, True),
        (["1|2", "a|b"], ["1|2"], False, False),
        (["1|2"], ["1|2|3"], False, False),
        (["1|2"], ["1"], False, False),
    ],
)
def test_columns_on_their_own(gold: list[str], predicted: list[str], any_order: bool, in_order: bool) -> None:
    assert matched(table(*gold), table(*predicted)) == any_order
    assert matched(table(*gold), table(*predicted), ignore_order=False) == in_order


def test_nothing_matches_nothing_whatever_the_columns() -> None:
    assert matched(read_csv("a,b\n"), read_csv("c\n"))
    assert not matched(read_csv("a\n"), read_csv("a\n1\n"))


GOLD = table("1|2", "a|b", "5|6")


@pytest.mark.parametrize(
    ("conditions", "predicted", "verdict"),
    [
        ([1], ["a|b"], True),
        ([-1], ["5|6"], True),
        ([0, 2], ["1|2", "5|6"], True),
        ([0, 2], ["1|2"], False),
        (None, ["1|2"], False),
        ([], ["1|2"], False),
    ],
)
def test_conditions_of_a_single_file(conditions: Any, predicted: list[str], verdict: bool) -> None:
    result = official(table(*predicted), GOLD, conditions, ignore_order=True)
    assert (result.matched, result.gold, result.error) == (verdict, 0 if verdict else None, None)


@pytest.mark.parametrize(
    ("conditions", "message"), [([3], "out-of-bounds"), ([-4], "out-of-bounds"), ([[1]], "dimensions"), ([None], "numeric")]
)
def test_conditions_of_a_single_file_that_are_errors(conditions: Any, message: str) -> None:
    result = official(GOLD, GOLD, conditions, ignore_order=True)
    assert not result.matched
    assert message in (result.error or "")


@pytest.mark.parametrize(
    ("conditions", "predicted", "verdict"),
    [
        ([0, 1], ["1|2"], False),
        ([0], ["1|2"], False),
        ([0], ["1|2", "a|b", "5|6"], True),
        ([1, 2], ["a|b"], True),
        ([[1, 2]], ["a|b"], False),
        ([[0]], ["1|2"], True),
        ([[]], ["1|2"], False),
        ([None], ["1|2"], False),
        (None, ["1|2", "a|b", "5|6"], True),
    ],
)
def test_one_file_with_a_letter_takes_only_the_first_of_a_flat_list(
    conditions: Any, predicted: list[str], verdict: bool
) -> None:
    assert official_any(table(*predicted), [GOLD], conditions, ignore_order=True).matched == verdict


OTHER = table("9|9")


def test_several_golden_results() -> None:
    first = table("1|2")
    assert official_any(first, [OTHER, GOLD], [0], ignore_order=True).gold == 1
    assert official_any(table("9|9"), [OTHER, GOLD], [0], ignore_order=True).gold == 0
    assert official_any(first, [OTHER, GOLD], [[0], [0]], ignore_order=True).gold == 1
    assert not official_any(first, [OTHER, GOLD], [[0], [1]], ignore_order=True).matched
    assert not official_any(table("2|1"), [OTHER, GOLD], [0], ignore_order=False).matched


def test_an_error_ends_the_search() -> None:
    first = table("1|2")
    assert official_any(first, [OTHER, GOLD], [[0]], ignore_order=True).error == "list index out of range"
    result = official_any(first, [OTHER, GOLD], [[1], [0]], ignore_order=True)
    assert (result.matched, result.error) == (False, "positional indexers are out-of-bounds")
    assert official_any(table("9|9"), [OTHER, GOLD], [[0]], ignore_order=True).matched


def test_a_very_wide_answer_is_judged_in_time() -> None:
    wide = read_csv(",".join(f"c{n}" for n in range(26_000)) + "\n" + ",".join(str(n) for n in range(26_000)) + "\n")
    assert matched(table("123", "7"), wide)
    assert not matched(table("123", "x"), wide)
