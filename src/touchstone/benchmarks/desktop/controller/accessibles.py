"""The nodes of programs, by AT-SPI's messages: asked about in large groups.

A program is asked once for all of its nodes' names, roles and states (its cache), and then, level by level, for what a tree has
of those that are showing. What was learnt that way is at hand when the tree is written; anything else is asked for one by one.
"""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any

from .dbus_wire import BusCall, Connection, Failed, session_address, texts

_ATSPI, _PROPERTIES = "org.a11y.atspi.", "org.freedesktop.DBus.Properties"
_ROOT, _NULL = "/org/a11y/atspi/accessible/root", "/org/a11y/atspi/null"
_ACTIONS = 10
_PATIENCE = 5.0
"""Seconds for a program that has answered once: a list of a thousand nodes takes a while on a busy machine."""
_BUS_PATIENCE = 60.0
"""For a bus and its registry, which hang only if the desktop does: on a busy machine a greeting takes seconds."""

Reference = tuple[str, str]
"""A program's name on the bus, and the path of a node."""
Asking = tuple[str, str, str, bytes]
"""Interface, member, signature and body of a question."""


def _property(interface: str, name: str) -> Asking:
    return _PROPERTIES, "Get", "ss", texts(_ATSPI + interface, name)


def _method(interface: str, name: str, signature: str = "", *numbers: int) -> Asking:
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
    "value": _property("Value", "CurrentValue"),
    "minimum": _property("Value", "MinimumValue"),
    "maximum": _property("Value", "MaximumValue"),
    "step": _property("Value", "MinimumIncrement"),
    "actions": _property("Action", "NActions"),
    "locale": _method("Document", "GetLocale"),
    "document": _method("Document", "GetAttributes"),
    "position": _property("TableCell", "Position"),
}
"""What can be asked of a node."""
_OF_INTERFACES = {
    "Component": ("box",),
    "Value": ("value", "minimum", "maximum", "step"),
    "Action": ("actions",),
    "Document": ("locale", "document"),
}
"""What a tree has of a node that is showing, beside its attributes. Numbers are asked for one by one: asked for all at once, a
program in which one is unknown (Chromium with an empty number field) writes a broken answer, and its library aborts it."""


class Accessible:
    """A node. What is asked for and not known raises Failed if it is not answered."""

    def __init__(self, program: Program, path: str, parent: Accessible | None = None) -> None:
        self.program, self.path, self.parent = program, path, parent
        self.known: dict[str, Any] = {}

    def fact(self, name: str) -> Any:
        if name not in self.known:
            learn([self], _BASICS if name in _BASICS else (name,))
        return _answered(self.known[name])

    def ask(self, interface: str, member: str, signature: str = "", *numbers: int) -> Any:
        """Something that is asked once."""
        return _answered(self.program.ask([(self, _method(interface, member, signature, *numbers))])[0])

    @property
    def role(self) -> str:
        return self.program.bus.names.roles.get(self.fact("role")) or self.fact("role name")

    @property
    def states(self) -> list[str]:
        low, high = (*self.fact("states"), 0, 0)[:2]
        return self.program.bus.names.states(low | high << 32)

    @property
    def showing(self) -> bool:
        return {"showing", "visible"} <= set(self.states)

    @property
    def interfaces(self) -> frozenset[str]:
        return frozenset(name.removeprefix(_ATSPI) for name in self.fact("interfaces"))

    def children(self, most: int) -> Iterator[Accessible]:
        """The first ones; a list that is too long was not learnt."""
        if "children" in self.known:
            references = self.fact("children")[:most]
        else:
            indices = range(min(self.fact("count"), most))
            references = self.program.ask([(self, _method("Accessible", "GetChildAtIndex", "i", at)) for at in indices])
        yield from (child for reference in references if (child := self.program.node(_answered(reference), self)))

    def actions(self) -> Iterator[tuple[str, str, str]]:
        """Name, description and key of each."""
        if "action texts" not in self.known and self.fact("actions"):
            _learn_actions([self])
        yield from (
            (_answered(name), _answered(about), _answered(key)) for name, about, key in self.known.get("action texts", ())
        )

    def at_point(self, x: int, y: int) -> Accessible | None:
        return self.program.node(self.ask("Component", "GetAccessibleAtPoint", "iiu", x, y, 0), self)

    def cell(self, row: int, column: int) -> Accessible | None:
        return self.program.node(self.ask("Table", "GetAccessibleAt", "ii", row, column), self)

    def block(self, first: tuple[int, int], last: tuple[int, int]) -> list[Accessible]:
        """Cells of a table row by row; what a tree has of them is learnt on the way."""
        cells = [(row, column) for row in range(first[0], last[0] + 1) for column in range(first[1], last[1] + 1)]
        answers = self.program.ask([(self, _method("Table", "GetAccessibleAt", "ii", *cell)) for cell in cells])
        nodes = [self.program.node(answer, self) for answer in answers if not isinstance(answer, Failed)]
        block = list(dict.fromkeys(cell for cell in nodes if cell is not None))
        learn(block, ["name", "states", "text", "box"])
        learn([cell for cell in block if cell.known["text"]], ["attributes"])
        return block


def _answered(answer: Any) -> Any:
    if isinstance(answer, Failed):
        raise answer
    return answer


