"""A result as psycopg2 gives it, which is what the published evaluators compare: uuid, inet and ROW as text, and so on.

The library itself converts the cells, so nothing of it is imitated. Its converters want a cursor, for the encoding of the
connection; the connection may be closed by then, so one that is closed at once serves for the life of a worker process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg2
from psycopg.pq.abc import PGresult

from ...failures import SqlError
from .connection import open_psycopg2
from .messages import Seat

MOST_ROWS = 10_000
_QUERIES = ("select", "with")

_cursor: Any = None


def official_rows(seat: Seat, sql: str, results: Sequence[PGresult]) -> list[tuple[Any, ...]]:
    """Raises SqlError for a query without rows to fetch, and for a value that Python has no object for."""
    is_query = sql.strip().lower().startswith(_QUERIES)
    if not results:
        if is_query:
            raise SqlError("sql", "no results to fetch")
        return []
    rows: list[tuple[Any, ...]] = []
    try:
        for result in results:
            rows += _rows(seat, result, MOST_ROWS - len(rows) if is_query else result.ntuples)
    except (psycopg2.Error, ValueError, OverflowError) as error:
        raise SqlError("sql", f"a value cannot be read: {error}") from None
    return rows


def _rows(seat: Seat, result: PGresult, most: int) -> list[tuple[Any, ...]]:
    cast = _casting(seat).cast
    types = [result.ftype(column) for column in range(result.nfields)]
    return [
        tuple([_cell(cast, kind, result.get_value(row, column)) for column, kind in enumerate(types)])
        for row in range(min(result.ntuples, most))
    ]


def _cell(cast: Any, kind: int, cell: bytes | None) -> Any:
    return None if cell is None else cast(kind, cell.decode())


def _casting(seat: Seat) -> Any:
    global _cursor
    if _cursor is None:
        connection = open_psycopg2(seat, None)
        _cursor = connection.cursor()
        connection.close()
    return _cursor
