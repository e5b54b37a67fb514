"""A text-to-SQL benchmark of one file of questions and a folder of CSV files."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Struct

import touchstone
from touchstone.plugins import open_engine

LIMITS = touchstone.Limits(seconds=5)


class Question(touchstone.Task, frozen=True, kw_only=True):
    country: str
    gold: str


class Query(Struct, frozen=True):
    sql: str


TOOLS = (touchstone.Tool("try", "Run a query.", Query), touchstone.Tool("submit", "Hand in the query.", Query))


class Capital(touchstone.PlainEpisode):
    tools: Sequence[touchstone.Tool] = TOOLS

    def __init__(self, task: Question, database: touchstone.EpisodeDatabase) -> None:
        asked = f"What is the capital of {task.country}?"
        self.brief = touchstone.Brief("Answer in SQL.", asked, {"question": asked, "country": task.country})
        self._task, self._database = task, database
        self._submitted: str | None = None

    @property
    def finished(self) -> bool:
        return self._submitted is not None

    async def call(self, tool: str, arguments: Any) -> touchstone.Observation:
        if tool == "submit":
            self._submitted = arguments.sql
            return touchstone.Observation("Submitted.")
        try:
            return await self._database.show(arguments.sql, LIMITS)
        except touchstone.SqlError as error:
            return touchstone.Observation(error.message, error=True)

    async def verdict(self) -> touchstone.Verdict:
        if self._submitted is None:
            return touchstone.Verdict(touchstone.Outcome.failed, 0.0, "nothing was submitted")
        expected = (await self._database.explore(self._task.gold, LIMITS)).rows
        try:
            rows = (await self._database.explore(self._submitted, LIMITS)).rows
        except touchstone.SqlError as error:
            return touchstone.Verdict(touchstone.Outcome.failed, 0.0, error.message)
        passed = rows == expected
        outcome = touchstone.Outcome.passed if passed else touchstone.Outcome.failed
        return touchstone.Verdict(outcome, float(passed), f"{rows} for {expected}", {"exact": float(passed)})


class Capitals:
    name = "capitals"

    def __init__(self, tasks: Sequence[Question], engine: touchstone.Engine) -> None:
        self._tasks, self._engine = tasks, engine
        self.versions = engine.versions

    def tasks(self) -> Sequence[Question]:
        return self._tasks

    @asynccontextmanager
    async def open(self, task: touchstone.Task) -> AsyncIterator[Capital]:
        assert isinstance(task, Question)
        database = self._engine.database("world", task.key)
        try:
            yield Capital(task, database)
        finally:
            await database.close()

    def solution(self, task: touchstone.Task) -> list[touchstone.ToolCall]:
        assert isinstance(task, Question)
        return [_submission(task.gold)]

    async def identity(self) -> dict[str, Any]:
        return {"benchmark": self.name, "databases": dict(await self._engine.digests(["world"]))}


class CapitalsConfig(touchstone.Selection, frozen=True, kw_only=True):
    """Ask for capitals, in SQL over CSV files."""

    name: ClassVar[str] = "capitals"
    label: ClassVar[str] = "Capitals"
    agent: ClassVar[str] = "guesser"
    defaults: ClassVar[Mapping[str, Any]] = {"model": "parrot"}
    commands: ClassVar[Mapping[str, str]] = {"count": "capitals.benchmark:count"}

    questions: Annotated[Path | None, touchstone.Opt(positional=True)] = None
    """A JSON file of questions, with world.csv beside it."""

    async def open(self, opening: touchstone.Opening) -> Capitals:
        if self.questions is None:
            raise touchstone.OptionError("questions", None, "expected a file of questions")
        engine = await open_engine("csv", opening, place=str(self.questions.parent))
        return Capitals(self.chosen(), engine)

    def chosen(self) -> list[Question]:
        assert self.questions is not None
        try:
            rows = json.loads(self.questions.read_text())
        except (OSError, ValueError) as error:
            raise touchstone.InputError(f"{self.questions}: {error}") from None
        tasks = [
            Question(
                key=row["id"], index=index, facets={}, digest=touchstone.digest(row), country=row["country"], gold=row["sql"]
            )
            for index, row in enumerate(rows)
        ]
        return [task for task in tasks if not self.task or task.key in self.task][self.offset :][: self.limit]

    def predictions(
        self, path: Path, tasks: Sequence[touchstone.Task], *, allow_missing: bool = False
    ) -> dict[str, list[touchstone.ToolCall]]:
        found: dict[str, str] = json.loads(path.read_text())
        return {key: [_submission(sql)] for key, sql in found.items()}

    async def audit(self, opening: touchstone.Opening, options: touchstone.AuditOptions) -> touchstone.Audited:
        benchmark = await self.open(opening)
        findings = [
            touchstone.AuditFinding(task.key, "gold_text_differs", "warning", f"{task.key}: the gold selects everything")
            for task in benchmark.tasks()
            if "*" in task.gold
        ]
        return touchstone.Audited(title="Capitals: audit", benchmark=benchmark, findings=findings)


class CountOptions(touchstone.Options, frozen=True, kw_only=True):
    twice: bool = False
    """Count each of them twice."""


def count(config: CapitalsConfig, options: CountOptions) -> int:
    """Count the questions."""
    print(len(config.chosen()) * (2 if options.twice else 1))
    return 0


def _submission(sql: str) -> touchstone.ToolCall:
    return touchstone.ToolCall("1", "submit", json.dumps({"sql": sql}))
