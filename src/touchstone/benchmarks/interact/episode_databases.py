"""Where the databases of an episode come from: SQLite files beside the tasks, or templates on a PostgreSQL server."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from ...engines.sqlite.database import SqliteEpisodeDatabase
from ...engines.sqlite.engine import SqliteEngine
from ...errors import SqlError, Unscorable
from ...protocols import EpisodeDatabase
from ...types import Limits
from .tasks import InteractTask

if TYPE_CHECKING:
    from ...engines.postgres.engine import PostgresEngine

A = TypeVar("A")
R = TypeVar("R")

_NAME = r'(?:"((?:[^"]|"")+)"|([^"\s(.]+))'
_CREATED = re.compile(rf"^\s*CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:{_NAME}\.)?{_NAME}", re.IGNORECASE | re.MULTILINE)
_COUNTS = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
_LOOKING = Limits(bytes=16 * 2**20)


class EpisodeDatabases(Protocol):
    """All databases of a dataset."""

    dialect: str
    versions: Mapping[str, str]
    """Of the servers at work, and how they sort."""
    today: str | None
    """The day that they are told it is; None for the real one."""

    async def open(self, task: InteractTask) -> EpisodeDatabase:
        """Raises Unscorable if the task's database is missing, broken or empty."""
        ...

    async def digests(self, tasks: Sequence[InteractTask]) -> Mapping[str, str | None]:
        """Of the databases that the tasks use; None for one that is missing or broken."""
        ...


class SqliteDatabases:
    """`<db>/<db>_template.sqlite`, or `<db>/<db>.sqlite` where there is no template."""

    dialect = "sqlite"
    versions: Mapping[str, str] = {}

    def __init__(self, engine: SqliteEngine, directory: Path) -> None:
        self._engine = engine
        self.today = engine.today
        self._directory = directory
        self._checked: dict[Path, str] = {}

    async def open(self, task: InteractTask) -> EpisodeDatabase:
        file = sqlite_file(self._directory, task)
        world = SqliteEpisodeDatabase(self._engine, file)
        if file not in self._checked:
            self._checked[file] = await self._fault(world, task.database)
        if self._checked[file]:
            raise Unscorable(self._checked[file], "database")
        return world

    async def digests(self, tasks: Sequence[InteractTask]) -> Mapping[str, str | None]:
        files = {
            str(file.relative_to(self._directory)): file for file in sorted({sqlite_file(self._directory, t) for t in tasks})
        }
        return await self._engine.digests(files)

    async def _fault(self, world: EpisodeDatabase, database: str) -> str:
        """Why its tasks cannot be scored; nothing if they can."""
        try:
            names = [str(name) for (name,) in (await world.explore(_COUNTS, _LOOKING)).rows]
            rows = [f'SELECT EXISTS (SELECT 1 FROM "{name.replace(chr(34), 2 * chr(34))}")' for name in names]
            filled = (await world.explore(" UNION ALL ".join(rows), _LOOKING)).rows if rows else []
        except SqlError as error:
            return f"the database {database} cannot be read: {error.message}"
        return fault_of(self._directory, database, names, any(there for (there,) in filled))


class PostgresDatabases:
    """Templates on a server. Each is looked at once: a database that lacks tables must not look like a weak agent."""

    dialect = "postgres"

    def __init__(self, engine: PostgresEngine, directory: Path) -> None:
        self.versions = engine.versions
        self.today = engine.today
        self._engine = engine
        self._directory = directory

    async def open(self, task: InteractTask) -> EpisodeDatabase:
        await self._check(task.database)
        return self._engine.world(task.database, task.key)

    async def digests(self, tasks: Sequence[InteractTask]) -> Mapping[str, str | None]:
        by_name: dict[str, str | None] = {}
        for name in sorted({task.database for task in tasks}):
            try:
                by_name[name] = (await self._engine.describe(name)).digest
            except Unscorable:
                by_name[name] = None
        return by_name

    async def _check(self, database: str) -> None:
        described = await self._engine.describe(database)
        if fault := fault_of(self._directory, database, described.tables, any(described.tables.values())):
            raise Unscorable(fault, "database")


def sqlite_file(directory: Path, task: InteractTask) -> Path:
    """Where a task's database is, or would be: its own file, else the template, else the database."""
    if task.database_file:
        return directory / task.database_file
    template = directory / task.database / f"{task.database}_template.sqlite"
    return template if template.is_file() else directory / task.database / f"{task.database}.sqlite"


def fault_of(directory: Path, database: str, tables: Collection[str], filled: bool) -> str:
    """A database that lacks tables of its schema text, or has no rows, must not look like a weak agent."""
    there = {_bare(name) for name in tables}
    missing = [name for name in _expected(directory, database) if _bare(name) not in there]
    if missing:
        return f"the database {database} lacks tables: {', '.join(missing)}"
    return "" if filled else f"the database {database} is empty"


def _bare(name: str) -> str:
    return re.sub(r'^(?:"[^"]*"|[^".]+)\.(?=.)', "", name).strip('"').replace('""', '"').casefold()


def _expected(directory: Path, database: str) -> list[str]:
    try:
        text = (directory / database / f"{database}_schema.txt").read_text(encoding="utf-8-sig")
    except (OSError, UnicodeError):
        return []
    return [quoted.replace('""', '"') or plain for _, _, quoted, plain in _CREATED.findall(text)]
