"""SQL as tokens with positions, comments left out.

Two regular expressions, one per dialect, that match at every place of any text: what is no literal, name, word, number
or known operator is a token of one character. So nothing is lost and nothing is refused, whatever the text is.
(sqlglot's tokens will not do here: after EXPLAIN, CALL, REPLACE or REFRESH they skip the rest of the statement, and its
syntax trees know the positions of names and literals only.)
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple, cast

Dialect = Literal["postgres", "sqlite"]
Kind = Literal["string", "body", "name", "number", "word", "mark"]


class Token(NamedTuple):
    kind: Kind
    start: int
    end: int
    text: str

    @property
    def word(self) -> str:
        """In capitals, for comparison with keywords. A quoted name has its quotes and so is none."""
        return self.text.upper()


_STRING = r"'[^']*(?:''[^']*)*'"
_NAME = r'"[^"]*(?:""[^"]*)*"'
_REST = r"""
    | (?P<number> (?: \d[\d_]*(?:\.\d*)? | \.\d+ ) (?:e[+-]?\d+)? )
    | (?P<word> [^\W\d][\w$]* )
    | (?P<mark> ::|->>?|\#>>?|@>|<@|<=|>=|<>|!=|\|\||\S )
"""
_LINE = r"(?P<comment> --[^\n]* )"
_PATTERNS = {
    "postgres": rf"""
        {_LINE} | (?P<block> /\* )
        | (?P<body> \$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$ )
        | (?P<string> e'[^'\\]*(?:(?:\\.|'')[^'\\]*)*' | (?:[bxn]|u&)?{_STRING} )
        | (?P<name> (?:u&)?{_NAME} ) {_REST}""",
    "sqlite": rf"""
        {_LINE} | (?P<block> /\* )
        | (?P<string> x?{_STRING} )
        | (?P<name> {_NAME} | `[^`]*(?:``[^`]*)*` | \[[^\]]*\] ) {_REST}""",
}
_EXPRESSIONS = {name: re.compile(pattern, re.VERBOSE | re.DOTALL | re.IGNORECASE) for name, pattern in _PATTERNS.items()}
_EDGE = re.compile(r"/\*|\*/")


@lru_cache(maxsize=256)
def lex(sql: str, dialect: Dialect) -> tuple[Token, ...]:
    """The tokens in order."""
    expression = _EXPRESSIONS[dialect]
    found: list[Token] = []
    at = 0
    while piece := expression.search(sql, at):
        at = piece.end()
        kind = cast(str, piece.lastgroup)
        if kind == "block":
            at = _end_of_comment(sql, piece.start(), nested=dialect == "postgres")
            kind = "mark" if at == piece.end() else "comment"
        if kind != "comment":
            found.append(Token(cast(Kind, kind), piece.start(), piece.end(), piece.group()))
    return tuple(found)


def _end_of_comment(sql: str, start: int, *, nested: bool) -> int:
    """Behind the comment that starts here; behind its first mark if it never ends, which makes it no comment."""
    depth = 0
    for edge in _EDGE.finditer(sql, start):
        if edge.group() == "*/":
            depth -= 1
        elif nested or depth == 0:
            depth += 1
        if depth == 0:
            return edge.end()
    return start + 2
