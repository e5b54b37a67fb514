"""Arguments as models write them between the parentheses of `name(…)`.

Exact forms, which say themselves where they end, whatever they hold:

    a JSON object             {"sql": "SELECT 1"}
    string literals           'SELECT 1'  "…"  '''…'''  r"…"
    the same with names       sql="SELECT 1"   table_name='person', column_name='age'

Anything else is bare: it is taken as it stands, and where it ends is the caller's to say.

In a literal the escapes that Python's `repr` writes are undone (\\n \\r \\t \\\\ \\' \\" \\xNN \\uNNNN \\UNNNNNNNN); all others
stay, since a \\d, \\b or \\1 in SQL belongs to a pattern. Literals with blanks between them are joined, as in Python. Quotes
that touch are not: 'it''s' is SQL that somebody put between quotes, so all between the outer quotes is taken as it stands, and
the doubled quote stays doubled. The same holds for text between quotes that is no literal: 'SELECT 'a' FROM "t"'.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..types import Tool, ToolCall

# Text protocols: how a model that cannot call functions is told to act in plain text, and how that text is read back.


_LANGUAGES = r"(?:sql|sqlite3?|postgres|postgresql|pgsql|plpgsql|mysql|duckdb|json|text|plaintext|python)"
_FENCE = re.compile(rf"```(?:[\w+-]*+[ \t]*+\r?\n|[ \t]*+{_LANGUAGES}(?=[\s`]))?", re.IGNORECASE)


@dataclass(frozen=True)
class TextProtocol:
    """One way of acting in text."""

    explain: Callable[[Sequence[Tool]], str]
    """What is added to the instructions."""
    parse: Callable[[str, Sequence[Tool], str], ToolCall | None]
    """The move in a reply, under the id given, or None. Never raises."""
    reminder: str
    """What a reply without a move is answered with."""
    observation: str = "Observation: "
    """What stands before a tool's answer."""


def unfenced(text: str) -> str:
    """What a code fence at the beginning of the text holds; without a fence the text itself. Outer blanks are taken off."""
    text = text.strip()
    fence = _FENCE.match(text)
    return text[fence.end() :].partition("```")[0].strip() if fence else text


def tool_named(name: str, tools: Sequence[Tool]) -> Tool | None:
    """By its name; upper and lower case do not matter if nothing else differs."""
    alike = [tool for tool in tools if tool.name.lower() == name.lower()]
    return next((tool for tool in alike if tool.name == name), alike[0] if len(alike) == 1 else None)


Values = Mapping[str, Any]

_LITERAL = re.compile(
    r"""(?P<raw>[rR]?)(?P<quote>\"{3}|'{3}|"|')(?P<text>(?:[^\\'"]++|(?!(?P=quote))(?:[^\\]|\\.))*+)(?P=quote)""", re.DOTALL
)
_ESCAPE = re.compile(
    r"""\\(?:(?P<char>[\\'"nrt])|(?P<code>x[\da-fA-F]{2}|u[\da-fA-F]{4}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4})|\r?\n)""", re.ASCII
)
_CHARS = {"n": "\n", "r": "\r", "t": "\t"}
_KEYWORD = re.compile(r"\s*+(?P<name>\w++)\s*+=\s*+")
_BLANKS = re.compile(r"\s*+")
_CLOSE = re.compile(r"\s*+(?:,\s*+)?(?:\)|\Z|(?=</action\s*+>))", re.IGNORECASE)
_COMMA = re.compile(r"\s*+,")
_JSON = json.JSONDecoder(strict=False)  # line breaks in a text are common, and clear


def exact(text: str, at: int, fields: Sequence[str]) -> tuple[Values, int] | None:
    """The arguments that begin here, in an exact form, and where their closing parenthesis ends; or None."""
    arguments = _json_object(text, at, fields) or _literals(text, at, fields)
    closed = _CLOSE.match(text, arguments[1]) if arguments else None
    return (arguments[0], closed.end()) if arguments and closed else None


def bare(content: str, fields: Sequence[str]) -> Values | None:
    """Text as it stands: all of it for a single argument, divided at commas for several; None if it cannot be divided so."""
    parts = content.split(",") if len(fields) > 1 else [content]
    values: dict[str, Any] = {}
    for part, position in zip(parts, fields, strict=False):
        name, start = _name(part, 0, fields)
        values[name or position] = _unwrapped(unfenced(part[start:]))
    return values if len(values) == len(parts) or not fields else None


def literal(text: str, at: int) -> tuple[str, int] | None:
    """The string that begins here, written as one literal or several, and where it ends."""
    pieces: list[re.Match[str]] = []
    start, touching = at, False
    while piece := _LITERAL.match(text, at):
        touching = touching or (bool(pieces) and pieces[-1].end() == piece.start())
        pieces.append(piece)
        at = _skip(text, piece.end())
    if not pieces:
        return None
    end = pieces[-1].end()
    if touching:
        return _unwrapped(text[start:end]), end
    return "".join(piece["text"] if piece["raw"] else _unescaped(piece["text"]) for piece in pieces), end


def _literals(text: str, at: int, fields: Sequence[str]) -> tuple[Values, int] | None:
    values: dict[str, Any] = {}
    for position in fields:
        name, at = _name(text, at, fields)
        value = literal(text, _skip(text, at))
        if value is None or (name or position) in values:
            return None
        values[name or position], at = value
        comma = _COMMA.match(text, at)
        if comma is None or len(values) == len(fields):
            return values, at
        at = comma.end()
    return None


def _json_object(text: str, at: int, fields: Sequence[str]) -> tuple[Values, int] | None:
    at = _skip(text, at)
    if not text.startswith("{", at):
        return None
    try:
        value, end = _JSON.raw_decode(text, at)
        json.dumps(value, ensure_ascii=False).encode()  # what cannot be passed on, such as half a character, is not JSON
    except (ValueError, RecursionError):
        return None
    values = cast("dict[str, Any]", value)
    return None if values.keys().isdisjoint(fields) else (values, end)


def _name(text: str, at: int, fields: Sequence[str]) -> tuple[str | None, int]:
    keyword = _KEYWORD.match(text, at)
    return (keyword["name"], keyword.end()) if keyword and keyword["name"] in fields else (None, at)


def _skip(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _unwrapped(text: str) -> str:
    """Without the outer quotes, if they are the same at both ends."""
    for quote in ('"""', "'''", '"', "'", "`"):
        if len(text) >= 2 * len(quote) and text.startswith(quote) and text.endswith(quote):
            return text[len(quote) : -len(quote)]
    return text


def _unescaped(text: str) -> str:
    plain = _ESCAPE.sub(lambda match: _CHARS.get(match["char"] or "", match["char"]) if match["char"] else _char(match), text)
    try:
        return plain.encode("utf-16", "surrogatepass").decode("utf-16")  # two halves written apart are one character
    except UnicodeError:
        return text


def _char(match: re.Match[str]) -> str:
    return chr(int(match["code"][1:], 16)) if match["code"] else ""
