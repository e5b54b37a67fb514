"""Readable cells, rows and names."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verdicts.strategies import wild_cells
from touchstone.types import Cell, Row
from touchstone.verdicts.shown import plain, plain_row, shown, shown_names, shown_row


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, "NULL"),
        (1, "1"),
        (4.5, "4.5"),
        (float("nan"), "nan"),
        ("Oakland", "'Oakland'"),
        ("two\nlines", r"'two\nlines'"),
        ("x" * 100, f"'{'x' * 39}…'"),
        (b"\x01\xff", "x'01ff'"),
        (b"\x00" * 100, f"x'{'00' * 20}…'"),
        (2**64, "an integer of 65 bits"),
    ],
)
def test_cells(cell: Cell, text: str) -> None:
    assert shown(cell) == text


def test_an_integer_that_python_refuses_to_print() -> None:
    assert shown(10**5000) == plain(10**5000) == "an integer of 16610 bits"


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (("Oakland", 4.5), "('Oakland', 4.5)"),
        ((1,), "(1)"),
        ((), "()"),
        (("x" * 30,) * 5, f"('{'x' * 30}', '{'x' * 30}', … 3 more)"),
        (("x" * 500, 1), f"('{'x' * 39}…', 1)"),
    ],
)
def test_rows(row: Row, text: str) -> None:
    assert shown_row(row) == text


def test_names() -> None:
    assert shown_names(["name", "COUNT(*)"]) == "(name, COUNT(*))"
    assert shown_names(["SUM(\n  x\n)", ""]) == "(SUM( x ), '')"
    assert shown_names([f"column_{number}" for number in range(100)]).endswith("… 93 more)")


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (None, None),
        (1.5, 1.5),
        (-(2**63), -(2**63)),
        (10**400, "an integer of 1329 bits"),
        (float("inf"), "inf"),
        (b"ab", "x'6162'"),
        ("\ud800", "\\ud800"),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_plain(cell: Cell, value: object) -> None:
    assert plain(cell) == value


def test_a_wide_row_is_cut_and_counted() -> None:
    assert plain_row((1,) * 102) == [1] * 100 + ["… 2 more"]


@given(st.lists(wild_cells).map(tuple))
def test_anything_can_be_shown_and_written(row: Row) -> None:
    assert len(shown_row(row).splitlines()) == 1
    assert msgspec.json.decode(msgspec.json.encode(plain_row(row))) == plain_row(row)
