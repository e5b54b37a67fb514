"""What happens to the text of a query, defects included."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.interact.official import remove_comments, remove_distinct, remove_round, rewritten

sql = st.lists(
    st.sampled_from(
        "SELECT|distinct|DISTINCT| |  |\n|\r\n|\r|\t|--|-|/*|*/|*|ROUND|round (|Round\n(|(|)|,|a+b|2|'x'|background(|x".split(
            "|"
        )
    ),
    max_size=25,
).map("".join)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SELECT 1 -- one\n, 2", "SELECT 1 \n, 2"),
        ("SELECT 1 -- one", "SELECT 1 -- one"),  # no line end, no comment
        ("SELECT 1 -- one\r\n+ 1", "SELECT 1 \r\n+ 1"),
        ("SELECT /* a\nb */ 1 /* c */", "SELECT  1"),
        ("SELECT '/* kept? */', '--no'\n", "SELECT '', '"),
        ("SELECT 1 /* never closed", "SELECT 1 /* never closed"),
        ("a\n  \n\n\tb\n", "a\n\tb"),
        ("/*/ a */ b", "b"),
    ],
)
def test_comments(before: str, after: str) -> None:
    assert remove_comments(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("SELECT DISTINCT a", "SELECT a"),
        ("select a from (select Distinct b from t)", "select a from (select b from t)"),
        ("SELECT COUNT(DISTINCT a)", "SELECT COUNT(DISTINCT a)"),
        ("SELECT DISTINCT\na", "SELECT DISTINCT\na"),
        ("a IS DISTINCT FROM b", "a IS FROM b"),
        ("SELECT DISTINCT ON (a) b", "SELECT ON (a) b"),
        ("a  b", "a  b"),
    ],
)
def test_distinct(before: str, after: str) -> None:
    assert remove_distinct(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("ROUND(a, 2)", "a"),
        ("round  ( a )", "a"),
        ("ROUND(ROUND(a, 1), 2)", "a"),
        ("ROUND(COALESCE(a, 0) / NULLIF(b, 0), 2)", "COALESCE(a, 0) / NULLIF(b, 0)"),
        ("10*ROUND(id+1,0)", "10*id+1"),  # another value than before
        ("background(a, b)", "backga"),
        ("ROUND(a, 2", "ROUND(a, 2"),
        ("ROUND(a, 2), ROUND(b, (1))", "a, b"),
        ("ROROUND(UND(x))", "x"),
        ("ROUND()", ""),
    ],
)
def test_round(before: str, after: str) -> None:
    assert remove_round(before) == after


def test_all_three_in_order() -> None:
    assert rewritten("SELECT -- DISTINCT\nDISTINCT ROUND(a, 1) FROM t /* x */") == "SELECT \nDISTINCT a FROM t"


@given(st.lists(sql, max_size=4))
def test_lists_are_taken_one_by_one(texts: list[str]) -> None:
    for change in (remove_comments, remove_distinct, remove_round, rewritten):
        assert change(texts) == [change(text) for text in texts]


@given(sql)
def test_comments_as_patterns_describe_them(text: str) -> None:
    """The rules once more, as the specification words them."""
    without_blocks = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    without_lines = re.sub(r"--.*?(?=[\r\n])", "", without_blocks)
    assert remove_comments(text) == re.sub(r"\n\s*\n+", "\n", without_lines).strip()


@given(sql)
def test_no_complete_call_of_round_is_left(text: str) -> None:
    left = remove_round(text)
    assert remove_round(left) == left
    if text.count("(") == text.count(")") == 1 and text.index("(") < text.index(")"):
        assert not re.search(r"round\s*\(", left, re.IGNORECASE)


def test_many_comments_take_no_time() -> None:
    """A quadratic search would take minutes."""
    assert remove_comments("/* " * 300_000).startswith("/*")
    assert remove_comments("-- " * 300_000).startswith("--")
    assert remove_comments("--a\n/*b*/x" * 50_000).count("x") == 50_000
