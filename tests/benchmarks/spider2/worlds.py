"""A small Spider2-lite made on the spot, in the layout of the official one, and where the real one is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.data import shared_data
from tests.support.worlds import SHOP, ZOO, make_database
from touchstone.benchmarks.spider2.golden import Golden
from touchstone.benchmarks.spider2.tasks import Spider2Task, load_tasks

Entry = dict[str, Any]


def question(instance_id: str, db: str, text: str, knowledge: str | None = None) -> Entry:
    """A line of spider2-lite.jsonl."""
    return {"instance_id": instance_id, "db": db, "question": text, "external_knowledge": knowledge}


QUESTIONS: tuple[Entry, ...] = (
    question("bq001", "ga4", "How many visits were there?"),
    question("local001", "shop", "Which items are dear?"),
    question("local002", "shop", "How many items are there?"),
    question("local003", "zoo", "Which animals have how many legs?"),
    question("local004", "zoo", "How many legs are there?", "legs.md"),
    question("local005", "shop", "What is the mean price?"),
)
SQL: Mapping[str, str] = {
    "local001": "SELECT name FROM item WHERE price > 1.0",
    "local002": "SELECT COUNT(*) FROM item",
    "local003": "SELECT name, legs FROM animal",
    "local004": "SELECT SUM(legs) FROM animal",
    "local005": "SELECT AVG(price) FROM item",
}
"""What is right. The gold folder has it for the first three questions only."""
RESULTS: Mapping[str, str] = {
    "local001.csv": "name\napple\npear\nquince\n",
    "local002_a.csv": "items,with stock\n4,3\n",
    "local002_b.csv": "items\n4\n",
    "local003.csv": "name,legs\nheron,2\nnewt,4\nadder,0\nvole,4\n",
    "local004.csv": "legs\n10\n",
    "local005.csv": "mean\n2.06\n",
}
CONDITIONS: tuple[Entry, ...] = tuple(
    {"instance_id": each["instance_id"], "condition_cols": [], "ignore_order": True, "toks": "10"} for each in QUESTIONS
)
BY_QUESTION: Mapping[str, str] = {
    each["question"]: SQL[each["instance_id"]] for each in QUESTIONS if each["instance_id"] in SQL
}


@dataclass(frozen=True)
class Spider2World:
    root: Path

    @property
    def questions(self) -> Path:
        return self.root / "spider2-lite.jsonl"

    @property
    def gold(self) -> Path:
        return self.root / "evaluation_suite" / "gold"

    @property
    def databases(self) -> Path:
        return self.root / "databases"

    @property
    def documents(self) -> Path:
        return self.root / "documents"

    @property
    def options(self) -> tuple[str, ...]:
        """How the commands are told where the data is."""
        return "--databases", str(self.databases), "--gold", str(self.gold)

    def load(self) -> list[Spider2Task]:
        return load_tasks(self.questions, Golden(self.gold).sql)

    def result(self, name: str, text: str | bytes) -> Path:
        """Writes a gold result."""
        path = self.gold / "exec_result" / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path


def make_spider2(root: Path, questions: Iterable[Entry] = QUESTIONS, conditions: Iterable[Entry] = CONDITIONS) -> Spider2World:
    world = Spider2World(root)
    for directory in (world.gold / "exec_result", world.gold / "sql", world.documents):
        directory.mkdir(parents=True)
    write_lines(world.questions, questions)
    write_lines(world.gold / "spider2lite_eval.jsonl", conditions)
    for name, text in RESULTS.items():
        world.result(name, text)
    for instance_id in ("local001", "local002", "local003"):
        (world.gold / "sql" / f"{instance_id}.sql").write_text(f"\n{SQL[instance_id]}\n")
    (world.documents / "legs.md").write_text("Legs are counted in pairs.")
    make_database(world.databases, "shop", SHOP)
    make_database(world.databases, "zoo", ZOO)
    return world


def write_lines(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def real_spider2() -> Path:
    """The shared part of the real one: all local questions, 67 of them on databases that are there."""
    return shared_data("spider2-lite")
