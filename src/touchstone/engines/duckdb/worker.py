"""What runs inside worker processes: SQL, or a benchmark's function, on a DuckDB file.

A statement is limited by the CPU time of this process, which a busy machine does not change, and by DuckDB's own memory limit;
the kernel's limits stand behind both. External access (files, networks, ATTACH, COPY), extensions and Python's variables are
off, and the configuration is locked, so SQL cannot turn anything on again. One thread each: as many workers run as there are
cores, and the order of rows is the same each time.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ...errors import SqlError
from ...files import module_or_none
from ...sandbox.folders import scratch_folder
from ...types import Limits, Table
from ...workers.limits import held_to
from ..judging_connection import PlainConnection
from ..messages import (
    MOST_STATEMENTS,
    SECONDS_TO_COMPARE,
    Fault,
    FileWork,
    FunctionResponse,
    ShownTable,
    SqlRows,
    answer_of,
    fetched,
    no_statement,
    out_of_memory,
    plain,
    refuse_long,
    respond,
)

_OPEN_AT_ONCE = 4
_LOOK = 0.02
"""Seconds between two looks at the CPU time."""
_GROWTH = 2**30
"""Bytes by which a private copy may grow."""
_WRITES = ("attached in read-only mode", "database is in read-only mode", "Cannot launch in-memory database in read-only")
_REFUSED = (duckdb.PermissionException,)


def do(work: FileWork) -> SqlRows | ShownTable | Fault | FunctionResponse:
    try:
        if work.sql is not None:
            return answer_of(plain(_explored(work, work.sql)), shown=work.shown)
        with _opened(work.path, work.limits, private=work.private) as connection:
            judging = DuckdbJudgingConnection(connection, work.limits, writes=work.private)
            with held_to(cpu=work.limits.cpu_seconds * MOST_STATEMENTS + SECONDS_TO_COMPARE):
                return respond(work.function, work.request, judging)
    except SqlError as error:
        return Fault(error.kind, error.message)


def _explored(work: FileWork, sql: str) -> Table:
    if work.keep is None:
        try:
            with _opened(work.path, work.limits, private=False) as connection:
                return run(connection, sql, work.limits)
        except SqlError as error:
            if error.kind != "write":
                raise
    with _opened(work.path, work.limits, private=True, keep=work.keep) as connection:
        return run(connection, sql, work.limits)


class DuckdbJudgingConnection(PlainConnection):
    """To the original, or to a copy."""

    dialect = "duckdb"
    label = "DuckDB"

    def __init__(self, connection: duckdb.DuckDBPyConnection, limits: Limits, *, writes: bool) -> None:
        self._connection = connection
        self._limits = limits
        self.writes = writes

    def table(self, sql: str) -> Table:
        return run(self._connection, sql, self._limits)


def run(connection: duckdb.DuckDBPyConnection, script: str, limits: Limits) -> Table:
    """The last statement's table. Raises SqlError."""
    refuse_long(script)
    late = threading.Event()
    try:
        with held_to(cpu=limits.cpu_seconds, memory=2 * limits.memory + limits.bytes), _interrupted(connection, limits, late):
            pieces = connection.extract_statements(script)
            if not pieces:
                raise no_statement()
            for piece in pieces[:-1]:
                connection.execute(piece).fetchmany(1)
            return _fetch(connection.execute(pieces[-1]), limits)
    except (MemoryError, duckdb.OutOfMemoryException):
        raise out_of_memory(limits) from None
    except (duckdb.Error, RuntimeError, ValueError, OverflowError) as error:
        if late.is_set():
            raise SqlError("cpu", f"The query was stopped at its limit of {limits.seconds:g} seconds of CPU time.") from None
        raise _explained(error) from None


