"""The nodes of programs, by AT-SPI's messages: as the usual library shows them, but asked about in large groups.

A program is asked once for all of its nodes' names, roles and states (its cache), and then, level by level, for what a tree has
of those that are showing. What was learnt that way is at hand when the tree is written; anything else is asked for one by one.
"""

from __future__ import annotations

import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from types import SimpleNamespace
from typing import Any

from .dbus_wire import Connection, Failed, Question, session_address, text, texts

_ATSPI, _PROPERTIES = "org.a11y.atspi.", "org.freedesktop.DBus.Properties"
_ROOT, _NULL = "/org/a11y/atspi/accessible/root", "/org/a11y/atspi/null"
_ACTIONS = 10
_PATIENCE = 5.0
"""Seconds for a program that has answered once: a list of a thousand nodes takes a while on a busy machine."""

Reference = tuple[str, str]
"""A program's name on the bus, and the path of a node."""


def _property(interface: str, name: str) -> tuple[str, str, str, bytes]:
    return _PROPERTIES, "Get", "ss", texts(_ATSPI + interface, name)


def _method(interface: str, name: str, signature: str = "", *numbers: int) -> tuple[str, str, str, bytes]:
    return _ATSPI + interface, name, signature, struct.pack(f"<{signature.replace('u', 'I')}", *numbers)


_BASICS = {
    "role": _method("Accessible", "GetRole"),
    "name": _property("Accessible", "Name"),
    "states": _method("Accessible", "GetState"),
    "interfaces": _method("Accessible", "GetInterfaces"),
    "count": _property("Accessible", "ChildCount"),
}
_FACTS = {
    **_BASICS,
    "role name": _method("Accessible", "GetRoleName"),
    "children": _method("Accessible", "GetChildren"),
    "index": _method("Accessible", "GetIndexInParent"),
    "attributes": _method("Accessible", "GetAttributes"),
    "toolkit": _property("Application", "ToolkitName"),
    "address": _method("Application", "GetApplicationBusAddress"),
    "box": _method("Component", "GetExtents", "u", 0),
    "text": _method("Text", "GetText", "ii", 0, -1),
    "value": (_PROPERTIES, "GetAll", "s", text(_ATSPI + "Value")),
    "actions": _property("Action", "NActions"),
    "locale": _method("Document", "GetLocale"),
    "document": _method("Document", "GetAttributes"),
    "position": _property("TableCell", "Position"),
}
"""What can be asked of a node: interface, member, signature and body of the question."""
_OF_INTERFACES = {"Component": ("box",), "Value": ("value",), "Action": ("actions",), "Document": ("locale", "document")}
"""What a tree has of a node that is showing, beside its attributes."""


class Accessible:
    """A node. What is asked for and not known raises Failed if it is not answered."""

    def __init__(self, program: Program, path: str, parent: Accessible | None = None) -> None:
        self.program, self.path, self._parent = program, path, parent
        self.known: dict[Any, Any] = {}

    def fact(self, name: Any) -> Any:
        if name not in self.known:
            learn([self], _BASICS if name in _BASICS else (name,))
        if isinstance(value := self.known[name], Failed):
            raise value
        return value

    def ask(self, interface: str, member: str, signature: str = "", *numbers: int) -> Any:
        """Something that is asked once."""
        (answer,) = self.program.ask([(self.path, _method(interface, member, signature, *numbers))])
        if isinstance(answer, Failed):
            raise answer
        return answer

    @property
    def showing(self) -> bool:
        return {"showing", "visible"} <= set(self.states())

    def states(self) -> list[str]:
        low, high = (*self.fact("states"), 0, 0)[:2]
        return self.program.library.names.states(low | high << 32)

    def get_role_name(self) -> str:
        return self.program.library.names.roles.get(self.fact("role")) or self.fact("role name")

    def get_name(self) -> str:
        return self.fact("name")

    def get_state_set(self) -> Any:
        return SimpleNamespace(get_states=lambda: [SimpleNamespace(value_nick=state) for state in self.states()])

    def get_attributes(self) -> dict[str, str]:
        return self.fact("attributes")

    def get_interfaces(self) -> list[str]:
        return [name.removeprefix(_ATSPI) for name in self.fact("interfaces")]

    def get_child_count(self) -> int:
        return self.fact("count")

    def get_child_at_index(self, index: int) -> Accessible | None:
        if "children" in self.known:
            children = self.fact("children")
            return self.program.node(children[index], self) if index < len(children) else None
        return self.program.node(self.ask("Accessible", "GetChildAtIndex", "i", index), self)

    def get_index_in_parent(self) -> int:
        return self.fact("index")

    def get_parent(self) -> Accessible | None:
        return self._parent