class Program:
    """A program on the bus, asked directly where it lets us."""

    def __init__(self, bus: AccessibilityBus, name: str) -> None:
        self.bus, self.name = bus, name
        self._connection = bus.connection
        self._nodes: dict[str, Accessible] = {}

    def node(self, reference: Reference, parent: Accessible | None = None) -> Accessible | None:
        """One for each path, so that the same node is the same object."""
        name, path = reference
        if name not in ("", self.name):
            return self.bus.program(name).node(("", path), parent)
        if path == _NULL:
            return None
        if path not in self._nodes:
            self._nodes[path] = Accessible(self, path, parent)
        return self._nodes[path]

    def ask(self, questions: Sequence[tuple[Accessible, Asking]]) -> list[Any]:
        return self._connection.ask([BusCall(self.name, node.path, *what) for node, what in questions])

    def connect(self, address: Any) -> None:
        """Past the bus, if the program has such an address."""
        if isinstance(address, str) and address:
            try:
                self._connection = Connection(address, _PATIENCE)
            except OSError:
                return

    def learn_cache(self) -> None:
        """All nodes that the program has told of already. Who has no such list is asked node by node."""
        cache = BusCall(self.name, "/org/a11y/atspi/cache", _ATSPI + "Cache", "GetItems")
        (items,) = self._connection.ask([cache])
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
    """Asks for what is not known yet."""
    facts = tuple(facts)
    wanted = [(node, fact) for node in nodes for fact in facts if fact not in node.known]
    for (node, fact), answer in zip(wanted, _asked([(node, _FACTS[fact]) for node, fact in wanted]), strict=True):
        node.known[fact] = answer


def _asked(questions: Sequence[tuple[Accessible, Asking]]) -> list[Any]:
    """The answers in the same order; each program is asked all at once."""
    groups: dict[Program, list[int]] = {}
    for position, (node, _) in enumerate(questions):
        groups.setdefault(node.program, []).append(position)
    answers: list[Any] = [None] * len(questions)
    for program, positions in groups.items():
        for position, answer in zip(positions, program.ask([questions[at] for at in positions]), strict=True):
            answers[position] = answer
    return answers


class Names:
    """Of roles and states, by their numbers; taken from the usual library, which opens no connection for them."""

    def __init__(self, atspi: Any) -> None:
        last = int(atspi.Role.LAST_DEFINED)
        self.roles = {number: atspi.role_get_name(atspi.Role(number)) for number in range(last) if number != _EXTENDED}
        self._states = [atspi.StateType(number).value_nick for number in range(int(atspi.StateType.LAST_DEFINED))]

    @cache  # noqa: B019 (there is one)
    def states(self, bits: int) -> list[str]:
        return [name for number, name in enumerate(self._states) if bits >> number & 1]


class AccessibilityBus:
    """The programs that can be read."""

    def __init__(self, names: Names, patience: float) -> None:
        """A program that does not answer within `patience` is left out. Raises OSError if there is no bus."""
        self.names, self._patience = names, patience
        session = Connection(session_address(), _BUS_PATIENCE)
        (address,) = _greeted(session).ask([BusCall("org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress")])
        self.connection = _greeted(Connection(str(address), _BUS_PATIENCE))
        self._programs: dict[str, Program] = {}

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
        questions = [BusCall(root.program.name, root.path, *_FACTS["toolkit"]) for root in roots]
        self.connection.patience = self._patience
        answering = [not isinstance(answer, Failed) for answer in self.connection.ask(questions)]
        alive = [root for root, answers in zip(roots, answering, strict=True) if answers]
        learn(alive, ["address"])
        for root in alive:
            root.program.connect(root.known["address"])
        self.connection.patience = _PATIENCE
        return list(zip(roots, answering, strict=True))


_EXTENDED = 78
"""The role that only a program itself has a name for."""


def _greeted(bus: Connection) -> Connection:
    name = "org.freedesktop.DBus"
    bus.ask([BusCall(name, "/org/freedesktop/DBus", name, "Hello")])
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
            learn([node for node in seen if interface in node.interfaces], facts)
        _learn_actions([node for node in seen if node.known.get("actions")])
        learn([node for node in level if "Text" in node.interfaces], ["text"])
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
    return node.role == "menu bar" and not isinstance(box, Failed) and box[3] == 0


def _learn_actions(nodes: Sequence[Accessible]) -> None:
    counted = [node for node in nodes if isinstance(node.known["actions"], int)]
    wanted = [(node, index) for node in counted for index in range(min(node.known["actions"], _ACTIONS))]
    members = ("GetName", "GetDescription", "GetKeyBinding")
    answers = iter(_asked([(node, _method("Action", member, "i", index)) for node, index in wanted for member in members]))
    for node in counted:
        node.known["action texts"] = []
    for node, _ in wanted:
        node.known["action texts"].append((next(answers), next(answers), next(answers)))


# The text of the terminal in front.


_TERMINAL_DEPTH, _TERMINAL_WIDTH = 20, 200


def front_terminal(programs: Iterable[Accessible]) -> str | None:
    """The focused terminal of the active window, or the only one that is showing in it."""
    terminals: list[tuple[bool, str]] = []
    for program in programs:
        with contextlib.suppress(Failed):
            for window in program.children(_TERMINAL_WIDTH):
                if "active" in window.states:
                    terminals += list(_terminals(window, 0))
    focused = [text for has_focus, text in terminals if has_focus]
    return focused[0] if focused else terminals[0][1] if len(terminals) == 1 else None


def _terminals(node: Accessible, depth: int) -> Iterator[tuple[bool, str]]:
    if "showing" not in node.states:
        return
    if node.role == "terminal":
        yield "focused" in node.states, node.fact("text").rstrip()
    elif depth < _TERMINAL_DEPTH:
        for child in node.children(_TERMINAL_WIDTH):
            yield from _terminals(child, depth + 1)
