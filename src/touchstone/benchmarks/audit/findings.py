"""What can be wrong with a task, one row each: how bad it is, and what it means.

error      the task cannot be scored fairly: a right answer may fail, or nothing can be right. Excluded by default.
warning    it can be scored, and the score deserves a second look
note       worth knowing when results are read; many tasks may have it
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec import Struct

from ...options import OptionError
from ...phrases import some
from ...types import Task

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


class AuditFinding(Struct, frozen=True, omit_defaults=True):
    """One thing about one task."""

    task: str
    kind: str
    severity: Severity
    sentence: str
    evidence: dict[str, Any] = {}


class Kind(Struct, frozen=True):
    severity: Severity
    """Unless a finding says otherwise."""
    meaning: str


KINDS: dict[str, Kind] = {
    # What the oracle runs into.
    "database_missing": Kind("error", "the database is not here, or cannot be read"),
    "texts_missing": Kind("error", "a schema text, column meanings or knowledge base is missing"),
    "gold_withheld": Kind("error", "the gold is not part of the data"),
    "gold_fails": Kind("error", "the gold SQL fails"),
    "gold_times_out": Kind("error", "the gold SQL does not end within the limits"),
    "preprocess_fails": Kind("error", "the task's preprocess_sql fails"),
    "clean_up_fails": Kind("warning", "the task's clean_up_sqls fail after the gold"),
    "tests_missing": Kind("error", "there are no hidden tests to judge by"),
    "test_fails_on_gold": Kind("error", "a hidden test rejects the gold"),
    "oracle_fails": Kind("error", "the oracle does not pass, for another reason"),
    # What the reference says.
    "gold_disagrees": Kind("error", "the gold SQL does not give the gold result"),
    "gold_agrees_only_officially": Kind("warning", "only the official comparison accepts what the gold SQL gives"),
    "gold_agrees_only_strictly": Kind("warning", "the official comparison rejects what the gold SQL gives"),
    "gold_file_differs": Kind("warning", "the gold file has another result than the task file"),
    "gold_text_differs": Kind("note", "the gold file has other SQL than the task file, without another result"),
    "gold_empty": Kind("warning", "the gold has no rows: every query without rows is right"),
    "gold_null": Kind("warning", "the gold is nothing but NULL"),
    "gold_slow": Kind("warning", "the gold takes more than half of the time limit"),
    "golden_missing": Kind("error", "there is no gold result"),
    "golden_unreadable": Kind("error", "a gold result cannot be read"),
    "golden_empty": Kind("warning", "a gold result has no rows"),
    "variants_differ": Kind("note", "gold results that exclude one another are all accepted"),
    "official_rejects_gold": Kind("warning", "the official comparison rejects the gold against itself"),
    # Whether it says so each time.
    "ties_under_limit": Kind("error", "ties decide which rows a LIMIT keeps"),
    "limit_without_order": Kind("error", "a LIMIT without ORDER BY decides the result"),
    "storage_order": Kind("error", "the result depends on the order in which rows are stored"),
    "random": Kind("error", "the gold asks for random numbers"),
    "clock": Kind("warning", "the gold asks for today's date"),
    "row_order": Kind("error", "rows are compared in order, and their order is not determined"),
    "soft_f1_order": Kind("note", "rows have no determined order, and Soft-F1 pairs them by position"),
    "last_digits": Kind("note", "the last digits of floats depend on the order of rows, and EX forgives none"),
    "not_checked": Kind("note", "whether the gold is deterministic could not be checked to the end"),
    # What its text gives away.
    "null_first": Kind("warning", "the smallest is asked for, and NULL, which comes first, is taken for it"),
    "text_numbers": Kind("warning", "numbers kept as text are sorted or compared as text"),
    "integer_quotient": Kind("warning", "a quotient of whole numbers loses its fraction"),
    "evidence_literal": Kind("warning", "the gold asks a column for another value than the evidence gives"),
    # What a comparison lets pass.
    "duplicate_rows": Kind("note", "the gold repeats rows: EX, which compares sets, also accepts the rows without repetition"),
    "scrambled_rows": Kind("note", "the official comparison accepts the gold values scrambled between rows"),
    "constant_official": Kind("note", "the official comparison accepts a constant row of 26,001 numbers"),
    "constant_strict": Kind("warning", "a constant row of numbers, as wide as the strict comparison allows, is right"),
    "vacuous_test": Kind("error", "the hidden tests pass when nothing has been done"),
    # What the metadata says.
    "columns_out_of_range": Kind("error", "condition_cols names columns that the gold result does not have"),
    "conditions_misread": Kind("warning", "the official suite reads condition_cols otherwise than it is meant"),
    "conditions_count": Kind("warning", "condition_cols has another number of lists than there are gold results"),
    "metadata_missing": Kind("warning", "the task is not in the evaluation metadata"),
    "knowledge_missing": Kind("warning", "the task names knowledge that is not in the knowledge base"),
    "document_missing": Kind("warning", "the document of the question is not here"),
    "snippet_not_in_gold": Kind("note", "an ambiguity's SQL fragment is not in the gold"),
    "term_not_in_request": Kind("note", "an ambiguity's term is not in the request"),
    "no_clear_request": Kind("note", "the unambiguous request is not part of the data"),
    "unknown_difficulty": Kind("note", "the difficulty is not one of the published levels"),
    "evidence_column": Kind("note", "the evidence names a column that its table does not have"),
    # Other tasks.
    "contradicting_gold": Kind("error", "the same question has another gold result elsewhere"),
    "repeated_question": Kind("note", "the same question occurs again"),
    "repeated_id": Kind("note", "the task's id occurs again"),
}


def audit_finding(task: str, kind: str, sentence: str, severity: Severity | None = None, **evidence: Any) -> AuditFinding:
    return AuditFinding(task, kind, severity or KINDS[kind].severity, sentence, evidence)


# The list of tasks to leave out: what an audit writes and `--exclude-audit FILE` takes.
#
# {"benchmark": "sql", "data": "<digest>", "severities": ["error"], "exclude": [{"task": "701", "digest": "<of the task's
# content>", "kind": "gold_times_out", "sentence": "…"}, …]}
#
# An entry counts only while its task has the content that was audited. One whose task has changed since is stale, is said to
# be, and leaves nothing out.


Say = Callable[[str], None]
T = TypeVar("T", bound=Task)

OF_THIS_MACHINE = {"database_missing"}
"""Not listed: these tasks come out as unscorable anyway, and are there again as soon as their databases are."""


class Exclusion(Struct, frozen=True):
    task: str
    digest: str
    kind: str
    sentence: str


class Exclusions(Struct, frozen=True):
    benchmark: str
    data: str
    """Of everything that was audited: databases, gold results."""
    severities: list[Severity]
    exclude: list[Exclusion]


def exclusions(
    benchmark: str, data: str, tasks: Sequence[Task], findings: Sequence[AuditFinding], severities: Collection[Severity]
) -> Exclusions:
    """One entry per task, in the order of the dataset, with its first finding that is bad enough."""
    worst: dict[str, AuditFinding] = {}
    for finding in findings:
        if finding.severity in severities and finding.kind not in OF_THIS_MACHINE:
            worst.setdefault(finding.task, finding)
    entries = [
        Exclusion(task.key, task.digest, worst[task.key].kind, worst[task.key].sentence) for task in tasks if task.key in worst
    ]
    return Exclusions(benchmark, data, sorted(severities), entries)


def _quiet(_: str) -> None:
    return None


def excluded(path: Path, tasks: Sequence[Task] | None = None, *, benchmark: str | None = None, say: Say = _quiet) -> set[str]:
    """The keys of the tasks to leave out. With `tasks`, only those that are as they were; `say` is told of the others."""
    listed = read(path)
    if benchmark is not None and listed.benchmark != benchmark:
        raise OptionError("exclude_audit", path, f"it is about the benchmark '{listed.benchmark}', not '{benchmark}'")
    if tasks is None:
        return {entry.task for entry in listed.exclude}
    digests: Mapping[str, str] = {task.key: task.digest for task in tasks}
    stale = [entry.task for entry in listed.exclude if digests.get(entry.task, entry.digest) != entry.digest]
    unknown = [entry.task for entry in listed.exclude if entry.task not in digests]
    for names, why in ((stale, "have changed since the audit, and are not left out"), (unknown, "are not among the tasks")):
        if names:
            say(f"--exclude-audit {path}: {len(names)} of its {len(listed.exclude)} tasks {why}: {some(names, 5)}")
    return {entry.task for entry in listed.exclude} & digests.keys() - set(stale)


def remaining(tasks: Sequence[T], path: Path | None, *, benchmark: str, say: Say = _quiet) -> list[T]:
    """The tasks that are to be played. Raises InputError if none is left."""
    if path is None:
        return list(tasks)
    out = excluded(path, tasks, benchmark=benchmark, say=say)
    left = [task for task in tasks if task.key not in out]
    if not left:
        raise OptionError("exclude_audit", path, f"no task is left of {len(tasks)}")
    return left


def read(path: Path) -> Exclusions:
    """Raises InputError that says what is wrong with the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Exclusions)
    except OSError as error:
        raise OptionError("exclude_audit", path, str(error.strerror)) from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise OptionError("exclude_audit", path, f"expected a list from touchstone audit --exclude: {error}") from None