class Program:
    """A program on the bus, asked directly where it lets us."""

    def __init__(self, library: Library, name: str) -> None:
        self.library, self.name = library, name
        self._connection = library.bus
        self._nodes: dict[str, Accessible] = {}

    def node(self, reference: Reference, parent: Accessible | None = None) -> Accessible | None:
        """One for each path, so that the same node is the same object."""
        name, path = reference
        if name not in ("", self.name):
            return self.library.program(name).node(("", path), parent)
        if path == _NULL:
            return None
        if path not in self._nodes:
            self._nodes[path] = Accessible(self, path, parent)
        return self._nodes[path]

    def ask(self, questions: Sequence[tuple[str, tuple[str, str, str, bytes]]]) -> list[Any]:
        """What a node at a path is asked."""
        return self._connection.ask([Question(self.name, path, *what) for path, what in questions])

    def connect(self, address: Any) -> None:
        """Past the bus, if the program has such an address."""
        if isinstance(address, str) and address:
            try:
                self._connection = Connection(address, _PATIENCE)
            except OSError:
                return

    def learn_cache(self) -> None:
        """All nodes that the program has told of already. Who has no such list is asked node by node."""
        (items,) = self.ask([("/org/a11y/atspi/cache", (_ATSPI + "Cache", "GetItems", "", b""))])
        children: dict[str, dict[int, Reference]] = {}
        for item in () if isinstance(items, Failed) else items:
            if len(item) != 10:
                return  # of another version
            (name, path), _, (_, parent), index, count, interfaces, called, role, _, states = item
            node = self.node((name, path))
            if node is not None and node.program is self:
                node.known |= {"name": called, "role": role, "states": states, "interfaces": interfaces}
                node.known |= {"count": count} if count >= 0 else {}  # it has not counted them
                children.setdefault(parent, {})[index] = (name, path)
        for path, placed in children.items():
            known = self._nodes[path].known if path in self._nodes else {}
            if len(placed) == known.get("count") and all(index in placed for index in range(len(placed))):
                known["children"] = [placed[index] for index in range(len(placed))]


def learn(nodes: Iterable[Accessible], facts: Iterable[str]) -> None:
    """Asks for what is not known yet, all at once for each program."""
    facts = tuple(facts)
    groups: dict[Program, list[tuple[Accessible, str]]] = {}
    for node in nodes:
        groups.setdefault(node.program, []).extend((node, fact) for fact in facts if fact not in node.known)
    for program, wanted in groups.items():
        answers = program.ask([(node.path, _FACTS[fact]) for node, fact in wanted])
        for (node, fact), answer in zip(wanted, answers, strict=True):
            node.known[fact] = answer


class Names:
    """Of roles and states, by their numbers; taken from the usual library, which opens no connection for them."""

    def __init__(self, atspi: Any) -> None:
        last = int(atspi.Role.LAST_DEFINED)
        self.roles = {number: atspi.role_get_name(atspi.Role(number)) for number in range(last) if number != _EXTENDED}
        self._states = [atspi.StateType(number).value_nick for number in range(int(atspi.StateType.LAST_DEFINED))]

    @cache  # noqa: B019 (there is one)
    def states(self, bits: int) -> list[str]:
        return [name for number, name in enumerate(self._states) if bits >> number & 1]


