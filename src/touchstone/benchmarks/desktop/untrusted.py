"""Reading files that an agent made: with limits, without anything that a file can make grow or run."""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from reprlib import Repr
from typing import Any
from xml.etree import ElementTree
from zipfile import BadZipFile, ZipFile, ZipInfo

from msgspec import Struct

from .extras import need

# What a metric says, and what it says when a file cannot be read.


_SHORT = Repr()
_SHORT.maxlevel = 5
_SHORT.maxstring = _SHORT.maxother = 120
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8


class MetricResult(Struct, frozen=True):
    score: float
    reason: str


class Unreadable(Exception):
    """A file that is broken, too large or hostile. The agent's counts as wrong, ours as unscorable."""

    def __init__(self, path: Path, why: str) -> None:
        super().__init__(f"{path.name}: {why}")
        self.path = path
        self.why = why


def verdict(passed: bool, difference: str, agreement: str = "as expected") -> MetricResult:
    """All or nothing, with the reason that belongs to it."""
    return MetricResult(1.0, agreement) if passed else MetricResult(0.0, difference)


def shown(value: object, width: int = 120) -> str:
    """A value in a reason: on one line, not too long. Never all of it first: a small YAML file can stand for gigabytes."""
    text = " ".join(_SHORT.repr(value).split())
    return text if len(text) <= width else text[: width - 1] + "…"


MEGABYTE = 1 << 20
LARGEST_FILE = 256 * MEGABYTE
LARGEST_TEXT = 64 * MEGABYTE
LARGEST_YAML = 2 * MEGABYTE
"""Its parser is slow."""
LARGEST_TREE = 32 * MEGABYTE
LARGEST_PART = 128 * MEGABYTE
LARGEST_ARCHIVE = 384 * MEGABYTE
LARGEST_RATIO = 200
"""Workbooks compress about tenfold; a bomb a thousandfold."""
MOST_PARTS = 10_000
_DECLARATION = re.compile(rb"<!\s*(DOCTYPE|ENTITY)", re.IGNORECASE)


def refuse_large(path: Path, limit: int = LARGEST_FILE) -> None:
    try:
        size = path.stat().st_size
    except OSError as error:
        raise Unreadable(path, f"cannot be read: {error.strerror}") from None
    if not path.is_file():
        raise Unreadable(path, "is not a file")
    if size > limit:
        raise Unreadable(path, f"is larger than {limit // MEGABYTE} MB")


def read_text(path: Path, limit: int | None = None) -> str:
    """UTF-8; bytes that are not are written out, so that they count: the original cannot read such a file at all."""
    refuse_large(path, LARGEST_TEXT if limit is None else limit)
    return path.read_bytes().decode("utf-8", errors="backslashreplace").replace("\r\n", "\n").replace("\r", "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        raise Unreadable(path, f"is not valid JSON: {error}") from None


def read_yaml(path: Path) -> Any:
    yaml = need("yaml")
    try:
        return yaml.safe_load(read_text(path, LARGEST_YAML))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(path, f"is not valid YAML: {' '.join(str(error).split())}") from None


@contextmanager
def archive(path: Path) -> Generator[ZipFile]:
    """An archive whose declared sizes are within bounds. Python reads no more than what is declared."""
    refuse_large(path)
    try:
        with ZipFile(path) as opened:
            _refuse_bomb(path, opened.infolist())
            yield opened
    except (BadZipFile, NotImplementedError, OSError, EOFError) as error:
        raise Unreadable(path, f"is not a readable archive: {error}") from None


def refuse_hostile_workbook(path: Path) -> None:
    """Neither a bomb nor a document type declaration, which no office file needs and which entities are made of."""
    with archive(path) as opened:
        for part in opened.infolist():
            if part.filename.endswith((".xml", ".rels", ".vml")):
                with opened.open(part) as text:
                    start = text.read(4096)
                if _DECLARATION.search(start.replace(b"\0", b"")):
                    raise Unreadable(path, f"part {part.filename} declares a document type, which is refused")


def _refuse_bomb(path: Path, parts: list[ZipInfo]) -> None:
    if len(parts) > MOST_PARTS:
        raise Unreadable(path, f"has more than {MOST_PARTS:,} parts")
    for part in parts:
        if part.file_size > LARGEST_PART:
            raise Unreadable(path, f"part {part.filename} unpacks to more than {LARGEST_PART // MEGABYTE} MB")
        if part.file_size > MEGABYTE and part.file_size > LARGEST_RATIO * max(part.compress_size, 1):
            raise Unreadable(path, f"part {part.filename} unpacks to more than {LARGEST_RATIO} times its size")
    if sum(part.file_size for part in parts) > LARGEST_ARCHIVE:
        raise Unreadable(path, f"unpacks to more than {LARGEST_ARCHIVE // MEGABYTE} MB")


def parse_tree(text: str) -> ElementTree.Element | None:
    """An accessibility tree, or None: one that is too large, broken, or says what its own entities mean, is no tree."""
    if len(text) > LARGEST_TREE or "<!DOCTYPE" in text:
        return None
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return None
