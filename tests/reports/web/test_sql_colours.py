"""Colours are added, and nothing of the text is lost or let through as HTML."""

from __future__ import annotations

import re
from html import unescape

from hypothesis import given
from hypothesis import strategies as st

from touchstone.reports.web.layout import highlighted

PIECES = st.sampled_from(
    ["SELECT", "'", "''", '"', "--", "/*", "*/", "$$", "$a$", "<b>", "&amp;", "\n", "1.5", "x", "(", "`", "["]
)


def plain(html: str) -> str:
    return unescape(re.sub(r"</?span[^>]*>", "", html))


@given(st.lists(PIECES | st.text(st.characters(min_codepoint=32, exclude_categories=["Cc", "Cs"]))).map("".join))
def test_the_text_stays_the_same(sql: str) -> None:
    html = highlighted(sql)
    assert plain(html) == sql
    assert not re.search(r"<(?!/?span\b)", html)


def test_words_are_told_apart() -> None:
    html = highlighted("select count(*), \"my name\" from t where x = 'it''s' and y > 1.5 -- why")
    for kind, word in (
        ("keyword", "select"),
        ("function", "count"),
        ("name", "&quot;my name&quot;"),
        ("text", "&#x27;it&#x27;&#x27;s&#x27;"),
        ("number", "1.5"),
        ("comment", "-- why"),
    ):
        assert f'<span class="sql-{kind}">{word}</span>' in html


def test_an_open_end_is_no_trap() -> None:
    assert '<span class="sql-text">&#x27;open</span>' in highlighted("SELECT 'open")
    assert '<span class="sql-comment">/* open</span>' in highlighted("/* open")
