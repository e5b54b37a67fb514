"""Which texts are tried by reading: a question of speed, for what is wrong is found out by the server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.engines.postgres.explore import only_reads

SPACE = st.lists(
    st.sampled_from([" ", "\n", "\t", ";", "(", "-- x\n", "/* y */", "/* /* z */ DROP */", "--\n"]), max_size=6
).map("".join)


@given(
    SPACE, st.sampled_from(["SELECT 1", "with a AS (SELECT 1) TABLE a", "Values (1)", "TABLE t", "show x", "EXPLAIN SELECT 1"])
)
def test_queries_read_whatever_stands_before_them(start: str, query: str) -> None:
    assert only_reads(start + query)


@given(
    SPACE,
    st.sampled_from(["DELETE FROM t", "do $$ $$", "LOCK t", "COMMIT", "selection", "SET x = 1", "CALL f()", "é", "1", "'"]),
)
def test_everything_else_does_not(start: str, other: str) -> None:
    assert not only_reads(start + other)


@pytest.mark.parametrize("blank", ["", " \n", "-- SELECT", "/* SELECT */", ";;", "/* not closed", "/* /* */ SELECT 1"])
def test_a_text_without_a_statement_reads(blank: str) -> None:
    assert only_reads(blank)


@given(st.text(max_size=50))
def test_any_text_has_an_answer(text: str) -> None:
    assert only_reads(text) in (True, False)
