"""`touchstone spider2 convert`: the converted input file, made from the official spider2-lite.jsonl and the gold folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .golden import Golden
from .results import write_json
from .tasks import Spider2Task, load_tasks


def convert(input: Path, output: Path, *, gold: Path) -> int:
    """Make the converted input file from the official spider2-lite.jsonl and the gold folder.

    Parameters
    ----------
    input
        The official spider2-lite.jsonl.
    output
        The converted file: the local questions, with gold_sql where the gold folder has it.
    gold
        The gold folder, with sql/.
    """
    entries = converted(load_tasks(input, Golden(gold).sql))
    write_json(output, entries)
    available = sum(entry["metadata"]["gold_sql_available"] for entry in entries)
    print(f"{output}: {len(entries)} local questions, {available} of them with gold SQL")
    return 0


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
