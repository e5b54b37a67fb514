"""Programs as AT-SPI shows them, played: nodes with children, texts and places, some of which do not answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any


class Silent(Exception):
    """What the library raises when a program does not answer."""


@dataclass(eq=False)
class Shown:
    """A node. Children may be made when they are asked for."""

    role: str = "panel"
    name: str = ""
    text: str | None = None
    box: tuple[int, int, int, int] = (0, 0, 100, 100)
    children: Sequence[Shown] = ()
    count: int | None = None
    states: Sequence[str] = ("showing", "visible")
    attributes: dict[str, str] = field(default_factory=dict[str, str])
    interfaces: tuple[str, ...] = ()
    silent: bool = False
    parent: Shown | None = None
    asked: int = 0

    def __post_init__(self) -> None:
        for child in self.children:
            child.parent = self

    def get_role_name(self) -> str:
        self.asked += 1
        if self.silent:
            raise Silent
        return self.role

    def get_name(self) -> str:
        return self.name

    def get_state_set(self) -> Any:
        return SimpleNamespace(get_states=lambda: [SimpleNamespace(value_nick=state) for state in self.states])

    def get_attributes(self) -> dict[str, str]:
        return self.attributes

    def get_interfaces(self) -> list[str]:
        return ["Accessible", "Component", *(["Text"] if self.text is not None else []), *self.interfaces]

    def get_child_count(self) -> int:
        return len(self.children) if self.count is None else self.count

    def get_child_at_index(self, index: int) -> Shown | None:
        return self.children[index % len(self.children)]

    def get_index_in_parent(self) -> int:
        return -1

    def get_parent(self) -> Shown | None:
        return self.parent


class Sheet(Shown):
    """A sheet of 2^31 cells, each 50 by 20, of which the first to be seen is not the first of all."""

    def __init__(self, first: tuple[int, int]) -> None:
        super().__init__("table", "Sheet1", box=(100, 100, 500, 200), count=2**31 - 1, interfaces=("Table",))
        self.first = first
        self.made: dict[tuple[int, int], Shown] = {}

    def cell(self, row: int, column: int) -> Shown:
        letters = chr(ord("A") + column)
        box = (100 + 50 * (column - self.first[1]), 100 + 20 * (row - self.first[0]), 50, 20)
        made = Shown("table cell", f"{letters}{row + 1}", f"{row},{column}", box, parent=self)
        return self.made.setdefault((row, column), made)

    def at(self, x: int, y: int) -> Shown | None:
        left, top, width, height = self.box
        inside = left <= x < left + width and top <= y < top + height
        return self.cell(self.first[0] + (y - top) // 20, self.first[1] + (x - left) // 50) if inside else None


def library() -> Any:
    """As much of the library as is used."""
    extents: Callable[[Shown, Any], Any] = lambda node, _: SimpleNamespace(  # noqa: E731
        **dict(zip(("x", "y", "width", "height"), node.box, strict=True))
    )
    component = SimpleNamespace(get_extents=extents, get_accessible_at_point=lambda node, x, y, _: node.at(x, y))
    table = SimpleNamespace(
        get_accessible_at=lambda sheet, row, column: sheet.cell(row, column),
        get_block=lambda sheet, first, last: [
            sheet.cell(row, column) for row in range(first[0], last[0] + 1) for column in range(first[1], last[1] + 1)
        ],
        get_row_at_index=lambda sheet, index: -1,
        get_column_at_index=lambda sheet, index: -1,
    )
    text = SimpleNamespace(get_text=lambda node, first, last: node.text)
    return SimpleNamespace(Component=component, Table=table, Text=text, CoordType=SimpleNamespace(SCREEN=0))
