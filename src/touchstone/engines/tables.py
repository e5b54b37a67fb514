"""A table as an agent sees it: text, aligned, with headers, and every cut said in words.

The record keeps the same cells as a table too, in the observation's details, so that nobody has to read them back from the
text: a cell may hold whatever looks like a border. It has what the text has, so it is bounded as the text is; if even a line
had to be cut, there is only the text.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..types import Observation, Table

ROWS_SHOWN = 100
WIDEST_CELL = 200
LONGEST_TEXT = 20_000
WIDEST_LINE = LONGEST_TEXT // 3


def observation_of(table: Table) -> Observation:
    if not table.columns:
        return Observation("Done." if not table.changed else f"Done. {table.changed} row{'s' * (table.changed != 1)} changed.")
    cells = [[_cell(value) for value in row] for row in table.rows[:ROWS_SHOWN]]
    lines = _aligned([list(table.columns), *(["NULL" if cell is None else cell for cell in row] for row in cells)])
    kept = _fitting([_cut(line) for line in lines])
    count = _count(table, len(kept) - 2, cells)
    whole = all(len(line) <= WIDEST_LINE for line in lines[: len(kept)])
    shown = {"columns": list(table.columns), "rows": cells[: len(kept) - 2], "count": count}
    return Observation("\n".join([*kept, count]), details={"table": shown} if whole else {})


def _cell(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        text, length = f"x'{value[:WIDEST_CELL].hex()}'", 2 * len(value) + 3
    else:
        text = str(value)
        length = len(text)
    if length > WIDEST_CELL:
        return f"{_visible(text[:WIDEST_CELL])}… ({length:,} characters)"
    return _visible(text)


def _visible(text: str) -> str:
    return text.replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [min(max(map(len, column)), 40) for column in zip(*rows, strict=True)]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return lines


def _cut(line: str) -> str:
    return line if len(line) <= WIDEST_LINE else f"{line[:WIDEST_LINE]}… (the line is too long to be shown)"


def _fitting(lines: list[str]) -> list[str]:
    """The header and as many rows as the text may hold."""
    length = 0
    for number, line in enumerate(lines):
        length += len(line) + 1
        if length > LONGEST_TEXT and number > 2:
            return lines[:number]
    return lines


def _count(table: Table, shown: int, cells: Sequence[object]) -> str:
    total = f"more than {len(table.rows):,}" if table.truncated else f"{len(table.rows):,}"
    if shown == len(table.rows) and not table.truncated:
        return f"({total} row{'s' * (len(table.rows) != 1)})"
    why = "" if shown == len(cells) else ", because they are long"
    return f"(the first {shown:,} of {total} rows{why}; the rest is not shown)"
