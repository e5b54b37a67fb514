"""One node of the accessibility tree as an XML element in the published form.

Each property is a message to the program and back. So of what is not showing (the items of closed menus are most of a desktop's
nodes) only the name, the states and the text are read, and of the cells of a huge table only what makes them differ.

LibreOffice draws most of its window itself, in a GTK widget below GTK's menu bar, but counts the places of what it draws from
the top of the window: cells and buttons are told to be one menu bar too high. (Its dialogs, name box and side bar are GTK's own
and right.) What it draws fills that widget, or the window's lower part, so the distance between the lower right corners of the
two is what has to be added: to everything inside, up to where a widget of GTK's own begins again.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from .accessibles import Accessible
from .dbus_wire import Failed

# Text of programs in XML 1.0: whatever they hold, the tree can be parsed.


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PLACEHOLDERS = re.compile("[\ufffc\ufffd]")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_.-]")
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
_TEXT_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"})


def name(words: str) -> str:
    """The name of an element or attribute; empty if nothing is left."""
    cleaned = _NOT_IN_NAMES.sub("-", words.strip())
    return f"_{cleaned}" if cleaned and not (cleaned[0].isalpha() or cleaned[0] == "_") else cleaned


def value(words: str) -> str:
    """Between quotation marks."""
    return _FORBIDDEN.sub("", words).translate(_ESCAPES)


def content(words: str) -> str:
    """Between tags, without the marks that stand for pictures and the like."""
    return _PLACEHOLDERS.sub("", _FORBIDDEN.sub("", words)).translate(_TEXT_ESCAPES)


def element(tag: str, attributes: Mapping[str, str], inside: str) -> str:
    """Attributes have valid names already; what is inside is XML."""
    written = "".join(f' {key}="{value(words)}"' for key, words in attributes.items())
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


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
DRAWN = "root-pane"
"""What LibreOffice calls all that it draws itself in a window."""
_LONGEST_TEXT = 1 << 20


@dataclass(frozen=True)
class Around:
    """What a node is in."""

    corner: Corner = (0, 0)
    """Of the parent, on the screen."""
    end: Corner = (0, 0)
    """Its opposite corner."""
    window: Corner = (0, 0)
    """Of its window."""
    widget: bool = False
    """Whether the parent is a widget of GTK's own."""
    shift: Corner = (0, 0)
    """To be added to what the program tells of places here."""


@dataclass(frozen=True)
class AccessibleNode:
    """What was read of one node."""

    tag: str
    attributes: dict[str, str]
    text: str
    inside: Around
    """For its children; as for itself if it has no place of its own."""
    flat: bool = False
    """Without any height, so that nothing in it is seen."""


def read(node: Accessible, around: Around) -> AccessibleNode:
    """Raises Failed if the program does not answer or the node is gone."""
    tag = name(node.role.replace(" ", "-")) or "unknown"
    attributes = _name_and_states(node)
    inside, flat = around, False
    if node.showing:
        attributes |= _told(node)
        if "Component" in node.interfaces:
            reported, size = box(node)
            widget = attributes.get("attr:toolkit") == "gtk"
            inside = _inside(tag, reported, size, widget, around)
            attributes |= _place(inside.corner, size, around.corner, inside.window)
            flat = size[1] == 0
        for interface, reader in _READERS.items():
            if interface in node.interfaces:
                attributes |= _tried(reader, node)
    return AccessibleNode(tag, attributes, _text(node) if "Text" in node.interfaces else "", inside, flat)


def read_cell(node: Accessible, tag: str, around: Around) -> AccessibleNode:
    """A cell of a kind that is known; what toolkits tell of it (its formula and borders) only if something is in it."""
    attributes, text = _name_and_states(node), _text(node)
    if text:
        attributes |= _told(node)
    reported, size = box(node)
    corner = _plus(reported, around.shift)
    return AccessibleNode(tag, attributes | _place(corner, size, around.corner, around.window), text, around)


def _inside(tag: str, reported: Corner, size: Corner, widget: bool, around: Around) -> Around:
    shift = around.shift
    if widget:
        shift = (0, 0)
    elif around.widget and tag == DRAWN:
        shift = _minus(around.end, _plus(reported, size))
    corner = _plus(reported, shift)
    return Around(corner, _plus(corner, size), corner if tag in WINDOWS else around.window, widget, shift)


def _plus(one: Corner, other: Corner) -> Corner:
    return one[0] + other[0], one[1] + other[1]


def _minus(one: Corner, other: Corner) -> Corner:
    return one[0] - other[0], one[1] - other[1]


def _name_and_states(node: Accessible) -> dict[str, str]:
    states = sorted(state.replace("-", "_") for state in node.states)
    return {"name": node.fact("name") or "", **{f"st:{name(state)}": "true" for state in states}}


def _told(node: Accessible) -> dict[str, str]:
    """What toolkits tell beyond the usual; programs that are starting tell nothing at all."""
    attributes: dict[str, str] = node.fact("attributes") or {}
    return {f"attr:{name(key)}": words for key, words in attributes.items() if key.strip()}


def box(node: Accessible) -> tuple[Corner, Corner]:
    """Its corner on the screen and its size."""
    x, y, width, height = node.fact("box")
    return (x, y), (width, height)


def _text(node: Accessible) -> str:
    return node.fact("text")[:_LONGEST_TEXT]


def _place(corner: Corner, size: Corner, parent: Corner, window: Corner) -> dict[str, str]:
    return {
        "cp:screencoord": str(corner),
        "cp:windowcoord": str(_minus(corner, window)),
        "cp:parentcoord": str(_minus(corner, parent)),
        "cp:size": str(size),
    }


def _tried(reader: Callable[[Accessible], Iterator[tuple[str, object]]], node: Accessible) -> dict[str, str]:
    """Programs name interfaces that they then do not answer for; what came before counts."""
    facts: dict[str, str] = {}
    with contextlib.suppress(Exception):
        for key, value in reader(node):
            facts[key] = str(value)
    return facts


def _value(node: Accessible) -> Iterator[tuple[str, object]]:
    """One that is unknown is 0, as the usual library has it."""
    for key, name in (("value", "value"), ("min", "minimum"), ("max", "maximum"), ("step", "step")):
        try:
            yield f"val:{key}", node.fact(name)
        except Failed:
            yield f"val:{key}", 0.0


def _actions(node: Accessible) -> Iterator[tuple[str, object]]:
    for called, description, key in node.actions():
        if named := name(called.replace(" ", "-")):
            yield f"act:{named}_desc", description
            yield f"act:{named}_kb", key


def _document(node: Accessible) -> Iterator[tuple[str, object]]:
    yield "doc:locale", node.fact("locale")
    for key, value in node.fact("document").items():
        if named := name(key):
            yield f"docattr:{named}", value


_READERS: dict[str, Callable[[Accessible], Iterator[tuple[str, object]]]] = {
    "Value": _value,
    "Action": _actions,
    "Document": _document,
    "Image": lambda node: iter([("image", "true")]),
    "Selection": lambda node: iter([("selection", "true")]),
}
