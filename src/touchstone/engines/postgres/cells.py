"""Cells of a result, as text or as Python values."""

from __future__ import annotations

from typing import Any

from psycopg.adapt import Transformer
from psycopg.pq import Format
from psycopg.pq.abc import PGresult

from .connection import Connection

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
