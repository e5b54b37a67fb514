"""Databases as Spider has them: a few tables of a few rows each, with foreign keys, and queries over one or two of them."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

_THINGS = "singer concert stadium player team match pet owner flight airport course student teacher museum visit".split()
_COLUMNS = "name city year age height rank price size".split()


def make_schema(directory: Path, number: int) -> tuple[Path, list[str]]:
    """A database, and gold queries for it."""
    chance = random.Random(f"schema {number}")
    path = directory / f"schema_{number}.sqlite"
    path.unlink(missing_ok=True)
    tables = chance.sample(_THINGS, chance.randint(2, 5))
    connection = sqlite3.connect(path)
    parents: dict[str, str] = {}
    columns = {table: chance.sample(_COLUMNS[2:], 3) for table in tables}
    sizes = {table: chance.randint(4, 20) for table in tables}
    for place, table in enumerate(tables):
        parts = [f"{table}_id INTEGER PRIMARY KEY", "name TEXT", "city TEXT", *(f"{column} INT" for column in columns[table])]
        if place:
            parents[table] = parent = chance.choice(tables[:place])
            parts.append(f"{parent}_id INTEGER REFERENCES {parent} ({parent}_id)")
        connection.execute(f"CREATE TABLE {table} ({', '.join(parts)})")
        for row in range(1, sizes[table] + 1):
            cells = [row, f"{table} {row}", chance.choice(["Rome", "Oslo", "Lima"]), *(chance.randint(1, 60) for _ in range(3))]
            if place:
                cells.append(chance.randint(1, sizes[parents[table]]))
            connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(cells))})", cells)
    connection.commit()
    connection.close()
    return path, [_alone(tables[0], columns), *(_joined(child, parent, columns) for child, parent in parents.items())]


def _alone(table: str, columns: dict[str, list[str]]) -> str:
    return f"SELECT city, COUNT(*) FROM {table} WHERE {columns[table][0]} > 20 GROUP BY city"


def _joined(child: str, parent: str, columns: dict[str, list[str]]) -> str:
    return (
        f"SELECT T2.name, T1.{columns[child][0]} FROM {child} AS T1 JOIN {parent} AS T2 ON T1.{parent}_id = T2.{parent}_id "
        f"WHERE T2.{columns[parent][1]} BETWEEN 10 AND 40"
    )
