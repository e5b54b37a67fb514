"""The SQLite engine as the event loop sees it.

A session costs nothing until it is used. Its reads go to whichever worker is free; with its first write it leases a worker,
makes its private copy there, and stays with it. A worker that dies takes the private copy along, and the session says so.
"""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from ...code_digest import code_digest, code_digest_with
from ...failures import SqlError, WorkerFailure
from ...protocols import Limits
from ...values import Table
from ...workers.pool import Pool, Worker, WorkerLost
from ..cache import Cache, Origin, key
from ..functions import name_of, result_type
from . import files
from .worker import Application, Applied, Fault, Query, Reader, Rows, apply, end_private, query, query_private

A = TypeVar("A")
R = TypeVar("R")

_encode = msgspec.msgpack.Encoder().encode


class SqliteEngine:
    """Sessions on SQLite files, and functions applied beside them."""

    name = "sqlite"

    def __init__(self, *, cache: Path | None = None, workers: int | None = None, pool: Pool | None = None) -> None:
        self.pool = pool or Pool(warm=workers, preload=["touchstone.engines.sqlite.worker"])
        self.cache = Cache(cache)
        self._sources: dict[Path, Path] = {}
        self._digests: dict[Path, str] = {}

    def session(self, database: Path, *, writable: bool, limits: Limits) -> SqliteSession:
        return SqliteSession(self.pool, self.source(database), writable, limits)

    async def apply(
        self, database: Path, function: Callable[[Reader, A], R], request: A, limits: Limits, *, statements: int = 2
    ) -> R:
        """Runs `function(reader, request)` in a worker, reading the original; the result is remembered by content.

        `statements` is how many statements it may run, each with its own limits. Raises WorkerLost if one of them kills its
        worker; which of them is for the caller to find out.
        """
        encoded = _encode(request)
        source = self.source(database)
        digest = await self.digest(database)
        name = name_of(function)
        code = code_digest_with(function.__module__)
        known_as = key("applied", name, code, digest, encoded, limits, sqlite3.sqlite_version)
        answer_type = result_type(function)
        if known := self.cache.get(known_as):
            return msgspec.msgpack.decode(known, type=answer_type)
        location = str(self.cache.path) if self.cache.path else None
        application = Application(
            name, msgspec.Raw(encoded), str(source), digest, limits, location, code_digest(), _located(database)
        )
        applied: Applied = await self._twice(application, wall_clock(limits) * statements)
        if applied.repeatable:
            origin = Origin(name, encoded, application.database, digest, limits, code_digest(), code)
            self.cache.put(known_as, bytes(applied.response), origin)
        return msgspec.msgpack.decode(applied.response, type=answer_type)

    async def digest(self, database: Path) -> str:
        """SHA-256 of the database's content."""
        if database not in self._digests:
            self._digests[database] = files.known_digest(database, self.cache) or await self._hash(database)
        return self._digests[database]

    async def digests(self, databases: Mapping[str, Path]) -> dict[str, str | None]:
        """Of several databases by name; None for one that cannot be read."""
        return dict(zip(databases, await asyncio.gather(*map(self._digest_or_none, databases.values())), strict=True))

    async def _digest_or_none(self, database: Path) -> str | None:
        try:
            return await self.digest(database)
        except OSError:
            return None

    async def _hash(self, database: Path) -> str:
        """Off the event loop, since a large file takes seconds."""
        found = await asyncio.to_thread(files.digest, database)
        files.remember_digest(database, self.cache, found)
        return found

    def source(self, database: Path) -> Path:
        """The file to read from. Raises Unscorable if there is none that can be."""
        if database not in self._sources:
            files.check(database)
            self._sources[database] = files.folded(database).absolute()
        return self._sources[database]

    async def close(self) -> None:
        await self.pool.close()
        self.cache.close()

    async def _twice(self, application: Application, wall: float) -> Applied:
        """A worker that dies early may have been another's victim; one that dies again was killed by this work."""
        started = time.monotonic()
        try:
            return await self.pool.call(apply, application, wall=wall)
        except WorkerLost:
            if time.monotonic() - started > application.limits.seconds:
                raise
            return await self.pool.call(apply, application, wall=wall)


class SqliteSession:
    """One isolated connection: reads the original until it writes, then has a private copy."""

    def __init__(self, pool: Pool, source: Path, writable: bool, limits: Limits) -> None:
        self.pool = pool
        self._source = str(source)
        self._writable = writable
        self._limits = limits
        self._own: Worker | None = None
        self._turn = asyncio.Lock()

    async def run(self, sql: str) -> Table:
        if not _is_text(sql):
            raise SqlError("sql", "The SQL holds half of a Unicode character (a lone surrogate).")
        async with self._turn:
            return await self._run(Query(self._source, sql, self._limits))

    async def _run(self, request: Query) -> Table:
        if self._own is not None:
            return await self._run_private(request)
        try:
            answer = await self.pool.call(query, request, wall=wall_clock(self._limits))
        except WorkerLost as lost:
            raise _blamed(lost, self._limits) from None
        if isinstance(answer, Fault) and answer.kind == "write" and self._writable:
            self._own = await self.pool.lease()
            return await self._run_private(request)
        return _table(answer)

    async def close(self) -> None:
        worker, self._own = self._own, None
        if worker is None:
            return
        try:
            await worker.call(end_private, Query("", "", self._limits), wall=10)
        except (WorkerLost, WorkerFailure):
            worker.kill()
        finally:
            self.pool.give_back(worker)

    async def _run_private(self, request: Query) -> Table:
        assert self._own is not None
        try:
            return _table(await self._own.call(query_private, request, wall=wall_clock(self._limits)))
        except WorkerLost as lost:
            self.pool.give_back(self._own)
            self._own = None
            error = _blamed(lost, self._limits)
            lost_too = "Your earlier changes to the database are lost: it is as it was at the start."
            raise SqlError(error.kind, f"{error.message} {lost_too}") from None


def _located(database: Path) -> str:
    return str(database.absolute())


def _is_text(sql: str) -> bool:
    try:
        sql.encode()
    except UnicodeEncodeError:
        return False
    return True


def wall_clock(limits: Limits) -> float:
    """When a statement that uses no CPU is given up."""
    return 3 * limits.seconds + 10


def _blamed(lost: WorkerLost, limits: Limits) -> SqlError:
    if lost.overdue:
        return SqlError("time", f"The query was stopped: it did not end within {wall_clock(limits):g} seconds.")
    return SqlError("crash", f"The query was stopped: it used more than {limits.seconds:g} seconds, or too much memory.")


def _table(answer: Rows | Fault) -> Table:
    if isinstance(answer, Fault):
        raise SqlError(answer.kind, answer.message)
    return answer.table