class Library:
    """What there is to read, with as much of the usual library's functions as a reading uses."""

    def __init__(self, names: Names, patience: float) -> None:
        """A program that does not answer within `patience` is left out. Raises OSError if there is no bus."""
        self.names = names
        session = Connection(session_address(), patience)
        (address,) = _greeted(session).ask([Question("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")])
        self.bus = _greeted(Connection(str(address), patience))
        self._programs: dict[str, Program] = {}
        self.CoordType = SimpleNamespace(SCREEN=0)
        self.Component, self.Text, self.Table = _Component, _Text, _Table
        self.TableCell, self.Value, self.Action, self.Document = _TableCell, _Value, _Action, _Document

    def program(self, name: str) -> Program:
        if name not in self._programs:
            self._programs[name] = Program(self, name)
        return self._programs[name]

    def desktop(self) -> Accessible:
        node = self.program(_ATSPI + "Registry").node(("", _ROOT))
        assert node is not None
        return node

    def programs(self, most: int) -> list[tuple[Accessible, bool]]:
        """Each program of the desktop, and whether it answers."""
        desktop = self.desktop()
        references: list[Reference] = desktop.fact("children")[:most]
        roots = [node for reference in references if (node := desktop.program.node(reference, desktop))]
        questions = [Question(root.program.name, root.path, *_FACTS["toolkit"]) for root in roots]
        answering = [not isinstance(answer, Failed) for answer in self.bus.ask(questions)]
        alive = [root for root, answers in zip(roots, answering, strict=True) if answers]
        learn(alive, ["address"])
        for root in alive:
            root.program.connect(root.known["address"])
        self.bus.patience = _PATIENCE
        return list(zip(roots, answering, strict=True))


_EXTENDED = 78
"""The role that only a program itself has a name for."""


def _greeted(bus: Connection) -> Connection:
    name = "org.freedesktop.DBus"
    bus.ask([Question(name, "/org/freedesktop/DBus", name, "Hello")])
    return bus


def learn_tree(program: Accessible, depth: int, width: int, deadline: float) -> None:
    """What a tree has of a program, level by level; nothing of what is in a menu bar without height, or in a huge table."""
    program.program.learn_cache()
    level = [program]
    while level and depth and time.monotonic() < deadline:
        learn(level, _BASICS)
        level = [node for node in level if not any(isinstance(node.known[name], Failed) for name in _BASICS)]
        seen = [node for node in level if node.showing]
        learn(seen, ["attributes"])
        for interface, facts in _OF_INTERFACES.items():
            learn([node for node in seen if interface in node.get_interfaces()], facts)
        _learn_actions([node for node in seen if node.known.get("actions")])
        learn([node for node in level if "Text" in node.get_interfaces()], ["text"])
        parents = [node for node in level if 0 < node.known["count"] <= width and not _is_flat(node)]
        learn(parents, ["children"])
        level = [
            child
            for node in parents
            if not isinstance(node.known["children"], Failed)
            for reference in node.known["children"]
            if (child := node.program.node(reference, node))
        ]
        depth -= 1


def _is_flat(node: Accessible) -> bool:
    box: Any = node.known.get("box", Failed())
    return node.get_role_name() == "menu bar" and not isinstance(box, Failed) and box[3] == 0


def _learn_actions(nodes: Sequence[Accessible]) -> None:
    wanted = [
        (node, member, index)
        for node in nodes
        if isinstance(node.known["actions"], int)
        for index in range(min(node.known["actions"], _ACTIONS))
        for member in ("GetName", "GetDescription", "GetKeyBinding")
    ]
    for program in {node.program for node, _, _ in wanted}:
        own = [each for each in wanted if each[0].program is program]
        answers = program.ask([(node.path, _method("Action", member, "i", index)) for node, member, index in own])
        for (node, member, index), answer in zip(own, answers, strict=True):
            node.known[member, index] = answer


class _Component:
    @staticmethod
    def get_extents(node: Accessible, coordinates: int) -> Any:
        return SimpleNamespace(**dict(zip(("x", "y", "width", "height"), node.fact("box"), strict=True)))

    @staticmethod
    def get_accessible_at_point(node: Accessible, x: int, y: int, coordinates: int) -> Accessible | None:
        return node.program.node(node.ask("Component", "GetAccessibleAtPoint", "iiu", x, y, coordinates), node)


class _Text:
    @staticmethod
    def get_text(node: Accessible, first: int, last: int) -> str:
        return node.fact("text")


