"""Where a submission is judged: a database of its own, seen from inside a worker process.

An engine runs a function `(JudgingConnection, Request) -> Response` beside a fresh copy, so that large results are compared
where they are made, and hidden tests can look at what a submission left behind. Cells are Python values: Decimal, date, list,
dict, …
"""

from __future__ import annotations

import importlib
import typing
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol

from ..errors import SqlError
from ..types import Limits, Table


@dataclass(frozen=True)
class Result:
    """What the last statement of a text gave. Without columns it gave no table."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    changed: int | None = None
    raw: Any = None
    """As the driver has it, for `JudgingConnection.official_rows`."""


class JudgingConnection(Protocol):
    """One copy of a database, for one judgement."""

    dialect: str
    """postgres or sqlite."""
    timed_out: bool
    """Whether a statement came to its time limit; on PostgreSQL the judgement is then made again, with the cores to itself."""
    writes: bool
    """Whether what is run here can have effects; otherwise only reading statements get this far."""

    @property
    def wrote(self) -> bool:
        """Whether what was run so far changes the copy, beyond temporary tables. Only SQLite can say."""
        ...

    def run(self, sql: str) -> Result:
        """Runs every statement of the text in order and commits. Raises SqlError."""
        ...

    def trial(self, statements: Sequence[str]) -> Result:
        """Runs texts in order and undoes all that they did; the last one's result. Raises SqlError."""
        ...

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        """What the published evaluators read where this text gave this result.

        Raises SqlError where they have an error: for a text, or a value, that their driver does not take.
        """
        ...

    def session(self) -> Any:
        """A psycopg2 or sqlite3 connection of its own to this copy, with the rights of an agent: for a dataset's test code."""
        ...

    def shown(self, text: str) -> str:
        """A text of the database's without names that are ours."""
        ...


class PlainConnection:
    """What most databases have in common: a connection that gives tables, in transactions."""

    dialect: str
    label: str
    """The database's name for people."""
    timed_out = False
    writes = False

    @property
    def wrote(self) -> bool:
        return False

    def table(self, sql: str) -> Table:
        """Of the last statement. Raises SqlError."""
        raise NotImplementedError

    def run(self, sql: str) -> Result:
        table = self.table(sql)
        return Result(table.columns, table.rows, table.changed)

    def trial(self, statements: Sequence[str]) -> Result:
        return rolled_back(self.run, statements)

    def official_rows(self, sql: str, result: Result) -> list[tuple[Any, ...]]:
        return result.rows

    def session(self) -> Any:
        raise SqlError("refused", f"Hidden tests cannot run on {self.label}.")

    def shown(self, text: str) -> str:
        return text


def wall_clock(limits: Limits) -> float:
    """Seconds in which one statement of a judgement has surely ended, or its worker is stuck."""
    return 3 * limits.seconds + 10


def last_result(run: Callable[[str], Result], statements: Sequence[str]) -> Result:
    result = Result((), [])
    for statement in statements:
        result = run(statement)
    return result


def rolled_back(run: Callable[[str], Result], statements: Sequence[str]) -> Result:
    """What the last of them gives, in a transaction that leaves nothing behind."""
    run("BEGIN")
    try:
        return last_result(run, statements)
    finally:
        with suppress(SqlError):
            run("ROLLBACK")


# Functions of benchmarks that run beside the data: known by name, so that a worker process can find them.


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__}:{function.__qualname__}"


@cache
def named_function(name: str) -> tuple[Callable[[Any, Any], Any], Any]:
    """The function `(where it works, request) -> response`, and the type of its request."""
    module, _, attribute = name.partition(":")
    function = getattr(importlib.import_module(module), attribute)
    hints = typing.get_type_hints(function)
    hints.pop("return")
    return function, list(hints.values())[1]


@cache
def result_type(function: Callable[..., Any]) -> Any:
    return typing.get_type_hints(function)["return"]
