"""Soft-F1 against the worked cases of its specification and against a plain reading of it."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.verdicts.strategies import pairs, tables, wild_cells
from touchstone.types import Row, Table
from touchstone.verdicts.metrics import soft_f1


def table(*rows: Row) -> Table:
    return Table((), list(rows))


def first_occurrences(rows: list[Row]) -> list[Row]:
    return [row for place, row in enumerate(rows) if row not in rows[:place]]


def naive(gold: Table, predicted: Table) -> float:
    if not gold.rows and not predicted.rows:
        return 1.0
    expected, got = first_occurrences(gold.rows), first_occurrences(predicted.rows)
    tp = fp = fn = 0.0
    for place, gold_row in enumerate(expected):
        if place >= len(got):
            fn += 1
            continue
        row, width = got[place], len(gold_row)
        tp += len([cell for cell in row if cell in gold_row]) / width
        fp += len([cell for cell in row if cell not in gold_row]) / width
        fn += len([cell for cell in gold_row if cell not in row]) / width
    fp += max(0, len(got) - len(expected))
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


@pytest.mark.parametrize(
    ("gold", "predicted", "score"),
    [
        (table((1,), (2,)), table((2,), (1,)), 0.0),
        (table((1,), (2,)), table((1,), (1,), (2,)), 1.0),
        (table((1,), (1,), (2,)), table((1,), (2,)), 1.0),
        (table((1, "a"), (2, "b")), table(("a", 1), ("b", 2)), 1.0),
        (table((1,), (2,)), table((1, "z"), (2, "w")), 2 / 3),
        (table((1, "a")), table((1,)), 2 / 3),
        (table((1, 1), (2, 2)), table((1,), (2,)), 1.0),
        (table(("A", 1), ("B", 2)), table(("A", 2), ("B", 1)), 0.5),
        (table((1, 2, 3)), table((1, 1, 1)), 0.75),
        (table((1, 1, 1)), table((1, 2, 3)), 0.5),
        (table((None,)), table((None,)), 1.0),
        (table((10.0,), (2.0,)), table((9.9999,), (2.0,)), 0.5),
        (table(), table(), 1.0),
        (table(), table((1,)), 0.0),
        (table((1,)), table(), 0.0),
        (table((1,), (2,), (3,)), table((1,)), 0.5),
        (table((1,)), table((1,), (2,), (3,)), 0.5),
        (table(()), table((1,)), 0.0),
    ],
)
def test_examples(gold: Table, predicted: Table, score: float) -> None:
    assert soft_f1(gold, predicted) == pytest.approx(score, abs=1e-12)


@given(pairs())
def test_equals_its_naive_reading(pair: tuple[Table, Table]) -> None:
    assert soft_f1(*pair) == pytest.approx(naive(*pair), abs=1e-12)


@given(tables(wild_cells))
def test_equal_results_score_one(some: Table) -> None:
    assert soft_f1(some, some) == 1.0


@given(pairs())
def test_stays_between_zero_and_one(pair: tuple[Table, Table]) -> None:
    assert 0.0 <= soft_f1(*pair) <= 1.0
