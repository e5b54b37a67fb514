"""`touchstone audit BENCHMARK`: check a benchmark's own gold answers before blaming an agent.

The benchmark looks at its tasks; then the oracle plays them, and the report and the list of tasks to leave out are written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from hashlib import blake2b
from typing import Any

import msgspec

from ..agents.scripted import Oracle
from ..benchmarks.audit.audited import Audited, AuditOptions
from ..benchmarks.audit.findings import SEVERITIES, AuditFinding, exclusions
from ..benchmarks.audit.report import (
    AuditReport,
    Share,
    in_order,
    kinds_counted,
    losses,
    metrics_of,
    report_text,
    tasks_with,
    with_oracle,
)
from ..errors import InputError
from ..plugins import available, benchmark_type, returned
from ..protocols import Benchmark, BenchmarkConfig, Opening
from ..runs.aggregate import COUNTED, Aggregate, aggregate, wilson
from ..runs.episode_runner import play
from ..runs.run import versions
from ..runs.runner import solutions
from ..runs.scheduler import Batch, Job
from ..types import Outcome, Record, Task
from .progress import counting, progress
from .run import shared_command
from .struct_command import StructCommand, named_benchmark
from .terminal import refuse_no_file, say, write_file


class AuditCommand(StructCommand):
    def __init__(self, benchmark: type[BenchmarkConfig], argv: Sequence[str]) -> None:
        if not hasattr(benchmark, "audit"):
            raise InputError(f"the benchmark '{benchmark.name}' cannot be audited: its struct has no audit()")
        kind = benchmark.audit_options or AuditOptions
        first = f"Check the gold answers of {benchmark.label}."
        super().__init__(["audit", benchmark.name], argv, (benchmark, kind), help=first)
        self.benchmark, self.kind = benchmark, kind

    def call(self, values: Mapping[str, Any], typed: Mapping[str, Any]) -> int:
        self.refuse_no_data(self.benchmark, values)
        options = self.made(self.kind, values)
        assert isinstance(options, AuditOptions)
        for name in ("json", "exclude"):
            refuse_no_file(f"--{name}", getattr(options, name))
        return asyncio.run(_audit(self.made(self.benchmark, values), options))


async def _audit(benchmark: Any, options: AuditOptions) -> int:
    async with AsyncExitStack() as stack:
        opening = Opening(stack=stack, say=say, parallel=options.parallel, counting=counting)
        audited = await benchmark.audit(opening, options)
        return await conclude(returned(audited, Audited, f"the benchmark '{benchmark.name}': audit()", "an Audited"), options)


def command(argv: Sequence[str]) -> StructCommand | None:
    name = named_benchmark(argv)
    if name is None:
        return None
    if name not in available("benchmarks") and (called := shared_command(argv)):
        return called
    return AuditCommand(benchmark_type(name), argv)


async def conclude(audited: Audited, options: AuditOptions) -> int:
    """Lets the oracle play, prints the report and writes the files."""
    tasks = audited.benchmark.tasks() if audited.tasks is None else audited.tasks
    records = await _played(audited.benchmark, options.parallel)
    findings = in_order(with_oracle(audited.findings, records), tasks)
    report = await _report(audited, tasks, findings, records)
    print(report_text(report, all_findings=options.verbose), end="")
    if options.json:
        write_file("--json", options.json, _pretty(report))
    if options.exclude:
        bad = SEVERITIES[: SEVERITIES.index(options.exclude_severity) + 1]
        listed = exclusions(report.benchmark, report.data, tasks, findings, bad)
        write_file("--exclude", options.exclude, _pretty(listed))
        print(f"{options.exclude}: {len(listed.exclude)} of {len(tasks)} tasks to leave out with --exclude-audit")
    return 0


async def _played(benchmark: Benchmark, parallel: int) -> list[Record]:
    agent = Oracle(solutions(benchmark))
    tasks = benchmark.tasks()
    records: list[Record] = []
    counted = Aggregate()
    with progress(len(tasks), 0) as watch:

        async def keep(record: Record) -> None:
            records.append(record)
            counted.add(record)
            watch(record, counted)

        batch = Batch(lambda job: play(benchmark, agent, job.task), keep, parallel=parallel, max_consecutive_errors=0)
        await batch.run([Job(task) for task in tasks])
    if batch.interrupted:
        raise KeyboardInterrupt
    return sorted(records, key=lambda record: record.index)


async def _report(
    audited: Audited, tasks: Sequence[Task], findings: Sequence[AuditFinding], records: Sequence[Record]
) -> AuditReport:
    counted = aggregate(records)
    wrong = {finding.task for finding in findings if finding.severity == "error"}
    return AuditReport(
        benchmark=audited.benchmark.name,
        title=audited.title,
        data=await _data(audited.benchmark, tasks),
        versions={**versions(), **getattr(audited.benchmark, "versions", {})},
        tasks=len(tasks),
        left_out={why: count for why, count in audited.left_out.items() if count},
        ceiling=_share(records),
        ceiling_without_errors=_share([record for record in records if record.task not in wrong]),
        metrics=metrics_of(counted.overall(), audited.metrics),
        outcomes={outcome.value: counted.outcomes[outcome] for outcome in Outcome},
        not_passed=losses(findings, records),
        counts=dict(kinds_counted(findings)),
        tasks_with=tasks_with(findings),
        findings=list(findings),
        strength=audited.strength,
    )


def _share(records: Sequence[Record]) -> Share:
    counted = [record for record in records if record.outcome in COUNTED]
    passed = sum(record.outcome is Outcome.passed for record in counted)
    return Share(passed, len(counted), wilson(passed, len(counted)))


async def _data(benchmark: Benchmark, tasks: Sequence[Task]) -> str:
    identity = await benchmark.identity()
    parts = [identity.get("databases"), identity.get("gold"), [(task.key, task.digest) for task in tasks]]
    return blake2b(msgspec.json.encode(parts, order="sorted"), digest_size=16).hexdigest()


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"
