"""An engine over a folder of CSV files: each is a table, loaded into a database in memory."""

from __future__ import annotations

import csv
import hashlib
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import touchstone


class CsvDatabase:
    """Every statement has a database to itself, so nothing that it does stays."""

    def __init__(self, file: Path) -> None:
        if not file.is_file():
            raise touchstone.Unscorable(f"{file} is not here", "database")
        self._file = file
        self._scripts: list[str] = []

    async def explore(self, sql: str, limits: touchstone.Limits) -> touchstone.Table:
        try:
            found = self.connected().execute(sql)
        except sqlite3.Error as error:
            raise touchstone.SqlError("sql", str(error)) from None
        columns = tuple(column[0] for column in found.description or ())
        return touchstone.Table(columns, found.fetchmany(limits.rows))

    async def show(self, sql: str, limits: touchstone.Limits) -> touchstone.Observation:
        rows = (await self.explore(sql, limits)).rows
        return touchstone.Observation("\n".join(", ".join(map(str, row)) for row in rows))

    async def judge(
        self, function: Callable[[Any, Any], Any], request: Any, limits: touchstone.Limits, *, writes: bool = False, wall: float
    ) -> Any:
        return function(self.connected(), request)

    async def advance(self, scripts: Sequence[str], limits: touchstone.Limits) -> None:
        self._scripts += scripts

    async def close(self) -> None: ...

    def connected(self) -> sqlite3.Connection:
        connection = sqlite3.connect(":memory:")
        with self._file.open(newline="") as lines:
            head, *rows = csv.reader(lines)
        connection.execute(f"CREATE TABLE {self._file.stem} ({', '.join(head)})")
        connection.executemany(f"INSERT INTO {self._file.stem} VALUES ({', '.join('?' * len(head))})", rows)
        for script in self._scripts:
            connection.executescript(script)
        return connection


class CsvEngine:
    name = "csv"
    versions: Mapping[str, str] = {"csv": csv.__version__}

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def database(self, name: str, key: str = "") -> CsvDatabase:
        return CsvDatabase(self._folder / f"{name}.csv")

    async def digests(self, names: Sequence[str], /) -> Mapping[str, str | None]:
        return {name: hashlib.sha256((self._folder / f"{name}.csv").read_bytes()).hexdigest() for name in names}

    async def close(self) -> None: ...


class CsvConfig(touchstone.EngineConfig, frozen=True, kw_only=True):
    """CSV files in a folder."""

    name: ClassVar[str] = "csv"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)

    async def open(self, opening: touchstone.Opening) -> CsvEngine:
        if self.place is None:
            raise touchstone.OptionError("place", None, "expected a folder of CSV files")
        return CsvEngine(Path(self.place))
