"""Tables: what an engine showed as aligned text, read back into cells; and cells as HTML with marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .layout import Child, Html, h

ROWS_SHOWN = 200

_WIDEST = 40
"""The engine aligns no further."""

_RULE = re.compile(r"-+(?:-\+-+)*\Z")
_FOOT = re.compile(r"\((?:the first (?P<shown>[\d,]+) of )?(?:more than )?(?P<total>[\d,]+) rows?\b.*\)\Z")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")

Marks = Callable[[int, int], str | None]
"""From row and column to a CSS class; row -1 is the header."""


@dataclass(frozen=True)
class Grid:
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    foot: str
    """The line that counts the rows."""
    rest: str
    """What follows the table."""


def read(text: str) -> Grid | None:
    """The table that a text begins with; None if it is something else, or cannot be read without a doubt."""
    lines = text.split("\n")
    if len(lines) < 3 or not _RULE.match(lines[1]):
        return None
    widths = [len(part) for part in lines[1].replace("-+-", "+").split("+")]
    end = next((place for place in range(len(lines) - 1, 1, -1) if _FOOT.match(lines[place])), None)
    if end is None or not _counted(lines[end], end - 2):
        return None
    cells = [_split(line, widths) for line in (lines[0], *lines[2:end])]
    if any(row is None for row in cells):
        return None
    header, *rows = [row for row in cells if row is not None]
    return Grid(header, rows, lines[end], "\n".join(lines[end + 1 :]).strip())


def _counted(foot: str, rows: int) -> bool:
    found = _FOOT.match(foot)
    return found is not None and int((found["shown"] or found["total"]).replace(",", "")) == rows


def _split(line: str, widths: Sequence[int]) -> list[str] | None:
    """By place where the line is aligned, else by the bars. A cell is wider than its column only where columns end."""
    line = line.ljust(sum(widths) + 3 * (len(widths) - 1))
    cells = _by_place(line, widths) or _by_bars(line, widths)
    fits = cells and all(len(cell) <= width or width == _WIDEST for cell, width in zip(cells, widths, strict=True))
    return cells if fits else None


def _by_place(line: str, widths: Sequence[int]) -> list[str] | None:
    cells: list[str] = []
    start = 0
    for width in widths[:-1]:
        if line[start + width : start + width + 3] != " | ":
            return None
        cells.append(line[start : start + width].rstrip())
        start += width + 3
    return [*cells, line[start:].rstrip()]


def _by_bars(line: str, widths: Sequence[int]) -> list[str] | None:
    cells = [cell.strip() for cell in line.split(" | ")]
    return cells if len(cells) == len(widths) else None


def _unmarked(_row: int, _column: int) -> None:
    return None


def show(grid: Grid) -> Html:
    return h("figure", table(grid.columns, grid.rows, cell=_as_text), h("figcaption", grid.foot))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    marks: Marks = _unmarked,
    cell: Callable[[Any], tuple[str, str | None]] | None = None,
) -> Html:
    """Scrolls by itself where it is wide. `cell` says how a value reads and of which kind it is."""
    shown = cell or _as_value
    width = max([len(columns), *map(len, rows[:ROWS_SHOWN])], default=0)
    names = [*columns, *(f"({place + 1})" for place in range(len(columns), width))]
    head = h("tr", [h("th", name, scope="col", class_=marks(-1, place)) for place, name in enumerate(names)])
    body = [
        h("tr", [_cell(shown(value), marks(number, place)) for place, value in enumerate(row)])
        for number, row in enumerate(rows[:ROWS_SHOWN])
    ]
    more = _more(len(rows) - ROWS_SHOWN)
    return h("div", h("table", h("thead", head), h("tbody", body), class_="cells"), more, class_="scroll", tabindex="0")


def _more(number: int) -> Child:
    return h("p", f"{number:,} more rows are not shown.", class_="dim") if number > 0 else None


def _cell(value: tuple[str, str | None], mark: str | None) -> Html:
    words, kind = value
    return h("td", words, class_=" ".join(filter(None, (kind, mark))) or None)


def _as_text(value: str) -> tuple[str, str | None]:
    if value == "NULL":
        return value, "null"
    return value, "number" if _NUMBER.match(value) else None


def _as_value(value: Any) -> tuple[str, str | None]:
    if value is None:
        return "NULL", "null"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value), None
    return str(value), "number"
