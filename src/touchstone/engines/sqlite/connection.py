"""One guarded connection inside a worker process: runs SQL under limits and says in words why it stopped.

Time is the worker's CPU time. SQLite's progress handler ends a statement at its limit and leaves the connection usable; a
single long call inside SQLite, which no handler can stop, is ended by the kernel a second later together with the process.
"""

from __future__ import annotations

import math
import resource
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import msgspec

from ...failures import SqlError
from ...protocols import Limits
from ...values import Row, Table
from .clone import clone
from .guard import Guard
from .library import limit_memory
from .statements import statements

_STEPS_PER_CHECK = 10_000
_ROWS_PER_FETCH = 1_000
_LONGEST_VALUE = 64 * 2**20
_LONGEST_SCRIPT = 1_000_000

_encode = msgspec.msgpack.Encoder().encode


class Connection:
    """Either the original, read-only and shared by whoever asks, or a private copy."""

    def __init__(self, path: Path, *, private: bool) -> None:
        self._guard = Guard(private=private)
        if private:
            self._connection, self._end = clone(path)
        else:
            self._connection, self._end = _read_only(path)
        self._connection.execute("PRAGMA temp_store = MEMORY")  # so that the memory limit holds for sorts and temp tables too
        self._connection.execute("PRAGMA trusted_schema = OFF")
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        self._connection.setlimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
        self._connection.set_authorizer(self._guard)
        self._connection.set_progress_handler(self._out_of_time, _STEPS_PER_CHECK)
        self._deadline = math.inf
        self._limits: Limits | None = None

    def close(self) -> None:
        self._connection.set_authorizer(None)
        self._end()

    def run(self, script: str, limits: Limits, *, single: bool = False) -> Table:
        """The last statement's table. `single` allows one statement only, as evaluators do."""
        if len(script) > _LONGEST_SCRIPT:
            raise SqlError("refused", f"The SQL is {len(script):,} characters long; at most {_LONGEST_SCRIPT:,} are taken.")
        self._apply(limits)
        pieces = statements(script)
        if not pieces:
            raise SqlError("blank", "There is no SQL statement in this text.")
        if single and len(pieces) > 1:
            raise SqlError("multiple", f"There are {len(pieces)} statements; exactly one is expected.")
        self._start_clock(limits.seconds)
        try:
            for piece in pieces[:-1]:
                self._run_one(piece, limits)
            return self._run_one(pieces[-1], limits)
        finally:
            self._stop_clock()

    def time(self, sql: str, limits: Limits) -> float:
        """Wall-clock seconds of one run of a query, results fetched: for metrics that measure speed."""
        self._start_clock(limits.seconds)
        try:
            started = time.perf_counter()
            cursor = self._connection.execute(sql)
            cursor.fetchall()
            return time.perf_counter() - started
        except sqlite3.Error as error:
            raise self._explain(error, limits) from None
        finally:
            self._stop_clock()

    def _run_one(self, sql: str, limits: Limits) -> Table:
        self._guard.refusal = None
        try:
            try:
                return self._fetch(self._connection.execute(sql), limits)
            except sqlite3.OperationalError as error:
                if "Could not decode to UTF-8" not in str(error):
                    raise
                return self._with_broken_text(sql, limits)
        except (sqlite3.Error, sqlite3.Warning, MemoryError, ValueError, OverflowError) as error:
            raise self._explain(error, limits) from None

    def _with_broken_text(self, sql: str, limits: Limits) -> Table:
        """Text that is not UTF-8 occurs in real data; it is shown with its odd bytes escaped."""
        self._connection.text_factory = _decode_anything
        try:
            return self._fetch(self._connection.execute(sql), limits)
        finally:
            self._connection.text_factory = str

    def _fetch(self, cursor: sqlite3.Cursor, limits: Limits) -> Table:
        if cursor.description is None:
            return Table((), [], changed=max(cursor.rowcount, 0))
        columns = tuple(column[0] for column in cursor.description)
        rows: list[Row] = []
        size = 0
        while batch := cursor.fetchmany(_ROWS_PER_FETCH):
            rows += batch
            size += len(_encode(batch))
            if size > limits.bytes:
                raise SqlError("bytes", f"The result is larger than {limits.bytes / 2**20:,.0f} MB.")
            if len(rows) > limits.rows:
                if limits.cut_rows:
                    return Table(columns, rows[: limits.rows], truncated=True)
                raise SqlError("rows", f"The result has more than {limits.rows:,} rows.")
        return Table(columns, rows)

    def _apply(self, limits: Limits) -> None:
        if limits != self._limits:
            self._limits = limits
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, min(limits.bytes, _LONGEST_VALUE))
            limit_memory(self._connection, limits.memory)

    def _start_clock(self, seconds: float) -> None:
        used = time.process_time()
        self._deadline = used + seconds
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(used + seconds) + 1, hard))

    def _stop_clock(self) -> None:
        self._deadline = math.inf
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))

    def _out_of_time(self) -> bool:
        return time.process_time() > self._deadline

    def _explain(self, error: BaseException, limits: Limits) -> SqlError:
        if self._guard.refusal is not None:
            return SqlError(*self._guard.refusal)
        text = str(error)
        if text == "interrupted":
            return SqlError("time", f"The query was stopped after {limits.seconds:g} seconds, its time limit.")
        if isinstance(error, MemoryError) or text == "out of memory":
            return SqlError("memory", f"The query needs more than {limits.memory / 2**20:,.0f} MB of memory.")
        if text == "string or blob too big":
            return SqlError("bytes", f"A value is longer than {min(limits.bytes, _LONGEST_VALUE) / 2**20:,.0f} MB.")
        if text == "database or disk is full":
            return SqlError("bytes", "The private copy of the database has reached its largest size.")
        return SqlError("sql", text)


def _decode_anything(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _read_only(path: Path) -> tuple[sqlite3.Connection, Callable[[], None]]:
    # Immutable: no lock, no -shm file, a read-only directory is enough, and WAL-mode files open too.
    uri = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
    connection = sqlite3.connect(uri, uri=True, isolation_level=None)
    return connection, connection.close
