"""Collects the table of the last statement of a text, within limits of rows and bytes."""

from __future__ import annotations

from typing import Any

from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from ...failures import SqlError
from ...protocols import Limits
from .cells import Loader, columns, size

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
