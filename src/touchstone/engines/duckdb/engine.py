"""The DuckDB engine as the event loop sees it: files found by name, and one episode's view of each.

Everything reads the original, opened read-only. What writes (an agent that explores, a script that moves the state on) does it
on a copy of the file that is made for it in the worker. What is judged never runs on more workers than there are cores.
"""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from ...errors import InputError, Unscorable
from ...protocols import Opening
from ...sandbox.folders import scratch_folder
from ...sandbox.worker import WorkerRules
from ...workers.pool import Pool, WorkerLost
from ..file_database import FileDatabase, JudgingWorkers
from .in_memory import Build, DatabaseRecipe, build
from .worker import do

_MAGIC = b"DUCK"
_MAGIC_AT = 8
_SUFFIXES = (".duckdb", ".ddb", ".db")
_SECONDS_TO_BUILD = 600.0


class DuckdbEngine(JudgingWorkers):
    """Databases in DuckDB files."""

    name = "duckdb"

    def __init__(self, place: Path, *, digests: Mapping[str, str] | None = None) -> None:
        """`place` is a file, or the folder in which `database` finds one by its name. `digests` are of what the files were made
        of, where we made them."""
        self._place = place
        self._digests = digests
        # DuckDB looks up the limits of its control group as it opens a file, and aborts where it is not let near them.
        rules = WorkerRules([str(scratch_folder())], readable=("/sys/fs/cgroup",))
        super().__init__(Pool(preload=["touchstone.engines.duckdb.worker"], rules=rules))

    @classmethod
    async def made(cls, recipes: Mapping[str, DatabaseRecipe], opening: Opening) -> DuckdbEngine:
        """With databases that are built for this run. Raises InputError."""
        folder = opening.stack.enter_context(tempfile.TemporaryDirectory(dir=scratch_folder()))
        files = {name: Path(folder, f"{name}.duckdb") for name in recipes}
        path = next(iter(files.values())) if len(files) == 1 else Path(folder)
        engine = cls(path, digests={name: recipe.digest for name, recipe in recipes.items()})
        opening.stack.push_async_callback(engine.close)
        for name, recipe in recipes.items():
            try:
                complaint = await engine.pool.call(build, Build(recipe, str(files[name])), stalled=_SECONDS_TO_BUILD)
            except WorkerLost as lost:
                raise InputError(f"{recipe.folder}: the database '{name}' could not be built: DuckDB {lost.cause}") from None
            if complaint:
                raise InputError(complaint)
        return engine

    @property
    def versions(self) -> Mapping[str, str]:
        return {"DuckDB": version("duckdb")}

    def database(self, name: str, key: str = "") -> FileDatabase:
        path = self.file(name)
        check(path)
        return FileDatabase(self, path.absolute(), do)

    def file(self, name: str) -> Path:
        if self._place.is_file():
            return self._place
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise Unscorable(f"not a name of a database: {name!r}")
        candidates = [folder / f"{name}{suffix}" for folder in (self._place / name, self._place) for suffix in _SUFFIXES]
        return next((path for path in candidates if path.is_file()), self._place / f"{name}.duckdb")

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        if self._digests is not None:
            only = next(iter(self._digests.values())) if self._place.is_file() else None
            return {name: self._digests.get(name, only) for name in names}
        return {name: await asyncio.to_thread(_digest, self.file(name)) for name in names}

    async def close(self) -> None:
        await self.pool.close()


def check(path: Path) -> None:
    """Raises Unscorable unless the file looks like a DuckDB database."""
    try:
        with path.open("rb") as file:
            head = file.read(_MAGIC_AT + len(_MAGIC))
    except FileNotFoundError:
        raise Unscorable(f"database missing: {path}", "database") from None
    except OSError as error:
        raise Unscorable(f"database unreadable: {path}: {error.strerror}", "database") from None
    if head[_MAGIC_AT:] != _MAGIC:
        raise Unscorable(f"not a DuckDB database: {path}", "database")


def _digest(path: Path) -> str | None:
    """SHA-256 of the file, and of its write-ahead log if there is one; None if it cannot be read."""
    whole = hashlib.sha256()
    try:
        for part in (path, Path(f"{path}.wal")):
            if part is path or part.exists():
                with part.open("rb") as file:
                    whole.update(hashlib.file_digest(file, "sha256").digest())
    except OSError:
        return None
    return whole.hexdigest()
