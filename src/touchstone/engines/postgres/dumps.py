"""The published dumps of databases: one folder per database, one file per table.

    <dumps>/<database>_template/<table>.sql

`load` brings them into a server, as databases `<database>_template` with a comment that says what is in them (JSON: `digest` of
the files, rows of the `tables`, and `broken` with the reason if anything went wrong). It is for a thread rather than for a
worker process: it waits for the server nearly all the time, and reports as it goes.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, LiteralString

import psycopg
from msgspec import Struct
from psycopg import sql

from ...errors import DatabaseFailure, InputError
from .copy_loader import BrokenFile, Filled, TableName, add_key, fill, message
from .messages import PostgresServer

SUFFIX = "_template"
PARENT = "postgre_table_dumps"
AT_ONCE = 2

Say = Callable[[str], object]


class LoadedDatabase(Struct, frozen=True):
    """What became of one database."""

    database: str
    tables: dict[str, int]
    """Rows per table, as they are in the server."""
    errors: list[str]
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why its tasks cannot be scored; empty if they can."""
        more = f" (and {len(self.errors) - 3} more)" if len(self.errors) > 3 else ""
        return "; ".join(self.errors[:3]) + more


def find(dumps: Path, databases: Sequence[str] | None = None) -> dict[str, list[Path]]:
    """The files of the databases that are asked for, or of all. Those without a folder are left out. A file is one database."""
    if dumps.is_file():
        return {dumps.stem: [dumps]}
    if not dumps.is_dir():
        raise InputError(f"{dumps} is not a directory: expected one that holds folders <database>{SUFFIX}")
    if (dumps / PARENT).is_dir():
        dumps = dumps / PARENT
    folders = {path.name.removesuffix(SUFFIX): path for path in sorted(dumps.glob(f"*{SUFFIX}")) if path.is_dir()}
    if not folders:
        raise InputError(f"{dumps} has no folder <database>{SUFFIX} with one .sql file per table")
    wanted = list(folders) if databases is None else [name for name in dict.fromkeys(databases) if name in folders]
    if not wanted:
        raise InputError(f"{dumps} has no folder for {', '.join(databases or ())}: expected <database>{SUFFIX}")
    return {name: _files(folders[name]) for name in wanted}


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.glob("*.sql") if path.is_file())
    if not files:
        raise InputError(f"{folder} has no .sql file: expected one per table")
    return files


def load(
    server: PostgresServer, dumps: Path, databases: Sequence[str] | None = None, say: Say = lambda text: None
) -> list[LoadedDatabase]:
    """Loads databases, replacing those of the same name. What is wrong with a dump is in the result; DatabaseFailure is raised
    if the server fails. `say` is called from other threads."""

    dump_files = find(dumps, databases)
    missing = [
        LoadedDatabase(name, {}, [f"{name}: there is no folder {name}{SUFFIX} in {dumps}"])
        for name in databases or ()
        if name not in dump_files
    ]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        tasks = [threads.submit(load_database, server, name, files, say) for name, files in dump_files.items()]
        try:
            return [task.result() for task in tasks] + missing
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise


# Loading one database from its files.
#
# The files are run by a role that exists only for this and owns nothing but the database, since a dump is a program too: as a
# superuser it could read files and run commands. In the end everything belongs to the administrator.
#
# Each file is one transaction. Foreign keys wait until all files are in; a file that needs something else of another file is
# tried again after the others. Then tables and rows are counted: what a file holds must be there.


Connection = psycopg.Connection[tuple[Any, ...]]


@dataclass(frozen=True)
class Role:
    name: str
    password: str


@contextmanager
def _loader(server: PostgresServer) -> Generator[Role]:
    """A role for loading one database: whoever gives away what a role owns gives away its other databases too."""
    role = Role(f"touchstone_loader_{secrets.token_hex(4)}", secrets.token_hex(16))
    name = sql.Identifier(role.name)
    with _connect(server, "postgres") as connection:
        _execute(connection, "CREATE ROLE {} LOGIN PASSWORD {}", name, sql.Literal(role.password))
        _execute(connection, "GRANT {} TO CURRENT_USER", name)
    try:
        yield role
    finally:
        with suppress(psycopg.Error), _connect(server, "postgres") as connection:
            _execute(connection, "DROP ROLE {}", name)


def load_database(server: PostgresServer, database: str, paths: list[Path], say: Say) -> LoadedDatabase:
    """Raises DatabaseFailure if it is the server that fails."""
    try:
        with _loader(server) as role:
            loaded = _load(server, role, database, paths)
    except psycopg.Error as error:
        raise DatabaseFailure(f"{database} cannot be loaded: {message(error)}") from error
    broken = f", broken: {loaded.reason}" if loaded.errors else ""
    say(f"{database}: {len(loaded.tables)} tables, {sum(loaded.tables.values())} rows, {loaded.seconds:.1f} s{broken}")
    return loaded


