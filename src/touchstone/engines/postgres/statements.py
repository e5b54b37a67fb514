"""What a text begins with. Whether it really only reads is for the server to say, in a read-only transaction.

Statements of other kinds (DO, LOCK, REINDEX, …) may be allowed in such a transaction too and then stand in the way of
others, so they are not tried there.
"""

from __future__ import annotations

import re

_READING = {"select", "with", "values", "table", "show", "explain"}
_SKIPPED = re.compile(r"[\s;(]+|--[^\n]*|/\*")
_WORD = re.compile(r"[A-Za-z_]+")
_LOCKS = re.compile(r"pg_(try_)?advisory_", re.IGNORECASE)
"""Held by one world, they would make another wait. (Where they are not named openly, the server refuses them: see `ground`.)"""
_COMMENT_MARK = re.compile(r"/\*|\*/")
_SHORT = 100_000


def surely_writes(sql: str) -> bool:
    """Whether a private copy is needed for sure, told quickly: of a long text it is not known."""
    return len(sql) <= _SHORT and not only_reads(sql)


def only_reads(sql: str) -> bool:
    """Whether the first word is one of a query's, and no lock is named. A text without a statement counts as one that reads."""
    if _LOCKS.search(sql):
        return False
    at = _skip_comments(sql)
    word = _WORD.match(sql, at)
    return at == len(sql) if word is None else word.group().lower() in _READING


def _skip_comments(sql: str) -> int:
    at = 0
    while skipped := _SKIPPED.match(sql, at):
        at = _after_comment(sql, skipped.end()) if skipped.group() == "/*" else skipped.end()
    return at


def _after_comment(sql: str, at: int) -> int:
    """The end of a comment, which may hold comments."""
    depth = 1
    while depth and (mark := _COMMENT_MARK.search(sql, at)):
        depth += 1 if mark.group() == "/*" else -1
        at = mark.end()
    return len(sql) if depth else at
