"""BIRD as a benchmark: which tasks, where their databases are, what their agents are told."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.files import find
from ...errors import InputError
from ...protocols import Gold
from ...types import Brief, Task, ToolCall
from ..meanings import column_meanings
from ..sql_episode import INSTRUCTIONS, Listings, request, submission
from .episode import BirdEpisode, BirdSettings
from .tasks import BirdTask


class Bird:
    """The tasks given, on the databases below a directory."""

    name = "bird"

    def __init__(
        self,
        tasks: Sequence[BirdTask],
        databases: Path,
        engine: SqliteEngine,
        *,
        settings: BirdSettings | None = None,
        evidence: bool = True,
        schema: bool = False,
        instructions: str | None = None,
    ) -> None:
        self._tasks = tasks
        self._databases = databases
        self._engine = engine
        self._settings = settings or BirdSettings()
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

    def meanings(self, database: str) -> Mapping[str, Mapping[str, str]]:
        """Of columns, by table and column."""
        return column_meanings(self.database_file(database))

    def gold(self) -> Gold:
        return Gold(tuple(gold for task in self._tasks for gold in (task.gold, task.published) if gold is not None))

    async def identity(self) -> Mapping[str, Any]:
        return {
            "benchmark": self.name,
            "databases": await self._engine.digests(self._files()),
            "metric": self._settings.metric,
            "r_ves": self._settings.r_ves,
            "r_ves_wall": self._settings.r_ves_wall,
            "evidence": self._evidence,
            "schema": self._schema,
            **({"today": self._engine.today} if self._engine.today else {}),
            "instructions": hashlib.sha256(self._instructions.encode()).hexdigest()[:16],
            **({"ties": True} if self._settings.ties else {}),
            **self._settings.proof_identity(),
            **({"overlay": self._settings.overlay} if self._settings.overlay else {}),
            "limits": msgspec.to_builtins(self._settings.judging) | {"steps": self._settings.judging.steps},
        }

    @cached_property
    def missing(self) -> list[str]:
        """The databases that the tasks name and the directory does not have."""
        return [name for name, file in self._files().items() if not file.is_file()]

    def _files(self) -> dict[str, Path]:
        return {name: self.database_file(name) for name in sorted({task.database for task in self._tasks})}

    def database_file(self, name: str) -> Path:
        return find(self._databases, name)

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
