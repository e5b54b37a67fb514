"""SQLite: private copy-on-write sessions, guarded statements, limits that hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...protocols import EngineConfig, Opening

if TYPE_CHECKING:
    from .engine import SqliteEngine


class SqliteConfig(EngineConfig, frozen=True, kw_only=True):
    """SQLite files. A folder holds <name>/<name>.sqlite or <name>.sqlite."""

    name: ClassVar[str] = "sqlite"
    suffixes: ClassVar[tuple[str, ...]] = (".sqlite", ".sqlite3", ".db")

    async def open(self, opening: Opening) -> SqliteEngine:
        from ..cache import default_path
        from .engine import SqliteEngine

        place = None if self.place is None else Path(self.place)
        engine = SqliteEngine(cache=default_path() if self.cache else None, place=place, today=self.today)
        opening.stack.push_async_callback(engine.close)
        return engine
