"""The list of tasks to leave out: what an audit writes and `--exclude-audit FILE` takes.

{"benchmark": "bird", "data": "<digest>", "severities": ["error"],
 "exclude": [{"task": "701", "digest": "<of the task's content>", "kind": "gold_times_out", "sentence": "…"}, …]}

An entry counts only while its task has the content that was audited. One whose task has changed since is stale, is said to be,
and leaves nothing out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from ...failures import InputError
from ...values import Task
from .findings import Finding, Severity

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
    """Of everything that was audited: databases, golden results."""
    severities: list[Severity]
    exclude: list[Exclusion]


def exclusions(
    benchmark: str, data: str, tasks: Sequence[Task], findings: Sequence[Finding], severities: Collection[Severity]
) -> Exclusions:
    """One entry per task, in the order of the dataset, with its first finding that is bad enough."""
    worst: dict[str, Finding] = {}
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
        raise InputError(f"--exclude-audit {path}: it is about the benchmark '{listed.benchmark}', not '{benchmark}'")
    if tasks is None:
        return {entry.task for entry in listed.exclude}
    digests: Mapping[str, str] = {task.key: task.digest for task in tasks}
    stale = [entry.task for entry in listed.exclude if digests.get(entry.task, entry.digest) != entry.digest]
    unknown = [entry.task for entry in listed.exclude if entry.task not in digests]
    for names, why in ((stale, "have changed since the audit, and are not left out"), (unknown, "are not among the tasks")):
        if names:
            say(f"--exclude-audit {path}: {len(names)} of its {len(listed.exclude)} tasks {why}: {_some(names)}")
    return {entry.task for entry in listed.exclude} & digests.keys() - set(stale)


def remaining(tasks: Sequence[T], path: Path | None, *, benchmark: str, say: Say = _quiet) -> list[T]:
    """The tasks that are to be played. Raises InputError if none is left."""
    if path is None:
        return list(tasks)
    out = excluded(path, tasks, benchmark=benchmark, say=say)
    left = [task for task in tasks if task.key not in out]
    if not left:
        raise InputError(f"--exclude-audit {path}: no task is left of {len(tasks)}")
    return left


def read(path: Path) -> Exclusions:
    """Raises InputError that says what is wrong with the file."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Exclusions)
    except OSError as error:
        raise InputError(f"--exclude-audit {path}: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(
            f"--exclude-audit {path}: expected a list that 'touchstone audit --exclude' has written: {error}"
        ) from None


def _some(names: list[str]) -> str:
    return ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
