"""The root file system of a desktop: layers made from Debian's and PyPI's packages, kept by content, combined per task.

recipes     which layers there are, and how each is made (layers/*.sh)
needs       which of them a task's applications need
building    makes them in containers, from where this machine's own pip, npm and apt take packages (registries, debian)
store       where they are kept, and the image that some of them are together
standins/   small programs in the image in place of some that the tasks call
session.sh  starts the desktop in there
"""

from __future__ import annotations

from pathlib import Path

from .recipes import layers_for, not_given
from .store import Image, Layer, Store, find

_BEGIN = "# Stands in for "


def standins() -> dict[str, str]:
    """The programs in the guest that stand in for others, and for what, in the words of their own first lines."""
    files = sorted((Path(__file__).parent / "standins").iterdir())
    return {path.name: purpose for path in files if path.is_file() and (purpose := _stands_for(path))}


def _stands_for(path: Path) -> str:
    """Nothing for what only helps them."""
    purposes = (line for line in path.read_text().splitlines() if line.startswith(_BEGIN))
    return next(purposes, "").removeprefix(_BEGIN).rstrip(".")


__all__ = ["Image", "Layer", "Store", "find", "layers_for", "not_given", "standins"]
