"""HTML to text, as a reader sees it.

A page may be broken or hostile, so it is read in one pass from left to right in time that grows with its length alone,
without a tree: a tag that never ends takes the rest of the page with it, as in a browser. Headings, list items, table cells
and code keep their shape. Scripts, styles and pictures are left out, and so is what surrounds the text (navigation, footers)
unless nothing else would be left.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TAG = re.compile(r"""<(/?)([a-zA-Z][^\s/>]*+)((?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=(?!\s*["']))*+)>""")
"""Quotes count only after an equals sign."""
_STARTS_TAG = re.compile(r"</?[a-zA-Z]")
_RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style", "iframe", "textarea", "xmp")}
"""Elements whose content is no markup, with where they end."""
_UNSEEN = frozenset("svg math noscript template object select button dialog".split())
_AROUND = frozenset("nav footer aside".split())
_EMPTY = frozenset("area base br col embed hr img input link meta source track wbr".split())
_BLOCKS = frozenset(
    "address article blockquote body dd details div dl dt fieldset figcaption figure footer form header hr html legend main "
    "nav aside ol section summary table tbody tfoot thead ul".split()
)
_SPACED = frozenset("p pre h1 h2 h3 h4 h5 h6 table".split())
_ENDLESS_NUMBER = re.compile(r"&#0*\d{8,};?")
"""Beyond every character; Python refuses to convert the longest ones."""
_SPACE = re.compile(r"\s+")
_LINE_ENDS = re.compile(r"[^\S\n]+\n")
_GAPS = re.compile(r"\n{3,}")


@dataclass(frozen=True)
class Page:
    title: str
    text: str


def read_html(source: str) -> Page:
    reader = _read(source, _UNSEEN | _AROUND)
    if reader.skipping or not reader.text():
        reader = _read(source, _UNSEEN)
    return Page(" ".join((reader.title or reader.heading).split()), reader.text())


def _read(source: str, unseen: frozenset[str]) -> _Reader:
    reader = _Reader(unseen)
    for text, closing, name in _events(source):
        reader.write(text)
        if name:
            reader.tag(name, closing)
    return reader


@dataclass
class _Reader:
    unseen: frozenset[str]
    title: str = ""
    heading: str = ""
    """The first one of the page."""
    skipping: str = ""
    """The name of the element that is being left out."""
    depth: int = 0
    inside: str = ""
    """The title or the first heading, while it is read."""
    as_is: int = 0
    parts: list[str] = field(default_factory=list[str])

    def write(self, raw: str) -> None:
        if self.skipping or not raw:
            return
        text = html.unescape(_ENDLESS_NUMBER.sub("\ufffd", raw)).replace("¶", "")
        if self.inside == "title":
            self.title += text
            return
        if self.inside:
            self.heading += text
        self.parts.append(text if self.as_is else _SPACE.sub(" ", text))

    def tag(self, name: str, closing: bool) -> None:
        if self.skipping:
            self._skip(name, closing)
        elif name in self.unseen and not closing:
            self.skipping, self.depth = name, 1
        elif name == "title":
            self.inside = "" if closing or self.title else "title"
        else:
            self._shape(name, closing)

    def _skip(self, name: str, closing: bool) -> None:
        if name == self.skipping:
            self.depth += -1 if closing else 1
            self.skipping = self.skipping if self.depth else ""

    def _shape(self, name: str, closing: bool) -> None:
        if name in _SPACED:
            self.parts.append("\n\n")
        elif name in _BLOCKS or name in ("br", "tr", "li"):
            self.parts.append("\n")
        if name == "pre":
            self.as_is = max(self.as_is + (-1 if closing else 1), 0)
        elif name in ("td", "th") and closing:
            self.parts.append(" | ")
        elif name == "li" and not closing:
            self.parts.append("- ")
        elif len(name) == 2 and name[0] == "h" and name[1] in "123456":
            self._heading(int(name[1]), closing)

    def _heading(self, level: int, closing: bool) -> None:
        if closing:
            self.inside = ""
        else:
            self.parts.append("#" * level + " ")
            self.inside = "" if self.heading.strip() else "heading"

    def text(self) -> str:
        joined = "".join(self.parts).replace("\r\n", "\n")
        lines = [line if line.strip(" |-#") else "" for line in _LINE_ENDS.sub("\n", joined).split("\n")]
        return _GAPS.sub("\n\n", "\n".join(line.rstrip() for line in lines)).strip()


def _events(source: str) -> Iterator[tuple[str, bool, str]]:
    """Text, and the tag after it: whether it closes, and its name, which is empty for none."""
    position = 0
    while (start := source.find("<", position)) >= 0:
        text = source[position:start]
        match = _TAG.match(source, start)
        if match:
            name, position = match[2].lower(), match.end()
            if name in _RAW:
                yield text, False, ""
                end = None if match[1] else _RAW[name].search(source, position)
                position = position if match[1] else end.start() if end else len(source)
            else:
                yield text, bool(match[1]), name if not match[1] or name not in _EMPTY else ""
        elif _STARTS_TAG.match(source, start):
            yield text, False, ""
            return
        else:
            position, sign = _no_tag(source, start)
            yield text + sign, False, ""
    yield source[position:], False, ""


def _no_tag(source: str, start: int) -> tuple[int, str]:
    """Where a comment or a declaration ends; a lone sign is text."""
    closer = "-->" if source.startswith("<!--", start) else ">" if source[start + 1 : start + 2] in ("!", "?", "/") else ""
    if not closer:
        return start + 1, "<"
    end = source.find(closer, start + 2)
    return (end + len(closer) if end >= 0 else len(source)), ""
