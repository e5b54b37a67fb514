"""Tables for property tests: small, with few distinct values, so that equal and nearly equal results are common."""

from __future__ import annotations

from hypothesis import strategies as st

from touchstone.types import Cell, Row, Table

tame_cells: st.SearchStrategy[Cell] = st.sampled_from(
    [None, 0, 1, -1, -2, 2, 1.0, 0.5, 2.6, 1 / 3, 0.333333, 0.3333, "1", "1.0", "a", "A", " a", "", b"a", b"\xff"]
)
wild_cells: st.SearchStrategy[Cell] = st.one_of(
    tame_cells,
    st.integers(),
    st.integers(min_value=2**60, max_value=2**70),
    st.sampled_from([10**5000, -(10**400), 1e300, -1e-300, float("inf"), float("-inf"), float("nan"), "\ud800", "x" * 5000]),
    st.floats(),
    st.text(),
    st.binary(),
)


def rows(cells: st.SearchStrategy[Cell], width: int, most: int = 6) -> st.SearchStrategy[list[Row]]:
    return st.lists(st.tuples(*[cells] * width), max_size=most)


@st.composite
def tables(draw: st.DrawFn, cells: st.SearchStrategy[Cell] = tame_cells) -> Table:
    width = draw(st.integers(1, 3))
    return Table(tuple(draw(st.lists(st.text(max_size=4), min_size=width, max_size=width))), draw(rows(cells, width)))


@st.composite
def pairs(draw: st.DrawFn, cells: st.SearchStrategy[Cell] = tame_cells) -> tuple[Table, Table]:
    """Two tables, often the second made of pieces of the first."""
    gold = draw(tables(cells))
    other = draw(tables(cells))
    if draw(st.booleans()):
        return gold, other
    mixed = draw(st.permutations(gold.rows)) if gold.rows else []
    kept = mixed[: draw(st.integers(0, len(mixed)))] + draw(st.sampled_from([[], gold.rows[:1], other.rows[:1]]))
    return gold, Table(gold.columns, kept)


@st.composite
def ragged_tables(draw: st.DrawFn) -> Table:
    """What no engine returns: rows of several widths, more or fewer names than columns, anything in a cell."""
    width = st.integers(0, 4)
    some = draw(st.lists(width.flatmap(lambda w: st.tuples(*[wild_cells] * w)), max_size=5))
    return Table(tuple(draw(st.lists(st.text(), max_size=4))), some, truncated=draw(st.booleans()))
