"""SQL texts in MySQL's syntax: whether one only reads, where its statements end, and a dump as statements to load."""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ...errors import SqlError

_READING = {"select", "with", "values", "table", "show", "desc", "describe", "explain"}
_SKIPPED = re.compile(r"(?:[\s;(]+|--(?=\s|$)[^\n]*|#[^\n]*|/\*(?!M?!).*?(?:\*/|$))*", re.DOTALL)
"""Space and comments before the first word. A comment that begins with /*! is not one: the server runs what is in it."""
_WORD = re.compile(r"[A-Za-z_]+")
_SHOWN = re.compile(
    r"show\s+(full\s+|extended\s+)*(tables|columns|fields|databases|schemas|index|indexes|keys|table\s+status|warnings|variables"
    r"|create\s+(table|view|database|schema)|character\s+set|collation|engines|triggers)\b",
    re.IGNORECASE,
)
_LOCKS = re.compile(r"\bget_lock\b", re.IGNORECASE)
_OTHERS = re.compile(r"processlist|performance_schema|\bsys\b\s*`?\s*\.|user_statistics|innodb_trx", re.IGNORECASE)
"""Where the server tells what others run just now, which may be a gold query. SQL cannot put such a name together."""


def only_reads(sql: str) -> bool:
    """Whether the first word is a query's and it takes no named lock. A text without a statement counts as one that reads."""
    start = _start(sql)
    word = _WORD.match(sql, start)
    if word is None:
        return start == len(sql)
    if word.group().lower() == "show" and not _SHOWN.match(sql, start):
        return False
    return word.group().lower() in _READING and not _LOCKS.search(sql)


def refuse_looking_at_others(sql: str) -> None:
    if _OTHERS.search(sql):
        raise SqlError("refused", "Only the database can be read, not what else its server is doing.")


def is_blank(sql: str) -> bool:
    return _start(sql) == len(sql)


def _start(sql: str) -> int:
    skipped = _SKIPPED.match(sql)
    return skipped.end() if skipped else 0


_TOKENS = rb"""
    (?P<quoted> '[^'\\]*(?:(?:\\.|'')[^'\\]*)*' | "[^"\\]*(?:(?:\\.|"")[^"\\]*)*" | `[^`]*`
        | --(?=[ \t\n]|$)[^\n]* | \#[^\n]* | /\*(?!M?!).*?\*/ )
    | (?P<new> ^[ \t]*delimiter[ \t]+(?P<word>\S+)[ \t]*$ )
    | (?P<end> %s )
"""


def split(text: str) -> Iterator[str]:
    """The statements of a text, without what separates them. `DELIMITER` lines are understood, as clients understand them."""
    for piece in _split(text.encode()):
        yield piece.decode()


def _split(text: Any) -> Iterator[bytes]:
    start = at = 0
    pattern = _until(b";")
    while match := pattern.search(text, at):
        at = match.end()
        if match["end"] is not None:
            yield text[start : match.start()].strip()
            start = at
        elif match["new"] is not None and not text[start : match.start()].strip():
            pattern, start = _until(match["word"]), at
    yield text[start:].strip()


@cache
def _until(delimiter: bytes) -> re.Pattern[bytes]:
    end = re.escape(delimiter).replace(b"#", b"\\#").replace(b"%", b"%%")
    return re.compile(_TOKENS % end, re.DOTALL | re.MULTILINE | re.IGNORECASE | re.VERBOSE)


_DEFINER = re.compile(rb"\bDEFINER\s*=\s*(`[^`]*`|'[^']*'|\w+)\s*@\s*(`[^`]*`|'[^']*'|[\w%]+)", re.IGNORECASE)
_BEFORE = rb"(?:\s+|--[ \t][^\n]*|--\n|\#[^\n]*|/\*(?!M?!).*?\*/|/\*M?!\d*)*"
_BLANK = re.compile(_BEFORE + rb"\Z", re.DOTALL)
_LEFT_OUT = re.compile(
    _BEFORE + rb"(create\s+(database|schema|user)|drop\s+(database|schema|user)|use\s|grant\s|flush\s|set\s+@@global"
    rb"|set\s+(@@session\.)?(sql_log_bin|gtid_purged))",
    re.IGNORECASE | re.DOTALL,
)
_DEFINITION = re.compile(_BEFORE + rb"(create|alter|set)\b", re.IGNORECASE | re.DOTALL)


def dump(path: Path) -> Iterator[bytes]:
    """A dump's statements, for whatever database they are loaded into: without other databases, accounts and definers.
    MySQL 8 sorts by `utf8mb4_0900_ai_ci`, for which MariaDB has another name."""
    with path.open("rb") as file:
        if not path.stat().st_size:
            return
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
            for statement in _split(text):
                if not statement or _BLANK.match(statement) or _LEFT_OUT.match(statement):
                    continue
                if _DEFINITION.match(statement):
                    statement = _DEFINER.sub(b"", statement)
                    statement = statement.replace(b"utf8mb4_0900_ai_ci", b"utf8mb4_uca1400_nopad_ai_ci")
                yield statement
