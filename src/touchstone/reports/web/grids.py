"""Tables as HTML with marks."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from .layout import Child, Html, h

ROWS_SHOWN = 200
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?:[eE][+-]?\d+)?\Z")

Marks = Callable[[int, int], str | None]
"""From row and column to a CSS class; row -1 is the header."""


def _unmarked(_row: int, _column: int) -> None:
    return None


def shown(columns: Sequence[str], rows: Sequence[Sequence[Any]], count: str) -> Html:
    """A table whose cells are all text, as an agent saw it."""
    return h("figure", table(columns, rows, cell=_as_text), h("figcaption", count))


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    marks: Marks = _unmarked,
    cell: Callable[[Any], tuple[str, str | None]] | None = None,
) -> Html:
    """Scrolls by itself where it is wide. `cell` says how a value reads and of which kind it is."""
    shown = cell or _as_value
    width = max([len(columns), *map(len, rows[:ROWS_SHOWN])], default=0)
    names = [*columns, *(f"({column + 1})" for column in range(len(columns), width))]
    head = h("tr", [h("th", name, scope="col", class_=marks(-1, column)) for column, name in enumerate(names)])
    body = [
        h("tr", [_cell(shown(value), marks(number, column)) for column, value in enumerate(row)])
        for number, row in enumerate(rows[:ROWS_SHOWN])
    ]
    more = _more(len(rows) - ROWS_SHOWN)
    return h("div", h("table", h("thead", head), h("tbody", body), class_="cells"), more, class_="scroll", tabindex="0")


def _more(number: int) -> Child:
    return h("p", f"{number:,} more rows are not shown.", class_="dim") if number > 0 else None


def _cell(value: tuple[str, str | None], mark: str | None) -> Html:
    words, kind = value
    return h("td", words, class_=" ".join(filter(None, (kind, mark))) or None)


def _as_text(value: Any) -> tuple[str, str | None]:
    return ("NULL", "null") if value is None else (str(value), "number" if _NUMBER.match(str(value)) else None)


def _as_value(value: Any) -> tuple[str, str | None]:
    if value is None:
        return "NULL", "null"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value), None
    return str(value), "number"
