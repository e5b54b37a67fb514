"""Where the clauses of a statement begin, at one level of its parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, cast

# SQL as tokens with positions, comments left out.
#
# Two regular expressions, one per dialect, that match at every place of any text: what is no literal, name, word, number
# or known operator is a token of one character. So nothing is lost and nothing is refused, whatever the text is.
# (sqlglot's tokens will not do here: after EXPLAIN, CALL, REPLACE or REFRESH they skip the rest of the statement, and its
# syntax trees know the positions of names and literals only.)


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
    tokens: list[Token] = []
    at = 0
    while piece := expression.search(sql, at):
        at = piece.end()
        kind = cast(str, piece.lastgroup)
        if kind == "block":
            at = _end_of_comment(sql, piece.start(), nested=dialect == "postgres")
            kind = "mark" if at == piece.end() else "comment"
        if kind != "comment":
            tokens.append(Token(cast(Kind, kind), piece.start(), piece.end(), piece.group()))
    return tuple(tokens)


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


_CHANGES = frozenset("INSERT UPDATE DELETE MERGE".split())
_STARTERS = _CHANGES | frozenset("REPLACE CREATE ALTER DROP TRUNCATE GRANT REVOKE COMMENT EXPLAIN CALL DO SET".split())
_OPENERS = frozenset(["", ";", "AS", "BEGIN", "THEN", "ELSE", "LOOP", "ANALYZE", "EXPLAIN"])
"""What can stand before a statement, besides the CTEs: nothing, an EXPLAIN, a keyword of PL/pgSQL."""
_OBJECTS = frozenset(
    "TABLE VIEW FUNCTION PROCEDURE TRIGGER INDEX TYPE SCHEMA SEQUENCE EXTENSION POLICY RULE DOMAIN ROLE".split()
)
_UNCUT = frozenset("GRANT REVOKE COMMENT".split())
_SET_OPERATORS = frozenset("UNION INTERSECT EXCEPT".split())
_JOIN_WORDS = frozenset("LEFT RIGHT FULL INNER OUTER CROSS NATURAL".split())
_PLAIN = frozenset("SELECT WHERE HAVING RETURNING".split())
_FOLLOWED = {
    "GROUP": frozenset(["BY"]),
    "ORDER": frozenset(["BY"]),
    "FETCH": frozenset(["FIRST", "NEXT"]),
    "FOR": frozenset(["UPDATE", "SHARE", "NO", "KEY"]),
    "ON": frozenset(["CONFLICT"]),
    "VALUES": frozenset(["("]),
}
"""Clauses only with the right word behind them."""
_NAME_BEFORE = frozenset([".", "AS", ",", "(", "=", "<", ">", "+", "-", "*", "/", "SELECT", "BY", "DISTINCT"])
_NAME_BEHIND = frozenset([".", ",", ")", "=", "<", ">", "+", "-", "*", "/", "AS", "FROM", "IS", "IN", "ASC", "DESC", ""])
"""Around a word that is a name here: `SELECT offset FROM t`."""


class ClauseStart(NamedTuple):
    """A clause begins at this token."""

    at: int
    clause: str


class Tokens:
    """One statement's tokens, and which parenthesis closes which."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._words = [token.word for token in tokens]
        self.closing = _pairs(self._words)

    def __getitem__(self, at: int) -> Token:
        return self._tokens[at]

    def word(self, at: int) -> str:
        return self._words[at] if 0 <= at < len(self._words) else ""

    def behind(self, at: int) -> int:
        """The next token at this level."""
        return self.closing.get(at, at) + 1

    def opens_query(self, at: int) -> bool:
        """Whether a sub-query is in the parentheses that open here; it may be in more of them, with a set operator."""
        while at in self.closing:
            first = at + 1
            if self.word(first) in ("SELECT", "VALUES") or (self.word(first) == "WITH" and self.cte(first)):
                return True
            if self.word(first) in _CHANGES:
                return self.word(first + 1) not in (",", ")")
            if self.word(first) != "(" or self.word(self.behind(first)) not in {*_SET_OPERATORS, ")", "ORDER", "LIMIT"}:
                return False
            at = first
        return False

    def cte(self, at: int) -> ClauseStart | None:
        """Behind a table expression that begins here, with its WITH or with its name."""
        if self.word(at) == "WITH":
            at += 2 if self.word(at + 1) == "RECURSIVE" else 1
        elif self.word(at) in ("(", ""):
            return None
        name, at = at, at + 1
        if self.word(at) == "(":
            at = self.behind(at)
        if self.word(at) != "AS" or name >= len(self._tokens):
            return None
        at += 1
        while self.word(at) in ("NOT", "MATERIALIZED"):
            at += 1
        return ClauseStart(self.behind(at), f"WITH {self._tokens[name].text}") if at in self.closing else None


def cuts(tokens: Tokens, low: int, high: int) -> list[ClauseStart]:
    """Where the clauses between two tokens begin. The first begins at the first token, whatever it is."""
    return _Scan(tokens, low, high).run()


def _pairs(words: Sequence[str]) -> dict[int, int]:
    """From each parenthesis to its partner; those without one are missing."""
    pairs: dict[int, int] = {}
    still: list[int] = []
    for at, word in enumerate(words):
        if word == "(":
            still.append(at)
        elif word == ")" and still:
            pairs[still.pop()] = at
    return pairs


