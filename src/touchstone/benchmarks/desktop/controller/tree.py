"""The accessibility tree of the whole desktop as XML, and the text of the terminal in front, through AT-SPI.

Each reading is a child of its own, so that nothing remembered is stale and a reading can be killed. What a tree has of a
program is asked for in large groups first (`accessibles`), and then written down node by node.

Limits: 50 levels, 1,025 children, and a total time; a program that does not answer within a second is left out. Wherever
something was left out, the element says so in `cut`: depth, width, time, silent, block for a huge table of which only what
is seen was read, or flat for a menu bar without height: LibreOffice has a second one behind GTK's, whose menus say that they
are seen and where, but nobody sees them, and a click there hits another menu. If it was for time, the root says so too.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

from . import nodes
from .accessibles import AccessibilityBus, Accessible, Names, front_terminal, learn_tree
from .atspi_keepalive import keeper
from .dbus_wire import Failed
from .fork_server import Perform
from .tables import visible_cells

DEPTH, WIDTH = 50, 1025
PATIENCE = 1000
"""Milliseconds for the first answer of a program."""


def prepare() -> Perform:
    """Nothing is opened yet: children must not share a connection."""
    import_module("gi").require_version("Atspi", "2.0")
    atspi: Any = import_module("gi.repository.Atspi")
    meet, names = keeper(atspi, PATIENCE), Names(atspi)

    def perform(job: dict[str, Any]) -> int:
        os.environ.pop("GTK_MODULES", None)
        meet()
        _print(AccessibilityBus(names, PATIENCE / 1000), job)
        return 0

    return perform


def _print(bus: AccessibilityBus, job: dict[str, Any]) -> None:
    programs = bus.programs(WIDTH)
    if job["what"] == "terminal":
        text = front_terminal(program for program, answers in programs if answers)
        sys.stdout.write("" if text is None else f"={text}")
        return
    deadline = time.monotonic() + job["seconds"]
    for program, answers in programs:
        if answers:
            learn_tree(program, DEPTH, WIDTH, deadline)
    sys.stdout.write(Walk(deadline).desktop(bus.desktop(), programs))


class Walk:
    """From the top down, until the time is over."""

    def __init__(self, deadline: float) -> None:
        self._deadline = deadline
        self._late = False

    def desktop(self, desktop: Accessible, programs: Iterable[tuple[Accessible, bool]]) -> str:
        root = nodes.read(desktop, nodes.Around())
        inside = "".join(
            self._node(program, 1, nodes.Around()) if answers else '<application name="" cut="silent"/>'
            for program, answers in programs
        )
        spaces = {f"xmlns:{prefix}": address for prefix, address in nodes.NAMESPACES.items()}
        marks = {"cut": "time"} if self._late else {}
        return nodes.element(root.tag, {**spaces, **root.attributes, **marks}, inside)

    def _node(self, accessible: Accessible, depth: int, around: nodes.Around) -> str:
        """Nothing if it went away meanwhile."""
        try:
            node = nodes.read(accessible, around)
        except Failed:
            return ""
        parts: list[str] = []
        cut = self._children(accessible, node, depth, parts)
        attributes = {**node.attributes, "cut": cut} if cut else node.attributes
        return nodes.element(node.tag, attributes, nodes.content(node.text) + "".join(parts))

    def _children(self, accessible: Accessible, node: nodes.AccessibleNode, depth: int, parts: list[str]) -> str:
        """Why not all of them were read; empty if they were."""
        try:
            count = accessible.fact("count")
            if count and depth >= DEPTH:
                return "depth"
            if count and node.flat and node.tag == "menu-bar":
                return "flat"
            huge = count > WIDTH and {"Table", "Component"} <= accessible.interfaces
            few = (self._node(child, depth + 1, node.inside) for child in accessible.children(WIDTH))
            for child in self._cells(accessible, node.inside) if huge else few:
                parts.append(child)
                if time.monotonic() > self._deadline:
                    self._late = True
                    return "time"
        except Failed:
            return "silent"
        return "block" if huge else "width" if count > WIDTH else ""

    def _cells(self, table: Accessible, inside: nodes.Around) -> Iterator[str]:
        """What is seen of a huge table. The first cell shows of which kind they all are."""
        tag = ""
        for cell in visible_cells(table, inside.shift):
            tag = tag or nodes.read(cell, inside).tag
            read = nodes.read_cell(cell, tag, inside)
            yield nodes.element(tag, read.attributes, nodes.content(read.text))
