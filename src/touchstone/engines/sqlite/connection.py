"""One guarded connection inside a worker process: runs SQL under limits and says in words why it stopped.

Time is work: SQLite's progress handler counts the steps of its virtual machine, which are the same for the same statement and
data however busy the machine is, and ends the statement at its limit. Behind it stands the CPU time, for steps that take long;
inside a single step only the kernel can end the statement, and the process with it.
"""

from __future__ import annotations

import marshal
import re
import sqlite3
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from ...errors import SqlError
from ...types import Limits, Table
from ...workers.limits import held_to
from ...workers.zygote import send_what_is_late
from ..messages import fetched, no_statement, out_of_cpu, out_of_memory, refuse_long
from ..today import keep_day
from .clone import clone, limit_memory, make_defensive, steps_of
from .guard import Guard, statements

_STEPS_PER_CHECK = 10_000
_STEPS_PER_STATEMENT = 1_000
"""What reading and preparing a statement counts as, so that a script of many quick ones comes to an end too."""
_STATEMENTS_KEPT = 16
_ROWS_PER_FETCH = 1_000
_LONGEST_VALUE = 64 * 2**20
_CACHED = 16 * 2**20
"""Bytes of an original that are kept in memory if that is all of it: a twentieth quicker than reading through a mapping."""
_MAPPED = 64 * 2**20
"""Bytes of a larger one that are read without copying. Not more, since they count as memory of the process."""
_RETURNING = re.compile(r"\breturning\b", re.IGNORECASE)

_cached: list[int] = []
"""Sizes of the originals that this process keeps in memory. They are not what a statement takes."""

R = TypeVar("R")


