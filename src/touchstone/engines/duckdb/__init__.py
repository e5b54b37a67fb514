"""DuckDB: read-only originals, private copies for whoever writes, limits by CPU time and memory, nothing outside the file."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from ...distribution import pip_install
from ...errors import InputError
from ...protocols import EngineConfig, Opening

if TYPE_CHECKING:
    from .engine import DuckdbEngine


class DuckdbConfig(EngineConfig, frozen=True, kw_only=True):
    """DuckDB files. A folder holds <name>/<name>.duckdb or <name>.duckdb."""

    name: ClassVar[str] = "duckdb"
    suffixes: ClassVar[tuple[str, ...]] = (".duckdb", ".ddb")

    async def open(self, opening: Opening) -> DuckdbEngine:
        if find_spec("duckdb") is None:
            raise InputError(f"DuckDB files need its library: {pip_install('duckdb')}")
        from .engine import DuckdbEngine

        engine = DuckdbEngine(_existing(self.place))
        opening.stack.push_async_callback(engine.close)
        return engine


def _existing(place: str | None) -> Path:
    if place is None or not Path(place).exists():
        raise InputError(f"{place or 'DuckDB'}: expected a DuckDB file, or a folder of them")
    return Path(place)
