"""The demo dataset in Spider2-lite's layout: the questions of the BIRD demo with their gold results as CSV files.

    python tools/make_demo_spider2.py [--output DIR]

The databases are those of the BIRD demo, so only questions, conditions and golden files are written.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from pathlib import Path

from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.benchmarks.spider2.comparison import to_csv
from touchstone.datasets import bird_demo
from touchstone.types import Table

TARGET = Path(__file__).parent.parent / "src" / "touchstone" / "datasets" / "spider2_demo"


def write(target: Path) -> None:
    tasks, databases = bird_demo()
    loaded = load_tasks(tasks)
    for folder in ("exec_result", "sql"):
        (target / "gold" / folder).mkdir(parents=True, exist_ok=True)
    _write_lines(target / "questions.jsonl", [_question(task) for task in loaded])
    conditions = [{"instance_id": _name(task), "condition_cols": [], "ignore_order": True} for task in loaded]
    _write_lines(target / "gold" / "spider2lite_eval.jsonl", conditions)
    for task in loaded:
        (target / "gold" / "exec_result" / f"{_name(task)}.csv").write_text(to_csv(_result(task, databases)))
        (target / "gold" / "sql" / f"{_name(task)}.sql").write_text(task.gold + "\n")


def _question(task: BirdTask) -> dict[str, object]:
    hint = f" ({task.evidence})" if task.evidence else ""
    return {"instance_id": _name(task), "db": task.database, "question": task.question + hint, "external_knowledge": None}


def _name(task: BirdTask) -> str:
    return f"local{task.question_id}"


def _result(task: BirdTask, databases: Path) -> Table:
    connection = sqlite3.connect(f"file:{databases / task.database / task.database}.sqlite?mode=ro&immutable=1", uri=True)
    try:
        cursor = connection.execute(task.gold)
        return Table(tuple(column[0] for column in cursor.description), cursor.fetchall())
    finally:
        connection.close()


def _write_lines(path: Path, values: list[dict[str, object]]) -> None:
    path.write_text("".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, default=TARGET)
    write(parser.parse_args().output)
