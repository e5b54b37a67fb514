"""A text-to-SQL benchmark in one folder, as somebody would add it: questions on a SQLite file, every capability there is."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar

from msgspec import Struct

import touchstone
from touchstone.plugins import open_engine
from touchstone.protocols import Check
from touchstone.reports.estimates import RunSection, StepChart, StepLine, estimate

LIMITS = touchstone.Limits(seconds=5)


class Question(touchstone.Task, frozen=True, kw_only=True):
    text: str
    gold: str


class Query(Struct, frozen=True):
    sql: str


class RiverEpisode(touchstone.PlainEpisode):
    tools: Sequence[touchstone.Tool] = (touchstone.Tool("submit_sql", "Hand in the query.", Query),)

    def __init__(self, task: Question, database: touchstone.EpisodeDatabase) -> None:
        self.brief = touchstone.Brief("Answer in SQL.", task.text, {"question": task.text})
        self._task, self._database = task, database
        self._submitted = ""

    @property
    def finished(self) -> bool:
        return bool(self._submitted)

    async def call(self, tool: str, arguments: Any) -> touchstone.Observation:
        self._submitted = arguments.sql
        return touchstone.Observation("Submitted.")

    async def verdict(self) -> touchstone.Verdict:
        expected = (await self._database.explore(self._task.gold, LIMITS)).rows
        try:
            rows = (await self._database.explore(self._submitted, LIMITS)).rows
        except touchstone.SqlError as error:
            return touchstone.Verdict(touchstone.Outcome.failed, 0.0, error.message)
        passed = rows == expected
        outcome = touchstone.Outcome.passed if passed else touchstone.Outcome.failed
        return touchstone.Verdict(
            outcome, float(passed), f"{rows} for {expected}", {"exact": float(passed)}, {"gauge": "north"}
        )


class Rivers:
    name = "rivers"

    def __init__(self, tasks: Sequence[Question], engine: touchstone.Engine) -> None:
        self._tasks, self._engine = tasks, engine

    def tasks(self) -> Sequence[Question]:
        return self._tasks

    @asynccontextmanager
    async def open(self, task: touchstone.Task) -> AsyncIterator[RiverEpisode]:
        assert isinstance(task, Question)
        database = self._engine.database("rivers", task.key)
        try:
            yield RiverEpisode(task, database)
        finally:
            await database.close()

    def solution(self, task: touchstone.Task) -> list[touchstone.ToolCall]:
        assert isinstance(task, Question)
        return [_submission(task.gold)]

    async def identity(self) -> dict[str, Any]:
        return {"benchmark": self.name, "databases": dict(await self._engine.digests(["rivers"]))}


class RiversConfig(touchstone.Selection, frozen=True, kw_only=True):
    """Ask about rivers, in SQL."""

    name: ClassVar[str] = "rivers"
    label: ClassVar[str] = "Rivers"
    agent: ClassVar[str] = "oracle"
    public_evidence: ClassVar[Sequence[str]] = ("gauge",)
    shared_commands: ClassVar[Mapping[str, str]] = {"audit lengths": "rivers:lengths"}

    questions: Annotated[Path | None, touchstone.Opt(positional=True)] = None
    """A JSON file of questions, with rivers.sqlite beside it."""

    async def open(self, opening: touchstone.Opening) -> Rivers:
        assert self.questions is not None
        return Rivers(self.chosen(), await open_engine("sqlite", opening, place=str(self.questions.parent)))

    def chosen(self) -> list[Question]:
        assert self.questions is not None
        rows = enumerate(json.loads(self.questions.read_text()))
        return [
            Question(key=row["id"], index=at, facets={}, digest=touchstone.digest(row), text=row["text"], gold=row["sql"])
            for at, row in rows
        ]

    def predictions(
        self, path: Path, tasks: Sequence[touchstone.Task], *, allow_missing: bool = False
    ) -> dict[str, list[touchstone.ToolCall]]:
        return {key: [_submission(sql)] for key, sql in json.loads(path.read_text()).items()}

    async def audit(self, opening: touchstone.Opening, options: touchstone.AuditOptions) -> touchstone.Audited:
        return touchstone.Audited(title="Rivers", benchmark=await self.open(opening), findings=[])

    @classmethod
    def checks(cls) -> Iterator[Check]:
        yield Check(True, "river gauges", "all of them answer")

    @classmethod
    def run_section(cls, records: Sequence[touchstone.Record]) -> RunSection:
        exact = estimate(records, lambda record: record.metrics.get("exact"))
        line = StepLine("exact", [0.0, exact.value or 0.0], "dotted")
        return RunSection(
            "The rivers", ("What", "Exact"), [("all", [exact])], [StepChart("By length", "", [0.0, 10.0], [line])]
        )

    @classmethod
    def compared(cls, directories: Sequence[Path]) -> str | None:
        """Of voyages, which are folders of this benchmark's own."""
        logs = [path / "voyage.txt" for path in directories]
        return "".join(log.read_text() for log in logs) if all(log.is_file() for log in logs) else None


class LengthOptions(touchstone.Options, frozen=True, kw_only=True):
    shortest: Annotated[int, touchstone.Opt(positional=True)] = 0
    """Only golds of so many letters or more."""


def lengths(config: RiversConfig, options: LengthOptions) -> int:
    """List the lengths of the golds."""
    print(*(len(task.gold) for task in config.chosen() if len(task.gold) >= options.shortest))
    return 0


def _submission(sql: str) -> touchstone.ToolCall:
    return touchstone.ToolCall("1", "submit_sql", json.dumps({"sql": sql}))
