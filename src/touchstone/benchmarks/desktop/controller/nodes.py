"""One node of the accessibility tree as an XML element in the published form.

Each property is a message to the program and back. So of what is not showing (the items of closed menus are most of a desktop's
nodes) only the name, the states and the text are read, and of the cells of a huge table only what makes them differ.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from . import xmltext

_BASE = "https://accessibility.ubuntu.example.org/ns"
NAMESPACES = {
    "st": f"{_BASE}/state",
    "attr": f"{_BASE}/attributes",
    "cp": f"{_BASE}/component",
    "doc": f"{_BASE}/document",
    "docattr": f"{_BASE}/document/attributes",
    "txt": f"{_BASE}/text",
    "val": f"{_BASE}/value",
    "act": f"{_BASE}/action",
    "win": f"{_BASE}/window",
}
Corner = tuple[int, int]
WINDOWS = ("frame", "dialog", "window", "alert", "file-chooser")
"""What coordinates in a window are counted from."""
_LONGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Node:
    """What was read of one node."""

    tag: str
    attributes: dict[str, str]
    text: str
    interfaces: frozenset[str]
    corner: Corner
    """On the screen; the parent's if it has no place of its own."""


def read(atspi: Any, accessible: Any, parent: Corner, window: Corner) -> Node:
    """Raises the library's error if the program does not answer or the node is gone."""
    tag = _tag(accessible)
    attributes = _name_and_states(accessible)
    interfaces = frozenset(accessible.get_interfaces())
    corner = parent
    if "st:showing" in attributes and "st:visible" in attributes:
        attributes |= _told(accessible)
        if "Component" in interfaces:
            corner, size = _box(atspi, accessible)
            attributes |= _place(corner, size, parent, corner if tag in WINDOWS else window)
        for interface, reader in _READERS.items():
            if interface in interfaces:
                attributes |= _tried(reader, atspi, accessible)
    text = _text(atspi, accessible) if "Text" in interfaces else ""
    return Node(tag, attributes, text, interfaces, corner)


def read_cell(atspi: Any, accessible: Any, tag: str, parent: Corner, window: Corner) -> Node:
    """A cell of a kind that is known; what toolkits tell of it (its formula and borders) only if something is in it."""
    attributes, text = _name_and_states(accessible), _text(atspi, accessible)
    if text:
        attributes |= _told(accessible)
    corner, size = _box(atspi, accessible)
    return Node(tag, attributes | _place(corner, size, parent, window), text, frozenset(), corner)


def _tag(accessible: Any) -> str:
    return xmltext.name(accessible.get_role_name().replace(" ", "-")) or "unknown"


def _name_and_states(accessible: Any) -> dict[str, str]:
    states = sorted(state.value_nick.replace("-", "_") for state in accessible.get_state_set().get_states())
    return {"name": accessible.get_name() or "", **{f"st:{xmltext.name(state)}": "true" for state in states}}


def _told(accessible: Any) -> dict[str, str]:
    """What toolkits tell beyond the usual."""
    return {f"attr:{xmltext.name(key)}": words for key, words in accessible.get_attributes().items() if key.strip()}


def _box(atspi: Any, accessible: Any) -> tuple[Corner, Corner]:
    box = atspi.Component.get_extents(accessible, atspi.CoordType.SCREEN)
    return (box.x, box.y), (box.width, box.height)


def _text(atspi: Any, accessible: Any) -> str:
    return atspi.Text.get_text(accessible, 0, -1)[:_LONGEST_TEXT]


def _place(corner: Corner, size: Corner, parent: Corner, window: Corner) -> dict[str, str]:
    return {
        "cp:screencoord": str(corner),
        "cp:windowcoord": str((corner[0] - window[0], corner[1] - window[1])),
        "cp:parentcoord": str((corner[0] - parent[0], corner[1] - parent[1])),
        "cp:size": str(size),
    }


def _tried(reader: Any, atspi: Any, accessible: Any) -> dict[str, str]:
    """Programs name interfaces that they then do not answer for; what came before counts."""
    read: dict[str, str] = {}
    with contextlib.suppress(Exception):
        for key, value in reader(atspi, accessible):
            read[key] = str(value)
    return read


def _value(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "val:value", atspi.Value.get_current_value(accessible)
    yield "val:min", atspi.Value.get_minimum_value(accessible)
    yield "val:max", atspi.Value.get_maximum_value(accessible)
    yield "val:step", atspi.Value.get_minimum_increment(accessible)


def _actions(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    for index in range(min(atspi.Action.get_n_actions(accessible), 10)):
        named = xmltext.name(atspi.Action.get_action_name(accessible, index).replace(" ", "-"))
        if named:
            yield f"act:{named}_desc", atspi.Action.get_action_description(accessible, index)
            yield f"act:{named}_kb", atspi.Action.get_key_binding(accessible, index)


def _document(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "doc:locale", atspi.Document.get_locale(accessible)
    for key, value in atspi.Document.get_document_attributes(accessible).items():
        if named := xmltext.name(key):
            yield f"docattr:{named}", value


def _image(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "image", "true"


def _selection(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "selection", "true"


_READERS = {"Value": _value, "Action": _actions, "Document": _document, "Image": _image, "Selection": _selection}
