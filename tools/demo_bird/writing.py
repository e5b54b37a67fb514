"""The files of a BIRD dataset: tasks.json, one SQLite file per database, and a CSV per table that describes it.

The same seed and the same SQLite library give the same bytes: the files are built from nothing in one
transaction and vacuumed, and hold no time stamps.
"""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from demo_bird.model import Database, Rows, Table, quoted

SEED = 1747
"""One under which every trap bites: the tests say which those are."""
DESCRIPTION_HEADER = ("original_column_name", "column_name", "column_description", "data_format", "value_description")


def write_dataset(databases: Sequence[Database], output: Path) -> Iterator[Path]:
    """Write everything, and give each path as soon as it is there."""
    for database in databases:
        yield from write_database(database, output / "databases" / database.name)
    yield write_tasks(databases, output / "tasks.json")


def write_tasks(databases: Sequence[Database], path: Path) -> Path:
    tasks = [task for database in databases for task in task_objects(database)]
    path.write_text(json.dumps(tasks, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def task_objects(database: Database) -> Iterator[dict[str, int | str]]:
    for question_id, task in enumerate(database.tasks, database.first_id):
        yield {
            "question_id": question_id,
            "db_id": database.name,
            "question": task.question,
            "evidence": task.evidence,
            "SQL": " ".join(task.sql.split()),
            "difficulty": task.difficulty,
        }


def write_database(database: Database, folder: Path) -> Iterator[Path]:
    descriptions = folder / "database_description"
    descriptions.mkdir(parents=True, exist_ok=True)
    yield write_sqlite(database, folder / f"{database.name}.sqlite")
    for table in database.tables:
        yield write_description(table, descriptions / f"{table.name}.csv")


def write_sqlite(database: Database, path: Path) -> Path:
    """Each database draws from its own generator, so that a change to one leaves the others as they are."""
    path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN")
        fill(connection, database.tables, database.rows(Random(f"{SEED}/{database.name}")))
        connection.execute("COMMIT")
        connection.execute("VACUUM")
    return path


def fill(connection: sqlite3.Connection, tables: Sequence[Table], rows: Rows) -> None:
    for table in tables:
        connection.execute(table.sql())
        places = ", ".join("?" for _ in table.columns)
        connection.executemany(f"INSERT INTO {quoted(table.name)} VALUES ({places})", rows[table.name])


def write_description(table: Table, path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(DESCRIPTION_HEADER)
        for column in table.columns:
            plain = column.name.replace("_", " ")
            writer.writerow((column.name, plain, column.meaning, column.kind.lower(), column.values))
    return path
