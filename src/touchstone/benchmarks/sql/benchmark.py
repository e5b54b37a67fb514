"""Questions of your own as a benchmark, on whichever engine their databases need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ...engines.judging_connection import wall_clock
from ...errors import SqlError, Unscorable
from ...protocols import Engine, EpisodeDatabase, Gold
from ...types import Brief, Outcome, Task, ToolCall, Verdict
from ..database_episode import DatabaseBenchmark, DatabaseEpisode
from ..meanings import column_meanings
from ..sql_episode import instructions_in, submission
from .judge import SqlJudgement, SqlQuestion, judge
from .questions import SqlTask

if TYPE_CHECKING:
    from .config import SqlConfig

INSTRUCTIONS = Path(__file__).with_name("instructions.md")


class SqlQuestions(DatabaseBenchmark[SqlTask]):
    """The questions given, on the databases of one engine."""

    name = "sql"

    def __init__(self, config: SqlConfig, tasks: Sequence[SqlTask], engine: Engine) -> None:
        text = instructions_in(config.system_prompt, INSTRUCTIONS)
        super().__init__(tasks, engine, text, evidence=config.evidence, schema=config.schema, judging=config.judging)
        self.config = config

    def _episode(self, task: SqlTask, brief: Brief, database: EpisodeDatabase) -> SqlQuestionEpisode:
        return SqlQuestionEpisode(task, brief, database, self._engine.name, self.config)

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, SqlTask)
        return [submission(task.golds[0])] if task.golds else []

    def meanings(self, database: str) -> Mapping[str, Mapping[str, str]]:
        """Of columns, by table and column, from description files beside the database."""
        return column_meanings(self.config.file_of(database)) if self.config.databases else {}

    def gold(self) -> Gold:
        return Gold(tuple(sql for task in self._tasks for sql in task.golds))

    async def identity(self) -> Mapping[str, Any]:
        return {**await super().identity(), "order": self.config.order, "tolerance": self.config.tolerance or ""}


class SqlQuestionEpisode(DatabaseEpisode):
    """One question, judged by rows."""

    def __init__(self, task: SqlTask, brief: Brief, database: EpisodeDatabase, engine: str, config: SqlConfig) -> None:
        super().__init__(brief, database, engine, config.exploring)
        self._task = task
        self._config = config

    async def verdict(self) -> Verdict:
        golds = self._task.golds
        gold = {"gold": golds[0]} if golds else {}
        if self.submitted is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, gold)
        judgement = await judged(self._task, self.submitted, self._database, self._config)
        if judgement.unscorable:
            raise Unscorable(judgement.unscorable)
        evidence = {"prediction": self.submitted, **gold, **judgement.evidence}
        outcome = Outcome.passed if judgement.passed else Outcome.failed
        score = float(judgement.passed)
        reason = f"The prediction cannot be run: {judgement.reason}" if judgement.fault else judgement.reason
        return Verdict(outcome, score, reason, {"accuracy": score}, evidence)


async def judged(task: SqlTask, prediction: str, database: EpisodeDatabase, config: SqlConfig) -> SqlJudgement:
    tolerance = task.tolerance or config.tolerance or ""
    question = SqlQuestion(prediction, task.golds, task.expected, config.in_order(task), tolerance, task.columns)
    wall = wall_clock(config.judging) * (2 + len(task.golds))
    try:
        return await database.judge(judge, question, config.judging, wall=wall)
    except SqlError as error:
        died = error
    # The worker died on one of the queries: the prediction is to blame if the golds run without it.
    alone = msgspec.structs.replace(question, prediction="SELECT 1")
    try:
        without_it = await database.judge(judge, alone, config.judging, wall=wall)
    except SqlError as error:
        return SqlJudgement(False, "", unscorable=f"the gold SQL cannot be run: {error.message}")
    return without_it if without_it.unscorable else SqlJudgement(False, died.message, {"kind": "error"}, fault=died.kind)
