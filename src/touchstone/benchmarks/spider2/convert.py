"""The converted input file, made from the official spider2-lite.jsonl and the gold folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .tasks import Spider2Task


def converted(tasks: Sequence[Spider2Task]) -> list[dict[str, Any]]:
    """The local (SQLite) questions in the order of the file."""
    local = [task for task in tasks if task.platform == "sqlite"]
    return [_entry(number, task) for number, task in enumerate(local, 1)]


def _entry(number: int, task: Spider2Task) -> dict[str, Any]:
    return {
        "id": number,
        "turns": [{"id": 1, "role": "user", "input": task.question, "expected_output": None}],
        "metadata": {
            "source": "spider2-lite",
            "instance_id": task.key,
            "platform": task.platform,
            "database": task.database,
            "gold_sql_available": task.gold_sql_available,
        },
        "gold_sql": task.gold_sql,
    }
