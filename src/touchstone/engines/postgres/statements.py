"""What a text begins with. Whether it really only reads is for the server to say, in a read-only transaction.

Statements of other kinds (DO, LOCK, REINDEX, …) may be allowed in such a transaction too and then stand in the way of others,
so they are not tried there.
"""

from __future__ import annotations

import re

_READING = {"select", "with", "values", "table", "show", "explain"}
_SKIPPED = re.compile(r"[\s;(]+|--[^\n]*|/\*")
_WORD = re.compile(r"[A-Za-z_]+")
_LOCKS = re.compile(r"pg_(try_)?advisory_", re.IGNORECASE)
"""Held by one world, they would make another wait. (Where they are not named openly, the server refuses them: see `ground`.)"""
_COMMENT_MARK = re.compile(r"/\*|\*/")


def only_reads(sql: str) -> bool:
    """Whether the first word is one of a query's, and no lock is named. A text without a statement counts as one that reads."""
    if _LOCKS.search(sql):
        return False
    place = _start(sql)
    word = _WORD.match(sql, place)
    return place == len(sql) if word is None else word.group().lower() in _READING


def _start(sql: str) -> int:
    place = 0
    while found := _SKIPPED.match(sql, place):
        place = _after_comment(sql, found.end()) if found.group() == "/*" else found.end()
    return place


def _after_comment(sql: str, place: int) -> int:
    """The end of a comment, which may hold comments."""
    depth = 1
    while depth and (mark := _COMMENT_MARK.search(sql, place)):
        depth += 1 if mark.group() == "/*" else -1
        place = mark.end()
    return len(sql) if depth else place
