"""What a screen shows, as text: the accessibility tree, filtered to what can be used, one line for each thing.

    TAG          NAME        POSITION      SIZE        TEXT
    push-button  Save        (120, 80)     (24, 24)    ''

A node is kept if its role is one that people use, it is showing and visible, it can be used (enabled, editable, expandable or
checkable), it has a name or a text (or is a picture), and it lies on the screen. The columns are parted by tabs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal
from xml.etree import ElementTree

from msgspec import Struct

from .untrusted import parse_tree

# How many tokens a text is for a model, estimated: exact tables would have to be downloaded, and each model has its own.
#
# Numbers count one for three digits, words one for six letters (of other scripts one for each letter), signs one for two.
# Against GPT-4's own count this is 7% too many for tables of a screen, and 15 to 25% too many for prose and code: never too
# few there.


_PIECES = re.compile(r"(?P<number>\d{1,3})|(?P<word>[^\W\d_]+)|(?P<blank>\s+)|(?P<signs>[^\w\s]+|_+)")


def tokens(text: str) -> int:
    return sum(_of_piece(piece) for piece in _PIECES.finditer(text))


def cut(lines: list[str], most: int) -> tuple[list[str], bool]:
    """As many lines as fit, and whether some were left out."""
    used = 0
    for index, line in enumerate(lines):
        used += tokens(line) + 1
        if used > most:
            return lines[:index], True
    return lines, False


def _of_piece(piece: re.Match[str]) -> int:
    text = piece[0]
    match piece.lastgroup:
        case "word":
            return -(-len(text) // 6) if text.isascii() else len(text)
        case "blank":
            return int(text != " ")
        case "signs":
            return -(-len(text) // 2)
        case _:
            return 1


Space = Literal["screenshot", "a11y_tree", "screenshot_a11y_tree", "som"]
TREE_SPACES: tuple[Space, ...] = ("a11y_tree", "screenshot_a11y_tree", "som")
PICTURE_SPACES: tuple[Space, ...] = ("screenshot", "screenshot_a11y_tree", "som")

_PREFIXES = ("document",)
_ENDINGS = tuple("item button heading label scrollbar searchbox textbox link tabelement textfield textarea menu".split())
_ROLES = frozenset(
    """
    alert canvas check-box combo-box entry icon image paragraph scroll-bar section slider static table-cell terminal text
    """.split()
)
_PICTURE = "image"
_USABLE = ("enabled", "editable", "expandable", "checkable")
_PAIR = re.compile(r"\(\s*(-?\d+)\s*,\s*(-?\d+)\s*\)")
_LONGEST_TEXT = 2_000
CUT = "[…] (more is on the screen: the list was cut at {most} tokens)"
UNREADABLE = "(the accessibility tree could not be read)"


class ScreenElement(Struct, frozen=True):
    """A thing on the screen."""

    tag: str
    name: str
    text: str
    x: int
    y: int
    width: int
    height: int

    @property
    def centre(self) -> tuple[int, int]:
        return self.x + self.width // 2, self.y + self.height // 2


def nodes(tree: str) -> list[ScreenElement] | None:
    """The things that can be used, in the tree's order; None if it cannot be read."""
    if (root := parse_tree(tree)) is None:
        return None
    return [node for element in root.iter() if (node := _node(element)) is not None]


def table(nodes: Sequence[ScreenElement] | None, most: int, *, indexed: bool = False) -> str:
    """As text of at most so many tokens; what is left out is marked."""
    if nodes is None:
        return UNREADABLE
    head = ["INDEX"] * indexed + ["TAG", "NAME", "POSITION", "SIZE", "TEXT"]
    lines = ["\t".join(head), *_lines(nodes, indexed)]
    kept, left_out = cut(lines, most)
    return "\n".join([*kept, CUT.format(most=most)] if left_out else kept)


def _lines(nodes: Sequence[ScreenElement], indexed: bool) -> Iterator[str]:
    for index, node in enumerate(nodes):
        name = " ".join(node.name.split())
        columns = [node.tag, name, f"({node.x}, {node.y})", f"({node.width}, {node.height})", repr(node.text)]
        yield "\t".join([str(index)] * indexed + columns)


def _node(element: ElementTree.Element) -> ScreenElement | None:
    tag = element.tag
    if not _interactive(tag):
        return None
    facts = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
    states = {name for name, value in facts.items() if value == "true"}
    if not {"showing", "visible"} <= states or states.isdisjoint(_USABLE):
        return None
    name, text = facts.get("name", ""), (element.text or "").strip()[:_LONGEST_TEXT]
    if not (name or text or tag == _PICTURE):
        return None
    position, size = _pair(facts.get("screencoord")), _pair(facts.get("size"))
    if position is None or size is None or min(position) < 0 or min(size) <= 0:
        return None
    return ScreenElement(tag, name[:_LONGEST_TEXT], text, *position, *size)


def _interactive(tag: str) -> bool:
    return tag in _ROLES or tag.startswith(_PREFIXES) or tag.endswith(_ENDINGS)


def _pair(text: str | None) -> tuple[int, int] | None:
    pair = _PAIR.fullmatch((text or "").strip())
    return (int(pair[1]), int(pair[2])) if pair else None