def _explained(error: Exception) -> SqlError:
    text = str(error)
    if isinstance(error, duckdb.InvalidInputException | duckdb.CatalogException) and any(words in text for words in _WRITES):
        return SqlError("write", text)
    if isinstance(error, _REFUSED) or "configuration has been locked" in text:
        return SqlError("refused", "Only the database can be used: files, networks, extensions and settings are off.")
    if "File too large" in text:
        return SqlError("bytes", "The private copy of the database has reached its largest size.")
    return SqlError("sql", text)


@contextmanager
def _interrupted(connection: duckdb.DuckDBPyConnection, limits: Limits, late: threading.Event) -> Generator[None]:
    """DuckDB has no counter of its work, so a second thread looks at the CPU time."""
    ended = threading.Event()
    deadline = time.process_time() + limits.seconds

    def watch() -> None:
        while not ended.wait(_LOOK):
            if time.process_time() > deadline:
                late.set()
                connection.interrupt()

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _fetch(result: duckdb.DuckDBPyConnection, limits: Limits) -> Table:
    description: Any = result.description
    if not description:
        return Table((), [], changed=0)
    columns = tuple(str(column[0]) for column in description)
    return fetched(columns, result.fetchmany, limits)


_connections: OrderedDict[str, tuple[tuple[int, int], duckdb.DuckDBPyConnection]] = OrderedDict()


@contextmanager
def _opened(path: str, limits: Limits, *, private: bool, keep: str | None = None) -> Generator[duckdb.DuckDBPyConnection]:
    """A connection of its own, so that temporary tables and variables end with it."""
    if not private:
        cursor = _shared(path, limits).cursor()
        try:
            yield cursor
        finally:
            cursor.close()
        return
    with tempfile.TemporaryDirectory(dir=scratch_folder()) as folder:
        copy = Path(folder, Path(path).name)
        _copied(path, copy)
        connection = _connect(str(copy), limits, read_only=False)
        try:
            with _files_up_to(copy.stat().st_size + _GROWTH):
                yield connection
                if keep is not None:
                    connection.execute("CHECKPOINT")
        finally:
            connection.close()
        if keep is not None:
            copy.replace(keep)


def _copied(path: str, copy: Path) -> None:
    try:
        shutil.copyfile(path, copy)
        if os.path.exists(f"{path}.wal"):  # noqa: PTH110 - a text already
            shutil.copyfile(f"{path}.wal", f"{copy}.wal")
    except OSError as error:
        raise SqlError("sql", f"cannot copy the database: {error}") from None


def _shared(path: str, limits: Limits) -> duckdb.DuckDBPyConnection:
    """One process can have a file open in one configuration only, so another memory limit opens it again."""
    stamp = (Path(path).stat().st_mtime_ns, limits.memory)
    if (known := _connections.pop(path, None)) is not None and known[0] != stamp:
        known[1].close()
        known = None
    _connections[path] = known = known or (stamp, _connect(path, limits, read_only=True))
    if len(_connections) > _OPEN_AT_ONCE:
        _connections.popitem(last=False)[1][1].close()
    return known[1]


def _connect(path: str, limits: Limits, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    settings: dict[str, Any] = {
        "async_threads": "0",
        "allow_community_extensions": "false",
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "enable_external_access": "false",
        "memory_limit": f"{limits.memory // 2**20}MiB",
        "python_enable_replacements": "false",
        "temp_directory": "",
        "threads": "1",
        "lock_configuration": "true",
    }
    _prepare()
    try:
        return duckdb.connect(path, read_only=read_only, config=settings)
    except (duckdb.Error, OSError, MemoryError) as error:
        raise SqlError("sql", f"cannot open the database: {error}") from None


@cache
def _prepare() -> None:
    """DuckDB draws a bar on standard output, which can be turned off per connection only, and the lock comes before those.
    Its time zone is that of this process: the same on every machine."""
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)


@contextmanager
def _files_up_to(size: int) -> Generator[None]:
    """Python ignores the kernel's signal for this, so that the write fails in words."""
    resource = module_or_none("resource")
    if resource is None:
        yield
        return
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
