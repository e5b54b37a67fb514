"""`touchstone --help`: the commands by what they are for, on one screen.

People ask for it all the time, so it takes no parser and no benchmark: the texts of benchmarks are read from the sources that
their entry points name, which are parsed and not imported.
"""

from __future__ import annotations

import ast
import shutil
import textwrap
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from . import COMMANDS

_GROUPS = {
    "Play and score": ("run", "score", "new", "demo", "mcp", "serve", "env"),
    "Look at results": ("summary", "view", "tag", "compare", "history", "export", "verify"),
    "Check data and golds": ("data", "audit", "suite", "invariants"),
    "This machine": ("doctor", "cache", "schema", "completion"),
}
"""What is in no group comes last."""


def overview() -> str:
    benchmarks = sorted(entry_points(group="touchstone.benchmarks"), key=lambda point: point.name)
    lines = {"Benchmarks": {point.name: summary(point) for point in benchmarks if point.name not in COMMANDS}}
    lines |= {title: {name: COMMANDS[name][1] for name in names} for title, names in _GROUPS.items()}
    shown = {name for names in _GROUPS.values() for name in names}
    lines["Others"] = {name: text for name, (_, text) in COMMANDS.items() if name not in shown}
    width = min(shutil.get_terminal_size().columns, 110)
    indent = 4 + max(len(name) for group in lines.values() for name in group)
    parts = ["Usage: touchstone COMMAND …", "", "Run agents on data benchmarks, score what they did, and say why."]
    for title, group in lines.items():
        if group:
            parts += ["", f"{title}:", *(_entry(name, text, indent, width) for name, text in group.items())]
    return "\n".join(
        [*parts, "", "touchstone COMMAND --help shows the options of a command, touchstone --version the version."]
    )


def _entry(name: str, text: str, indent: int, width: int) -> str:
    return textwrap.fill(
        text, max(width, indent + 20), initial_indent=f"  {name}".ljust(indent), subsequent_indent=" " * indent
    )


def summary(point: EntryPoint) -> str:
    """The first line of the docstring of a benchmark's struct."""
    try:
        classes = [node for node in ast.parse(_source(point.module)).body if isinstance(node, ast.ClassDef)]
    except (ImportError, OSError, SyntaxError, ValueError):
        classes = []
    text = next((ast.get_docstring(node) for node in classes if node.name == point.attr), None)
    return (text or _summary_of_loaded(point)).strip().partition("\n")[0]


def _source(module: str) -> str:
    """Found without importing the packages that it is in."""
    path: list[str] | None = None
    for end in range(1, module.count(".") + 2):
        spec = PathFinder.find_spec(".".join(module.split(".")[:end]), path)
        if spec is None or spec.origin is None:
            raise ImportError(module)
        path = list(spec.submodule_search_locations or ())
    return Path(spec.origin).read_text(encoding="utf-8")  # pyright: ignore[reportPossiblyUnboundVariable, reportOptionalMemberAccess, reportArgumentType]


def _summary_of_loaded(point: EntryPoint) -> str:
    from ..errors import InputError
    from ..plugins import benchmark_type

    try:
        return benchmark_type(point.name).__doc__ or ""
    except InputError as error:
        return str(error)
