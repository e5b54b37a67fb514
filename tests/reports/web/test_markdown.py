"""Markdown of models as HTML: what is rendered, and that nothing hostile in it does anything."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reports.web.runs import HOSTILE
from tests.reports.web.test_pages import Tags
from touchstone.reports.web.markdown import LONGEST, markdown

TAGS = set("p br strong em s code pre span div a ul ol li blockquote hr table thead tbody tr th td".split())
ATTRIBUTES = {"class", "href", "rel", "tabindex", "start"}
PIECES = [
    *(
        "# ",
        "**",
        "*",
        "_",
        "`",
        "```sql\n",
        "```\n",
        "> ",
        "- ",
        "1. ",
        "\n",
        "\n\n",
        "|a|b|\n|-|-:|\n|1|2|\n",
        "~~",
        "\t",
        "    ",
    ),
    *(
        "[x](",
        ")",
        "![",
        "](http://evil/x.png)",
        "javascript:alert(1)",
        "data:text/html,x",
        "//evil",
        "HTTPS://ok.org/",
        "<http://a.b>",
    ),
    *(HOSTILE, "<img src=x onerror=alert(1)>", '" onclick="x', "&lt;script&gt;", "\x00", "\x1b[31m", "\u202e", "é", "\\", "a"),
]


def harmless(html: str) -> None:
    found = Tags(html)
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(re.match(r"https?://", value or "", re.IGNORECASE) for name, value in found.attributes if name == "href")


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_whatever_is_written_does_nothing(words: str) -> None:
    rendered = markdown(words)
    if rendered is not None:
        harmless(rendered)


def test_what_models_write_is_rendered() -> None:
    shown = markdown("## Plan\n1. **Look**\n\n|a|b|\n|-|-:|\n|1|2|\n\n```sql\nSELECT 1\n```\none\ntwo")
    assert shown is not None
    for part in (
        '<p class="heading h2">Plan</p>',
        "<strong>Look</strong>",
        '<td class="right">2</td>',
        '<span class="sql-keyword">SELECT</span>',
        "one<br />\ntwo",
    ):
        assert part in shown


@pytest.mark.parametrize("words", ["", "two\nlines of_plain_words & 3 < 4", "x" * (LONGEST + 1), "**" + "y" * LONGEST])
def test_what_has_no_marks_or_is_too_long_stays_as_it_is(words: str) -> None:
    assert markdown(words) is None


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "data:text/html,x", "//evil/x", "file:///etc/passwd", "../x.html", "http:"]
)
def test_other_links_are_text(link: str) -> None:
    shown = markdown(f"**see** [this]({link}) and ![that]({link})")
    assert shown is not None
    assert "href" not in shown
    assert "<img" not in shown
