"""Tables as text: readable, bounded, and honest about what is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines.tables import LONGEST_TEXT, ROWS_SHOWN, observation_of
from touchstone.types import Table


def as_text(table: Table) -> str:
    return observation_of(table).text


cells = st.none() | st.integers() | st.floats() | st.text() | st.binary()


def test_a_table_is_aligned_under_its_headers() -> None:
    assert as_text(Table(("id", "name"), [(1, "Ada"), (10, None)])) == "id | name\n---+-----\n1  | Ada\n10 | NULL\n(2 rows)"


@pytest.mark.parametrize(
    ("changed", "text"), [(None, "Done."), (0, "Done."), (1, "Done. 1 row changed."), (2, "Done. 2 rows changed.")]
)
def test_no_table(changed: int | None, text: str) -> None:
    assert as_text(Table((), [], changed=changed)) == text


@pytest.mark.parametrize(
    ("rows", "truncated", "said"),
    [
        (0, False, "(0 rows)"),
        (1, False, "(1 row)"),
        (100, False, "(100 rows)"),
        (101, False, "(the first 100 of 101 rows; the rest is not shown)"),
        (5000, True, "(the first 100 of more than 5,000 rows; the rest is not shown)"),
        (3, True, "(the first 3 of more than 3 rows; the rest is not shown)"),
    ],
)
def test_cuts_are_said(rows: int, truncated: bool, said: str) -> None:
    assert as_text(Table(("x",), [(0,)] * rows, truncated=truncated)).splitlines()[-1] == said


def test_long_rows_are_cut_and_it_is_said() -> None:
    text = as_text(Table(tuple("abcdefghij"), [("y" * 150,) * 10] * 50))
    assert text.splitlines()[-1] == "(the first 12 of 50 rows, because they are long; the rest is not shown)"


def test_a_long_cell_is_cut_with_its_length() -> None:
    assert f"{'y' * 200}… (5,000 characters)" in as_text(Table(("x",), [("y" * 5000,)]))


@pytest.mark.parametrize(
    ("value", "shown"), [("a\nb\tc\rd", r"a\nb\tc\rd"), (b"\x00\xff", "x'00ff'"), (1.5, "1.5"), (None, "NULL")]
)
def test_cells(value: object, shown: str) -> None:
    assert as_text(Table(("x",), [(value,)])).splitlines()[2] == shown


@given(st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), max_size=2 * ROWS_SHOWN)))
def test_any_table_is_shown_in_bounds(rows: list[tuple[object, ...]]) -> None:
    columns = tuple(f"c{number}" for number in range(len(rows[0]) if rows else 1))
    text = as_text(Table(columns, rows))
    assert text.split("\n")[0].startswith("c0")
    assert len(text.split("\n")) <= ROWS_SHOWN + 3
    assert len(text) < 2 * LONGEST_TEXT


def test_two_thousand_columns_stay_in_bounds() -> None:
    text = as_text(Table(tuple(f"column {n}" for n in range(2000)), [("y" * 300,) * 2000] * 10))
    assert len(text) < LONGEST_TEXT + 1000
    assert text.count("the line is too long to be shown") == 3


@given(st.integers(1, 5).flatmap(lambda width: st.lists(st.tuples(*[cells] * width), max_size=2 * ROWS_SHOWN)))
def test_the_record_has_the_cells_of_the_text_and_no_more(rows: list[tuple[object, ...]]) -> None:
    columns = tuple(f"c{number}" for number in range(len(rows[0]) if rows else 1))
    seen = observation_of(Table(columns, rows))
    table = seen.details["table"]
    lines = seen.text.split("\n")
    assert (table["columns"], table["count"]) == (list(columns), lines[-1])
    assert len(table["rows"]) == len(lines) - 3
    for row, kept, line in zip(rows, table["rows"], lines[2:-1], strict=False):
        assert [cell is None for cell in row] == [cell is None for cell in kept]
        assert line.startswith("NULL" if kept[0] is None else kept[0].rstrip())


def test_a_table_with_lines_that_are_cut_is_kept_as_text_alone() -> None:
    assert observation_of(Table(("a", "b"), [("y" * 300, "|")] * 3)).details["table"]["rows"][0][1] == "|"
    assert observation_of(Table(tuple("x" * 200), [("y" * 300,) * 200])).details == {}
