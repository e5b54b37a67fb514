"""BIRD as a benchmark: which tasks, where their databases are, what their agents are told."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.files import find
from ...errors import InputError, SqlError, Unscorable, WorkerFailure
from ...protocols import Gold
from ...types import Brief, Limits, Outcome, Task, ToolCall, Verdict
from ..meanings import column_meanings
from ..sql_episode import EXPLORING, INSTRUCTIONS, Listings, QueryBenchmark, SqlEpisode, submission
from .judge import R_VES_ROUNDS, BirdJudgement, BirdQuestion, check, judge, unjudged
from .tasks import BirdTask

if TYPE_CHECKING:
    from ...proof import Suite, SuiteTask


class Bird(QueryBenchmark[BirdTask]):
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
        text = INSTRUCTIONS.read_text() if instructions is None else instructions
        super().__init__(tasks, text, evidence=evidence, schema=schema)
        self._databases = databases
        self._engine = engine
        self._settings = settings or BirdSettings()
        self._listings = Listings(engine)
        self._known_files: dict[str, Path] = {}
        self._refuse_wrong_directory()

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[BirdEpisode]:
        assert isinstance(task, BirdTask)
        file = self.database_file(task.database)
        listing = await self._listings.of(file) if self._schema else ""
        episode = BirdEpisode(task, self._brief(task, listing), self._engine, file, self._settings)
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
        settings = self._settings
        return self._identity(settings.judging, steps=settings.judging.steps) | {
            "databases": await self._engine.digests(self._files()),
            "metric": settings.metric,
            "r_ves": settings.r_ves,
            "r_ves_wall": settings.r_ves_wall,
            "evidence": self._evidence,
            **({"today": self._engine.today} if self._engine.today else {}),
            **({"ties": True} if settings.ties else {}),
            **settings.proof_identity(),
            **({"overlay": settings.overlay} if settings.overlay else {}),
        }

    @cached_property
    def missing(self) -> list[str]:
        """The databases that the tasks name and the directory does not have."""
        return [name for name, file in self._files().items() if not file.is_file()]

    def _files(self) -> dict[str, Path]:
        return {name: self.database_file(name) for name in sorted({task.database for task in self._tasks})}

    def database_file(self, name: str) -> Path:
        if name not in self._known_files:
            self._known_files[name] = find(self._databases, name)
        return self._known_files[name]

    def _refuse_wrong_directory(self) -> None:
        """A wrong path would make every task unscorable; better to say so at once."""
        if not self._databases.is_dir():
            raise InputError(f"{self._databases}: there is no such directory of databases")
        wanted = {task.database for task in self._tasks}
        if len(self.missing) == len(wanted):
            example = self.database_file(self.missing[0])
            raise InputError(f"{self._databases}: none of the {len(wanted)} databases is here; expected for example {example}")


# One BIRD episode: explore a private copy with `execute_sql`, hand in with `submit_sql`, be judged on the original.


PASSING = {"r_ves": "ex", "r_ves_wall": "ex"}
"""The metric that must be 1 for a task to count as passed, where it is another than the one that gives the score."""


class BirdSettings(Struct, frozen=True):
    """What changes how an episode is played and judged."""

    metric: str = "ex"
    """The metric that gives the score and decides whether a task is passed."""
    r_ves: bool = False
    r_ves_wall: bool = False
    ties: bool = False
    """Whether EX is also asked for any result that the gold's ties allow."""
    overlay: dict[str, Any] | None = None
    """Where corrections to the tasks come from. The published golds are then asked, too."""
    proof: bool = False
    """Whether each prediction that is right by EX is also tried on small databases; it changes no verdict."""
    suite: Suite | None = None
    """The same, on frozen databases and without a search."""
    laws: str = ""
    """A TOML text of invariants that the search keeps or need not keep."""
    exploring: Limits = EXPLORING
    judging: Limits = Limits()

    def proof_identity(self) -> dict[str, Any]:
        """How it is tried. It says what was measured only where the verdicts depend on it."""
        if not (self.proof or self.suite):
            return {}
        how: dict[str, Any] = {"suite": self.suite.digest} if self.suite else {"search": True}
        if self.laws:
            how["laws"] = hashlib.sha256(self.laws.encode()).hexdigest()[:16]
        return {"proof": how, **({"proven_by": how} if self.metric == "proven" else {})}


