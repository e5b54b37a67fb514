"""Predictions for questions of your own: SQL by id, or what a run has submitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ...errors import InputError
from ...foreign import Unreadable, read_json
from .questions import NAMES, read_rows


def load_predictions(path: Path, known: Sequence[str]) -> dict[str, str]:
    """By the questions' ids. Raises InputError for one that no question has."""
    queries = dict(_from_run(path) if path.is_dir() else _from_file(path))
    for key in queries:
        if key not in known:
            raise InputError(f"{path}: '{key}' is not the id of a question; ids are {', '.join(known[:3])}, …")
    return queries


def _from_run(path: Path) -> list[tuple[str, str]]:
    try:
        lines = (path / "runs.jsonl").read_bytes().splitlines(keepends=True)
    except OSError as error:
        raise InputError(f"{path}: expected a run directory: {error.strerror}") from None
    queries: dict[str, str] = {}
    for line in lines:
        if not line.endswith(b"\n"):
            continue
        try:
            record = cast("dict[str, Any]", read_json(line))
            submitted = record["evidence"].get("prediction")
            queries.setdefault(str(record["task"]), submitted if isinstance(submitted, str) else "")
        except (Unreadable, KeyError, TypeError, AttributeError):
            raise InputError(f"{path / 'runs.jsonl'}: a line is not a record of Touchstone") from None
    return list(queries.items())


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
