"""A MariaDB server of our own, loaded from dumps: started in about a second, gone with whoever started it.

    <directory>/data    a copy of a loaded cluster, which the next run finds in the cache
    <directory>/s       the socket; there is no port

Each database has an account that explores and one that judges: the first must not see what the second is doing. Dumps are
loaded by an account of their own, since a dump is a program too; afterwards that account can only read, and nobody can log in
as it: views and functions run with its rights.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql
from msgspec.structs import replace
from pymysql.cursors import Cursor

from ...code_digest import digest_of
from ...errors import DatabaseFailure, InputError, SqlError
from ...sandbox.folders import claim
from .. import cache as results
from ..postgres.data_dirs import copy_file
from .statements import dump, split
from .worker import MysqlLogin, connect

LARGEST_COPY = 128 * 2**20
"""Bytes of a dump from which private copies are made."""
_ROOT = "root"
_SECONDS_TO_START = 60.0
_SECONDS_TO_STOP = 60.0
_KEPT = 3
_IN_USE = 3600.0
_RIGHTS = "SELECT, SHOW VIEW, EXECUTE"

SETTINGS = (
    "--no-defaults",
    "--skip-networking",
    "--skip-name-resolve",
    "--skip-log-bin",
    "--skip-symbolic-links",
    "--skip-external-locking",
    "--local-infile=0",
    "--event-scheduler=DISABLED",
    "--performance-schema=0",
    "--character-set-server=utf8mb4",
    "--default-time-zone=+00:00",
    "--max-connections=300",
    "--max-allowed-packet=256M",
    "--tmp-disk-table-size=2G",
    "--log-warnings=0",
    # Nothing here has to survive a crash.
    "--debug-no-sync",
    "--innodb-flush-method=nosync",
    "--innodb-flush-log-at-trx-commit=0",
    "--innodb-doublewrite=0",
    "--innodb-log-file-size=64M",
    "--innodb-buffer-pool-size=256M",
    "--loose-innodb-buffer-pool-size-max=256M",
    "--innodb-use-native-aio=0",
    "--innodb-fast-shutdown=1",
    "--innodb-file-per-table=0",  # a table of its own file can be put anywhere: DATA DIRECTORY
)


def program() -> Path:
    """Raises InputError if there is none."""
    own = os.environ.get("TOUCHSTONE_MARIADB")
    candidates = [own] if own else [shutil.which("mariadbd"), "/usr/sbin/mariadbd", "/usr/libexec/mariadbd"]
    for path in candidates:
        if path and os.access(path, os.X_OK):
            return Path(path).resolve()
    raise InputError(
        f"TOUCHSTONE_MARIADB is {own}, which is not a program"
        if own
        else "no MariaDB server was found: `apt install mariadb-server-core`, or give an address such as mysql://user@host/name"
    )


class PrivateServer:
    """A running server and its administration. What blocks is for a thread, but for `launch`: the server ends with the thread
    that started it."""

    def __init__(self) -> None:
        self._program = program()
        self._claim = claim()
        self.directory = self._claim.folder
        self._password = secrets.token_hex(16)
        self._process: subprocess.Popen[bytes] | None = None
        self._logs: list[Any] = []
        (self.directory / "s").mkdir(mode=0o700)

    @property
    def administrator(self) -> MysqlLogin:
        return MysqlLogin(_ROOT, self._password, "", socket=str(self.directory / "s" / "m"), reads=False)

    def bootstrap(self) -> None:
        """An empty cluster."""
        (self.directory / "data" / "mysql").mkdir(parents=True, mode=0o700)
        scripts = _share(self._program)
        texts = [b"use mysql;\nSET @auth_root_socket=NULL;\n"]
        texts += [(scripts / name).read_bytes() for name in ("mysql_system_tables.sql", "mysql_system_tables_data.sql")]
        done = subprocess.run(
            self._command("--bootstrap"),
            input=b"".join(texts),
            stdout=subprocess.DEVNULL,
            stderr=self._log(),
            env=_environment(),
        )
        if done.returncode:
            raise InputError(f"the MariaDB server cannot be set up: {self._last_words()}")

    def copy_from(self, data: Path) -> None:
        (self.directory / "data").mkdir(mode=0o700)
        shutil.copytree(data, self.directory / "data", copy_function=copy_file, dirs_exist_ok=True)

    def launch(self) -> None:
        first = self.directory / "data" / "first.sql"
        first.write_text(
            f"ALTER USER {_ROOT}@localhost IDENTIFIED BY '{self._password}';\n"
            f"DELETE FROM mysql.global_priv WHERE User = '{_ROOT}' AND Host <> 'localhost';\nFLUSH PRIVILEGES;\n"
        )
        arguments = [f"--socket={self.directory / 's' / 'm'}", f"--pid-file={self.directory / 's' / 'pid'}"]
        command = self._command(*arguments, f"--init-file={first}")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log(),
            stderr=self._log(),
            env=_environment(),
            start_new_session=True,
        )

    def ready(self) -> None:
        """Waits until it lets us in."""
        assert self._process is not None
        deadline = time.monotonic() + _SECONDS_TO_START
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            with contextlib.suppress(pymysql.Error, OSError), connect(self.administrator):
                return
            time.sleep(0.02)
        raise InputError(f"the MariaDB server cannot be started: {self._last_words()}")

    def stop(self) -> None:
        """Cleanly, so that its cluster can be kept."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)
        try:
            self._process.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        for log in self._logs:
            log.close()
        self._claim.close()

    def version(self) -> str:
        return self.ask("SELECT version()")[0][0].split("-")[0]

    def ask(self, *statements: str) -> list[tuple[Any, ...]]:
        """As the administrator; the rows of the last one."""
        return _asked(self.administrator, statements)

    def load(self, name: str, path: Path) -> None:
        """The database that everybody reads. Raises InputError if the dump cannot be loaded."""
        login = self.create(name)
        try:
            _run_dump(login, path)
        except SqlError as error:
            raise InputError(f"{path}: {error.message}") from None
        account = f"'{login.user}'@localhost"
        self.ask(
            f"REVOKE ALL PRIVILEGES ON {_pattern(name)}.* FROM {account}",
            f"GRANT {_RIGHTS} ON {_pattern(name)}.* TO {account}",
            f"ALTER USER {account} ACCOUNT LOCK",
        )

    def reader(self, name: str) -> MysqlLogin:
        """A new account that can read one database and nothing else."""
        login = self._account(name, reads=True)
        self.ask(f"GRANT {_RIGHTS} ON {_pattern(name)}.* TO '{login.user}'@localhost")
        return login

    def create(self, name: str) -> MysqlLogin:
        """A new database, and the only account that has rights in it."""
        login = self._account(name, reads=False)
        self.ask(
            f"CREATE DATABASE {_quoted(name)} CHARACTER SET utf8mb4",
            f"GRANT ALL PRIVILEGES ON {_pattern(name)}.* TO '{login.user}'@localhost",
        )
        return login

    def copy(self, path: Path, scripts: Sequence[str]) -> MysqlLogin:
        """A private copy, moved on by scripts. Raises SqlError if one of them fails."""
        if path.stat().st_size > LARGEST_COPY:
            raise SqlError("write", "This database is too large to be copied for a statement that writes; it can be read.")
        login = self.create(f"copy_{secrets.token_hex(6)}")
        try:
            _run_dump(login, path)
            with _opened(login) as cursor:
                for statement in (each for script in scripts for each in split(script) if each):
                    _execute(cursor, statement.encode())
        except BaseException:
            self.drop(login)
            raise
        return login

    def drop(self, login: MysqlLogin) -> None:
        with contextlib.suppress(DatabaseFailure):
            self.ask(f"DROP DATABASE IF EXISTS {_quoted(login.database)}", f"DROP USER IF EXISTS '{login.user}'@localhost")

    def _account(self, database: str, *, reads: bool) -> MysqlLogin:
        user, password = f"ts_{secrets.token_hex(6)}", secrets.token_hex(16)
        self.ask(f"CREATE USER '{user}'@localhost IDENTIFIED BY '{password}'")
        return replace(self.administrator, user=user, password=password, database=database, reads=reads)

    def _command(self, *arguments: str) -> list[str]:
        data, share = self.directory / "data", _share(self._program)
        return [
            *(sys.executable, "-m", f"{__package__}.launcher", str(self.directory), str(os.getpid()), str(self._program)),
            *SETTINGS,
            f"--datadir={data}",
            f"--tmpdir={data}",
            f"--lc-messages-dir={share}",
            f"--secure-file-priv={self.directory / 's'}",
            f"--plugin-dir={self.directory / 'none'}",
            *arguments,
        ]

    def _log(self) -> Any:
        self._logs.append((self.directory / "log").open("ab"))
        return self._logs[-1]

    def _last_words(self) -> str:
        try:
            lines = (self.directory / "log").read_text(errors="replace").splitlines()
        except OSError:
            lines = []
        return "; ".join([line.strip() for line in lines if "[Note]" not in line and line.strip()][-3:]) or "it said nothing"


