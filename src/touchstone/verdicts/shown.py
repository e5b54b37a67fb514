"""Cells, rows and column names made readable.

Two forms, for two readers. `shown` and its kin give text for a sentence: NULL, quoted text, x'…' for bytes,
always one line, long things cut with an ellipsis. `plain` and `plain_row` give values for a JSON file: what
JSON can hold stays as it is, the rest becomes the same text as above. Both are bounded, whatever comes in.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite

from ..phrases import clipped
from ..types import Cell, Row

Plain = None | int | float | str

_BIG = 64  # bits; beyond them JSON readers lose digits, and far beyond Python refuses to print


def shown(cell: Cell, most: int = 40) -> str:
    """A cell as a person would read it in SQL."""
    if cell is None:
        return "NULL"
    if isinstance(cell, str):
        return repr(clipped(cell, most))
    if isinstance(cell, bytes):
        return f"x'{cell.hex()}'" if len(cell) <= most // 2 else f"x'{cell[: most // 2].hex()}…'"
    if isinstance(cell, int) and cell.bit_length() > _BIG:
        return f"an integer of {cell.bit_length()} bits"
    return repr(cell)


def shown_pair(expected: Cell, got: Cell, most: int = 40) -> tuple[str, str]:
    """Two cells that differ. Long texts that begin alike are shown from shortly before they part."""
    texts = shown(expected, most), shown(got, most)
    if texts[0] != texts[1] or expected == got or not (isinstance(expected, str) and isinstance(got, str)):
        return texts
    start = max(0, _first_apart(expected, got) - most // 4)
    windows = [repr(clipped(text[start:], most)) for text in (expected, got)]
    return f"{windows[0][0]}…{windows[0][1:]}", f"{windows[1][0]}…{windows[1][1:]}"


def shown_rows(expected: Row, got: Row, most: int = 80) -> tuple[str, str]:
    """Two rows that differ, as `shown_row` shows them; cells that would look the same are shown where they part."""
    if len(expected) != len(got):
        return shown_row(expected, most), shown_row(got, most)
    pairs = [shown_pair(*cells) for cells in zip(expected[:most], got[:most], strict=True)]
    apart = next((position for position, pair in enumerate(pairs) if pair[0] != pair[1]), 0)
    if sum(len(pair[0]) for pair in pairs[:apart]) > most:  # what comes first would hide it
        pairs = pairs[apart:]
    return _listed([pair[0] for pair in pairs], len(expected), most), _listed([pair[1] for pair in pairs], len(got), most)


def _first_apart(one: str, other: str) -> int:
    return next(
        (position for position, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def shown_row(row: Row, most: int = 80) -> str:
    """A row in parentheses; cells that do not fit are counted."""
    return _listed([shown(cell) for cell in row[:most]], len(row), most)


def shown_names(names: Sequence[str], most: int = 60) -> str:
    """Column names in parentheses; names that do not fit are counted."""
    return _listed([shown_name(name) for name in names[:most]], len(names), most)


def shown_name(name: str) -> str:
    """A column name on one line. Without an alias it is a whole expression."""
    name = clipped(" ".join(name.split()), 40)
    return name if name and name.isprintable() else repr(name)


def plain(cell: Cell, most: int = 200) -> Plain:
    """A cell as a JSON value."""
    if isinstance(cell, str):
        # A lone surrogate, from text that was not UTF-8, cannot be written to a file.
        return clipped(cell, most).encode("utf-8", "backslashreplace").decode()
    if isinstance(cell, bytes) or (isinstance(cell, float) and not isfinite(cell)):
        return shown(cell, most)
    if isinstance(cell, int) and cell.bit_length() > _BIG:
        return shown(cell)
    return cell


def plain_row(row: Sequence[Cell], most: int = 100) -> list[Plain]:
    """A row as a JSON list; cells beyond the bound are counted in a last item."""
    cells = [plain(cell) for cell in row[:most]]
    return cells if len(row) <= most else [*cells, f"… {len(row) - most} more"]


def _listed(items: Sequence[str], total: int, most: int) -> str:
    fitting: list[str] = []
    for item in items:
        if fitting and sum(map(len, fitting)) + len(item) > most:
            break
        fitting.append(item)
    rest = [f"… {total - len(fitting)} more"] if len(fitting) < total else []
    return f"({', '.join(fitting + rest)})"
