"""An audit as a page of text and as a file: the ceiling, what keeps it down, and what was found, kind by kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from ...phrases import clipped, plural, some
from ...types import Outcome, Record, Task
from .findings import KINDS, SEVERITIES, AuditFinding, Severity, audit_finding

_RULE = "=" * 64
_EXAMPLES = 3
_LONGEST = 200
_HEADINGS = {
    "error": "Errors: these tasks cannot be scored fairly",
    "warning": "Warnings: scored, but look twice",
    "note": "Notes",
}


class Share(Struct, frozen=True):
    """How many of how many the oracle passes."""

    passed: int
    total: int
    interval: tuple[float, float]

    def __str__(self) -> str:
        if not self.total:
            return "–, n = 0: there is nothing for the oracle to submit"
        low, high = self.interval
        return f"{100 * self.passed / self.total:.1f}%  (95%: {100 * low:.1f} to {100 * high:.1f}), n = {self.total}"


class MutantCount(Struct, frozen=True):
    """One-step mutants of golds, and who tells them from their gold."""

    mutants: int
    told_by_original: int
    """By the dataset's own database: what EX sees."""
    told_by_generated: int
    """Of the rest, by small databases that keep its invariants."""
    untold: tuple[str, ...] = ()
    """What the others change. Some may mean the same as the gold."""


class MutationStrength(Struct, frozen=True):
    """How well tasks are tested: what a slip of one step would cost."""

    total: MutantCount
    tasks: dict[str, MutantCount]
    not_measured: dict[str, str]
    """Why, by task."""


class AuditReport(Struct, frozen=True, kw_only=True):
    """All that an audit has to say: the content of its JSON file."""

    benchmark: str
    title: str
    data: str
    """A digest of tasks, databases and gold results."""
    versions: dict[str, str]
    tasks: int
    left_out: dict[str, int]
    """Tasks of the file that were not looked at, by reason."""
    ceiling: Share
    """Of the tasks that can be scored."""
    ceiling_without_errors: Share
    """Of those that have no error besides."""
    metrics: dict[str, float]
    outcomes: dict[str, int]
    not_passed: dict[str, list[str]]
    """The tasks that the oracle was to pass and did not, by what was found of them."""
    counts: dict[str, int]
    """Tasks by kind of finding."""
    tasks_with: dict[Severity, int]
    findings: list[AuditFinding]
    strength: MutationStrength | None = None
    """If it was asked for."""


def with_oracle(findings: Sequence[AuditFinding], records: Iterable[Record]) -> list[AuditFinding]:
    """Adds what the oracle ran into where nothing else explains it, so that every loss has a reason."""
    explained = {finding.task for finding in findings if finding.severity == "error"}
    unexplained = [
        audit_finding(record.task, "oracle_fails", f"{record.outcome.value}: {record.reason}")
        for record in records
        if record.outcome not in (Outcome.passed, Outcome.skipped) and record.task not in explained
    ]
    return [*findings, *unexplained]


def losses(findings: Sequence[AuditFinding], records: Iterable[Record]) -> dict[str, list[str]]:
    """Why the oracle does not pass, task by task."""
    first: dict[str, str] = {}
    for finding in findings:
        if finding.severity == "error":
            first.setdefault(finding.task, finding.kind)
    lost: defaultdict[str, list[str]] = defaultdict(list)
    for record in records:
        if record.outcome in (Outcome.failed, Outcome.limit, Outcome.error, Outcome.unscorable):
            lost[first[record.task]].append(record.task)
    return dict(lost)


def in_order(findings: Iterable[AuditFinding], tasks: Sequence[Task]) -> list[AuditFinding]:
    """The worst first, then by kind, then as in the dataset."""
    places = {task.key: task.index for task in tasks}
    kinds = list(KINDS)
    return sorted(
        findings, key=lambda each: (SEVERITIES.index(each.severity), kinds.index(each.kind), places.get(each.task, -1))
    )


def tasks_with(findings: Iterable[AuditFinding]) -> dict[Severity, int]:
    """How many tasks have at least one finding of each severity."""
    tasks = {(finding.severity, finding.task) for finding in findings}
    return {severity: sum(each == severity for each, _ in tasks) for severity in SEVERITIES}


