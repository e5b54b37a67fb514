"""The accessibility tree of the whole desktop as XML, and the text of the terminal in front, through AT-SPI.

Each reading is a child of its own, so that nothing remembered is stale and a reading can be killed. The library's memory is on
during it: a program is asked once for all of its nodes' names, roles and states, which makes the rest of the walk cheap.

Limits: 50 levels, 1,025 children, and a total time; a program that does not answer within a second is left out. Wherever
something was left out, the element says so in `cut`: depth, width, time, silent, block for a huge table of which only what
is seen was read, or flat for a menu bar without height: LibreOffice has a second one behind GTK's, whose menus say that they
are seen and where, but nobody sees them, and a click there hits another menu. If it was for time, the root says so too.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from typing import Any

from . import nodes
from .atspi_keepalive import keeper
from .fork_server import Perform
from .tables import visible_cells

DEPTH, WIDTH = 50, 1025
PATIENCE = 1000
"""Milliseconds for one answer of one program."""


def prepare() -> Perform:
    """Nothing is opened yet: children must not share a connection."""
    import_module("gi").require_version("Atspi", "2.0")
    atspi: Any = import_module("gi.repository.Atspi")
    glib: Any = import_module("gi.repository.GLib")
    meet = keeper(atspi, PATIENCE)

    def perform(job: dict[str, Any]) -> int:
        os.environ.pop("GTK_MODULES", None)
        meet()
        return _remembering(atspi, glib, lambda: _print(atspi, glib, job))

    return perform


def _print(atspi: Any, glib: Any, job: dict[str, Any]) -> None:
    desktop = atspi.get_desktop(0)
    programs = list(_programs(desktop, glib))
    if job["what"] == "terminal":
        from .atspi_keepalive import front_terminal

        text = front_terminal(atspi, (program for program, _ in programs), glib.Error)
        sys.stdout.write("" if text is None else f"={text}")
    else:
        sys.stdout.write(Walk(atspi, glib.Error, time.monotonic() + job["seconds"]).desktop(desktop, programs))


def _remembering(atspi: Any, glib: Any, work: Callable[[], None]) -> int:
    """The library remembers only while its main loop runs."""
    failed: list[BaseException] = []

    def once() -> bool:
        try:
            work()
        except BaseException as error:
            failed.append(error)
        atspi.event_quit()
        return False

    atspi.init()
    atspi.set_timeout(PATIENCE, PATIENCE)
    glib.idle_add(once)
    atspi.event_main()
    if failed:
        raise failed[0]
    return 0


def _programs(desktop: Any, glib: Any) -> Iterator[tuple[Any, bool]]:
    """Each program and whether it answers. Its answer comes after that with all its nodes, which is then taken in."""
    context = glib.MainContext.default()
    for index in range(min(desktop.get_child_count(), WIDTH)):
        program, answers = None, False
        with contextlib.suppress(glib.Error):
            program = desktop.get_child_at_index(index)
            answers = program is not None and program.get_toolkit_name() is not None
        while context.pending():
            context.iteration(False)
        if program is not None:
            yield program, answers


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

    def _children(self, accessible: Any, node: nodes.Node, depth: int, parts: list[str]) -> str:
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
