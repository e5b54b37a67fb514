"""What a demo database is made of. One `Column` serves the SQL schema and the description file, so they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

Cell = int | float | str | None
Row = tuple[Cell, ...]
Rows = dict[str, list[Row]]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True)
class Column:
    name: str
    kind: Literal["INTEGER", "REAL", "TEXT"]
    meaning: str
    values: str = ""
    """What a reader must know about the values: codes, units, and what is wrong with them."""
    rule: str = ""
    """The rest of the column's SQL definition, such as PRIMARY KEY."""

    def sql(self) -> str:
        return f"{quoted(self.name)} {self.kind} {self.rule}".rstrip()


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    rule: str = ""
    """A constraint of the whole table, such as a key of two columns."""

    def sql(self) -> str:
        parts = [column.sql() for column in self.columns] + [self.rule] * bool(self.rule)
        return f"CREATE TABLE {quoted(self.name)} (\n  " + ",\n  ".join(parts) + "\n)"


@dataclass(frozen=True)
class Task:
    """One question with its gold query, written over several lines here and stored as one."""

    difficulty: Literal["simple", "moderate", "challenging"]
    question: str
    evidence: str
    sql: str


@dataclass(frozen=True)
class Database:
    name: str
    first_id: int
    """The number of its first task. They differ from positions in the file, as in BIRD's own subsets."""
    tables: tuple[Table, ...]
    rows: Callable[[Random], Rows]
    tasks: tuple[Task, ...]
