"""BIRD's task files: dev.json, mini-dev, or the same objects one per line."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from ...errors import InputError
from ...foreign import Unreadable, read_json
from ...options import OptionError
from ..task_file import QueryTask, cut, entries, in_words, named

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


class BirdTask(QueryTask, frozen=True, kw_only=True):
    question_id: str
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
    chosen = [
        task
        for task in named(tasks, databases, ids, names=lambda task: (task.key, task.question_id))
        if difficulty in (None, task.facets["difficulty"])
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


# Corrections to a task file, kept apart from it: the published file stays as it is, and a score says which of both it is by.
#
#     {
#       "source": "who found these, and where that can be read",
#       "tasks": "SHA-256 of the task file that is corrected (optional; another file is then refused)",
#       "corrections": [
#         {"question_id": 1392, "SQL": "SELECT …", "why": "orders by the amount, as the question asks"},
#         {"question_id": 245, "question": "…", "evidence": "…"}
#       ]
#     }
#
# A run with an overlay is judged by the corrected gold, and `ex_published` is what the published gold says of it.


class Correction(Struct, frozen=True, forbid_unknown_fields=True):
    """Of one task: whatever is named is replaced."""

    question_id: int | str
    db_id: str | None = None
    """Not corrected, but checked."""
    question: str | None = None
    evidence: str | None = None
    SQL: str | None = None
    why: str = ""


class Overlay(Struct, frozen=True, forbid_unknown_fields=True):
    source: str
    corrections: tuple[Correction, ...]
    tasks: str | None = None

    @property
    def digest(self) -> str:
        """Of what is corrected, whatever is said about it."""
        return hashlib.sha256(msgspec.json.encode([replace(each, why="") for each in self.corrections])).hexdigest()[:16]

    def identity(self) -> dict[str, Any]:
        return {"source": self.source, "digest": self.digest}


def read_overlay(path: Path) -> Overlay:
    try:
        value = read_json(path.read_bytes())
    except OSError as error:
        raise OptionError("overlay", path, f"cannot be read: {error.strerror}") from None
    except Unreadable as error:
        raise OptionError("overlay", path, f"not valid JSON: {error}") from None
    try:
        overlay = msgspec.convert(value, Overlay)
    except msgspec.ValidationError as error:
        raise OptionError("overlay", path, f"{in_words(str(error))}") from None
    if not overlay.source.strip():
        raise OptionError("overlay", path, "field 'source': expected who found these corrections")
    return overlay


def corrected(overlay: Overlay, path: Path, tasks: Sequence[BirdTask], task_file: Path) -> list[BirdTask]:
    """The tasks with the corrections of a file, which must fit the task file."""
    if overlay.tasks is not None and overlay.tasks != hashlib.sha256(task_file.read_bytes()).hexdigest():
        raise OptionError("overlay", path, f"it is for a different task file than {task_file}: the SHA-256 differs")
    made = {task.key: task for task in tasks}
    seen: set[str] = set()
    for number, correction in enumerate(overlay.corrections, 1):
        key, where = str(correction.question_id), f"correction {number}"
        if key not in made:
            raise OptionError("overlay", path, f"{where}: question_id {key} is not in the task file")
        if key in seen:
            raise OptionError("overlay", path, f"{where}: question_id {key} occurs twice")
        if correction.db_id not in (None, made[key].database):
            raise OptionError("overlay", path, f"{where}: db_id is '{correction.db_id}', its task has '{made[key].database}'")
        seen.add(key)
        made[key] = _corrected(made[key], correction)
    return list(made.values())


def _corrected(task: BirdTask, correction: Correction) -> BirdTask:
    gold = task.gold if correction.SQL is None else correction.SQL
    changed = replace(
        task,
        question=task.question if correction.question is None else correction.question,
        evidence=task.evidence if correction.evidence is None else correction.evidence.strip(),
        gold=gold,
        published=task.gold if gold != task.gold else None,
        published_digest=task.digest,
    )
    content = msgspec.json.encode([task.digest, changed.question, changed.evidence, changed.gold])
    return replace(changed, digest=hashlib.blake2b(content, digest_size=8).hexdigest())
