"""BIRD as a benchmark: which tasks, where their databases are, what their agents are told."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from ...engines.sqlite.engine import SqliteEngine
from ...failures import InputError, SqlError, Unscorable
from ...values import Brief, Task, ToolCall
from .episode import BirdEpisode, Settings
from .tasks import BirdTask

_TABLES = """
SELECT m.name, group_concat(CASE WHEN c.name GLOB '*[^a-zA-Z0-9_]*' THEN '"' || c.name || '"' ELSE c.name END, ', ')
FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type IN ('table', 'view') AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!'
GROUP BY m.name
"""

INSTRUCTIONS = Path(__file__).with_name("instructions.md")


class Bird:
    """The tasks given, on the databases below a directory."""

    name = "bird"

    def __init__(
        self,
        tasks: Sequence[BirdTask],
        databases: Path,
        engine: SqliteEngine,
        *,
        settings: Settings | None = None,
        evidence: bool = True,
        schema: bool = False,
        instructions: str | None = None,
    ) -> None:
        self._tasks = tasks
        self._databases = databases
        self._engine = engine
        self._settings = settings or Settings()
        self._evidence = evidence
        self._schema = schema
        self._listings: dict[str, str] = {}
        self._instructions = INSTRUCTIONS.read_text() if instructions is None else instructions
        self._refuse_wrong_directory()

    def tasks(self) -> Sequence[BirdTask]:
        return self._tasks

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[BirdEpisode]:
        assert isinstance(task, BirdTask)
        brief = await self._brief(task)
        episode = BirdEpisode(task, brief, self._engine, self.database_file(task.database), self._settings)
        try:
            yield episode
        finally:
            await episode.close()

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, BirdTask)
        return [submission(task.gold)]

    async def identity(self) -> Mapping[str, Any]:
        return {
            "benchmark": self.name,
            "databases": await self._digests(),
            "metric": self._settings.metric,
            "r_ves": self._settings.r_ves,
            "evidence": self._evidence,
            "schema": self._schema,
            "instructions": hashlib.sha256(self._instructions.encode()).hexdigest()[:16],
            "limits": msgspec.to_builtins(self._settings.judging),
        }

    async def _digests(self) -> dict[str, str | None]:
        names = sorted({task.database for task in self._tasks})
        present = [name for name in names if name not in self.missing]
        found = await asyncio.gather(*(self._engine.digest(self.database_file(name)) for name in present))
        return {**dict.fromkeys(names), **dict(zip(present, found, strict=True))}

    @cached_property
    def missing(self) -> list[str]:
        """The databases that the tasks name and the directory does not have."""
        return sorted({task.database for task in self._tasks if not self.database_file(task.database).is_file()})

    def database_file(self, name: str) -> Path:
        return self._databases / name / f"{name}.sqlite"

    async def _brief(self, task: BirdTask) -> Brief:
        hint = f"\n\nHint: {task.evidence}" if self._evidence and task.evidence else ""
        if not self._schema:
            return Brief(self._instructions, f"{task.question}{hint}\n\nDatabase: {task.database}")
        listing = await self._listing(task.database)
        return Brief(self._instructions, f"Database: {task.database}\n{listing}\n\n{task.question}{hint}")

    async def _listing(self, database: str) -> str:
        """The tables with their columns, a line each."""
        if database not in self._listings:
            session = self._engine.session(self.database_file(database), writable=False, limits=self._settings.exploring)
            try:
                table = await session.run(_TABLES)
            except SqlError as error:
                raise Unscorable(f"the schema of {database} cannot be read: {error}") from None
            self._listings[database] = "\n".join(f"{name}({columns})" for name, columns in table.rows)
        return self._listings[database]

    def _refuse_wrong_directory(self) -> None:
        """A wrong path would make every task unscorable; better to say so at once."""
        if not self._databases.is_dir():
            raise InputError(f"{self._databases}: there is no such directory of databases")
        wanted = {task.database for task in self._tasks}
        if len(self.missing) == len(wanted):
            example = self.database_file(self.missing[0])
            raise InputError(f"{self._databases}: none of the {len(wanted)} databases is here; expected for example {example}")


def submission(sql: str) -> ToolCall:
    """The call that hands in a query."""
    return ToolCall("submission", "submit_sql", msgspec.json.encode({"sql": sql}).decode())
