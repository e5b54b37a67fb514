"""Spider2-lite as a benchmark: the questions on local SQLite databases. The others need accounts and are skipped."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.files import find
from ...errors import InputError, Skipped, Unscorable
from ...protocols import Gold
from ...types import Record, Task, ToolCall
from ..meanings import column_meanings
from ..sql_episode import Listings, QueryBenchmark, instructions_in, submission
from .episode import ResultFileEpisode, Spider2Episode
from .golden import Golden, Reference, body_of
from .results import write_report
from .tasks import Spider2Task

if TYPE_CHECKING:
    from .config import Spider2Config

INSTRUCTIONS = Path(__file__).with_name("instructions.md")


class Spider2(QueryBenchmark[Spider2Task]):
    """The questions given, on the databases below a directory, judged by a gold folder."""

    name = "spider2"

    def __init__(
        self,
        config: Spider2Config,
        tasks: Sequence[Spider2Task],
        golden: Golden,
        engine: SqliteEngine,
        files: Mapping[str, Path | None] | None = None,
    ) -> None:
        """`files` are results that were handed in as CSV, by task, None where there is none: they need no database."""
        super().__init__(tasks, instructions_in(config.system_prompt, INSTRUCTIONS), schema=config.schema)
        assert config.databases is not None
        self._config = config
        self._databases = config.databases
        self._golden = golden
        self._engine = engine
        self._handed_in = files or {}
        self._listings = Listings(engine)
        if not self._databases.is_dir() and len(self._handed_in) < len(tasks):
            raise InputError(f"{self._databases}: there is no such directory of databases")

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[Spider2Episode | ResultFileEpisode]:
        assert isinstance(task, Spider2Task)
        if self._config.compat == "strict":
            self._golden.check_columns(task.key)
        if task.key in self._handed_in:
            file = self._handed_in[task.key]
            yield ResultFileEpisode(file, self._engine.pool, self._golden.reference(task.key), self._config)
            return
        if task.platform != "sqlite":
            raise Skipped(f"needs {task.platform}", "platform")
        reference = self._golden.reference(task.key)
        database = find(self._databases, task.database)
        listing = await self._listings.of(database) if self._schema else ""
        brief, document = self._brief(task, listing, instance_id=task.key), self._read_document(task)
        episode = Spider2Episode(task, brief, self._engine, database, self._config, reference, document)
        try:
            yield episode
        finally:
            await episode.close()

    def solution(self, task: Task) -> Sequence[ToolCall]:
        """Few questions have gold SQL; for the others there is nothing to play."""
        assert isinstance(task, Spider2Task)
        return [submission(task.gold_sql)] if task.gold_sql else []

    def meanings(self, database: str) -> Mapping[str, Mapping[str, str]]:
        """Of columns, by table and column."""
        return column_meanings(find(self._databases, database))

    def ended(self, records: Iterable[Record]) -> str | None:
        """Once a run is over: writes its report, and says so."""
        report = self._config.report
        return write_report(report, self._tasks, records, self._golden) if report else None

    def gold(self) -> Gold:
        files = [path for task in self._tasks for path in self._golden.files(task.key)]
        texts = [*(task.gold_sql for task in self._tasks), *map(body_of, files)]
        return Gold(tuple(text for text in texts if text), tuple(files))

    async def identity(self) -> Mapping[str, Any]:
        judging = self._config.judging
        return self._identity(judging, steps=judging.steps) | {
            "compat": self._config.compat,
            "databases": await self._engine.digests(self._files()),
            "gold": self._golden_digests,
            **({"today": self._engine.today} if self._engine.today else {}),
            **({"proof": {"search": True}} if self._config.proof else {}),
        }

    @cached_property
    def missing(self) -> list[str]:
        """The databases that the questions name and the directory does not have."""
        return [name for name, file in self._files().items() if not file.is_file()]

    def _files(self) -> dict[str, Path]:
        """Of the questions whose SQL is run here."""
        wanted = {task.database for task in self._tasks if task.platform == "sqlite" and task.key not in self._handed_in}
        files: dict[str, Path] = {}
        for name in sorted(wanted):
            with suppress(Unscorable):  # no database can have this name: its tasks will say so
                files[name] = find(self._databases, name)
        return files

    @cached_property
    def _golden_digests(self) -> dict[str, str]:
        """Of each reference that is used, so that a resumed run is judged by the same gold."""
        digests: dict[str, str] = {}
        for task in self._tasks:
            with suppress(Unscorable):  # a gold result that is missing or unreadable: its task will say so
                digests[task.key] = _digest_of(self._golden.reference(task.key))
        return digests

    def _read_document(self, task: Spider2Task) -> str | None:
        folder = self._config.documents
        if task.knowledge is None or folder is None:
            return None
        file = folder / task.knowledge
        there = file.resolve().is_relative_to(folder.resolve()) and file.is_file()
        return file.read_text(errors="replace") if there else f"The document {task.knowledge} is not available."


def _digest_of(reference: Reference) -> str:
    files = [(Path(file.path).name, file.digest) for file in reference.files]
    return hashlib.sha256(msgspec.json.encode([files, reference.condition_cols, reference.ignore_order])).hexdigest()[:16]
