"""Huge tables: a spreadsheet has two thousand million cells, of which a thousand are seen.

The table is asked which cells are at its corners on the screen; only the block between them is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .accessibles import Accessible
from .nodes import DRAWN, Corner

_TRIES = 12
_MARGIN = 3
_ADDRESS = re.compile("([A-Z]{1,3})([0-9]{1,9})")


@dataclass(frozen=True)
class Box:
    left: int
    top: int
    right: int
    bottom: int

    def within(self, other: Box) -> Box:
        return Box(
            max(self.left, other.left), max(self.top, other.top), min(self.right, other.right), min(self.bottom, other.bottom)
        )

    def moved(self, by: Corner) -> Box:
        return Box(self.left + by[0], self.top + by[1], self.right + by[0], self.bottom + by[1])


def box_of(node: Accessible) -> Box:
    x, y, width, height = node.fact("box")
    return Box(x, y, x + width, y + height)


def visible_cells(table: Accessible, shift: Corner) -> list[Accessible]:
    """Row by row; nothing if the table does not say what is at its corners. It is asked in its own, perhaps shifted, places."""
    box = box_of(table).within(_around(table, shift))
    first, last = _cell(table, box, 1), _cell(table, box, -1)
    return [] if first is None or last is None else table.block(first, last)


def _around(table: Accessible, shift: Corner) -> Box:
    """What surrounds the table and cuts it off: its parents up to the desktop, as far as they have a size."""
    box, moved = Box(-(1 << 20), -(1 << 20), 1 << 20, 1 << 20), (0, 0)
    parent = table.parent
    while parent is not None and "Component" in parent.interfaces:
        outer = box_of(parent).moved(moved)
        if outer.right > outer.left and outer.bottom > outer.top:
            box = box.within(outer)
        if parent.role.replace(" ", "-") == DRAWN:
            moved = (-shift[0], -shift[1])
        parent = parent.parent
    return box


def _cell(table: Accessible, box: Box, direction: int) -> tuple[int, int] | None:
    """The row and column of the cell at the first (1) or last (-1) corner, or of the nearest on the way to the middle."""
    corner = (box.left + _MARGIN, box.top + _MARGIN) if direction > 0 else (box.right - _MARGIN, box.bottom - _MARGIN)
    across, down = (box.right - box.left) // (2 * _TRIES), (box.bottom - box.top) // (2 * _TRIES)
    for trial in range(_TRIES):
        cell = table.at_point(corner[0] + direction * trial * across, corner[1] + direction * trial * down)
        if cell is not None and cell != table:
            return _position(table, cell)
    return None


def _position(table: Accessible, cell: Accessible) -> tuple[int, int] | None:
    """The first guess at which the table has a cell of that name: a cell's number is wrong below row 131,072 of a sheet."""
    name = cell.fact("name")
    for row, column in _guesses(table, cell, name):
        there = table.cell(row, column) if row >= 0 and column >= 0 else None
        if there is not None and there.fact("name") == name:
            return row, column
    return None


def _guesses(table: Accessible, cell: Accessible, name: str) -> Iterator[tuple[int, int]]:
    if "TableCell" in cell.interfaces:
        yield cell.fact("position")
    if address := _ADDRESS.fullmatch(name):
        yield address_of(*address.groups())
    index = cell.fact("index")
    yield table.ask("Table", "GetRowAtIndex", "i", index), table.ask("Table", "GetColumnAtIndex", "i", index)


def address_of(letters: str, digits: str) -> tuple[int, int]:
    """The row and column, from 0, of a cell such as AB12."""
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(digits) - 1, column - 1
