"""What SQL engines and their workers send each other, and the rules for all of them: how much is read, how a limit is named."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from ..errors import SqlError, SqlFault
from ..types import Limits, Observation, Table
from .judging_connection import JudgingConnection, named_function, result_type
from .tables import observation_of

LIVE = "This database is live, so it can only be read, by one statement at a time."
MOST_STATEMENTS = 8
"""Of a judgement, that may each take long."""
SECONDS_TO_COMPARE = 600.0
"""CPU time of an applied function besides its statements: comparing the largest results takes less."""
_LONGEST_SCRIPT = 1_000_000
_ROWS_PER_FETCH = 1_000
_SMALL = {type(None), bool, int, float, Decimal, date, datetime}
_PLAIN = {type(None), bool, float, str, bytes}

T = TypeVar("T")
R = TypeVar("R")


class Fault(Struct, frozen=True, tag=True):
    kind: SqlFault
    message: str


class SqlRows(Struct, frozen=True, tag=True):
    table: Table


class ShownTable(Struct, frozen=True, tag=True):
    """A table, cut to what an agent is shown."""

    seen: Observation


class FunctionResponse(Struct, frozen=True, tag=True):
    """What a benchmark's function returned."""

    encoded: msgspec.Raw
    timed_out: bool = False


class FileWork(Struct, frozen=True):
    """Something to be done: SQL, or a function."""

    path: str
    limits: Limits
    sql: str | None = None
    keep: str | None = None
    """Where the copy goes afterwards, if it is to be kept."""
    shown: bool = False
    """Only what an agent sees of the result is wanted."""
    private: bool = False
    """It is sure to write."""
    function: str = ""
    request: msgspec.Raw = msgspec.Raw(b"\xc0")  # nil


FileAnswer = SqlRows | ShownTable | Fault | FunctionResponse


def answer_of(table: Table, *, shown: bool) -> SqlRows | ShownTable:
    return ShownTable(observation_of(table)) if shown else SqlRows(table)


def checked(answer: T | Fault) -> T:
    """Raises SqlError for a fault."""
    if isinstance(answer, Fault):
        raise SqlError(answer.kind, answer.message)
    return answer


def encoded(request: object) -> msgspec.Raw:
    return msgspec.Raw(msgspec.msgpack.encode(request))


def respond(function_name: str, request: msgspec.Raw, connection: JudgingConnection) -> FunctionResponse:
    """Runs a function by its name on a request, in a worker."""
    function, kind = named_function(function_name)
    response = function(connection, msgspec.msgpack.decode(request, type=kind))
    return FunctionResponse(encoded(response), connection.timed_out)


def decoded(response: FunctionResponse, function: Callable[[Any, Any], R]) -> R:
    return msgspec.msgpack.decode(response.encoded, type=result_type(function))


def plain(table: Table) -> Table:
    """With cells that a message can carry; the rest as text."""
    rows = [tuple([cell if _is_plain(cell) else str(cell) for cell in row]) for row in table.rows]
    return Table(table.columns, rows, table.truncated, table.changed)


def _is_plain(cell: Any) -> bool:
    return type(cell) in _PLAIN or (type(cell) is int and -(2**63) <= cell < 2**64)


def fetched(
    columns: tuple[str, ...],
    fetchmany: Callable[[int], list[Any]],
    limits: Limits,
    *,
    size: Callable[[list[Any]], int] | None = None,
    look: Callable[[], None] = lambda: None,
) -> Table:
    """The rows as far as the limits go. `look` is called after each step, and may raise. Raises SqlError."""
    measure = size or _size
    rows: list[tuple[Any, ...]] = []
    total, step = 0, 1  # the first steps are small, since a row may be very large
    while batch := fetchmany(min(step, limits.rows + 1 - len(rows))):
        step = min(2 * step, _ROWS_PER_FETCH)
        rows += batch
        total += measure(batch)
        if total > limits.bytes:
            raise SqlError("bytes", f"The result is larger than {limits.bytes / 2**20:,.0f} MB.")
        look()
        if len(rows) > limits.rows:
            if limits.cut_rows:
                return Table(columns, rows[: limits.rows], truncated=True)
            raise SqlError("rows", f"The result has more than {limits.rows:,} rows.")
    return Table(columns, rows)


def _size(rows: list[Any]) -> int:
    cells = (cell for row in rows for cell in row)
    return sum(len(cell) if isinstance(cell, str | bytes) else 8 if type(cell) in _SMALL else len(str(cell)) for cell in cells)


def refuse_long(sql: str) -> None:
    if len(sql) > _LONGEST_SCRIPT:
        raise SqlError("refused", f"The SQL is {len(sql):,} characters long; at most {_LONGEST_SCRIPT:,} are taken.")


def refuse_broken_text(sql: str) -> None:
    try:
        sql.encode()
    except UnicodeEncodeError:
        raise SqlError("sql", "The SQL contains half of a Unicode character (a lone surrogate).") from None


# Why a statement ended, in words.


def no_statement() -> SqlError:
    return SqlError("blank", "There is no SQL statement in this text.")


def out_of_memory(limits: Limits) -> SqlError:
    return SqlError("memory", f"The query needs more than {limits.memory / 2**20:,.0f} MB of memory.")


def out_of_time(limits: Limits) -> SqlError:
    return SqlError("time", f"The query was stopped at its limit of {limits.seconds:g} seconds.")


def out_of_cpu(limits: Limits) -> SqlError:
    """For a statement that has made few steps, each of which takes long."""
    return SqlError("cpu", f"The query was stopped: it used more than {limits.cpu_seconds:g} seconds of CPU time.")
