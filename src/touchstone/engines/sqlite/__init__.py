"""SQLite: private copy-on-write sessions, guarded statements, limits that hold."""

from __future__ import annotations

from ...protocols import Engine


def plugin() -> Engine:
    from ..cache import default_path
    from .engine import SqliteEngine

    return SqliteEngine(cache=default_path())
