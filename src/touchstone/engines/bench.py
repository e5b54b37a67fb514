"""Where a submission is judged: a database of its own, seen from inside a worker process.

An engine runs a function `(Bench, Request) -> Response` beside a fresh copy, so that large results are compared where they are
made, and hidden tests can look at what a submission left behind. Cells are Python values: Decimal, date, list, dict, …
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from ..failures import SqlError
from ..protocols import Limits


@dataclass(frozen=True)
class Result:
    """What the last statement of a text gave. Without columns it gave no table."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    changed: int | None = None


class Bench(Protocol):
    """One copy of a database, for one judgement."""

    dialect: str
    """postgres or sqlite."""

    def run(self, sql: str) -> Result:
        """Runs every statement of the text in order and commits. Raises SqlError."""
        ...

    def trial(self, statements: Sequence[str], *, continues: bool = False) -> Result:
        """Runs texts in order and undoes all that they did; the last one's result.

        With `continues` the others are run after one that fails, and only an error of the last one counts. Raises SqlError.
        """
        ...

    def connect(self) -> Any:
        """A DB-API connection of its own to this copy, with the rights of an agent: for a dataset's test code."""
        ...


def wall_clock(limits: Limits) -> float:
    """Seconds in which one statement of a judgement has surely ended, or its worker is stuck."""
    return 3 * limits.seconds + 10


def last_of(statements: Sequence[str], run: Callable[[str], Result], *, continues: bool) -> Result:
    """The last statement's result. With `continues` an error counts only if it is the last one's."""
    result = Result((), [])
    failure: SqlError | None = None
    for statement in statements:
        try:
            result, failure = run(statement), None
        except SqlError as error:
            if not continues:
                raise
            failure = error
    if failure is not None:
        raise failure
    return result
