"""How messages and reports write what may be long, or many."""

from __future__ import annotations

from collections.abc import Sequence


def clipped(text: str, most: int) -> str:
    """Not longer than this; an ellipsis stands for the rest."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def plural(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def some(names: Sequence[str], most: int) -> str:
    """The first of them; an ellipsis stands for the rest."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")
