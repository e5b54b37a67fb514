"""`touchstone suite`: the small databases of each task, frozen in one file, by the benchmarks that can do so."""

from __future__ import annotations

from cyclopts import App

from .run import add_shared_commands
from .run import shared_command as command

__all__ = ["app", "command"]


def app() -> App:
    outer = App(name="suite", help="Build suites of small databases that expose wrong predictions without a search.")
    add_shared_commands(outer)
    return outer