def _share(server: Path) -> Path:
    for name in ("mysql", "mariadb"):
        folder = server.parent.parent / "share" / name
        if (folder / "mysql_system_tables.sql").is_file():
            return folder
    raise InputError(f"{server}: its file mysql_system_tables.sql is not beside it, in ../share/mysql")


def _environment() -> Mapping[str, str]:
    path = os.pathsep.join(each for each in sys.path if each)
    return {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC", "PYTHONPATH": path}


def _quoted(name: str) -> str:
    return f"`{name.replace('`', '``')}`"


def _pattern(name: str) -> str:
    """Where rights are given, `_` and `%` would stand for other names too."""
    return _quoted(name.replace("\\", "\\\\").replace("_", "\\_").replace("%", "\\%"))


@contextlib.contextmanager
def _opened(login: MysqlLogin) -> Generator[Cursor]:
    try:
        connection = connect(login, cursor=Cursor)
    except pymysql.Error as error:
        raise DatabaseFailure(f"the server cannot be reached: {error}") from None
    with connection, connection.cursor() as cursor:
        yield cursor


def _asked(login: MysqlLogin, statements: Iterable[str]) -> list[tuple[Any, ...]]:
    try:
        with _opened(login) as cursor:
            for statement in statements:
                cursor.execute(statement)
            return list(cursor.fetchall())
    except pymysql.Error as error:
        raise DatabaseFailure(f"the MariaDB server failed: {error}") from None


def _run_dump(login: MysqlLogin, path: Path) -> None:
    with _opened(login) as cursor:
        _execute(cursor, b"SET foreign_key_checks = 0, unique_checks = 0, autocommit = 0")
        for statement in dump(path):
            _execute(cursor, statement)
        _execute(cursor, b"COMMIT")


def _execute(cursor: Cursor, statement: bytes) -> None:
    try:
        cursor.execute(statement)  # pyright: ignore[reportArgumentType] - bytes are sent as they are
        cursor.fetchall()
    except pymysql.Error as error:
        beginning = " ".join(statement[:80].decode(errors="replace").split())
        raise SqlError("sql", f"{error.args[-1]} (in: {beginning} …)") from None


async def started(dumps: Mapping[str, Path], say: Callable[[str], None]) -> PrivateServer:
    """A server with these databases, from the cache or loaded now."""
    entry = _cache() / await asyncio.to_thread(_key, dumps)
    if not entry.is_dir():
        say(f"loading {', '.join(sorted(dumps))} into MariaDB, once")
        await _build(dumps, entry)
    server = PrivateServer()
    try:
        await asyncio.to_thread(server.copy_from, entry / "data")
        os.utime(entry)
        server.launch()
        await asyncio.to_thread(server.ready)
    except BaseException:
        server.close()
        raise
    return server


def _cache() -> Path:
    return results.default_path().parent / "mysql"


def _key(dumps: Mapping[str, Path]) -> str:
    """Of everything that a loaded cluster depends on."""
    version = subprocess.run([program(), "--no-defaults", "--version"], capture_output=True, check=False).stdout
    files = [(name, path.stat().st_size, path.stat().st_mtime_ns, str(path.resolve())) for name, path in sorted(dumps.items())]
    return results.key(digest_of(Path(__file__).parent), version, files).hex()[:24]


async def _build(dumps: Mapping[str, Path], entry: Path) -> None:
    entry.parent.mkdir(parents=True, exist_ok=True)
    part = entry.with_name(f"{entry.name}.{secrets.token_hex(4)}.part")
    with (entry.parent / "lock").open("w") as lock:
        await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
        if await asyncio.to_thread(entry.is_dir):  # somebody else has just built it
            return
        await asyncio.to_thread(_tidy, entry.parent)
        server = PrivateServer()
        try:
            await asyncio.to_thread(server.bootstrap)
            server.launch()
            await asyncio.to_thread(server.ready)
            for name, path in dumps.items():
                await asyncio.to_thread(server.load, name, path)
            await asyncio.to_thread(server.stop)
            part.mkdir()
            await asyncio.to_thread(shutil.copytree, server.directory / "data", part / "data", copy_function=copy_file)
            part.rename(entry)
        finally:
            shutil.rmtree(part, ignore_errors=True)
            server.close()


def _tidy(cache: Path) -> None:
    """Leftovers, and old entries that nobody is copying."""
    entries = sorted((path for path in cache.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime, reverse=True)
    for age_rank, path in enumerate(entries):
        if path.suffix == ".part" or (age_rank >= _KEPT - 1 and time.time() - path.stat().st_mtime > _IN_USE):
            shutil.rmtree(path, ignore_errors=True)