class _Scan:
    """One walk over one level."""

    def __init__(self, tokens: Tokens, low: int, high: int) -> None:
        self._tokens = tokens
        self._low = low
        self._high = high
        self._starts: list[ClauseStart] = []
        self._head = ""
        self._cases = 0

    def run(self) -> list[ClauseStart]:
        at = self._low
        while at < self._high:
            at = self._step(at)
        if not self._starts or self._starts[0].at > self._low:
            first = "QUERY" if self._tokens.opens_query(self._low) else "STATEMENT"
            self._starts.insert(0, ClauseStart(self._low, first))
        return self._starts

    def _step(self, at: int) -> int:
        """Looks at one token, and says where to look next."""
        if (after := self._table_expression(at)) is not None:
            return after
        word = self._tokens.word(at)
        self._cases = max(0, self._cases + (word == "CASE") - (word == "END"))
        cut = self._clause(at, word) if not self._cases and self._head not in _UNCUT else None
        if cut is not None:
            self._add(cut)
        return self._tokens.behind(at)

    def _table_expression(self, at: int) -> int | None:
        """A CTE: the first one with its WITH, the others behind a comma, which stays with the one before."""
        more = self._tokens.word(at - 1) == "," and bool(self._starts) and self._starts[-1].clause.startswith("WITH ")
        if self._tokens.word(at) != "WITH" and not (more and self._tokens.word(at - 2) == ")"):
            return None
        cte = self._tokens.cte(at)
        if cte is None or cte.at > self._high:
            return None
        self._add(ClauseStart(at, cte.clause))
        return cte.at

    def _add(self, cut: ClauseStart) -> None:
        """A SELECT right behind a UNION is one clause with it."""
        last = self._starts[-1] if self._starts else ClauseStart(-1, "STATEMENT")
        operator = last.clause.split()
        adjoins = operator[0] in _SET_OPERATORS and cut.at - last.at == len(operator)
        if adjoins and cut.clause in ("SELECT", "VALUES"):
            self._starts[-1] = ClauseStart(last.at, f"{last.clause} {cut.clause}")
            return
        self._starts.append(cut)

    def _clause(self, at: int, word: str) -> ClauseStart | None:
        before, behind = self._before(at), self._tokens.word(at + 1)
        if before == "." or behind == ".":
            return None
        if word in _STARTERS and self._head != "MERGE" and (before in _OPENERS or self._behind_expressions(before)):
            return self._statement(at, word)
        if word == "JOIN":
            return self._join(at)
        if word in _SET_OPERATORS:
            return ClauseStart(at, f"{word} {behind}" if behind in ("ALL", "DISTINCT") else word)
        if word in _FOLLOWED:
            return self._followed(at, word, behind)
        return ClauseStart(at, word) if self._begins(at, word, before, behind) else None

    def _behind_expressions(self, before: str) -> bool:
        return before == ")" and bool(self._starts) and self._starts[-1].clause.startswith("WITH ")

    def _begins(self, at: int, word: str, before: str, behind: str) -> bool:
        """Whether a word of many uses begins a clause here."""
        current = self._starts[-1].clause if self._starts else ""
        if word in _PLAIN:
            return before != "AS" or word == "SELECT"
        if word == "FROM":
            return before not in ("DISTINCT", "DELETE") and current != "DELETE FROM"
        if word in ("LIMIT", "OFFSET"):
            return before not in _NAME_BEFORE and behind not in _NAME_BEHIND
        if word == "WINDOW":
            return self._tokens.word(at + 2) == "AS"
        if word == "AS":
            return current in ("CREATE FUNCTION", "CREATE PROCEDURE") and self._tokens[at + 1].kind in ("string", "body")
        wanted = {"SET": ("UPDATE",), "USING": ("DELETE FROM", "MERGE INTO")}
        return current in wanted.get(word, ()) or (word == "WHEN" and self._head == "MERGE")

    def _statement(self, at: int, word: str) -> ClauseStart:
        self._head = word
        words = [self._tokens.word(index) for index in range(at, min(at + 8, self._high))]
        if word in ("CREATE", "ALTER", "DROP"):
            kind = next((each for each in words if each in _OBJECTS), "")
            return ClauseStart(at, f"{word} {kind}".strip())
        return ClauseStart(at, f"{word} {words[1]}" if words[1:2] in (["INTO"], ["FROM"]) else word)

    def _followed(self, at: int, word: str, behind: str) -> ClauseStart | None:
        if behind not in _FOLLOWED[word] or (self._head == "MERGE" and word == "VALUES"):
            return None
        if word == "VALUES":
            return ClauseStart(at, word)
        return ClauseStart(at, word if word == "FETCH" else f"{word} {behind}")

    def _join(self, at: int) -> ClauseStart:
        """With the words before it that belong to it."""
        floor = self._starts[-1].at + 1 if self._starts else self._low
        start = at
        while start > floor and self._tokens.word(start - 1) in _JOIN_WORDS:
            start -= 1
        return ClauseStart(start, " ".join(self._tokens.word(index) for index in range(start, at + 1)))

    def _before(self, at: int) -> str:
        return self._tokens.word(at - 1) if at > self._low else ""
