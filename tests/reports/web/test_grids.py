"""What an engine shows as text is read back as the same cells, or not at all."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines.tables import as_text
from touchstone.reports.web import grids
from touchstone.types import Table

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Zl", "Zp", "Cs", "Zs"]) | st.just(" "), max_size=50)
CELLS = st.none() | st.integers() | WORDS.map(str.strip)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.lists(WORDS.map(lambda name: name.strip() or "x"), min_size=1, max_size=5))
    return Table(tuple(columns), draw(st.lists(st.tuples(*[CELLS] * len(columns)), max_size=6)))


def shown(value: object) -> str:
    return "NULL" if value is None else str(value)


def ambiguous(table: Table) -> bool:
    """A bar between blanks in a cell looks like the border of one."""
    return any(" | " in f" {shown(cell)} " for row in (table.columns, *table.rows) for cell in row)


@given(tables())
def test_a_table_is_read_as_it_was_shown(table: Table) -> None:
    grid = grids.read(as_text(table))
    if ambiguous(table):
        return
    assert grid is not None
    assert list(grid.columns) == list(table.columns)
    assert [list(row) for row in grid.rows] == [[shown(cell) for cell in row] for row in table.rows]


def test_what_follows_a_table_is_kept_apart() -> None:
    grid = grids.read(as_text(Table(("a", "b"), [(1, None)])) + "\n[14 of 16 bird-coins left]")
    assert grid is not None
    assert (grid.foot, grid.rest) == ("(1 row)", "[14 of 16 bird-coins left]")


def test_a_cut_table_is_read_with_what_it_says_of_the_rest() -> None:
    grid = grids.read(as_text(Table(("n",), [(number,) for number in range(250)])))
    assert grid is not None
    assert len(grid.rows) == 100
    assert grid.foot.startswith("(the first 100 of 250 rows")


def test_other_texts_are_no_tables() -> None:
    for text in ("", "Done.", "SQL error: no", "a\n---\n1", "a\n---\n1\n(2 rows)", "x | y\n--+--\n1 | 2 | 3\n(1 row)"):
        assert grids.read(text) is None


@given(st.text())
def test_no_text_breaks_it(text: str) -> None:
    grids.read(text)
    grids.read(f"a | b\n--+--\n{text}\n(1 row)")


def test_nulls_and_numbers_can_be_told() -> None:
    html = grids.table(["a"], [[None], [1.5], ["NULL"]])
    assert '<td class="null">NULL</td>' in html
    assert '<td class="number">1.5</td>' in html
    assert "<td>NULL</td>" in html
