"""Questions of your own as a benchmark, on whichever engine their databases need."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from ...engines.judging_connection import wall_clock
from ...errors import SqlError, Unscorable
from ...protocols import Engine, EpisodeDatabase, Gold, Limits
from ...types import Brief, Outcome, Task, ToolCall, Verdict
from ..database_episode import DatabaseBenchmark, DatabaseEpisode
from ..meanings import column_meanings
from ..sql_episode import submission
from .judge import SqlJudgement, SqlQuestion, judge
from .questions import SqlTask

INSTRUCTIONS = Path(__file__).with_name("instructions.md")


class SqlSettings(Struct, frozen=True):
    """What changes how an episode is played and judged."""

    evidence: bool = True
    schema: bool = False
    order: bool | None = None
    """For questions that do not say so themselves."""
    tolerance: str = ""
    exploring: Limits = Limits(rows=10_000, cut_rows=True)
    judging: Limits = Limits()


class SqlQuestions(DatabaseBenchmark[SqlTask]):
    """The questions given, on the databases of one engine."""

    name = "sql"

    def __init__(
        self,
        tasks: Sequence[SqlTask],
        engine: Engine,
        settings: SqlSettings,
        instructions: str | None = None,
        file: Callable[[str], Path] | None = None,
    ) -> None:
        """`file` says where the database of a name is, if it is in files."""
        text = INSTRUCTIONS.read_text() if instructions is None else instructions
        super().__init__(tasks, engine, text, evidence=settings.evidence, schema=settings.schema, judging=settings.judging)
        self._file = file
        self.settings = settings

    def _episode(self, task: SqlTask, brief: Brief, database: EpisodeDatabase) -> SqlQuestionEpisode:
        return SqlQuestionEpisode(task, brief, database, self._engine.name, self.settings)

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, SqlTask)
        return [submission(task.golds[0])] if task.golds else []

    def meanings(self, database: str) -> Mapping[str, Mapping[str, str]]:
        """Of columns, by table and column, from description files beside the database."""
        return column_meanings(self._file(database)) if self._file else {}

    def gold(self) -> Gold:
        return Gold(tuple(sql for task in self._tasks for sql in task.golds))

    async def identity(self) -> Mapping[str, Any]:
        return {**await super().identity(), "order": self.settings.order, "tolerance": self.settings.tolerance}


class SqlQuestionEpisode(DatabaseEpisode):
    """One question, judged by rows."""

    def __init__(self, task: SqlTask, brief: Brief, database: EpisodeDatabase, engine: str, settings: SqlSettings) -> None:
        super().__init__(brief, database, engine, settings.exploring)
        self._task = task
        self._settings = settings

    async def verdict(self) -> Verdict:
        golds = self._task.golds
        gold = {"gold": golds[0]} if golds else {}
        if self.submitted is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, gold)
        judgement = await judged(self._task, self.submitted, self._database, self._settings)
        if judgement.unscorable:
            raise Unscorable(judgement.unscorable)
        evidence = {"prediction": self.submitted, **gold, **judgement.evidence}
        outcome = Outcome.passed if judgement.passed else Outcome.failed
        score = float(judgement.passed)
        reason = f"The prediction cannot be run: {judgement.reason}" if judgement.fault else judgement.reason
        return Verdict(outcome, score, reason, {"accuracy": score}, evidence)


async def judged(task: SqlTask, prediction: str, database: EpisodeDatabase, settings: SqlSettings) -> SqlJudgement:
    order = task.order if settings.order is None else settings.order
    question = SqlQuestion(prediction, task.golds, task.expected, order, task.tolerance or settings.tolerance, task.columns)
    wall = wall_clock(settings.judging) * (2 + len(task.golds))
    try:
        return await database.judge(judge, question, settings.judging, wall=wall)
    except SqlError as error:
        died = error
    # The worker died on one of the queries: the prediction is to blame if the golds run without it.
    alone = msgspec.structs.replace(question, prediction="SELECT 1")
    try:
        without_it = await database.judge(judge, alone, settings.judging, wall=wall)
    except SqlError as error:
        return SqlJudgement(False, "", unscorable=f"the gold SQL cannot be run: {error.message}")
    return without_it if without_it.unscorable else SqlJudgement(False, died.message, {"kind": "error"}, fault=died.kind)
