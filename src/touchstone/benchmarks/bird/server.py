"""BIRD on a database server: mini-dev's PostgreSQL and MySQL forms.

The comparison is the original evaluator's for these systems: rows as psycopg2 and PyMySQL give them, as sets. So 0.1 as a
Decimal is not the float 0.1. Lists and JSON, on which the original fails, are compared as values. All of mini-dev's databases
are tables of one, so an agent sees the tables of the others too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...engines.judging_connection import JudgingConnection, wall_clock
from ...errors import SqlError
from ...protocols import Engine, EpisodeDatabase, Gold
from ...types import Brief, Outcome, Table, Task, ToolCall, Verdict
from ..database_episode import DatabaseBenchmark, DatabaseEpisode
from ..sql_episode import submission
from .benchmark import BirdSettings, evidence_of, fault_in_words, nothing_submitted
from .judge import BirdJudgement, BirdQuestion, judge_results, unjudged
from .tasks import BirdTask

INSTRUCTIONS = Path(__file__).with_name("server_instructions.md")


class ServerBird(DatabaseBenchmark[BirdTask]):
    """The tasks given, on the databases of a server."""

    name = "bird"

    def __init__(
        self,
        tasks: Sequence[BirdTask],
        engine: Engine,
        *,
        settings: BirdSettings,
        evidence: bool = True,
        schema: bool = False,
        instructions: str | None = None,
    ) -> None:
        text = INSTRUCTIONS.read_text() if instructions is None else instructions
        super().__init__(tasks, engine, text, evidence=evidence, schema=schema, judging=settings.judging)
        self._settings = settings

    def _episode(self, task: BirdTask, brief: Brief, database: EpisodeDatabase) -> ServerBirdEpisode:
        return ServerBirdEpisode(task, brief, database, self._engine.name, self._settings)

    def solution(self, task: Task) -> Sequence[ToolCall]:
        assert isinstance(task, BirdTask)
        return [submission(task.gold)]

    def gold(self) -> Gold:
        return Gold(tuple(task.gold for task in self._tasks))

    async def identity(self) -> Mapping[str, Any]:
        return {**await super().identity(), "metric": self._settings.metric}


class ServerBirdEpisode(DatabaseEpisode):
    """The world of one task."""

    def __init__(self, task: BirdTask, brief: Brief, database: EpisodeDatabase, engine: str, settings: BirdSettings) -> None:
        super().__init__(brief, database, engine, settings.exploring)
        self._task = task
        self._settings = settings

    async def verdict(self) -> Verdict:
        if self.submitted is None:
            return nothing_submitted(self._task)
        judgement = await self._judgement(self.submitted)
        evidence = evidence_of(self._task, self.submitted, judgement)
        if judgement.fault is not None:
            zeros: dict[str, float] = {"ex": 0.0, "multiset": 0.0, "soft_f1": 0.0}
            return Verdict(Outcome.failed, 0.0, fault_in_words(judgement), zeros, evidence)
        score = judgement.metrics[self._settings.metric]
        outcome = Outcome.passed if score == 1 else Outcome.failed
        return Verdict(outcome, score, judgement.reason, judgement.metrics, evidence)

    async def _judgement(self, prediction: str) -> BirdJudgement:
        limits = self._settings.judging
        question = BirdQuestion(self._task.gold, prediction)
        wall = 2 * wall_clock(limits)
        try:
            return await self._database.judge(judge_on_server, question, limits, wall=wall)
        except SqlError as error:
            died = error
        # Both ran on one connection, which broke: the prediction is to blame if the gold runs without it.
        alone = BirdQuestion(self._task.gold, self._task.gold)
        try:
            judgement = await self._database.judge(judge_on_server, alone, limits, wall=wall)
        except SqlError as error:
            return unjudged(error, gold_is_at_fault=True)
        return judgement if judgement.fault else unjudged(died, gold_is_at_fault=False)


def judge_on_server(bench: JudgingConnection, question: BirdQuestion) -> BirdJudgement:
    try:
        gold = _read(bench, question.gold)
    except SqlError as error:
        return unjudged(error, gold_is_at_fault=True)
    try:
        predicted = _read(bench, question.prediction)
    except SqlError as error:
        return unjudged(error, gold_is_at_fault=False)
    return judge_results(gold, predicted)


def _read(bench: JudgingConnection, sql: str) -> Table:
    result = bench.run(sql)
    rows = bench.official_rows(sql, result) if result.columns else result.rows
    return Table(result.columns, [tuple(map(_hashable, row)) for row in rows], changed=result.changed)


def _hashable(cell: Any) -> Any:
    if isinstance(cell, list | dict):
        return json.dumps(cell, sort_keys=True, default=str)
    return cell.tobytes() if isinstance(cell, memoryview) else cell