class _Table:
    @staticmethod
    def get_accessible_at(node: Accessible, row: int, column: int) -> Accessible | None:
        return node.program.node(node.ask("Table", "GetAccessibleAt", "ii", row, column), node)

    @staticmethod
    def get_block(node: Accessible, first: tuple[int, int], last: tuple[int, int]) -> list[Accessible]:
        """Row by row; what a tree has of cells is learnt on the way."""
        cells = [(row, column) for row in range(first[0], last[0] + 1) for column in range(first[1], last[1] + 1)]
        answers = node.program.ask([(node.path, _method("Table", "GetAccessibleAt", "ii", *cell)) for cell in cells])
        nodes = [node.program.node(answer, node) for answer in answers if not isinstance(answer, Failed)]
        block = list(dict.fromkeys(cell for cell in nodes if cell is not None))
        learn(block, ["name", "states", "text", "box"])
        learn([cell for cell in block if cell.known["text"]], ["attributes"])
        return block

    @staticmethod
    def get_row_at_index(node: Accessible, index: int) -> int:
        return node.ask("Table", "GetRowAtIndex", "i", index)

    @staticmethod
    def get_column_at_index(node: Accessible, index: int) -> int:
        return node.ask("Table", "GetColumnAtIndex", "i", index)


class _TableCell:
    @staticmethod
    def get_position(node: Accessible) -> tuple[bool, int, int]:
        return (True, *node.fact("position"))


class _Value:
    @staticmethod
    def get_current_value(node: Accessible) -> float:
        return node.fact("value")["CurrentValue"]

    @staticmethod
    def get_minimum_value(node: Accessible) -> float:
        return node.fact("value")["MinimumValue"]

    @staticmethod
    def get_maximum_value(node: Accessible) -> float:
        return node.fact("value")["MaximumValue"]

    @staticmethod
    def get_minimum_increment(node: Accessible) -> float:
        return node.fact("value")["MinimumIncrement"]


class _Action:
    @staticmethod
    def get_n_actions(node: Accessible) -> int:
        return node.fact("actions")

    @staticmethod
    def get_action_name(node: Accessible, index: int) -> str:
        return _action_text(node, "GetName", index)

    @staticmethod
    def get_action_description(node: Accessible, index: int) -> str:
        return _action_text(node, "GetDescription", index)

    @staticmethod
    def get_key_binding(node: Accessible, index: int) -> str:
        return _action_text(node, "GetKeyBinding", index)


def _action_text(node: Accessible, member: str, index: int) -> str:
    if (member, index) not in node.known:
        _learn_actions([node])
    if isinstance(answer := node.known[member, index], Failed):
        raise answer
    return answer


class _Document:
    @staticmethod
    def get_locale(node: Accessible) -> str:
        return node.fact("locale")

    @staticmethod
    def get_document_attributes(node: Accessible) -> dict[str, str]:
        return node.fact("document")


# The text of the terminal in front.


_TERMINAL_DEPTH, _TERMINAL_WIDTH = 20, 200


def front_terminal(programs: Iterable[Accessible]) -> str | None:
    """The focused terminal of the active window, or the only one that is showing in it."""
    terminals: list[tuple[bool, str]] = []
    for program in programs:
        try:
            for window in _children(program):
                if "active" in window.states():
                    terminals += list(_terminals(window, 0))
        except Failed:
            continue
    focused = [text for has_focus, text in terminals if has_focus]
    return focused[0] if focused else terminals[0][1] if len(terminals) == 1 else None


def _terminals(node: Accessible, depth: int) -> Iterator[tuple[bool, str]]:
    if "showing" not in node.states():
        return
    if node.get_role_name() == "terminal":
        yield "focused" in node.states(), node.fact("text").rstrip()
    elif depth < _TERMINAL_DEPTH:
        for child in _children(node):
            yield from _terminals(child, depth + 1)


def _children(node: Accessible) -> Iterator[Accessible]:
    for index in range(min(node.get_child_count(), _TERMINAL_WIDTH)):
        if (child := node.get_child_at_index(index)) is not None:
            yield child
