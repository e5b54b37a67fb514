"""One BIRD episode: explore a private copy with `execute_sql`, hand in with `submit_sql`, be judged on the original."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct

from ...engines.sqlite.engine import SqliteEngine
from ...engines.tables import as_text
from ...failures import SqlError, Unscorable
from ...protocols import Limits, Session
from ...values import Brief, Observation, Outcome, Tool, Verdict
from ...workers.pool import WorkerLost
from .judge import R_VES_ROUNDS, Judgement, Question, check, judge
from .tasks import BirdTask

PASSING = {"ex": "ex", "multiset": "multiset", "soft_f1": "soft_f1", "r_ves": "ex"}
"""Each metric, and the one that must be 1 for a task to count as passed under it."""


class Settings(Struct, frozen=True):
    """What changes how an episode is played and judged."""

    metric: str = "ex"
    """The metric that gives the score and decides whether a task is passed."""
    r_ves: bool = False
    exploring: Limits = Limits(rows=10_000, cut_rows=True)
    judging: Limits = Limits()


class ExecuteSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT name, sql FROM sqlite_master"])]


class SubmitSql(Struct, frozen=True):
    sql: Annotated[str, Meta(examples=["SELECT count(*) FROM person"])]


TOOLS = (
    Tool("execute_sql", "Run SQL on your private copy of the SQLite database and see the result.", ExecuteSql),
    Tool("submit_sql", "Hand in the final SQL query. This ends the task.", SubmitSql),
)


class BirdEpisode:
    """The world of one task."""

    tools: Sequence[Tool] = TOOLS

    def __init__(self, task: BirdTask, brief: Brief, engine: SqliteEngine, database: Path, settings: Settings) -> None:
        self.brief = brief
        self._task = task
        self._engine = engine
        self._database = database
        self._settings = settings
        self._session: Session = engine.session(database, writable=True, limits=settings.exploring)
        self._submitted: str | None = None

    @property
    def finished(self) -> bool:
        return self._submitted is not None

    async def call(self, tool: str, arguments: Any) -> Observation:
        sql = arguments.sql.strip()
        if tool == "submit_sql":
            return self._submit(sql)
        try:
            return Observation(as_text(await self._session.run(sql)))
        except SqlError as error:
            return Observation(f"SQL error: {error.message}" if error.kind == "sql" else error.message, error=True)

    def _submit(self, sql: str) -> Observation:
        if not sql:
            return Observation("There is no SQL in this submission. Submit your final query.", error=True)
        self._submitted = sql
        return Observation("Submitted.")

    async def verdict(self) -> Verdict:
        if self._submitted is None:
            return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, {"gold": self._task.gold})
        judgement = await self._judgement(self._submitted)
        if judgement.gold_is_at_fault:
            raise Unscorable(f"the gold SQL cannot be run: {judgement.reason}")
        evidence = {"prediction": self._submitted, "gold": self._task.gold, **judgement.evidence}
        if judgement.fault is not None:
            return Verdict(Outcome.failed, 0.0, _fault_in_words(judgement), self._zeros(), evidence)
        metrics = judgement.metrics
        passed = metrics[PASSING[self._settings.metric]] == 1
        outcome = Outcome.passed if passed else Outcome.failed
        return Verdict(outcome, metrics[self._settings.metric], judgement.reason, metrics, evidence)

    async def close(self) -> None:
        await self._session.close()

    async def _judgement(self, prediction: str) -> Judgement:
        limits = self._settings.judging
        r_ves = self._settings.r_ves
        question = Question(self._task.gold, prediction, r_ves)
        try:
            return await self._engine.apply(self._database, judge, question, limits, statements=2 + 2 * R_VES_ROUNDS * r_ves)
        except WorkerLost:
            return await self._find_culprit(limits)

    async def _find_culprit(self, limits: Limits) -> Judgement:
        """The gold and the prediction ran in one worker, which died: the prediction is to blame if the gold runs alone."""
        reason = f"it used more than {limits.seconds:g} seconds or too much memory and had to be killed"
        try:
            alone = await self._engine.apply(self._database, check, self._task.gold, limits, statements=1)
        except WorkerLost:
            return Judgement({}, reason, {"kind": "error"}, fault="crash", gold_is_at_fault=True)
        return alone if alone.fault else Judgement({}, reason, {"kind": "error"}, fault="crash")

    def _zeros(self) -> dict[str, float]:
        names = ["ex", "multiset", "soft_f1", *(["r_ves"] if self._settings.r_ves else [])]
        return dict.fromkeys(names, 0.0)


_FAULTS: dict[str, str] = {
    "blank": "The prediction is blank.",
    "write": "The prediction changes the database; only a query can be judged.",
}


def _fault_in_words(judgement: Judgement) -> str:
    return _FAULTS.get(judgement.fault or "", f"The prediction cannot be run: {judgement.reason}")
