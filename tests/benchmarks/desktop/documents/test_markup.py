"""HTML becomes readable text; broken and hostile HTML becomes some text, soon."""

from __future__ import annotations

import html
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.documents.pages import read_html

PAGE = """<!DOCTYPE html><html><head><title>Run
 &amp; build</title><style>p { color: red }</style><script>if (a < b) { alert("</p>") }</script></head>
<body><header><a href="/">Home</a></header><nav><ul><li>Docs<li>Pricing</ul></nav>
<main><h1>Build<a class=anchor href="#b">¶</a></h1><p>First   <b>bold</b>
text &lt;tag&gt;.</p><!-- hidden > words --><ul><li>one</li><li>two</li></ul>
<table><tr><th>name</th><th>size</th></tr><tr><td>a</td><td>1</td></tr></table>
<pre>def f():
    return 1</pre><svg><text>drawing</text></svg></main><footer>Copyright</footer></body></html>"""


def test_a_page_keeps_its_shape() -> None:
    page = read_html(PAGE)
    assert page.title == "Run & build"
    assert page.text.split("\n") == [
        " Home".strip(),
        "",
        "# Build",
        "",
        "First bold text <tag>.",
        "",
        "- one",
        "",
        "- two",
        "",
        "name | size |",
        "",
        "a | 1 |",
        "",
        "def f():",
        "    return 1",
    ]


@pytest.mark.parametrize("unwanted", ["color", "alert", "hidden", "drawing", "Copyright", "Pricing", "¶"])
def test_what_is_not_text_is_left_out(unwanted: str) -> None:
    assert unwanted not in read_html(PAGE).text


def test_the_title_is_the_first_heading_where_there_is_none() -> None:
    assert read_html("<h2>Getting <i>started</i></h2><p>x</p><h1>Later</h1>").title == "Getting started"
    assert read_html("<p>nothing</p>").title == ""


def test_a_page_that_is_all_navigation_is_kept() -> None:
    assert read_html("<nav><a>Install</a></nav>").text == "Install"
    assert "the text" in read_html("<nav>never closed <p>the text</p>").text


def test_quotes_hold_what_looks_like_tags() -> None:
    assert read_html("""<p title="a > b" data-x='</p>'>seen</p><a href=x">link</a>""").text == "seen\n\nlink"


def test_a_lone_sign_is_text() -> None:
    assert read_html("<p>a < b and 1 <2</p>").text == "a < b and 1 <2"


@given(st.text(string.ascii_letters + string.digits + " .,;:!?<>&\"'é漢", max_size=80))
def test_text_survives_escaping(text: str) -> None:
    words = " ".join(text.split())
    assert read_html(f"<p>x{html.escape(words)}x</p>").text == f"x{words}x"


PARTS = [*"< > </ <!-- --> = \" ' & # p nav script pre h1 title li a".split(), " ", "\n"]


@given(st.lists(st.sampled_from(PARTS)).map("".join))
def test_nonsense_takes_no_words_that_come_before_it(nonsense: str) -> None:
    assert read_html(f"<p>before</p>{nonsense}").text.startswith("before")


BOMBS = {
    "open tags": ("<div>" * 5_000, True),
    "open navigation": ("<nav>" * 3_000, True),
    "unfinished tags": ("<a " * 200_000, True),
    "unfinished quotes": ('<a b="' * 100_001, False),
    "equals signs": ("<a " + "= " * 200_000, True),
    "unfinished comments": ("<!--" * 200_000, False),
    "unfinished declarations": ("<!" * 200_000, True),
    "lone signs": ("<" * 200_000, True),
    "unfinished scripts": ("<script>" * 100_000, False),
    "endless number": ("&#" + "9" * 500_000 + ";", True),
    "endless hexadecimal number": ("&#x" + "f" * 500_000 + ";", True),
    "entities": ("&" * 500_000, True),
    "spaces": ("<p>" + " " * 500_000 + "x", True),
    "blank lines": ("<pre>" + " \n" * 300_000 + "x", True),
    "headings": ("<h1>" * 50_000, True),
}
"""What would take hours if time grew much faster than length, and whether a browser would show what comes after it. (Open tags
that nest take time by the square of their depth, in browsers too; a page that takes a minute is left out.)"""


@pytest.mark.parametrize(("bomb", "goes_on"), BOMBS.values(), ids=BOMBS.keys())
def test_a_bomb_ends(bomb: str, goes_on: bool) -> None:
    text = read_html(f"{bomb}<p>after</p>").text
    assert text.endswith("after") if goes_on else "after" not in text
