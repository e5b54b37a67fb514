"""What the audits of all benchmarks have in common: options, the oracle, the report and the list of tasks to leave out."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from cyclopts import Group, Parameter

from ..agents.scripted import Oracle
from ..benchmarks.audit.exclusions import exclusions
from ..benchmarks.audit.findings import SEVERITIES, Finding
from ..benchmarks.audit.report import (
    MutationStrength,
    Report,
    Share,
    in_order,
    kinds_counted,
    losses,
    metrics_of,
    report_text,
    tasks_with,
    with_oracle,
)
from ..failures import InputError
from ..protocols import Benchmark
from ..runs.batch import Batch, Job
from ..runs.directory import replace_file
from ..runs.play import play
from ..runs.run import versions
from ..runs.tally import COUNTED, Tally, wilson
from ..terminal import unfiltered
from ..values import Outcome, Record, Task
from .building import refuse_unless_positive, solutions
from .options import JudgeOptions
from .progress import progress

_AUDIT = Group("The audit", sort_key=4)
_SECONDS_BETWEEN_LINES = 10.0


@Parameter(name="*", group=_AUDIT)
@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    json: Path | None = None
    """Write everything that was found to this file."""
    exclude: Path | None = None
    """Write the list of tasks to leave out, for --exclude-audit of the commands that play."""
    exclude_severity: Literal["error", "warning", "note"] = "error"
    """What is bad enough for that list: errors; errors and warnings; or everything."""
    sql_timeout: float = 30.0
    """Seconds for each run of a gold."""
    cache: bool = True
    """Remember results by content across runs."""
    parallel: Annotated[int, Parameter(name=["--parallel", "-p"])] = min(os.cpu_count() or 1, 8)
    """How many tasks at once; by default as many as there are processors."""
    verbose: Annotated[bool, Parameter(name=["--verbose", "-v"], negative="")] = False
    """Print every finding, not only examples."""

    @property
    def judged(self) -> JudgeOptions:
        return JudgeOptions(sql_timeout=self.sql_timeout, cache=self.cache)


DEFAULTS = AuditOptions()


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is audited."""

    title: str
    benchmark: Benchmark
    tasks: Sequence[Task]
    left_out: Mapping[str, int] = field(default_factory=lambda: {})
    versions: Mapping[str, str] = field(default_factory=lambda: {})
    metrics: str = ""
    """What the names of metrics that tell about the gold begin with."""
    strength: MutationStrength | None = None


def refuse(audited: AuditOptions) -> None:
    """Mistakes that are better told before anything runs."""
    refuse_unless_positive(audited.parallel, "--parallel")
    refuse_unless_positive(audited.sql_timeout, "--sql-timeout")
    for option, path in (("--json", audited.json), ("--exclude", audited.exclude)):
        if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
            raise InputError(f"{option} {path}: expected the name of a file in a directory that exists")


async def conclude(subject: Subject, findings: Sequence[Finding], audited: AuditOptions) -> int:
    """Lets the oracle play, prints the report and writes the files."""
    records = await _played(subject.benchmark, audited.parallel)
    findings = in_order(with_oracle(findings, records), subject.tasks)
    report = await _report(subject, findings, records)
    print(report_text(report, all_findings=audited.verbose), end="")
    if audited.json:
        _write("--json", audited.json, report)
    if audited.exclude:
        bad = SEVERITIES[: SEVERITIES.index(audited.exclude_severity) + 1]
        listed = exclusions(report.benchmark, report.data, subject.tasks, findings, bad)
        _write("--exclude", audited.exclude, listed)
        print(f"{audited.exclude}: {len(listed.exclude)} of {len(subject.tasks)} tasks to leave out with --exclude-audit")
    return 0


async def _played(benchmark: Benchmark, parallel: int) -> list[Record]:
    agent = Oracle(solutions(benchmark))
    tasks = benchmark.tasks()
    records: list[Record] = []
    tally = Tally()
    with progress(len(tasks), 0) as watch:

        async def keep(record: Record) -> None:
            records.append(record)
            tally.add(record)
            watch(record, tally)

        batch = Batch(lambda job: play(benchmark, agent, job.task), keep, parallel=parallel, max_consecutive_errors=0)
        await batch.run([Job(task) for task in tasks])
    if batch.interrupted:
        raise KeyboardInterrupt
    return sorted(records, key=lambda record: record.index)


async def _report(subject: Subject, findings: Sequence[Finding], records: Sequence[Record]) -> Report:
    tally = Tally()
    for record in records:
        tally.add(record)
    wrong = {finding.task for finding in findings if finding.severity == "error"}
    return Report(
        benchmark=subject.benchmark.name,
        title=subject.title,
        data=await _data(subject),
        versions={**versions(), **subject.versions},
        tasks=len(subject.tasks),
        left_out={why: count for why, count in subject.left_out.items() if count},
        ceiling=_share(records),
        ceiling_without_errors=_share([record for record in records if record.task not in wrong]),
        metrics=metrics_of(tally.overall(), subject.metrics),
        outcomes={outcome.value: tally.outcomes[outcome] for outcome in Outcome},
        not_passed=losses(findings, records),
        counts=dict(kinds_counted(findings)),
        tasks_with=tasks_with(findings),
        findings=list(findings),
        strength=subject.strength,
    )


def _share(records: Sequence[Record]) -> Share:
    counted = [record for record in records if record.outcome in COUNTED]
    passed = sum(record.outcome is Outcome.passed for record in counted)
    return Share(passed, len(counted), wilson(passed, len(counted)))


async def _data(subject: Subject) -> str:
    identity = await subject.benchmark.identity()
    parts = [identity.get("databases"), identity.get("gold"), [(task.key, task.digest) for task in subject.tasks]]
    return blake2b(msgspec.json.encode(parts, order="sorted"), digest_size=16).hexdigest()


def _write(option: str, path: Path, value: Any) -> None:
    try:
        replace_file(path, msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")
    except OSError as error:
        raise InputError(f"{option} {path}: cannot be written: {error.strerror}") from None


@contextmanager
def counting(what: str) -> Generator[Callable[[int, int], None]]:
    """A line that counts on a terminal, and one now and then elsewhere."""
    live = sys.stderr.isatty()
    said = time.monotonic()

    def watch(done: int, total: int) -> None:
        nonlocal said
        if live:
            print(f"\r{done}/{total} {what}", end="\n" if done == total else "", file=unfiltered(sys.stderr), flush=True)
        elif time.monotonic() - said >= _SECONDS_BETWEEN_LINES:
            said = time.monotonic()
            print(f"{done}/{total} {what}", file=sys.stderr, flush=True)

    yield watch
