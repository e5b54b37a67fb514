"""The SQLite engine as the event loop sees it.

A session costs nothing until it is used. Its reads go to whichever worker is free; with its first write it leases a worker,
makes its private copy there, and stays with it. A worker that dies takes the private copy along, and the session says so.

What is judged never runs on more workers than there are cores. A statement ends by the work it has done and not by the clock;
a worker that makes no progress at all is a failure of ours.
"""

from __future__ import annotations

import asyncio
import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec

from ...code_digest import code_digest, code_digest_with
from ...errors import InputError, SqlError, WorkerFailure
from ...protocols import EpisodeDatabase
from ...sandbox.folders import scratch_folder
from ...sandbox.worker import WorkerRules
from ...types import Limits, Observation, Table
from ...workers.pool import Pool, Worker, WorkerLost
from ..cache import Cache, Origin, key
from ..judging_connection import name_of, result_type
from ..judging_workers import JudgedAhead, JudgingWorkers, blamed
from ..messages import Fault, ShownTable, SqlRows, checked, refuse_broken_text
from ..today import worker_environment
from . import files
from .clone import library
from .worker import (
    Application,
    Reader,
    SqliteQuery,
    apply,
    end_private,
    query,
    query_private,
)

A = TypeVar("A")
R = TypeVar("R")

_SECONDS_TO_GATHER = 0.2
"""What a process that is killed may have judged in vain."""
_encode = msgspec.msgpack.Encoder().encode


class SqliteEngine(JudgingWorkers):
    """Sessions on SQLite files, and functions applied beside them."""

    name = "sqlite"

    versions: Mapping[str, str] = {}  # every run has SQLite's

    def __init__(
        self,
        *,
        cache: Path | None = None,
        workers: int | None = None,
        pool: Pool | None = None,
        place: Path | None = None,
        today: str | None = None,
    ) -> None:
        """`place` is a file, or the folder in which `database` finds one by its name; `today` the day that SQL is told it is,
        such as 2025-02-19. Raises InputError if that cannot be arranged."""
        if today is not None and library() is None:
            raise InputError("--today needs a Python that does not hide SQLite's library")
        self.today = today
        self._place = place
        rules = WorkerRules([str(scratch_folder()), *([str(cache.absolute().parent)] if cache else [])])
        preload = ["touchstone.engines.sqlite.worker", "touchstone.verdicts.explain", "touchstone.verdicts.metrics"]
        super().__init__(pool or Pool(warm=workers, preload=preload, rules=rules, environment=worker_environment(today)))
        if cache is None or not cache.exists():
            with suppress(RuntimeError):  # no event loop yet
                self.pool.start()  # everything will have to be run, and meanwhile others can begin
        self.cache = Cache(cache, gather=_SECONDS_TO_GATHER)
        self._sources: dict[Path, Path] = {}
        self._located: dict[Path, str] = {}
        self._digests: dict[Path, asyncio.Future[str]] = {}
        self._ahead = JudgedAhead(self, apply)
        self._judging = 0

    def database(self, name: str, key: str = "") -> EpisodeDatabase:
        from .database import SqliteEpisodeDatabase

        return SqliteEpisodeDatabase(self, self._file(name))

    def _file(self, name: str) -> Path:
        if self._place is None:
            raise InputError("the SQLite engine was opened without a place: give the file, or the folder of the databases")
        return self._place if self._place.is_file() else files.find(self._place, name)

    def session(self, database: Path, *, writable: bool, limits: Limits) -> SqliteSession:
        return SqliteSession(self.pool, self.source(database), writable, limits)

    async def apply(
        self, database: Path, function: Callable[[Reader, A], R], request: A, limits: Limits, *, statements: int = 2
    ) -> R:
        """Runs `function(reader, request)` in a worker, reading the original; the result is remembered by content.

        `statements` is how many statements it may run, each with its own limits. Raises SqlError if one of them ends its
        worker; which of them is for the caller to find out.
        """
        encoded = _encode(request)
        source = self.source(database)
        digest = await self.digest(database)
        name = name_of(function)
        code = code_digest_with(function.__module__)
        known_as = key("applied", name, code, digest, encoded, limits, sqlite3.sqlite_version, self.today)
        answer_type = result_type(function)
        if known := self.cache.get(known_as):
            return msgspec.msgpack.decode(known, type=answer_type)
        cache_path = str(self.cache.path) if self.cache.path else None
        application = Application(
            *(name, msgspec.Raw(encoded), str(source), digest, limits, statements, cache_path, code_digest()),
            database=self._location(database),
        )
        self._judging += 1
        try:
            applied = await self._ahead.judged(application, limits)
        finally:
            self._judging -= 1
        if applied.repeatable:
            origin = Origin(name, encoded, application.database, digest, limits, code_digest(), code)
            self.cache.put(known_as, bytes(applied.response), origin)
        if not self._judging:
            self.cache.flush()  # nothing comes soon that it could be written with
        return msgspec.msgpack.decode(applied.response, type=answer_type)

    async def digest(self, database: Path) -> str:
        """SHA-256 of the database's content; whoever asks while it is made waits for the same."""
        known = self._digests.get(database)
        if known is None:
            known = self._digests[database] = asyncio.ensure_future(self._digest(database))
        try:
            return known.result() if known.done() else await asyncio.shield(known)
        except OSError:
            self._digests.pop(database, None)  # it may be there when it is asked for again
            raise

    async def digests(self, databases: Mapping[str, Path] | Sequence[str]) -> dict[str, str | None]:
        """Of several databases by name; None for one that cannot be read. Without their files they are where the engine is."""
        if not isinstance(databases, Mapping):
            databases = {name: self._file(name) for name in databases}
        return dict(zip(databases, await asyncio.gather(*map(self._digest_or_none, databases.values())), strict=True))

    async def _digest_or_none(self, database: Path) -> str | None:
        try:
            return await self.digest(database)
        except OSError:
            return None

    async def _digest(self, database: Path) -> str:
        known = files.known_digest(database, self.cache)
        if known is None:
            self.pool.start()  # nothing can be remembered of a database that was never seen
            known = await asyncio.to_thread(files.digest, database)  # since a large file takes seconds
            files.remember_digest(database, self.cache, known)
        return known

    def source(self, database: Path) -> Path:
        """The file to read from. Raises Unscorable if there is none that can be."""
        if database not in self._sources:
            files.check(database)
            self._sources[database] = files.folded(database).absolute()
        return self._sources[database]

    def _location(self, database: Path) -> str:
        if database not in self._located:
            self._located[database] = str(database.absolute())
        return self._located[database]

    async def close(self) -> None:
        await self.pool.close()
        self.cache.close()


