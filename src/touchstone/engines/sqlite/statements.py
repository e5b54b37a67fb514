"""Cutting a script into statements, and telling whether its result may depend on more than the database."""

from __future__ import annotations

import re
import sqlite3

_TOKEN = re.compile(
    r"""
      '(?:[^']|'')*'? | "(?:[^"]|"")*"? | `(?:[^`]|``)*`? | \[[^\]]*\]?   # quoted
    | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_TRIGGER = re.compile(r"\s*create\s+(?:temp\s+|temporary\s+)?trigger\b", re.IGNORECASE)
_CLOCK = re.compile(
    r"""
      \bnow\b | \bcurrent_(?:date|time|timestamp)\b
    | \b(?:date|time|datetime|julianday|unixepoch)\s*\(\s*\)   # without arguments they mean now
    | \bstrftime\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)
    | \b(?:random|randomblob)\s*\(
    """,
    re.VERBOSE | re.IGNORECASE,
)


def statements(script: str) -> list[str]:
    """The script's statements without the empty ones; comments stay with the statement that follows them."""
    found: list[str] = []
    start = 0
    for token in _TOKEN.finditer(script):
        if token["end"] is None:
            continue
        piece = script[start : token.end()]
        # Only a trigger's body holds semicolons of its own; SQLite itself says where it ends.
        if _TRIGGER.match(without_comments(piece)) and not sqlite3.complete_statement(piece):
            continue
        found.append(piece)
        start = token.end()
    found.append(script[start:])
    return [piece for piece in found if without_comments(piece).strip(" \t\r\n\f;\ufeff")]


def without_comments(sql: str) -> str:
    return _TOKEN.sub(lambda token: " " if token["comment"] else token[0], sql)


def is_volatile(sql: str) -> bool:
    """Whether the statement asks the clock or chance, so that its result must not be remembered."""
    return _CLOCK.search(without_comments(sql)) is not None
