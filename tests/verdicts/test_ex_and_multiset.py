"""EX and the multiset comparison: what they promise, and where they part."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verdicts.strategies import pairs, tables, wild_cells
from touchstone.types import Cell, Row, Table
from touchstone.verdicts.metrics import ex, multiset


def table(*rows: Row) -> Table:
    return Table((), list(rows))


def values(*cells: Cell) -> Table:
    return table(*[(cell,) for cell in cells])


def naive_multiset(gold: Table, predicted: Table) -> bool:
    def rounded(rows: list[Row]) -> Counter[Row]:
        return Counter(tuple(round(cell, 6) if isinstance(cell, float) else cell for cell in row) for row in rows)

    return rounded(gold.rows) == rounded(predicted.rows)


@given(tables(wild_cells))
def test_both_are_reflexive(some: Table) -> None:
    assert ex(some, some)
    assert multiset(some, some)


@given(pairs())
def test_both_are_symmetric(pair: tuple[Table, Table]) -> None:
    gold, predicted = pair
    assert ex(gold, predicted) == ex(predicted, gold)
    assert multiset(gold, predicted) == multiset(predicted, gold)


@given(tables(), st.randoms())
def test_both_are_blind_to_row_order(some: Table, random: Random) -> None:
    shuffled = list(some.rows)
    random.shuffle(shuffled)
    assert ex(some, Table((), shuffled))
    assert multiset(some, Table((), shuffled))


@given(tables(), st.lists(st.integers(0, 5)))
def test_ex_is_blind_to_duplicates(some: Table, repeated: list[int]) -> None:
    more = [some.rows[place] for place in repeated if place < len(some.rows)]
    assert ex(some, Table((), some.rows + more))


@given(pairs(), st.sampled_from([3, 7]))
def test_a_multiset_without_rounded_floats_is_ex_and_the_counts(pair: tuple[Table, Table], unit: int) -> None:
    # Multiples of an eighth are exact with six decimals, so rounding changes nothing.
    gold, predicted = [
        Table((), [tuple(unit / 8 if isinstance(cell, float) else cell for cell in row) for row in side.rows]) for side in pair
    ]
    assert multiset(gold, predicted) == (Counter(gold.rows) == Counter(predicted.rows))
    assert not multiset(gold, predicted) or ex(gold, predicted)


@given(pairs())
def test_multiset_equals_its_naive_reading(pair: tuple[Table, Table]) -> None:
    assert multiset(*pair) == naive_multiset(*pair)


@pytest.mark.parametrize(
    ("gold", "predicted", "as_ex", "as_multiset"),
    [
        (values(1, 2), values(2, 1), True, True),
        (values(1, 2), values(1, 1, 2), True, False),
        (values(1, 1, 2), values(1, 2, 2), True, False),
        (values(), values(), True, True),
        (values(1), values(), False, False),
        (values(1), values(1.0), True, True),
        (values(1), values("1"), False, False),
        (values("abc"), values(b"abc"), False, False),
        (values(None), values(None), True, True),
        (values(None), values(0), False, False),
        (values(0.3), values(0.1 + 0.2), False, True),
        (values(0.3333333), values(0.33333335), False, True),
        (values(0.12345649), values(0.12345651), False, False),
        (values(4e-7), values(0.0), False, True),
        (values(2), values(1.9999999), False, True),
        (values(1e20), values(1e20 * (1 + 1e-12)), False, False),
        (values(2**53 + 1), values(2**53), False, False),
        (values(float("inf")), values(float("inf")), True, True),
        (values(-0.0), values(0.0), True, True),
        (values(1, "a", None, b"b"), values("a", b"b", None, 1), True, True),
        (table((1, "a")), table(("a", 1)), False, False),
        (table((1,)), table((1, 1)), False, False),
    ],
)
def test_examples(gold: Table, predicted: Table, as_ex: bool, as_multiset: bool) -> None:
    assert (ex(gold, predicted), multiset(gold, predicted)) == (as_ex, as_multiset)


def test_column_names_do_not_count() -> None:
    assert ex(Table(("a",), [(1,)]), Table(("b",), [(1,)]))
    assert multiset(Table(("a",), [(1,)]), Table(("b",), [(1,)]))