_WRITES = re.compile(r"\s*(?:insert|update|delete|replace|create|drop|alter)\b", re.IGNORECASE)
"""What needs a private copy, at a glance."""


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
        answer = await self._ask(sql, shown=False)
        assert isinstance(answer, SqlRows)
        return answer.table

    async def show(self, sql: str) -> Observation:
        answer = await self._ask(sql, shown=True)
        assert isinstance(answer, ShownTable)
        return answer.seen

    async def _ask(self, sql: str, *, shown: bool) -> SqlRows | ShownTable:
        refuse_broken_text(sql)
        async with self._turn:
            return checked(await self._run(SqliteQuery(self._source, sql, self._limits, shown)))

    async def _run(self, request: SqliteQuery) -> SqlRows | ShownTable | Fault:
        if self._own is None and self._writable and _WRITES.match(request.sql):  # as the shared reader would find out
            self._own = await self.pool.lease()
        if self._own is not None:
            return await self._run_private(request)
        try:
            answer = await self.pool.call(query, request)
        except WorkerLost as lost:
            raise blamed(lost, self._limits) from None
        if isinstance(answer, Fault) and answer.kind == "write" and self._writable:
            self._own = await self.pool.lease()
            return await self._run_private(request)
        return answer

    async def close(self) -> None:
        worker, self._own = self._own, None
        if worker is None:
            return
        try:
            await worker.call(end_private, SqliteQuery("", "", self._limits), wall=10)
        except (WorkerLost, WorkerFailure):
            worker.kill()
        finally:
            self.pool.give_back(worker)

    async def _run_private(self, request: SqliteQuery) -> SqlRows | ShownTable | Fault:
        assert self._own is not None
        try:
            return await self._own.call(query_private, request)
        except WorkerLost as lost:
            self.pool.give_back(self._own)
            self._own = None
            error = blamed(lost, self._limits)
            lost_too = "Your earlier changes to the database are lost: it is as it was at the start."
            raise SqlError(error.kind, f"{error.message} {lost_too}") from None
