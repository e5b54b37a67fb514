"""Cutting a script into statements, and telling whether its result may depend on more than the database."""

from __future__ import annotations

import re

_TOKEN = re.compile(
    r"""
      '(?:[^']|'')*'? | "(?:[^"]|"")*"? | `(?:[^`]|``)*`? | \[[^\]]*\]?   # quoted
    | (?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
    | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_SPACE = " \t\r\n\f\ufeff"
_TRIGGER = re.compile(
    r"(?:explain\s+(?:query\s+plan\s+)?)?create\s+(?:temp\s+|temporary\s+)?trigger\b", re.IGNORECASE | re.ASCII
)
_CLOCK = re.compile(
    r"""
      \bnow\b | \bcurrent_(?:date|time|timestamp)\b
    | \b(?:date|time|datetime|julianday|unixepoch)["`\]]?\s*\(\s*\)   # without arguments they mean now
    | \bstrftime["`\]]?\s*\(\s*(?:'[^']*'|"[^"]*")\s*\)
    | \b(?:random|randomblob)["`\]]?\s*\(
    """,
    re.VERBOSE | re.IGNORECASE,
)


def statements(script: str) -> list[str]:
    """The script's statements without the empty ones; comments stay with the statement that follows them."""
    found: list[str] = []
    start = part = 0
    in_trigger = False
    for token in _TOKEN.finditer(script):
        if token["end"] is None:
            continue
        bare = without_comments(script[part : token.start()]).strip(_SPACE)
        # Only a trigger's body holds semicolons of its own, and ends with an END of its own: SQLite's rule too.
        in_trigger = _TRIGGER.match(bare) is not None if part == start else in_trigger and bare.lower() != "end"
        is_empty = part == start and not bare
        part = token.end()
        if not in_trigger:
            if not is_empty:
                found.append(script[start:part])
            start = part
    if without_comments(script[start:]).strip(_SPACE):
        found.append(script[start:])
    return found


def without_comments(sql: str) -> str:
    if "--" not in sql and "/*" not in sql:
        return sql
    return _TOKEN.sub(lambda token: " " if token["comment"] else token[0], sql)


def is_volatile(sql: str) -> bool:
    """Whether the statement asks the clock or chance, so that its result must not be remembered."""
    return _CLOCK.search(without_comments(sql)) is not None