class BirdEpisode(SqlEpisode):
    """The world of one task."""

    def __init__(self, task: BirdTask, brief: Brief, engine: SqliteEngine, database: Path, settings: BirdSettings) -> None:
        super().__init__(brief, engine, database, settings.exploring)
        self._task = task
        self._settings = settings

    async def verdict(self) -> Verdict:
        if self.submitted is None:
            return nothing_submitted(self._task)
        judgement = await self._judgement(self.submitted)
        evidence = evidence_of(self._task, self.submitted, judgement)
        if judgement.fault is not None:
            return Verdict(Outcome.failed, 0.0, fault_in_words(judgement), self._zeros(), evidence)
        metrics = judgement.metrics
        if self._settings.overlay is not None:
            metrics = {**metrics, "ex_published": await self._by_published(self.submitted, metrics["ex"])}
        proof: dict[str, Any] = {}
        if self._settings.proof or self._settings.suite:
            metrics = {**metrics, "proven": 0.0}
            if metrics["ex"] == 1:
                evidence["proof"] = proof = await self._proof(self.submitted)
                metrics["proven"] = float(proof["verdict"] in ("same", "upheld"))  # one that stays open does not count
        passed = metrics[PASSING.get(self._settings.metric, self._settings.metric)] == 1
        outcome = Outcome.passed if passed else Outcome.failed
        reason = judgement.reason
        if self._settings.metric == "proven" and proof and not passed:
            reason = f"Right by EX, but {proof['verdict']}: {proof['reason']}"
        return Verdict(outcome, metrics[self._settings.metric], reason, metrics, evidence)

    async def _judgement(self, prediction: str) -> BirdJudgement:
        limits = self._settings.judging
        settings = self._settings
        question = BirdQuestion(self._task.gold, prediction, settings.r_ves, settings.r_ves_wall, settings.ties)
        statements = 2 + 3 * settings.ties + 3 * settings.r_ves + 3 * R_VES_ROUNDS * settings.r_ves_wall
        try:
            return await self._engine.apply(self._database, judge, question, limits, statements=statements)
        except SqlError as error:
            return await self._find_culprit(error, limits)

    async def _by_published(self, prediction: str, by_correction: float) -> float:
        """EX by the gold as published; a published gold that cannot be run accepts nothing."""
        published = self._task.published
        if published is None:
            return by_correction
        question = BirdQuestion(published, prediction)
        try:
            judgement = await self._engine.apply(self._database, judge, question, self._settings.judging)
        except SqlError:
            return 0.0
        return judgement.metrics.get("ex", 0.0)

    async def _proof(self, prediction: str) -> dict[str, Any]:
        """Whatever becomes of the search, the verdict by EX stands: a search that fails leaves the question open."""
        from ...proof.finding import ProofFinding, ProofPair, proven  # here, since sqlglot is an extra
        from .proof import SuiteTrial, tried

        suite, gold, limits = self._settings.suite, self._task.gold, self._settings.judging
        frozen = suite.tasks.get(self._task.key) if suite is not None else None
        databases = frozen.databases if frozen is not None and frozen.gold == gold else ()
        try:
            if suite is not None and prediction.strip() == gold.strip():
                finding = ProofFinding("same", "the same statement")
            elif databases:
                finding = await self._engine.apply(self._database, tried, SuiteTrial(gold, prediction, databases), limits)
            else:  # a suite without a database for the task has nothing to say of it
                pair = ProofPair(gold, prediction, self._settings.laws)
                finding = await self._engine.apply(self._database, proven, pair, limits)
                if suite is not None:
                    finding = msgspec.structs.replace(finding, reason=f"{finding.reason} (searched: {_not_in(frozen, gold)})")
        except (SqlError, WorkerFailure) as error:
            finding = ProofFinding("open", f"the search ended early: {error}")
        return msgspec.to_builtins(finding)

    async def _find_culprit(self, error: SqlError, limits: Limits) -> BirdJudgement:
        """The gold and the prediction ran in one worker, which died: the prediction is to blame if the gold runs alone."""
        try:
            alone = await self._engine.apply(self._database, check, self._task.gold, limits, statements=1)
        except SqlError as of_gold:
            return unjudged(of_gold, gold_is_at_fault=True)
        return alone if alone.fault else unjudged(error, gold_is_at_fault=False)

    def _zeros(self) -> dict[str, float]:
        settings = self._settings
        proof = settings.proof or settings.suite is not None
        asked = {"r_ves": settings.r_ves, "r_ves_wall": settings.r_ves_wall, "proven": proof}
        asked["ex_ties"] = settings.ties
        asked["ex_published"] = settings.overlay is not None
        return dict.fromkeys(["ex", "multiset", "soft_f1", *(name for name, wanted in asked.items() if wanted)], 0.0)


def _not_in(frozen: SuiteTask | None, gold: str) -> str:
    if frozen is None:
        return "the suite does not have this task"
    return "the suite has no database for this task" if frozen.gold == gold else "the suite has another gold"


_FAULTS: dict[str, str] = {
    "blank": "The prediction is empty.",
    "write": "The prediction changes the database; only a query can be judged.",
}


def nothing_submitted(task: BirdTask) -> Verdict:
    return Verdict(Outcome.failed, 0.0, "nothing was submitted", {}, {"gold": task.gold})


def evidence_of(task: BirdTask, prediction: str, judgement: BirdJudgement) -> dict[str, Any]:
    """Raises Unscorable if it is the gold that cannot be run."""
    if judgement.gold_is_at_fault:
        raise Unscorable(f"the gold SQL cannot be run: {judgement.reason}")
    return {"prediction": prediction, "gold": task.gold, **judgement.evidence}


def fault_in_words(judgement: BirdJudgement) -> str:
    return _FAULTS.get(judgement.fault or "", f"The prediction cannot be run: {judgement.reason}")