def _load(server: PostgresServer, role: Role, database: str, paths: list[Path]) -> LoadedDatabase:
    began = time.monotonic()
    _create(server, role, database + SUFFIX)
    files, errors = _fill_all(server.conninfo(database + SUFFIX, role.name, role.password), paths)
    with _connect(server, database + SUFFIX) as connection:
        _execute(connection, "REASSIGN OWNED BY {} TO CURRENT_USER", sql.Identifier(role.name))
        counted, missing = _verify(connection, files)
        if counted:
            names = sql.SQL(", ").join(name.quoted for name in counted)
            _execute(connection, "VACUUM (FREEZE, ANALYZE) {}", names)  # nobody does it later
        tables = {name.shown: rows for name, rows in counted.items()}
        errors = [f"{database}/{error}" for error in errors + missing]
        loaded = LoadedDatabase(database, tables, errors, round(time.monotonic() - began, 3))
        _annotate(connection, loaded, paths)
    return loaded


def _connect(server: PostgresServer, database: str) -> Connection:
    return psycopg.connect(server.conninfo(database), autocommit=True)


def _execute(connection: Connection, text: LiteralString, *parts: sql.Composable) -> None:
    connection.execute(sql.SQL(text).format(*parts))


def _create(server: PostgresServer, role: Role, target: str) -> None:
    name = sql.Identifier(target)
    with _connect(server, "postgres") as connection:
        row = connection.execute("SELECT datistemplate FROM pg_database WHERE datname = %s", (target,)).fetchone()
        if row and row[0]:
            _execute(connection, "ALTER DATABASE {} IS_TEMPLATE false", name)
        _execute(connection, "DROP DATABASE IF EXISTS {} WITH (FORCE)", name)
        _execute(connection, "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' OWNER {}", name, sql.Identifier(role.name))


def _fill_all(conninfo: str, paths: list[Path]) -> tuple[list[Filled], list[str]]:
    """Loads what can be loaded, in whatever order works."""
    files: list[Filled] = []
    hopeless: list[Path] = []
    waiting, before = paths, len(paths) + 1
    while len(waiting) < before:
        before, trying, waiting = len(waiting), waiting, []
        for path in trying:
            try:
                files.append(fill(conninfo, path))
            except BrokenFile as broken:
                (waiting if broken.early else hopeless).append(path)
    errors = [error for path in sorted(hopeless + waiting) for error in _explain(conninfo, path, files)]
    for file in files:
        errors += [f"{file.path.name}: {error}" for key in file.keys for error in add_key(conninfo, key)]
    return files, errors


def _explain(conninfo: str, path: Path, files: list[Filled]) -> list[str]:
    """Runs a file that fails once more, statement by statement, to know the line."""
    try:
        files.append(fill(conninfo, path, batch=0))
    except BrokenFile as broken:
        return [f"{path.name}: {broken}"]
    return []


def _verify(connection: Connection, files: list[Filled]) -> tuple[dict[TableName, int], list[str]]:
    """The rows of all tables that the files name, and what of it is not as it should be."""
    expected: Counter[TableName] = Counter()
    for file in files:
        expected.update(file.rows)
    # Not those that get their rows otherwise: from a query, through a parent table.
    compared = {name for name, rows in expected.items() if rows} - {name for file in files for name in file.uncounted}
    errors = [f"{file.path.name}: it holds no statement" for file in files if not file.statements]
    counted: dict[TableName, int] = {}
    for name, path in {name: file.path for file in files for name in file.rows}.items():
        count = _count(connection, name, expected[name])
        if count is None:
            errors.append(f"{path.name}: table {name.shown} was not created")
            continue
        counted[name] = count
        if count != expected[name] and name in compared:
            errors.append(f"{path.name}: table {name.shown} has {count} rows, its file holds {expected[name]}")
    return counted, errors


def _count(connection: Connection, name: TableName, expected: int) -> int | None:
    """None without such a table. Rows can also have gone into partitions."""
    if connection.execute("SELECT to_regclass(%s)", (name.quoted.as_string(),)).fetchone() == (None,):
        return None
    own = connection.execute(sql.SQL("SELECT count(*) FROM ONLY {}").format(name.quoted)).fetchone()
    assert own is not None
    if own[0] == expected:
        return expected
    everything = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(name.quoted)).fetchone()
    return expected if everything == (expected,) else own[0]


def _annotate(connection: Connection, loaded: LoadedDatabase, paths: list[Path]) -> None:
    comment: dict[str, Any] = {"digest": _digest(paths), "tables": loaded.tables}
    if loaded.errors:
        comment["broken"] = loaded.reason
    name, text = sql.Identifier(loaded.database + SUFFIX), sql.Literal(json.dumps(comment))
    _execute(connection, "COMMENT ON DATABASE {} IS {}", name, text)
    if not loaded.errors:
        _execute(connection, "ALTER DATABASE {} IS_TEMPLATE true", name)  # so that others than its owner may clone it


def _digest(paths: list[Path]) -> str:
    """Of the files' names and contents."""
    whole = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            whole.update(f"{path.name}\0{hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode())
    return whole.hexdigest()
