"""One file of a warehouse, read in a worker process: its title and its chunks, or what is wrong with it.

Files come from a crawl and may be anything: too large, not text, in an old encoding, gone. The worker can be killed, so not
even a page that takes for ever stops the others.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path

from msgspec import Struct

from .markup import Page, read_html
from .splitting import OVERLAP, SIZE, split

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
        said = _CHARSET.search(data[:4096])
    try:
        return data.decode(said[1].decode() if said else "cp1252", "replace")
    except LookupError:
        return data.decode("cp1252", "replace")
