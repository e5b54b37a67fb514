"""Whether the golds of your questions run, say the same each time, and agree with the expected rows beside them."""

from __future__ import annotations

from functools import partial

from ...errors import Unscorable
from ..audit.findings import AuditFinding, audit_finding
from ..audit.probes import Watch, from_probe, looked_at, probed
from .benchmark import SqlQuestions, judged
from .questions import SqlTask


async def audit(benchmark: SqlQuestions, *, parallel: int, watch: Watch) -> list[AuditFinding]:
    """All that is found without the oracle."""

    async def same(task: SqlTask, other: SqlTask) -> AuditFinding:
        return audit_finding(task.key, "repeated_question", f"task {other.key} asks the same question")

    return await looked_at(benchmark.tasks(), partial(_looked_at, benchmark), same, parallel=parallel, watch=watch)


async def _looked_at(benchmark: SqlQuestions, task: SqlTask) -> list[AuditFinding]:
    try:
        database = benchmark.database(task)
    except Unscorable as reason:
        return [audit_finding(task.key, "database_missing", str(reason), database=task.database)]
    findings: list[AuditFinding] = []
    limits, in_order = benchmark.config.judging, benchmark.config.in_order(task)
    try:
        for number, sql in enumerate(task.golds, 1):
            what = "the gold" if len(task.golds) == 1 else f"gold {number}"
            result = await probed(database, [sql], limits)
            findings += from_probe(task.key, sql, result, limits, in_order=in_order, what=what)
        findings += [finding for sql in task.golds for finding in await _against_expected(benchmark, task, sql)]
    finally:
        await database.close()
    return findings


async def _against_expected(benchmark: SqlQuestions, task: SqlTask, sql: str) -> list[AuditFinding]:
    """A gold query and expected rows that contradict each other."""
    if task.expected is None:
        return []
    from msgspec.structs import replace

    database = benchmark.database(task)
    try:
        judgement = await judged(replace(task, golds=()), sql, database, benchmark.config)
    finally:
        await database.close()
    if judgement.passed or judgement.fault:
        return []
    return [audit_finding(task.key, "gold_disagrees", f"the gold does not give the expected rows: {judgement.reason}", sql=sql)]
