"""BIRD's task files: dev.json, mini-dev, or the same objects one per line."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from ...errors import InputError
from ...types import Task
from ..task_file import cut, entries, in_words, refuse_unknown

DIFFICULTIES = ("simple", "moderate", "challenging")


class BirdRow(Struct, frozen=True, kw_only=True):
    """One task as published. A difficulty or an evidence may be absent; in the training set, so is the id."""

    question_id: int | str | UnsetType = UNSET
    """The position in the file, where it is not given."""
    db_id: str
    question: str
    SQL: str
    evidence: str | None = ""
    difficulty: str = "unknown"


class BirdTask(Task, frozen=True, kw_only=True):
    question_id: str
    database: str
    question: str
    evidence: str
    gold: str
    published: str | None = None
    """The gold as published, where an overlay has corrected it."""
    published_digest: str | None = None
    """What the task's digest is without an overlay."""


def load_tasks(path: Path) -> list[BirdTask]:
    """All tasks of a file. Raises InputError naming the row and the field that is wrong."""
    rows = [_row(path, number, value) for number, value in entries(path)]
    if not rows:
        raise InputError(f"{path}: there are no tasks in this file")
    without = [index for index, row in enumerate(rows) if row.question_id is UNSET]
    if without and len(without) < len(rows):
        raise InputError(f"{path}: row {without[0] + 1}: missing field 'question_id'")
    ids = [str(index if without else row.question_id) for index, row in enumerate(rows)]
    counts = Counter(ids)
    return [_task(index, row, ids[index], unique=counts[ids[index]] == 1) for index, row in enumerate(rows)]


def select(
    tasks: Sequence[BirdTask],
    *,
    difficulty: str | None = None,
    databases: Sequence[str] = (),
    ids: Sequence[str] = (),
    offset: int = 0,
    limit: int | None = None,
) -> list[BirdTask]:
    """The tasks to play: filtered, then cut. Raises InputError if none is left or a name is unknown."""
    refuse_unknown("--database", databases, {task.database for task in tasks})
    refuse_unknown("--task", ids, {name for task in tasks for name in (task.key, task.question_id)})
    chosen = [
        task
        for task in tasks
        if (difficulty is None or task.facets["difficulty"] == difficulty)
        and (not databases or task.database in databases)
        and (not ids or task.key in ids or task.question_id in ids)
    ]
    return cut(chosen, offset, limit, len(tasks))


def _row(path: Path, number: int, value: Any) -> BirdRow:
    try:
        return msgspec.convert(value, BirdRow)
    except msgspec.ValidationError as error:
        raise InputError(f"{path}: row {number}: {in_words(str(error))}") from None


def _task(index: int, row: BirdRow, question_id: str, *, unique: bool) -> BirdTask:
    return BirdTask(
        key=question_id if unique else f"{question_id}@{index}",
        index=index,
        facets={"difficulty": row.difficulty, "database": row.db_id},
        digest=hashlib.blake2b(msgspec.json.encode(row), digest_size=8).hexdigest(),
        question_id=question_id,
        database=row.db_id,
        question=row.question,
        evidence=(row.evidence or "").strip(),
        gold=row.SQL,
    )
