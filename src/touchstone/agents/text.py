"""Text protocols: how a model that cannot call functions is told to act in plain text, and how that text is read back."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..values import Tool, ToolCall

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
