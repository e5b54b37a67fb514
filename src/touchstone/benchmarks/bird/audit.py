"""BIRD's golds: whether they run, whether they say the same each time, and what the tasks around them contradict."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from ...engines.sqlite.engine import SqliteEngine
from ...errors import InputError, SqlError, Unscorable, os_errors_as
from ...types import Limits
from ..audit.findings import AuditFinding, Severity, audit_finding
from ..audit.probe import ProbeResult
from ..audit.probes import Watch, from_probe, looked_at, probed_file
from ..sql_episode import LOOKING
from .benchmark import Bird
from .judge import BirdJudgement, BirdQuestion, judge
from .tasks import DIFFICULTIES, BirdTask

_COLUMN = re.compile(r"(?<![\w.`\"])[`\"]?([A-Za-z_]\w*)[`\"]?\.(?:`([^`]+)`|\"([^\"]+)\"|([A-Za-z_]\w*))")
_COLUMNS = "SELECT lower(m.name), lower(c.name), c.type FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c"

Schema = dict[str, dict[str, str]]
"""Declared types by table and column, in lower case."""


async def audit(
    benchmark: Bird,
    engine: SqliteEngine,
    *,
    limits: Limits,
    gold_file: Path | None = None,
    parallel: int = 2,
    watch: Watch,
) -> list[AuditFinding]:
    """All that is found without the oracle."""
    auditor = _Auditor(benchmark, engine, limits)
    tasks = benchmark.tasks()
    others: Mapping[str, str] = _read_gold(gold_file, tasks) if gold_file else {}
    return await looked_at(
        tasks, lambda task: auditor.task(task, others.get(task.key)), auditor.same, parallel=parallel, watch=watch
    )


class _Auditor:
    def __init__(self, benchmark: Bird, engine: SqliteEngine, limits: Limits) -> None:
        self._benchmark = benchmark
        self._engine = engine
        self._limits = limits
        self._schemas: dict[str, Schema] = {}

    async def task(self, task: BirdTask, other: str | None) -> list[AuditFinding]:
        findings = list(_metadata(task))
        try:
            result = await probed_file(self._engine, self._file(task), task.gold, self._limits)
            schema = await self._schema(task)
        except Unscorable as reason:
            return [audit_finding(task.key, "database_missing", str(reason), database=task.database), *findings]
        findings[:0] = [
            *from_probe(task.key, task.gold, result, self._limits, in_order=False, exact=True),
            *_repetition(task, result),
        ]
        findings += _evidence(task, schema)
        if result.fault is None and find_spec("sqlglot") is not None:
            from .gold_patterns import patterns

            session = self._engine.session(self._file(task), writable=False, limits=self._limits)
            findings += await patterns(task, schema, session.run)
        if other is not None:
            findings += await self._gold_file(task, other)
        return findings

    async def same(self, task: BirdTask, other: BirdTask) -> AuditFinding:
        """Two tasks that ask the same question."""
        what = f"task {other.key} asks the same question"
        if task.gold.split() == other.gold.split():
            return audit_finding(task.key, "repeated_question", f"{what}, with the same gold")
        judgement = await self._compared(task, other.gold)
        if judgement is None or judgement.metrics.get("ex") == 1:
            result = "that could not be compared" if judgement is None else "of the same result"
            return audit_finding(task.key, "repeated_question", f"{what}, with another gold {result}", other=other.gold)
        alike = task.evidence == other.evidence
        hint = "" if alike else " (its evidence is another)"
        severity: Severity = "error" if alike else "warning"
        sentence = f"{what}{hint}, and its gold gives another result: {judgement.reason}"
        return audit_finding(task.key, "contradicting_gold", sentence, severity, gold=task.gold, other=other.gold)

    async def _gold_file(self, task: BirdTask, other: str) -> list[AuditFinding]:
        if task.gold.split() == other.split():
            return []
        judgement = await self._compared(task, other)
        if judgement is None:
            kind, sentence = "gold_text_differs", "the gold file has other SQL, whose result could not be compared"
        elif judgement.metrics.get("ex") == 1:
            kind, sentence = "gold_text_differs", "the gold file has other SQL, with the same result"
        else:
            kind, sentence = "gold_file_differs", f"the gold file has another result: {judgement.reason}"
        return [audit_finding(task.key, kind, sentence, gold=task.gold, other=other)]

    async def _compared(self, task: BirdTask, other: str) -> BirdJudgement | None:
        """None if the task's own gold cannot be run, which is another finding."""
        try:
            judgement = await self._engine.apply(self._file(task), judge, BirdQuestion(task.gold, other), self._limits)
        except (Unscorable, SqlError):
            return None
        return None if judgement.gold_is_at_fault else judgement

    async def _schema(self, task: BirdTask) -> Schema:
        if task.database not in self._schemas:
            session = self._engine.session(self._file(task), writable=False, limits=LOOKING)
            tables: Schema = {}
            with suppress(SqlError):  # a broken database, which its golds will tell
                for table, column, declared in (await session.run(_COLUMNS)).rows:
                    tables.setdefault(table, {})[column] = declared
            self._schemas[task.database] = tables
        return self._schemas[task.database]

    def _file(self, task: BirdTask) -> Path:
        return self._benchmark.database_file(task.database)


def _metadata(task: BirdTask) -> Iterator[AuditFinding]:
    if task.facets["difficulty"] not in DIFFICULTIES:
        yield audit_finding(task.key, "unknown_difficulty", f"the difficulty is '{task.facets['difficulty']}'")
    if task.key != task.question_id:
        yield audit_finding(task.key, "repeated_id", f"question_id {task.question_id} occurs more than once")


def _repetition(task: BirdTask, result: ProbeResult) -> Iterator[AuditFinding]:
    if result.distinct < result.rows:
        sentence = f"the gold returns {result.rows:,} rows, {result.distinct:,} of them distinct"
        yield audit_finding(task.key, "duplicate_rows", sentence, rows=result.rows, distinct=result.distinct)
    if result.rows > 1 and any(not run.same_order for run in result.reruns):
        yield audit_finding(task.key, "soft_f1_order", f"the {result.rows:,} rows of the gold may come in another order")


def _evidence(task: BirdTask, schema: Schema) -> Iterator[AuditFinding]:
    """Only where a table is named with it: anything else may be no column at all."""
    for named in _COLUMN.finditer(task.evidence):
        table, column = named[1], named[2] or named[3] or named[4]
        if table.lower() in schema and column.lower() not in schema[table.lower()]:
            yield audit_finding(
                task.key, "evidence_column", f"the evidence names {table}.{column}, and the table has no such column"
            )


def _read_gold(path: Path, tasks: Sequence[BirdTask]) -> Mapping[str, str]:
    """BIRD's gold file: SQL, a tab and the database per line, in the order of the task file."""
    with os_errors_as(InputError, f"--gold-file {path}: cannot be read"):
        lines = path.read_text(encoding="utf-8-sig").rstrip("\n").split("\n")
    return {task.key: _line(path, lines, task) for task in tasks}


def _line(path: Path, lines: Sequence[str], task: BirdTask) -> str:
    if task.index >= len(lines):
        raise InputError(f"--gold-file {path}: there are {len(lines)} lines, and task {task.key} needs row {task.index + 1}")
    sql, tab, database = lines[task.index].rpartition("\t")
    if not tab or database.strip() != task.database:
        raise InputError(f"--gold-file {path}: row {task.index + 1}: expected SQL, a tab and '{task.database}'")
    return sql
