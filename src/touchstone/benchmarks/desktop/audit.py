"""What is wrong with the tasks themselves: their files, and evaluators that reject the gold or accept nothing at all.

No desktop is needed. Where a task is judged by files and has gold files, these are laid out as if an agent had left them; the
oracle, which the audit lets play, must then pass. The other tasks are only read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from ...errors import EpisodeFailure, InputError
from ...types import Outcome
from ..audit import KINDS, AuditFinding, Kind, audit_finding
from .accounts import Accounts
from .artefacts import private_folder
from .check import files_named
from .evaluate import evaluate
from .evaluation_context import EvaluationContext, LeftFiles
from .solutions import files_to_write
from .tasks import Dataset, DesktopTask
from .validate import mistakes, pair_mistakes, task_warnings

KINDS.update(
    task_invalid=Kind("error", "the task file names something that there is not, or contradicts itself"),
    file_missing=Kind("error", "a file that the task names is not in the dataset"),
    compares_itself=Kind("warning", "a rule compares the result with itself"),
)
_VACUOUS = "the evaluator passes a folder without any files"


def lay_out(tasks: Sequence[DesktopTask], dataset: Dataset, folder: Path) -> list[DesktopTask]:
    """Puts gold files where an agent would leave them, and gives the tasks that can be judged so."""
    playable: list[DesktopTask] = []
    for task in tasks:
        files = files_to_write(task, dataset)
        for target, gold in files:
            path = folder / task.key / target.removeprefix("~").lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(gold, path)
        if files:
            playable.append(task)
    return playable


async def findings(tasks: Sequence[DesktopTask], playable: Sequence[DesktopTask], dataset: Dataset) -> list[AuditFinding]:
    problems = [finding for task in tasks for finding in _read(task, dataset)]
    known = {task.key for task in tasks}
    problems += [
        audit_finding(task.key, "task_invalid", why) for task, why in pair_mistakes(tasks) if task.form.counterpart in known
    ]
    return problems + [
        audit_finding(task.key, "vacuous_test", _VACUOUS) for task in playable if await _accepts_nothing(task, dataset)
    ]


def _read(task: DesktopTask, dataset: Dataset) -> Iterator[AuditFinding]:
    yield from (audit_finding(task.key, "task_invalid", why) for why in mistakes(task))
    yield from (audit_finding(task.key, "compares_itself", why) for why in task_warnings(task))
    yield from (
        audit_finding(task.key, "file_missing", path) for path in files_named(task) if not dataset.resolve(path).exists()
    )


async def _accepts_nothing(task: DesktopTask, dataset: Dataset) -> bool:
    with private_folder() as cache, private_folder() as empty:
        try:
            verdict = await evaluate(
                task, EvaluationContext(dataset, Accounts(dataset.root / "settings"), cache, left=LeftFiles(empty))
            )
        except (EpisodeFailure, InputError):  # then the oracle runs into it too, and the report has it
            return False
    return verdict.outcome is Outcome.passed
