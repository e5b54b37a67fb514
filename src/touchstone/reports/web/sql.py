"""SQL with its words coloured: a small tokenizer that never fails, whatever it is given."""

from __future__ import annotations

import re

from .html import Html, h, join

_TOKEN = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))
      | (?P<text>'(?:[^']|'')*(?:'|\Z)|\$(?P<tag>\w*)\$.*?(?:\$(?P=tag)\$|\Z))
      | (?P<name>"(?:[^"]|"")*"|`[^`]*`|\[[A-Za-z_][^\]\n]*\])
      | (?P<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)
      | (?P<word>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL,
)

_KEYWORDS = frozenset(
    """
    abort add after all alter and as asc before begin between by cascade case cast check collate column commit constraint
    create cross current cursor database default delete desc distinct drop each else end escape except exclude execute
    exists explain extract false fetch filter following for foreign from full function glob grant group having if ilike in
    index inner insert instead intersect interval into is isnull join key language lateral left like limit materialized
    natural no not notnull null nulls of offset on only or order outer over partition plpgsql pragma preceding primary
    procedure range recursive references regexp rename replace restrict return returning returns revoke right rollback row
    rows savepoint select set show similar some table temp temporary then to transaction trigger true truncate unbounded
    union unique update using vacuum values view virtual when where window with within without
    """.split()
)


def highlighted(sql: str) -> Html:
    """The text of a statement, its tokens in spans."""
    parts: list[Html | str] = []
    end = 0
    for token in _TOKEN.finditer(sql):
        if kind := _kind(sql, token):
            parts += [sql[end : token.start()], h("span", token.group(), class_=f"sql-{kind}")]
            end = token.end()
    return join(*parts, sql[end:])


def block(sql: str) -> Html:
    return h("pre", h("code", highlighted(sql)), class_="sql", tabindex="0")


def _kind(sql: str, token: re.Match[str]) -> str | None:
    kind = "text" if token.lastgroup == "tag" else token.lastgroup
    if kind != "word":
        return kind
    if token.group().casefold() in _KEYWORDS:
        return "keyword"
    return "function" if sql[token.end() : token.end() + 1] == "(" else None
