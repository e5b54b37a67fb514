"""`touchstone suite`: the small databases of each task, frozen in one file, by the benchmarks that can do so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cyclopts import App

from .run import add_shared_commands, shared_command
from .struct_command import StructCommand


def command(argv: Sequence[str]) -> StructCommand | None:
    return shared_command(argv)


def __getattr__(name: str) -> Any:
    if name != "app":
        raise AttributeError(name)
    app = App(name="suite", help="Freeze the few small databases that tell wrong predictions from the gold.")
    add_shared_commands(app)
    return app