def report_text(report: AuditReport, *, all_findings: bool = False) -> str:
    lines = [_RULE, report.title, _RULE, f"Tasks:            {report.tasks}"]
    lines += [f"Left out:         {count}  ({why})" for why, count in report.left_out.items()]
    lines += [f"Ceiling:          {report.ceiling}"]
    lines += [f"  {name:<17} {value:.4f}" for name, value in report.metrics.items()]
    lines += _lost(report)
    if report.ceiling_without_errors != report.ceiling:
        lines += [f"Without errors:   {report.ceiling_without_errors}"]
    with_errors = report.tasks_with["error"]
    lines += [f"Fair:             {report.tasks - with_errors} of {report.tasks} tasks have no error"]
    lines += _strength(report.strength)
    for severity in SEVERITIES:
        lines += _section(severity, [finding for finding in report.findings if finding.severity == severity], all_findings)
    versions = ", ".join(f"{name} {version}" for name, version in report.versions.items())
    return "\n".join([*lines, "", f"Made with:        {versions}", _RULE]) + "\n"


def in_all(tasks: Mapping[str, MutantCount], not_measured: Mapping[str, str]) -> MutationStrength:
    every = tasks.values()
    total = MutantCount(
        sum(task.mutants for task in every),
        sum(task.told_by_original for task in every),
        sum(task.told_by_generated for task in every),
    )
    return MutationStrength(total, dict(tasks), dict(not_measured))


def _strength(strength: MutationStrength | None) -> Iterator[str]:
    if strength is None:
        return
    total = strength.total
    rest = total.mutants - total.told_by_original - total.told_by_generated
    yield f"Mutants:          {total.mutants:,} one-step mutants of {len(strength.tasks)} golds"
    yield f"  {_part(total.told_by_original, total.mutants)} detected by the dataset's own databases, which is what EX sees"
    yield f"  {_part(total.told_by_generated, total.mutants)} detected only by small generated databases: EX misses them"
    yield f"  {_part(rest, total.mutants)} not detected; some mean the same as the gold"
    if strength.not_measured:
        task, reason = next(iter(strength.not_measured.items()))
        yield f"  not measured: {len(strength.not_measured)} tasks, the first is {task}: {reason}"


def _part(count: int, total: int) -> str:
    return f"{count:>6,} ({100 * count / max(total, 1):.1f}%)"


def _lost(report: AuditReport) -> Iterator[str]:
    for outcome in ("failed", "limit", "error", "unscorable", "skipped"):
        if count := report.outcomes.get(outcome):
            counted = "not counted" if outcome in ("unscorable", "skipped") else "counted"
            yield f"{outcome.capitalize() + ':':<18}{count}  ({counted})"
    for kind, names in sorted(report.not_passed.items(), key=lambda item: -len(item[1])):
        yield f"  {len(names):>4} × {KINDS[kind].meaning}: {some(names, 8)}"


def _section(severity: Severity, findings: Sequence[AuditFinding], everything: bool) -> Iterator[str]:
    if not findings:
        return
    yield ""
    yield f"{_HEADINGS[severity]}:"
    kinds = dict.fromkeys(finding.kind for finding in findings)
    for kind in kinds:
        own = [finding for finding in findings if finding.kind == kind]
        yield f"  {len({finding.task for finding in own}):>4} × {KINDS[kind].meaning}  [{kind}]"
        yield from _examples(own, everything)


def _examples(findings: Sequence[AuditFinding], everything: bool) -> Iterator[str]:
    if not everything and all("database" in finding.evidence for finding in findings):
        counts = Counter(str(finding.evidence["database"]) for finding in findings)
        yield f"         {plural(len(counts), 'database')}: " + ", ".join(
            f"{name} ({count})" for name, count in sorted(counts.items())
        )
        return
    shown = findings if everything else findings[:_EXAMPLES]
    yield from (f"         {finding.task}: {clipped(' '.join(finding.sentence.split()), _LONGEST)}" for finding in shown)
    if len(shown) < len(findings):
        yield f"         and {len(findings) - len(shown)} more"


def kinds_counted(findings: Iterable[AuditFinding]) -> Mapping[str, int]:
    """Tasks by kind."""
    counts = Counter(kind for kind, _ in {(finding.kind, finding.task) for finding in findings})
    return {kind: counts[kind] for kind in KINDS if kind in counts}


def metrics_of(overall: Mapping[str, Any], beginning: str) -> dict[str, float]:
    return {name: float(value) for name, value in overall["metrics"].items() if name.startswith(beginning)}
