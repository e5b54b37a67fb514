"""Inputs that nobody would send by mistake, made from ordinary ones. The same seed makes the same input."""

from __future__ import annotations

import json
from random import Random
from typing import Any

TEXTS = (
    "",
    "\0",
    "a\0b",
    "\ud83d",
    "\ude00\ud83d",
    "x" * 5000,
    "[" * 100_000,
    '{"a":' * 2000,
    "(" * 3000,
    "\x1b[2J\x1b]0;owned\x07",
    "\ufeff",
    "\u202e",
    "-- ",
    "/*",
    "';",
    '"""',
    "```",
    "```sql\n",
    "<action>",
    "</action>",
    "Action: execute_sql\nInput: ",
    "%s%n{0}{x}\\u0000\\ud83d",
    "SELECT",
    "1e999",
    "9" * 5000,
    "NaN",
    "../../etc/passwd",
    "\r\n\r\n",
    "SELECT name FROM item WHERE price > 1.0",
    "SELECT CAST(x'eda080' AS TEXT), x'00ff', char(0, 55357)",
    "SELECT 9e999, -9e999, 9223372036854775807 + 1",
)
VALUES: tuple[Any, ...] = (None, True, False, 0, -1, 1.5, 10**30, -(10**12), 1e308, [], {}, [[[]]], {"a": {"b": []}}, "5")
BYTES = (b"", b"\xff", b"\x00", b"\xed\xa0\x80", b"\xf0\x9f", b"\n", b"\r", b'"', b"\\", b"[" * 3000, b"{", b"}", b"\x1f\x8b")


def text(random: Random, seed: str = "SELECT name FROM item") -> str:
    """An ordinary text with something in it that is not."""
    for _ in range(random.randint(1, 3)):
        start, end = sorted(random.randint(0, len(seed)) for _ in range(2))
        seed = seed[:start] + random.choice(TEXTS) + seed[random.choice((start, end)) :]
    return seed


def value(random: Random, depth: int = 0) -> Any:
    """Any JSON value, and some that are none."""
    kind = random.random()
    if kind < 0.4 or depth > 4:
        return text(random)
    if kind < 0.8:
        return random.choice(VALUES)
    if kind < 0.9:
        return [value(random, depth + 1) for _ in range(random.randint(0, 3))]
    return {text(random, "sql"): value(random, depth + 1) for _ in range(random.randint(0, 3))}


def changed(random: Random, thing: Any) -> Any:
    """The value with some of its parts taken out or put in another's place; its own kind stays."""
    if isinstance(thing, dict):
        kept = {key: _part(random, item) for key, item in thing.items() if random.random() > 0.1}
        return {**kept, text(random, "more"): value(random)} if random.random() < 0.1 else kept
    return [_part(random, item) for item in thing] if isinstance(thing, list) else _part(random, thing)


def _part(random: Random, item: Any) -> Any:
    if random.random() < 0.25:
        return value(random)
    if isinstance(item, str) and random.random() < 0.4:
        return text(random, item)
    return changed(random, item) if isinstance(item, dict | list) else item


def json_text(random: Random, thing: Any) -> str:
    """JSON as it is allowed, half characters included; sometimes nested deeper than anybody reads."""
    written = json.dumps(thing, ensure_ascii=random.random() < 0.7)
    if random.random() < 0.05:
        depth = random.choice((101, 1000, 100_000))
        written = written.replace("null", "[" * depth + "]" * depth)
    return written


def damaged(random: Random, data: bytes) -> bytes:
    """Bytes with some of them lost, doubled or replaced."""
    for _ in range(random.randint(1, 4)):
        start, end = sorted(random.randint(0, len(data)) for _ in range(2))
        data = data[:start] + random.choice(BYTES) + data[random.choice((start, end, min(end, start + 4))) :]
    return data
