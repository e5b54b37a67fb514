"""The options of the SQLite engine, and its checks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...errors import TouchstoneError
from ...protocols import Check, EngineConfig, Opening
from ...types import Limits

if TYPE_CHECKING:
    from .engine import SqliteEngine


class SqliteConfig(EngineConfig, frozen=True, kw_only=True):
    """SQLite files. A folder holds <name>/<name>.sqlite or <name>.sqlite."""

    name: ClassVar[str] = "sqlite"
    suffixes: ClassVar[tuple[str, ...]] = (".sqlite", ".sqlite3", ".db")

    async def open(self, opening: Opening) -> SqliteEngine:
        from ..cache import default_path
        from .engine import SqliteEngine

        path = None if self.place is None else Path(self.place)
        engine = SqliteEngine(cache=default_path() if self.cache else None, place=path, today=self.today)
        opening.stack.push_async_callback(engine.close)
        return engine

    @classmethod
    def checks(cls) -> Iterator[Check]:
        import asyncio
        import sqlite3

        from .clone import library

        yield asyncio.run(_worker_check())
        how = "by copy-on-write, at any size" if library() else "by copying the file (this Python hides SQLite's library)"
        yield Check(True, f"SQLite {sqlite3.sqlite_version}", f"private copies {how}")


async def _worker_check() -> Check:
    """Runs a real query in a real worker."""
    import sqlite3
    import tempfile
    import time

    from .engine import SqliteEngine

    with tempfile.TemporaryDirectory() as directory:
        database = Path(directory, "probe.sqlite")
        connection = sqlite3.connect(database)
        connection.execute("CREATE TABLE t AS SELECT 1 AS a")
        connection.commit()
        connection.close()
        engine = SqliteEngine()
        started = time.perf_counter()
        try:
            session = engine.session(database, writable=True, limits=Limits(seconds=5))
            await session.run("DELETE FROM t")
            await session.close()
        except TouchstoneError as error:
            return Check(False, "SQL workers", str(error), needed=True)
        finally:
            await engine.close()
    return Check(True, "SQL workers", f"a query in a separate process after {time.perf_counter() - started:.2f} s", needed=True)
