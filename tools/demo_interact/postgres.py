"""Values as PostgreSQL itself writes them, so that a dump made from the loaded database gives the same bytes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from datetime import datetime
from typing import Any

ESCAPES = str.maketrans({"\\": r"\\", "\n": r"\n", "\r": r"\r", "\t": r"\t"})


def shown(value: Any, kind: str) -> str | None:
    """The text of one cell; None for NULL."""
    if value is None:
        return None
    if kind == "jsonb":
        return jsonb(value)
    return array(value) if kind.endswith("[]") else scalar(value)


def scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "t" if value else "f"
    return value.isoformat(sep=" ") if isinstance(value, datetime) else str(value)


def array(values: Iterable[Any]) -> str:
    return "{" + ",".join("NULL" if value is None else element(scalar(value)) for value in values) + "}"


def element(value: str) -> str:
    if value and value.upper() != "NULL" and not re.search(r'[{}",\\\s]', value):
        return value
    return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'


def jsonb(value: Any) -> str:
    """The binary form keeps shorter keys before longer ones."""
    if isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: (len(pair[0].encode()), pair[0].encode()))
        return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {jsonb(item)}" for key, item in pairs) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(jsonb(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def copy_line(cells: Iterable[str | None]) -> str:
    return "\t".join(r"\N" if cell is None else cell.translate(ESCAPES) for cell in cells)
