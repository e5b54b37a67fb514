"""Prediction files, paired with their tasks by key. What does not fit is refused: a shifted file would score, and mean nothing.

.json    BIRD's own: {"0": "SQL\\t----- bird -----\\tdb_id", …}; the keys are positions in the task file, or question ids
.jsonl   {"question_id": …, "sql": …} per line
.sql     one statement per line, as many as there are tasks, each optionally followed by a tab and the database
a run    the SQL that was submitted, by task
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import InputError
from ...foreign import Unreadable, read_json, whole
from ..task_file import read_predictions, refuse_missing, submitted_in
from .tasks import BirdTask

_SEPARATOR = "\t----- bird -----\t"


def load_predictions(path: Path, tasks: Sequence[BirdTask], *, allow_missing: bool = False) -> dict[str, str]:
    """SQL by task key, for all tasks of the file; a prediction that is not text counts as blank."""
    if path.is_dir():
        predictions = _from_run(path, tasks)
    elif path.suffix == ".jsonl":
        predictions = _from_lines(path, tasks)
    elif path.suffix == ".sql":
        predictions = _from_statements(path, tasks)
    else:
        predictions = _from_object(path, tasks, allow_missing)
    refuse_missing(path, tasks, predictions, allow_missing=allow_missing)
    return predictions


def _from_object(path: Path, tasks: Sequence[BirdTask], allow_missing: bool) -> dict[str, str]:
    values = _decode(path, read_predictions(path))
    if not isinstance(values, dict):
        raise InputError(f"{path}: expected a JSON object of predictions, found {type(values).__name__}")
    entries: dict[str, Any] = values  # pyright: ignore[reportUnknownVariableType]
    by_key = _pairing(path, entries, tasks, allow_missing)
    return {by_key[key].key: _sql_of(path, key, value, by_key[key]) for key, value in entries.items()}


def _pairing(path: Path, entries: Mapping[str, Any], tasks: Sequence[BirdTask], allow_missing: bool) -> Mapping[str, BirdTask]:
    """Keys are positions or question ids; all of a file's keys must fit the same reading."""
    readings = [{str(task.index): task for task in tasks}, {task.key: task for task in tasks}]
    exact = [reading for reading in readings if entries.keys() == reading.keys()]
    fitting = exact or [reading for reading in readings if entries.keys() <= reading.keys()]
    if not fitting:
        stray = next((key for key in entries if not any(key in reading for reading in readings)), next(iter(entries)))
        raise InputError(
            f"{path}: key '{stray}' is neither a position (0 to {len(tasks) - 1}) nor a question id of the task file"
        )
    if not exact and not allow_missing:
        raise InputError(
            f"{path}: {len(entries)} predictions for {len(tasks)} tasks (--allow-missing counts the missing ones as failed)"
        )
    if any(fitting[0][key].key != fitting[-1][key].key for key in entries):
        raise InputError(
            f"{path}: its {len(entries)} keys could be positions or question ids, which name different tasks "
            "(a .jsonl with question_id says which)"
        )
    return fitting[0]


def _sql_of(path: Path, key: str, value: Any, task: BirdTask) -> str:
    if not isinstance(value, str):
        return ""
    sql, separator, database = whole(value).rpartition(_SEPARATOR)
    if not separator:
        return database
    if database.strip() != task.database:
        raise InputError(f"{path}: key '{key}': it is for the database '{database.strip()}', its task has '{task.database}'")
    return sql


class _Line(msgspec.Struct):
    question_id: int | str
    sql: str | None
    db_id: str | None = None


def _from_lines(path: Path, tasks: Sequence[BirdTask]) -> dict[str, str]:
    known = {task.key: task for task in tasks}
    predictions: dict[str, str] = {}
    for number, text in enumerate(read_predictions(path).splitlines(), 1):
        if not text.strip():
            continue
        where = f"{path}: row {number}"
        try:
            line = read_json(text, _Line)
        except Unreadable as error:
            raise InputError(f"{where}: expected an object with question_id and sql: {error}") from None
        key = str(line.question_id)
        if key not in known:
            raise InputError(f"{where}: question_id {key} is not in the task file")
        if key in predictions:
            raise InputError(f"{where}: question_id {key} occurs twice")
        if line.db_id is not None and line.db_id != known[key].database:
            raise InputError(f"{where}: db_id is '{line.db_id}', its task has '{known[key].database}'")
        predictions[key] = line.sql or ""
    return predictions


def _from_statements(path: Path, tasks: Sequence[BirdTask]) -> dict[str, str]:
    lines = read_predictions(path).decode("utf-8", "replace").removesuffix("\n").split("\n")
    if len(lines) != len(tasks):
        raise InputError(f"{path}: {len(lines)} lines for {len(tasks)} tasks; one statement per line is expected")
    predictions: dict[str, str] = {}
    for number, (line, task) in enumerate(zip(lines, tasks, strict=True), 1):
        line = line.removesuffix("\r")
        sql, tab, database = line.rpartition("\t")
        if tab and database.strip() != task.database:
            raise InputError(f"{path}: row {number}: the database is '{database.strip()}', its task has '{task.database}'")
        predictions[task.key] = sql if tab else line
    return predictions


def _from_run(path: Path, tasks: Sequence[BirdTask]) -> dict[str, str]:
    known = {task.key: task for task in tasks}
    predictions: dict[str, str] = {}
    for record in submitted_in(path):
        task = known.get(record.task)
        if task is None or record.digest not in (task.digest, task.published_digest):
            raise InputError(f"{path}: task {record.task} is not in the task file, or is another task there")
        predictions.setdefault(record.task, record.sql)
    return predictions


def _unique(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise InputError(f"{path}: key '{twice}' occurs twice")
    return unique


def _decode(path: Path, text: bytes) -> Any:
    try:
        # msgspec would keep the last of two equal keys silently.
        return json.loads(text.decode("utf-8", "replace"), object_pairs_hook=lambda pairs: _unique(path, pairs))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: not valid JSON: {error}") from None
