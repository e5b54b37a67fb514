"""Spider2-lite's references: gold results, the metadata about them, and the gold SQL of the few questions that have it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.files import check, find
from ...errors import SqlError, Unscorable
from ...protocols import Limits
from ...workers.pool import WorkerLost
from ..audit.findings import AuditFinding, audit_finding
from ..audit.probes import Watch, from_probe, looked_at, probed_file
from ..task_file import entries
from .golden import Golden, Reference
from .golden_audit import inspect
from .judge import Spider2Judgement, Spider2Question, judge_sql
from .tasks import Spider2Task

_SECONDS_TO_COMPARE = 600.0


def is_hopeless(golden: Golden, task: Spider2Task) -> bool:
    """The metadata names columns that no gold result has, so that nothing could ever match."""
    try:
        golden.check_columns(task.key)
    except Unscorable:
        return True
    return False


async def audit(
    tasks: Sequence[Spider2Task],
    databases: Path,
    golden: Golden,
    engine: SqliteEngine,
    *,
    limits: Limits,
    documents: Path | None = None,
    parallel: int = 2,
    watch: Watch,
) -> list[AuditFinding]:
    """All that is found without the oracle. Golden results are looked at on every platform, SQL is run only on files."""
    auditor = _Auditor(databases, golden, engine, limits, documents)
    return await looked_at(tasks, auditor.task, auditor.same, parallel=parallel, watch=watch)


class _Auditor:
    def __init__(self, databases: Path, golden: Golden, engine: SqliteEngine, limits: Limits, documents: Path | None) -> None:
        self._databases = databases
        self._golden = golden
        self._engine = engine
        self._limits = limits
        self._documents = documents
        self._listed = {_name(value) for _, value in entries(golden.metadata)}

    async def task(self, task: Spider2Task) -> list[AuditFinding]:
        findings = list(self._metadata(task))
        try:
            reference = self._golden.reference(task.key)
        except Unscorable as reason:
            kind = "golden_missing" if reason.kind == "gold_missing" else "golden_unreadable"
            return [audit_finding(task.key, kind, str(reason)), *findings]
        golden = await self._inspected(task, reference)
        return [*await self._gold(task, reference, golden), *golden, *findings]

    async def _inspected(self, task: Spider2Task, reference: Reference) -> list[AuditFinding]:
        try:
            defects = await self._engine.pool.call(inspect, reference, wall=_SECONDS_TO_COMPARE)
        except WorkerLost:
            return [audit_finding(task.key, "not_checked", "the gold results are too large to be compared with one another")]
        return [
            audit_finding(
                task.key,
                each.kind,
                each.sentence,
                "warning" if each.kind == "columns_out_of_range" and not each.severe else None,
            )
            for each in defects
        ]

    async def _gold(self, task: Spider2Task, reference: Reference, golden: Sequence[AuditFinding]) -> list[AuditFinding]:
        if task.platform != "sqlite":
            return []
        try:
            database = find(self._databases, task.database)
            check(database)
        except Unscorable as reason:
            return [audit_finding(task.key, "database_missing", str(reason), database=task.database)]
        if not task.gold_sql or any(finding.kind == "golden_unreadable" for finding in golden):
            return []
        judgement = await self._judged(task, database, reference)
        if judgement.fault is not None:
            kind = "gold_fails" if judgement.fault in ("sql", "blank", "multiple", "write", "refused") else "gold_times_out"
            return [audit_finding(task.key, kind, f"the gold SQL cannot be run: {judgement.reason}", sql=task.gold_sql)]
        result = await probed_file(self._engine, database, task.gold_sql, self._limits)
        determined = from_probe(
            task.key, task.gold_sql, result, self._limits, in_order=not reference.ignore_order, what="the gold SQL"
        )
        return [*_agreement(task, reference, judgement), *determined]

    async def _judged(self, task: Spider2Task, database: Path, reference: Reference) -> Spider2Judgement:
        try:
            return await self._engine.apply(
                database, judge_sql, Spider2Question(task.gold_sql, reference), self._limits, statements=1
            )
        except SqlError as error:
            return Spider2Judgement(kind="error", reason=error.message, fault=error.kind)

    async def same(self, task: Spider2Task, other: Spider2Task) -> AuditFinding:
        """Whether the gold results of the same question are the same files is all that is asked."""
        what = f"{other.key} asks the same question"
        if not self._golden.has(task.key) or not self._golden.has(other.key):
            return audit_finding(task.key, "repeated_question", what)
        own, others = ({file.digest for file in self._golden.reference(one.key).files} for one in (task, other))
        if own & others:
            return audit_finding(task.key, "repeated_question", f"{what}, with the same gold result")
        return audit_finding(task.key, "contradicting_gold", f"{what}, with other gold results", "warning")

    def _metadata(self, task: Spider2Task) -> Iterator[AuditFinding]:
        if task.key not in self._listed:
            yield audit_finding(
                task.key, "metadata_missing", f"{self._golden.metadata.name} says nothing of it: all columns count"
            )
        if task.knowledge and self._documents is not None and not (self._documents / task.knowledge).is_file():
            yield audit_finding(task.key, "document_missing", f"{task.knowledge} is not in {self._documents}")


def _agreement(task: Spider2Task, reference: Reference, judgement: Spider2Judgement) -> Iterator[AuditFinding]:
    files = [Path(file.path).name for file in reference.files]
    evidence: dict[str, Any] = {"sql": task.gold_sql, "golden": files}
    if not judgement.official and not judgement.strict:
        yield audit_finding(task.key, "gold_disagrees", f"the gold SQL gives another result: {judgement.reason}", **evidence)
    elif not judgement.strict:
        yield audit_finding(task.key, "gold_agrees_only_officially", f"compared row by row: {judgement.reason}", **evidence)
    elif not judgement.official:
        yield audit_finding(task.key, "gold_agrees_only_strictly", "the official suite says that it does not match", **evidence)


def _name(value: Any) -> str:
    return str(value.get("instance_id", "")) if isinstance(value, dict) else ""  # pyright: ignore[reportUnknownArgumentType,reportUnknownMemberType]
