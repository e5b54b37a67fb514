"""What a demo database and its tasks are made of. One `Column` serves the dump, the schema text and the meanings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from textwrap import dedent
from typing import Any, Literal

Row = tuple[Any, ...]
"""None, bool, int, Decimal, str, date, datetime; a list for an array; anything JSON can say for jsonb."""
Rows = dict[str, list[Row]]

Category = Literal["Query", "Management"]
Kind = Literal["result_based", "aggregation", "attribute_change", "topic_pivot", "constraint_change"]


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    meaning: str
    null: bool = False
    fields: dict[str, Any] | None = None
    """What the keys of a jsonb column mean."""


@dataclass(frozen=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    foreign: dict[str, str] = field(default_factory=dict[str, str])
    """Column to the `table(column)` it refers to."""
    unique: tuple[str, ...] = ()
    indexes: tuple[str, ...] = ()
    """Columns, or `method (column)` for other than a btree."""
    serial: bool = False
    """Whether a sequence numbers the key."""


@dataclass(frozen=True)
class Knowledge:
    name: str
    description: str
    definition: str
    type: Literal["calculation_knowledge", "domain_knowledge", "value_illustration"]
    children: tuple[str, ...] = ()
    """Names of the entries it builds on."""


@dataclass(frozen=True)
class Vague:
    """A wording, the fragment of the gold that settles it, and the kind of ambiguity without its ending."""

    kind: str
    term: str
    snippet: str
    mask: bool = True


@dataclass(frozen=True)
class Hidden:
    """An entry of the knowledge base that the agent does not get to see, and what the gold makes of it."""

    knowledge: str
    snippet: str
    term: str = ""


@dataclass(frozen=True)
class FollowUp:
    kind: Kind
    query: str
    sql: str
    knowledge: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    order: bool = False
    decimal: int = -1
    distinct: bool = False

    @property
    def category(self) -> Category:
        return "Management" if self.tests else "Query"


@dataclass(frozen=True)
class Task:
    ambiguous: str
    clear: str
    sql: str
    follow_up: FollowUp
    knowledge: tuple[str, ...] = ()
    """Names of the entries that the gold relies on."""
    critical: tuple[Vague, ...] = ()
    minor: tuple[Vague, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    tests: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    order: bool = False
    decimal: int = -1
    distinct: bool = False
    high_level: bool = False

    @property
    def category(self) -> Category:
        return "Management" if self.tests else "Query"


@dataclass(frozen=True)
class Database:
    name: str
    tables: tuple[Table, ...]
    """In an order in which each refers only to those before it."""
    rows: Callable[[Random], Rows]
    knowledge: tuple[Knowledge, ...]
    tasks: tuple[Task, ...]

    def number(self, name: str) -> int:
        """The id of an entry of the knowledge base."""
        return [entry.name for entry in self.knowledge].index(name)


def text(block: str) -> str:
    """SQL or Python as it is stored: lines kept, the indentation of this program taken away."""
    return dedent(block).strip()
