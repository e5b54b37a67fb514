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
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

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
    interfaces: frozenset[str]
    inside: Around
    """For its children; as for itself if it has no place of its own."""
    flat: bool = False
    """Without any height, so that nothing in it is seen."""


def read(atspi: Any, accessible: Any, around: Around) -> AccessibleNode:
    """Raises the library's error if the program does not answer or the node is gone."""
    tag = _tag(accessible)
    attributes = _name_and_states(accessible)
    interfaces = frozenset(accessible.get_interfaces())
    inside, flat = around, False
    if "st:showing" in attributes and "st:visible" in attributes:
        attributes |= _told(accessible)
        if "Component" in interfaces:
            reported, size = _box(atspi, accessible)
            widget = attributes.get("attr:toolkit") == "gtk"
            inside = _inside(tag, reported, size, widget, around)
            attributes |= _place(inside.corner, size, around.corner, inside.window)
            flat = size[1] == 0
        for interface, reader in _READERS.items():
            if interface in interfaces:
                attributes |= _tried(reader, atspi, accessible)
    text = _text(atspi, accessible) if "Text" in interfaces else ""
    return AccessibleNode(tag, attributes, text, interfaces, inside, flat)


def read_cell(atspi: Any, accessible: Any, tag: str, around: Around) -> AccessibleNode:
    """A cell of a kind that is known; what toolkits tell of it (its formula and borders) only if something is in it."""
    attributes, text = _name_and_states(accessible), _text(atspi, accessible)
    if text:
        attributes |= _told(accessible)
    reported, size = _box(atspi, accessible)
    corner = _plus(reported, around.shift)
    return AccessibleNode(tag, attributes | _place(corner, size, around.corner, around.window), text, frozenset(), around)


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


def _tag(accessible: Any) -> str:
    return name(accessible.get_role_name().replace(" ", "-")) or "unknown"


def _name_and_states(accessible: Any) -> dict[str, str]:
    states = sorted(state.value_nick.replace("-", "_") for state in accessible.get_state_set().get_states())
    return {"name": accessible.get_name() or "", **{f"st:{name(state)}": "true" for state in states}}


def _told(accessible: Any) -> dict[str, str]:
    """What toolkits tell beyond the usual; programs that are starting tell nothing at all."""
    attributes: dict[str, str] = accessible.get_attributes() or {}
    return {f"attr:{name(key)}": words for key, words in attributes.items() if key.strip()}


def _box(atspi: Any, accessible: Any) -> tuple[Corner, Corner]:
    box = atspi.Component.get_extents(accessible, atspi.CoordType.SCREEN)
    return (box.x, box.y), (box.width, box.height)


def _text(atspi: Any, accessible: Any) -> str:
    return atspi.Text.get_text(accessible, 0, -1)[:_LONGEST_TEXT]


def _place(corner: Corner, size: Corner, parent: Corner, window: Corner) -> dict[str, str]:
    return {
        "cp:screencoord": str(corner),
        "cp:windowcoord": str(_minus(corner, window)),
        "cp:parentcoord": str(_minus(corner, parent)),
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
        named = name(atspi.Action.get_action_name(accessible, index).replace(" ", "-"))
        if named:
            yield f"act:{named}_desc", atspi.Action.get_action_description(accessible, index)
            yield f"act:{named}_kb", atspi.Action.get_key_binding(accessible, index)


def _document(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "doc:locale", atspi.Document.get_locale(accessible)
    for key, value in atspi.Document.get_document_attributes(accessible).items():
        if named := name(key):
            yield f"docattr:{named}", value


def _image(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "image", "true"


def _selection(atspi: Any, accessible: Any) -> Iterator[tuple[str, object]]:
    yield "selection", "true"


_READERS = {"Value": _value, "Action": _actions, "Document": _document, "Image": _image, "Selection": _selection}
