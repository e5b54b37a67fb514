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
from .accessibles import Library, Names, front_terminal, learn_tree
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
        _print(Library(names, PATIENCE / 1000), job)
        return 0

    return perform


def _print(library: Library, job: dict[str, Any]) -> None:
    programs = library.programs(WIDTH)
    if job["what"] == "terminal":
        text = front_terminal(program for program, answers in programs if answers)
        sys.stdout.write("" if text is None else f"={text}")
        return
    deadline = time.monotonic() + job["seconds"]
    for program, answers in programs:
        if answers:
            learn_tree(program, DEPTH, WIDTH, deadline)
    sys.stdout.write(Walk(library, Failed, deadline).desktop(library.desktop(), programs))


class Walk:
    """From the top down, until the time is over."""

    def __init__(self, atspi: Any, error: type[Exception], deadline: float) -> None:
        self._atspi, self._error, self._deadline = atspi, error, deadline
        self._late = False

    def desktop(self, desktop: Any, programs: Iterable[tuple[Any, bool]]) -> str:
        root = nodes.read(self._atspi, desktop, nodes.Around())
        inside = "".join(
            self._node(program, 1, nodes.Around()) if answers else '<application name="" cut="silent"/>'
            for program, answers in programs
        )
        spaces = {f"xmlns:{prefix}": address for prefix, address in nodes.NAMESPACES.items()}
        marks = {"cut": "time"} if self._late else {}
        return nodes.element(root.tag, {**spaces, **root.attributes, **marks}, inside)

    def _node(self, accessible: Any, depth: int, around: nodes.Around) -> str:
        """Nothing if it went away meanwhile."""
        try:
            node = nodes.read(self._atspi, accessible, around)
        except self._error:
            return ""
        parts: list[str] = []
        cut = self._children(accessible, node, depth, parts)
        attributes = {**node.attributes, "cut": cut} if cut else node.attributes
        return nodes.element(node.tag, attributes, nodes.content(node.text) + "".join(parts))

    def _children(self, accessible: Any, node: nodes.AccessibleNode, depth: int, parts: list[str]) -> str:
        """Why not all of them were read; empty if they were."""
        try:
            count = accessible.get_child_count()
            if count and depth >= DEPTH:
                return "depth"
            if count and node.flat and node.tag == "menu-bar":
                return "flat"
            huge = count > WIDTH and {"Table", "Component"} <= node.interfaces
            children = self._cells(accessible, node.inside) if huge else self._all(accessible, count, node.inside, depth)
            for child in children:
                parts.append(child)
                if time.monotonic() > self._deadline:
                    self._late = True
                    return "time"
        except self._error:
            return "silent"
        return "block" if huge else "width" if count > WIDTH else ""

    def _all(self, accessible: Any, count: int, inside: nodes.Around, depth: int) -> Iterator[str]:
        """Children, of very many the first ones."""
        for index in range(min(count, WIDTH)):
            child = accessible.get_child_at_index(index)
            if child is not None:
                yield self._node(child, depth + 1, inside)

    def _cells(self, table: Any, inside: nodes.Around) -> Iterator[str]:
        """What is seen of a huge table. The first cell shows of which kind they all are."""
        tag = ""
        for cell in visible_cells(self._atspi, table, inside.shift):
            tag = tag or nodes.read(self._atspi, cell, inside).tag
            read = nodes.read_cell(self._atspi, cell, tag, inside)
            yield nodes.element(tag, read.attributes, nodes.content(read.text))
