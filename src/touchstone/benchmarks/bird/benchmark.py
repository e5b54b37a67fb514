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
from ...failures import InputError, Unscorable
from ...values import Brief, Task, ToolCall
from ..sql_episode import Listings, request, submission
from .episode import BirdEpisode, Settings
from .tasks import BirdTask

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
        self._listings = Listings(engine)
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
        return dict(zip(names, await asyncio.gather(*map(self._digest, names)), strict=True))

    async def _digest(self, name: str) -> str | None:
        """None for a database that is missing or is none: its tasks are unscorable."""
        try:
            return await self._engine.digest(self.database_file(name))
        except Unscorable:
            return None

    @cached_property
    def missing(self) -> list[str]:
        """The databases that the tasks name and the directory does not have."""
        return sorted({task.database for task in self._tasks if not self.database_file(task.database).is_file()})

    def database_file(self, name: str) -> Path:
        return self._databases / name / f"{name}.sqlite"

    async def _brief(self, task: BirdTask) -> Brief:
        fields = {"question": task.question, "database": task.database, "evidence": task.evidence if self._evidence else ""}
        listing = await self._listings.of(self.database_file(task.database)) if self._schema else ""
        return Brief(self._instructions, request(fields, listing), fields)

    def _refuse_wrong_directory(self) -> None:
        """A wrong path would make every task unscorable; better to say so at once."""
        if not self._databases.is_dir():
            raise InputError(f"{self._databases}: there is no such directory of databases")
        wanted = {task.database for task in self._tasks}
        if len(self.missing) == len(wanted):
            example = self.database_file(self.missing[0])
            raise InputError(f"{self._databases}: none of the {len(wanted)} databases is here; expected for example {example}")
