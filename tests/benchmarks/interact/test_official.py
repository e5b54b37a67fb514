"""The official comparison: what was measured of the original, value by value."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.interact.official import normalise, official

D = Decimal


@pytest.mark.parametrize(
    ("gold", "predicted", "accepted"),
    [
        # the same query on both sides
        ([([D("1.5"), D("2")],)], [([D("1.5"), D("2")],)], False),
        ([([date(2024, 1, 1)],)], [([date(2024, 1, 1)],)], False),
        ([([1, 2],)], [([1, 2],)], True),
        ([({"a": D(1)},)], [({"a": D(1)},)], False),
        ([], [], False),
        ([(1,)], [], False),
        ([(math.nan,)], [(math.nan,)], False),
        ([(D("NaN"),)], [(D("NaN"),)], False),
        ([(D("1e26"),)], [(D("1e26"),)], False),
        ([(D("1e25"),)], [(D("1e25"),)], True),
        ([(D("Infinity"),)], [(D("Infinity"),)], False),
        ([(math.inf,)], [(math.inf,)], True),
        # different queries
        ([(D("1.10"),)], [(1.1,)], False),
        ([(D("1.50"),)], [(1.5,)], True),  # a half has an exact binary value
        ([(datetime(2024, 1, 1, 12, 0),)], [(datetime(2024, 1, 1, 12, 1),)], True),
        ([(date(2024, 1, 1),)], [("2024-01-01",)], True),
        ([(1,)], [(1,)] * 5, True),
        ([(1,)], [(True,)], True),
        ([(D("1.005"),)], [(D("1.01"),)], True),
        ([(D("1.004"),)], [(D("1.00"),)], True),
        ([(1.004,)], [(1.0,)], True),
        ([({"b": 1.001, "a": [2.0]},)], [({"a": [2.0], "b": 1.0},)], True),
        ([([1, [2.001]],)], [([1, [2.0]],)], True),
        ([(1, 2)], [(2, 1)], False),
        ([(1, 2)], [(1,)], False),
        ([(None,)], [(None,)], True),
        ([((1, [2]),)], [((1, [2]),)], False),  # cannot be put into a set
        # text to the original's driver
        ([(UUID(int=5),)], [(str(UUID(int=5)),)], True),
        ([([UUID(int=5)],)], [([UUID(int=5)],)], True),
    ],
)
def test_measured(gold: Any, predicted: Any, accepted: bool) -> None:
    assert official(gold, predicted, order=False) is accepted


def test_order_and_repetition_count_only_where_order_does() -> None:
    rows = [(1,), (2,), (2,)]
    assert official(rows, [(2,), (1,)], order=False)
    assert not official(rows, [(2,), (1,)], order=True)
    assert not official(rows, [(1,), (2,)], order=True)
    assert official(rows, list(rows), order=True)


def test_rows_as_they_are_compared() -> None:
    row = (datetime(2024, 2, 3, 4, 5, tzinfo=UTC), D("2.675"), 2.675, {"b": (1.239,), "a": None}, [], "x", None, (1.555,))
    assert normalise([row]) == [
        ("2024-02-03", D("2.68"), 2.67, '{"a": null, "b": [1.24]}', "[]", "x", None, (1.55,)),
    ]
    assert normalise([(D("1.23456"), 1.23456)], 4) == [(D("1.2346"), 1.2346)]


cells = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.floats(),
    st.decimals(),
    st.dates(),
    st.text(max_size=2),
    st.recursive(
        st.sampled_from([1, 1.5, D("1.5"), "x", None]),
        lambda item: st.lists(item, max_size=2) | st.dictionaries(st.text(max_size=1), item, max_size=2),
        max_leaves=4,
    ),
)
rows = st.lists(st.tuples(cells, cells), max_size=4)


@given(rows, rows, st.booleans())
def test_it_never_stops_and_does_not_care_which_side_is_gold(gold: Any, predicted: Any, order: bool) -> None:
    assert official(gold, predicted, order=order) is official(predicted, gold, order=order)
