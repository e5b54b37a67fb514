"""Programs as AT-SPI shows them, played: nodes with children, texts and places, some of which do not answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from touchstone.benchmarks.desktop.controller.accessibles import Accessible
from touchstone.benchmarks.desktop.controller.dbus_wire import Failed

STATES = ("showing", "visible", "enabled", "multi-line")


class Played:
    """A program that answers what is asked of its nodes, and what its library knows of roles and states."""

    def __init__(self) -> None:
        self.bus = self.names = self
        self.roles: dict[int, str] = {}

    def states(self, bits: int) -> list[str]:
        return [name for number, name in enumerate(STATES) if bits >> number & 1]

    def ask(self, questions: Sequence[tuple[Shown, Any]]) -> list[Any]:
        return [node.answer(*what) for node, what in questions]

    def node(self, reference: Shown | None, parent: Shown) -> Shown | None:
        return reference


class Shown(Accessible):
    """A node, of which everything was learnt."""

    def __init__(
        self,
        role: str = "panel",
        name: str = "",
        text: str | None = None,
        box: tuple[int, int, int, int] = (0, 0, 100, 100),
        children: Sequence[Shown] = (),
        count: int | None = None,
        states: Sequence[str] = ("showing", "visible"),
        attributes: dict[str, str] | None = None,
        interfaces: tuple[str, ...] = (),
        silent: bool = False,
        parent: Shown | None = None,
    ) -> None:
        program: Any = Played()
        super().__init__(program, f"/{role}/{name}", parent)
        self.asked = 0
        self.shown = children
        for child in children:
            child.parent = self
        named = ["Accessible", "Component", *(["Text"] if text is not None else []), *interfaces]
        self.known = {
            "role": -1,
            "role name": Failed("silent") if silent else role,
            "name": name,
            "text": text,
            "box": box,
            "count": len(children) if count is None else count,
            "states": [sum(1 << STATES.index(state) for state in states), 0],
            "attributes": attributes,
            "interfaces": named,
            "index": -1,
        }

    def fact(self, name: str) -> Any:
        self.asked += 1
        return super().fact(name)

    def answer(self, interface: str, member: str, signature: str, body: bytes) -> Any:
        """What is asked one by one: the children."""
        assert member == "GetChildAtIndex"
        return self.shown[int.from_bytes(body, "little") % len(self.shown)]


class Sheet(Shown):
    """A sheet of 2^31 cells, each 50 by 20, of which the first to be seen is not the first of all."""

    def __init__(self, first: tuple[int, int]) -> None:
        super().__init__("table", "Sheet1", box=(100, 100, 500, 200), count=2**31 - 1, interfaces=("Table",))
        self.first = first
        self.made: dict[tuple[int, int], Shown] = {}

    def cell_at(self, row: int, column: int) -> Shown:
        letters = chr(ord("A") + column)
        box = (100 + 50 * (column - self.first[1]), 100 + 20 * (row - self.first[0]), 50, 20)
        made = Shown("table cell", f"{letters}{row + 1}", f"{row},{column}", box, parent=self)
        return self.made.setdefault((row, column), made)

    def answer(self, interface: str, member: str, signature: str, body: bytes) -> Any:
        numbers = [int.from_bytes(body[start : start + 4], "little", signed=True) for start in range(0, len(body), 4)]
        match member:
            case "GetAccessibleAt":
                return self.cell_at(*numbers)
            case "GetAccessibleAtPoint":
                (x, y), (left, top, width, height) = numbers[:2], self.known["box"]
                inside = left <= x < left + width and top <= y < top + height
                return self.cell_at(self.first[0] + (y - top) // 20, self.first[1] + (x - left) // 50) if inside else None
            case _:
                return -1
