"""DuckDB: read-only originals, private copies for whoever writes, limits by CPU time and memory, nothing outside the file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...distribution import refuse_without
from ...errors import InputError
from ...protocols import EngineConfig, Opening
from .in_memory import is_recipe, recipes

if TYPE_CHECKING:
    from .engine import DuckdbEngine


class DuckdbConfig(EngineConfig, frozen=True, kw_only=True):
    """DuckDB files. A folder holds <name>/<name>.duckdb or <name>.duckdb; or CSV, Parquet and JSON files, a table each."""

    name: ClassVar[str] = "duckdb"
    suffixes: ClassVar[tuple[str, ...]] = (".duckdb", ".ddb")

    async def open(self, opening: Opening) -> DuckdbEngine:
        refuse_without("duckdb", "DuckDB", "duckdb")
        from .engine import DuckdbEngine

        path = Path(self.place or "DuckDB")
        if is_recipe(path):
            return await DuckdbEngine.made(recipes(path), opening)
        engine = DuckdbEngine(_existing(path))
        opening.stack.push_async_callback(engine.close)
        return engine


def _existing(path: Path) -> Path:
    if not path.exists():
        raise InputError(f"{path}: expected a DuckDB file, a folder of them, or a folder of CSV, Parquet or JSON files")
    return path
