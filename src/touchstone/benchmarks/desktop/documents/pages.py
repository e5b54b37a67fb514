"""One file of a warehouse, read in a worker process: its title and its chunks, or what is wrong with it.

Files come from a crawl and may be anything: too large, not text, in an old encoding, gone. The worker can be killed, so not
even a page that takes for ever stops the others.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..extras import need

# HTML to text, as a reader sees it.
#
# Parsed as browsers parse (selectolax's Lexbor), so a broken page is read as they show it, in time that grows with its
# length. Headings, list items, table cells and code keep their shape. Scripts, styles and pictures are left out, and so is
# what surrounds the text (navigation, footers) unless nothing else would be left.


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


# Text into chunks of at most 512 tokens, each of which begins with the last 20 tokens of the one before.
#
# A token, as counted here, is a run of up to eight letters or digits (a longer word counts as several), one Chinese, Japanese
# or Korean character, or one other sign; white space is none. On English documentation that is close to what language models
# count, and it needs no vocabulary. A chunk is a piece of the text as it stands. It ends, if it can, within its last quarter
# at the end of a paragraph, else of a line, else of a sentence.


SIZE, OVERLAP = 512, 20
EAST_ASIAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
TOKEN = re.compile(rf"[{EAST_ASIAN}]|[^\W{EAST_ASIAN}]{{1,8}}|[^\w\s]")
_SENTENCE_ENDS = frozenset(".!?。！？")

Span = tuple[int, int]


def split(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    if not 0 <= overlap < size // 2:
        raise ValueError(f"an overlap of {overlap} does not fit chunks of {size}")
    spans = [match.span() for match in TOKEN.finditer(text)]
    chunks: list[str] = []
    start = end = 0
    while end < len(spans):
        end = start + size
        if end < len(spans):
            end = _good_end(text, spans, end, size // 4)
        chunks.append(text[spans[start][0] : spans[min(end, len(spans)) - 1][1]])
        start = end - overlap
    return chunks


def count(text: str) -> int:
    return sum(1 for _ in TOKEN.finditer(text))


def _good_end(text: str, spans: Sequence[Span], latest: int, back: int) -> int:
    """How many tokens to take: the best break is the strongest, and of equal ones the last."""
    return max(range(latest - back, latest + 1), key=lambda end: (_strength(text, spans, end), end))


def _strength(text: str, spans: Sequence[Span], end: int) -> int:
    stop = spans[end - 1][1]
    gap = text[stop : spans[end][0]]
    if "\n" in gap:
        return 3 if gap.count("\n") > 1 else 2
    return 1 if gap and text[stop - 1] in _SENTENCE_ENDS else 0


HTML = frozenset((".html", ".htm", ".xhtml"))
MARKDOWN = frozenset((".md", ".mdx", ".markdown"))
SUFFIXES = HTML | MARKDOWN | {".txt"}
MOST_BYTES = 16 * 2**20
LONGEST_TITLE = 200
RECIPE = f"1 {SIZE} {OVERLAP}"
"""Part of every digest: another way to read and split is another content."""
_CHARSET = re.compile(
    rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*"""
    rb"(iso-8859-\d+|windows-\d+|cp\d+|latin-?\d|koi8-[ru]|shift_jis|euc-(?:jp|kr)|gbk|gb2312|gb18030|big5)\b",
    re.IGNORECASE,
)
"""Only encodings of languages: Python knows others, which do strange things."""
_HEADING = re.compile(r"^#{1,6}[ \t]+(\S[^\n]*)", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(\S[^\n]*)", re.MULTILINE)


class ReadRequest(Struct, frozen=True):
    path: bytes
    """As the system gives it: a name need not be text."""
    title: str
    """From the warehouse's own list of titles; empty: the page says it."""
    known: str
    """The digest of this file in the index, or empty."""


class Reading(Struct, frozen=True):
    digest: str = ""
    title: str = ""
    chunks: tuple[str, ...] | None = None
    """None: the file is as the index knows it."""
    problem: str = ""


def read(request: ReadRequest) -> Reading:
    """A whole file, in one go."""
    path = Path(os.fsdecode(request.path))
    try:
        if path.stat().st_size > MOST_BYTES:
            return Reading(problem=f"larger than {MOST_BYTES >> 20} MB")
        data = path.read_bytes()
    except OSError as error:
        return Reading(problem=f"cannot be read: {error.strerror}")
    digest = hashlib.blake2b(data, digest_size=16, key=RECIPE.encode())
    digest.update(request.title.encode("utf-8", "replace"))
    if digest.hexdigest() == request.known:
        return Reading(request.known)
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return Reading(problem="not a text file")
    try:
        page = parse(_decoded(data).replace("\0", ""), path.suffix.lower())
    except (ValueError, RecursionError, MemoryError) as error:
        return Reading(problem=f"cannot be parsed: {type(error).__name__}: {error}")
    chunks = tuple(split(page.text))
    if not chunks:
        return Reading(problem="there is no text in it")
    return Reading(digest.hexdigest(), (request.title or page.title or shown(path.stem))[:LONGEST_TITLE], chunks)


def parse(text: str, suffix: str) -> Page:
    """By the kind of file that its name says."""
    if suffix in HTML:
        return read_html(text)
    return _markdown(text) if suffix in MARKDOWN else Page("", text.strip())


def shown(name: str) -> str:
    """A name that is not text is shown as far as it is."""
    return os.fsencode(name).decode("utf-8", "replace")


def _markdown(text: str) -> Page:
    """Markdown is read as it stands, without the header that some tools put before it."""
    front = _FRONT.match(text)
    body = text[front.end() :] if front else text
    named = _FRONT_TITLE.search(front[1]) if front else None
    heading = named or _HEADING.search(body)
    return Page(heading[1].strip().rstrip("#").strip().strip("\"'") if heading else "", body.strip())


def _decoded(data: bytes) -> str:
    """UTF-8 unless the file shows or says otherwise; what cannot be read becomes a sign for that."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        charset = _CHARSET.search(data[:4096])
    try:
        return data.decode(charset[1].decode() if charset else "cp1252", "replace")
    except LookupError:
        return data.decode("cp1252", "replace")