class SqliteConnection:
    """Either the original, read-only and shared by whoever asks, or a private copy."""

    def __init__(self, path: Path, *, private: bool, counting: bool = False) -> None:
        """`counting` is for a connection whose `steps` are asked."""
        keep_day()
        self._guard = Guard(private=private)
        if private:
            self._connection, self._end = clone(path)
        else:
            self._connection, self._end = _read_only(path, _STATEMENTS_KEPT if counting else 0)
        self._connection.execute("PRAGMA temp_store = MEMORY")  # so that the memory limit holds for sorts and temp tables too
        self._connection.execute("PRAGMA trusted_schema = OFF")
        make_defensive(self._connection)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        self._connection.set_authorizer(self._guard)
        self._connection.set_progress_handler(self._count, _STEPS_PER_CHECK)
        self._steps = 0
        self._most_steps = 0
        self._cpu_deadline = 0.0
        self._limited_now = False

    @property
    def wrote(self) -> bool:
        """Whether what was run changes the private copy, beyond temporary tables."""
        return self._guard.wrote

    def serialized(self) -> bytes:
        """The whole database as a file's content."""
        self._connection.set_authorizer(None)
        try:
            return self._connection.serialize()
        finally:
            self._connection.set_authorizer(self._guard)

    def copied(self) -> sqlite3.Connection:
        """An unguarded connection to a copy in memory of what this one sees: for code that is confined by other means."""
        copy = sqlite3.connect(":memory:")
        copy.deserialize(self.serialized())
        return copy

    def close(self) -> None:
        self._connection.set_authorizer(None)
        self._end()

    def run(self, script: str, limits: Limits, *, single: bool = False) -> Table:
        """The last statement's table. `single` allows one statement only, as evaluators do."""
        refuse_long(script)
        pieces = statements(script)
        if not pieces:
            raise no_statement()
        if single and len(pieces) > 1:
            raise SqlError("multiple", f"There are {len(pieces)} statements; exactly one is expected.")
        with self._limited(limits):
            for piece in pieces[:-1]:
                self._read(piece, limits, self._fetch)
            return self._read(pieces[-1], limits, self._fetch)

    def time(self, sql: str, limits: Limits) -> float:
        """Wall-clock seconds of one run of a query, results fetched: for metrics that measure speed."""
        with self._limited(limits):
            started = time.perf_counter()
            self._read(sql, limits, _drain)
            return time.perf_counter() - started

    def steps(self, sql: str, limits: Limits) -> int:
        """Of one run of a query: for metrics that measure effort. Exact if SQLite's library can be asked."""
        with self._limited(limits):
            before = steps_of(self._connection)
            self._read(sql, limits, _drain)
            return max(1, steps_of(self._connection) - before, self._steps - _STEPS_PER_STATEMENT)

    @contextmanager
    def _limited(self, limits: Limits) -> Generator[None]:
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.bytes, _LONGEST_VALUE))
        limit_memory(limits.memory + sum(_cached))
        self._steps, self._most_steps = 0, limits.steps
        self._cpu_deadline = time.process_time() + limits.cpu_seconds
        self._limited_now = True
        try:
            with held_to(cpu=limits.cpu_seconds, memory=2 * limits.memory + limits.bytes):
                yield
        except MemoryError:
            raise out_of_memory(limits) from None
        finally:
            self._limited_now = False

    def _read(self, sql: str, limits: Limits, take: Callable[[sqlite3.Cursor, Limits], R]) -> R:
        self._steps += _STEPS_PER_STATEMENT
        if self._is_over():
            raise self._late(limits)
        self._guard.refusal = None
        try:
            try:
                if _RETURNING.search(sql):
                    return self._read_broken_text(sql, limits, take)  # at once, since it must not run twice
                return take(self._connection.execute(sql), limits)
            except sqlite3.OperationalError as error:
                if "Could not decode to UTF-8" not in str(error):
                    raise
                return self._read_broken_text(sql, limits, take)
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError) as error:
            raise self._explain(error, limits) from None

    def _read_broken_text(self, sql: str, limits: Limits, take: Callable[[sqlite3.Cursor, Limits], R]) -> R:
        """Text that is not UTF-8 occurs in real data; it is shown with its odd bytes escaped."""
        self._connection.text_factory = _decode_anything
        try:
            return take(self._connection.execute(sql), limits)
        finally:
            self._connection.text_factory = str

    def _fetch(self, cursor: sqlite3.Cursor, limits: Limits) -> Table:
        if cursor.description is None:
            return Table((), [], changed=max(cursor.rowcount, 0))
        columns = tuple(column[0] for column in cursor.description)
        # The size of what Python marshals is known quickly, and where memory is short this gives up in peace.
        return fetched(columns, cursor.fetchmany, limits, size=lambda rows: len(marshal.dumps(rows)))

    def _count(self) -> bool:
        self._steps += _STEPS_PER_CHECK
        send_what_is_late()
        return self._limited_now and self._is_over()

    def _is_over(self) -> bool:
        return self._steps > self._most_steps or time.process_time() > self._cpu_deadline

    def _late(self, limits: Limits) -> SqlError:
        if self._steps > self._most_steps:
            return SqlError(
                "time", f"The query was stopped at its limit of {limits.steps:,} steps ({limits.seconds:g} seconds)."
            )
        return out_of_cpu(limits)

    def _explain(self, error: BaseException, limits: Limits) -> SqlError:
        if self._guard.refusal is not None:
            return SqlError(*self._guard.refusal)
        text = str(error)
        if text == "interrupted":
            return self._late(limits)
        if text == "string or blob too big":
            return SqlError("bytes", f"A value is longer than {min(limits.bytes, _LONGEST_VALUE) / 2**20:,.0f} MB.")
        if text == "database or disk is full":
            return SqlError("bytes", "The private copy of the database has reached its largest size.")
        return SqlError("sql", text)


def _drain(cursor: sqlite3.Cursor, _: Limits) -> None:
    while cursor.fetchmany(_ROWS_PER_FETCH):
        pass


def _decode_anything(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _read_only(path: Path, statements_kept: int) -> tuple[sqlite3.Connection, Callable[[], None]]:
    # Immutable: no lock, no -shm file, a read-only directory is enough, and WAL-mode files open too.
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    # No statement is kept: one that is used again goes on counting its steps where it had stopped.
    connection = sqlite3.connect(uri, uri=True, isolation_level=None, cached_statements=statements_kept)
    size = path.stat().st_size
    if size > _CACHED:
        connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
    else:
        connection.execute(f"PRAGMA cache_size = {-_CACHED // 1024}")
        _cached.append(size)

    def close() -> None:
        connection.close()
        if size <= _CACHED:
            _cached.remove(size)

    _open_virtual_tables(connection)
    return connection, close


def _open_virtual_tables(connection: sqlite3.Connection) -> None:
    """Before the guard is set: some kinds prepare their writes when they are first read."""
    for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage = 0").fetchall():
        with suppress(sqlite3.Error):
            connection.execute(f'SELECT 1 FROM "{name}" LIMIT 0')
