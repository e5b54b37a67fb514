"""Small BIRD datasets made on the spot: a task file and its databases."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks

Row = dict[str, Any]

SHOP = """
    CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT, price REAL, stock INTEGER);
    INSERT INTO item VALUES (1, 'apple', 1.5, 10), (2, 'pear', 2.0, NULL), (3, 'plum', 0.5, 30), (4, 'quince', 4.25, 0);
"""
ZOO = """
    CREATE TABLE animal (name TEXT, legs INTEGER);
    INSERT INTO animal VALUES ('heron', 2), ('newt', 4), ('adder', 0), ('vole', 4);
"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
"""A query that only a time limit ends."""
LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT {}) SELECT max(i) FROM n"
"""A query of some length: about ten million steps take a second."""


def row(question_id: int | str, db_id: str, question: str, sql: str, difficulty: str = "simple", evidence: str = "") -> Row:
    """A task as BIRD publishes it."""
    return {
        "question_id": question_id,
        "db_id": db_id,
        "question": question,
        "evidence": evidence,
        "SQL": sql,
        "difficulty": difficulty,
    }


ROWS: tuple[Row, ...] = (
    row(10, "shop", "Which items are dear?", "SELECT name FROM item WHERE price > 1.0", evidence="dear means price > 1"),
    row(11, "shop", "How many items are there?", "SELECT COUNT(*) FROM item", "moderate"),
    row(12, "zoo", "Which animals have four legs?", "SELECT name FROM animal WHERE legs = 4", "moderate"),
    row(13, "shop", "What is the mean price?", "SELECT AVG(price) FROM item", "challenging"),
    row(14, "zoo", "How many legs are there?", "SELECT SUM(legs) FROM animal"),
    row(15, "zoo", "Which animal has no legs?", "SELECT name FROM animal WHERE legs = 0", "challenging"),
)


@dataclass(frozen=True)
class World:
    """Where a dataset is, as `touchstone bird` takes it."""

    tasks: Path
    databases: Path

    @property
    def arguments(self) -> tuple[str, str]:
        return str(self.tasks), str(self.databases)

    def load(self) -> list[BirdTask]:
        return load_tasks(self.tasks)


def make_world(directory: Path, rows: Sequence[Row] = ROWS) -> World:
    world = World(directory / "tasks.json", directory / "databases")
    directory.mkdir(parents=True, exist_ok=True)
    world.tasks.write_text(json.dumps(list(rows)))
    make_database(world.databases, "shop", SHOP)
    make_database(world.databases, "zoo", ZOO)
    return world


def make_database(databases: Path, name: str, script: str) -> Path:
    path = databases / name / f"{name}.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def many_rows(count: int) -> list[Row]:
    """As many tasks as wanted, all different, on the shop."""
    return [row(number, "shop", f"What is {number}?", f"SELECT {number} FROM item") for number in range(count)]
