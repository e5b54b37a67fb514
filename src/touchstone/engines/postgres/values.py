"""Cells of a result, as text or as Python values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg2
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.pq.abc import PGresult

from ...errors import SqlError
from ...types import Limits
from .connection import Connection, open_psycopg2
from .messages import Login

_TEXT = 25
"""The number of PostgreSQL's type for text."""

Row = tuple[Any, ...]


class Loader:
    """For the results of one connection."""

    def __init__(self, connection: Connection, *, as_text: bool) -> None:
        self._transformer = Transformer(connection)
        self._as_text = as_text

    def load(self, result: PGresult) -> list[Row]:
        transformer = self._transformer
        transformer.set_pgresult(result, set_loaders=not self._as_text)
        if self._as_text:
            transformer.set_loader_types([_TEXT] * result.nfields, Format.TEXT)
        try:
            return transformer.load_rows(0, result.ntuples, tuple)
        except Exception:  # a loader raises whatever its Python type does; then each cell is looked at by itself
            return [self._load_row(result, number) for number in range(result.ntuples)]

    def _load_row(self, result: PGresult, number: int) -> Row:
        return tuple(
            self._load_cell(result.get_value(number, column), result.ftype(column)) for column in range(result.nfields)
        )

    def _load_cell(self, cell: bytes | None, kind: int) -> Any:
        """What Python has no value for (infinity as a date, the year 10000, text that is not UTF-8) stays text."""
        if cell is None:
            return None
        try:
            return self._transformer.get_loader(_TEXT if self._as_text else kind, Format.TEXT).load(cell)
        except Exception:
            return cell.decode(errors="backslashreplace")


def columns(result: PGresult) -> tuple[str, ...]:
    return tuple((result.fname(number) or b"").decode(errors="backslashreplace") for number in range(result.nfields))


def size(result: PGresult) -> int:
    """Bytes of all cells."""
    fields = range(result.nfields)
    return sum(len(result.get_value(row, column) or b"") for row in range(result.ntuples) for column in fields)


# Collects the table of the last statement of a text, within limits of rows and bytes.


_FEWEST_BYTES_PER_CELL = 8
"""Every cell counts, also an empty one: rows without content take memory too."""


class LastTable:
    """Fed with results in their order."""

    def __init__(self, loader: Loader, limits: Limits) -> None:
        self.columns: tuple[str, ...] = ()
        self.rows: list[tuple[Any, ...]] = []
        self.changed: int | None = None
        self.truncated = False
        self.results: list[PGresult] = []
        """What the rows were loaded from."""
        self.empty = True
        """No statement has given anything yet."""
        self._loader = loader
        self._limits = limits
        self._size = 0
        self._complete = True

    def start(self, changed: int | None, columns: tuple[str, ...] = ()) -> None:
        """A new statement; what the one before gave is of no interest any more."""
        self.columns, self.changed, self.rows, self.results = columns, changed, [], []
        self.truncated = self.empty = False
        self._size = 0

    def add(self, result: PGresult) -> None:
        if self._complete:
            self.start(None, columns(result))
        self._complete = result.status == ExecStatus.TUPLES_OK  # which has no rows where the others are chunks before it
        self._size += size(result) + _FEWEST_BYTES_PER_CELL * result.ntuples * result.nfields
        if self._size > self._limits.bytes:
            raise SqlError("bytes", f"The result is larger than {self._limits.bytes / 2**20:,.0f} MB.")
        if not self.truncated:
            self.rows += self._loader.load(result)
            self.results.append(result)
            self._cut()

    def _cut(self) -> None:
        limit = self._limits.rows
        if len(self.rows) > limit:
            if not self._limits.cut_rows:
                raise SqlError("rows", f"The result has more than {limit:,} rows.")
            self.truncated = True
            del self.rows[limit:]


# A result as psycopg2 gives it, which is what the published evaluators compare: uuid, inet and ROW as text, and so on.
#
# The library itself converts the cells, so nothing of it is imitated. Its converters want a cursor, for the encoding of the
# connection; the connection may be closed by then, so one that is closed at once serves for the life of a worker process.


MOST_ROWS = 10_000
_QUERIES = ("select", "with")

_cursor: Any = None


def official_rows(login: Login, sql: str, results: Sequence[PGresult]) -> list[tuple[Any, ...]]:
    """Raises SqlError for a query without rows to fetch, and for a value that Python has no object for."""
    is_query = sql.strip().lower().startswith(_QUERIES)
    if not results:
        if is_query:
            raise SqlError("sql", "no results to fetch")
        return []
    rows: list[tuple[Any, ...]] = []
    try:
        for result in results:
            rows += _rows(login, result, MOST_ROWS - len(rows) if is_query else result.ntuples)
    except (psycopg2.Error, ValueError, OverflowError) as error:
        raise SqlError("sql", f"a value cannot be read: {error}") from None
    return rows


def _rows(login: Login, result: PGresult, most: int) -> list[tuple[Any, ...]]:
    cast = _casting(login).cast
    types = [result.ftype(column) for column in range(result.nfields)]
    return [
        tuple([_cell(cast, kind, result.get_value(row, column)) for column, kind in enumerate(types)])
        for row in range(min(result.ntuples, most))
    ]


def _cell(cast: Any, kind: int, cell: bytes | None) -> Any:
    return None if cell is None else cast(kind, cell.decode())


def _casting(login: Login) -> Any:
    global _cursor
    if _cursor is None:
        connection = open_psycopg2(login, None)
        _cursor = connection.cursor()
        connection.close()
    return _cursor
