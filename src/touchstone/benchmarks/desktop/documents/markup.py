"""HTML to text, as a reader sees it.

Parsed as browsers parse (selectolax's Lexbor), so a broken page is read as they show it, in time that grows with its length.
Headings, list items, table cells and code keep their shape. Scripts, styles and pictures are left out, and so is what
surrounds the text (navigation, footers) unless nothing else would be left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..extras import need

_UNSEEN = "script, style, svg, math, noscript, template, object, iframe, select, button, dialog, textarea, head"
_AROUND = "nav, footer, aside"
_SPACED = frozenset("p pre h1 h2 h3 h4 h5 h6 table".split())
_BLOCKS = frozenset(
    "address article blockquote body br dd details div dl dt fieldset figcaption figure footer form header hr html legend li "
    "main nav aside ol section summary tbody tfoot thead tr ul".split()
)
_LINE_ENDS = re.compile(r"[^\S\n]+\n")
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Page:
    title: str
    text: str


def read_html(source: str) -> Page:
    parse = need("selectolax.lexbor", "desktop-documents").LexborHTMLParser
    tree = parse(source)
    title = tree.css_first("title") or tree.css_first("h1, h2, h3, h4, h5, h6")
    name = " ".join((title.text() if title else "").replace("¶", "").split())
    tree.strip_tags(_UNSEEN.split(", "))
    text = _text(tree) if not tree.css_first(_AROUND) else ""
    if not text:
        without = parse(tree.html or "")
        without.strip_tags(_AROUND.split(", "))
        text = _text(without) or _text(tree)
    return Page(name, text)


def _text(tree: Any) -> str:
    joined = "".join(_parts(tree.body)) if tree.body else ""
    lines = [line if line.strip(" |-#") else "" for line in _LINE_ENDS.sub("\n", joined).split("\n")]
    return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _parts(root: Any) -> Iterator[str]:
    """The text in order, with what a tag's start and end stand for. Without recursion: pages nest as deep as they like."""
    as_is = 0
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        node, closing = stack.pop()
        name = node.tag
        if name == "-text":
            text = (node.text_content or "").replace("¶", "")
            yield text if as_is else re.sub(r"\s+", " ", text)
            continue
        yield _shape(name, closing)
        as_is += (-1 if closing else 1) * (name == "pre")
        if not closing:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))


def _shape(name: str, closing: bool) -> str:
    break_ = "\n\n" if name in _SPACED else "\n" if name in _BLOCKS else ""
    if closing:
        return " | " if name in ("td", "th") else break_
    if name == "li":
        return "\n- "
    return break_ + "#" * int(name[1]) + " " if re.fullmatch("h[1-6]", name) else break_
