"""Predictions for questions of your own: SQL by id, or what a run has submitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ...errors import InputError
from ...foreign import Unreadable, read_json
from ..task_file import submitted_in
from .questions import NAMES, read_rows


def load_predictions(path: Path, known: Sequence[str]) -> dict[str, str]:
    """By the questions' ids. Raises InputError for one that no question has."""
    queries = _from_run(path) if path.is_dir() else dict(_from_file(path))
    for key in queries:
        if key not in known:
            raise InputError(f"{path}: '{key}' is not the id of a question; ids are {', '.join(known[:3])}, …")
    return queries


def _from_run(path: Path) -> dict[str, str]:
    """Of several attempts, the first."""
    return {record.task: record.sql for record in reversed(list(submitted_in(path)))}


def _from_file(path: Path) -> list[tuple[str, str]]:
    if path.suffix == ".json":
        try:
            value = read_json(path.read_bytes())
        except (OSError, Unreadable) as error:
            raise InputError(f"{path}: cannot be read: {error}") from None
        if isinstance(value, dict):
            return [(key, sql if isinstance(sql, str) else "") for key, sql in cast("dict[str, Any]", value).items()]
    queries: dict[str, str] = {}
    for number, row in read_rows(path):
        key, sql = _cell(row, "id"), _cell(row, "sql", "prediction", "predicted_sql", "predicted")
        if key is None or sql is None:
            raise InputError(f"{path}: row {number}: expected an id and sql; there are: {', '.join(row)}")
        if key in queries:
            raise InputError(f"{path}: row {number}: the id '{key}' occurs twice")
        queries[key] = sql
    return list(queries.items())


def _cell(row: Mapping[str, Any], name: str, *more: str) -> str | None:
    lowered = {key.strip().lower(): value for key, value in row.items()}
    usual = next((each for each in (*more, *NAMES[name]) if each in lowered), None)
    return None if usual is None else str(lowered[usual] if lowered[usual] is not None else "").strip()
