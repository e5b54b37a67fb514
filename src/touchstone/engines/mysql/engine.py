"""MySQL and MariaDB as the event loop sees them: a live database that is read, or databases of a private server.

A live account is checked before anything runs: one that could write, call routines or read the server's accounts is refused.
On a private server a statement that does more than reading runs on a copy of its own, which is dropped afterwards. Time is the
clock's, so what comes to its limit while it is judged is judged again, with the cores to itself.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qs, unquote, urlsplit

import msgspec

from ...distribution import refuse_without_linux
from ...errors import DatabaseFailure, InputError, SqlError, Unscorable, WorkerFailure
from ...protocols import Opening
from ...sandbox.folders import scratch_folder
from ...sandbox.worker import WorkerRules
from ...types import Limits, Observation, Table
from ...workers.limits import Turns, cores
from ...workers.pool import Pool, WorkerLost
from ..judging_connection import JudgingConnection, name_of
from ..messages import LIVE, FunctionResponse, ShownTable, SqlRows, checked, decoded, encoded, refuse_broken_text
from ..postgres.messages import Lost, NeedsCopy, ServerGone
from .worker import Answer, MysqlLogin, MysqlWork, do

if TYPE_CHECKING:
    from .private_server import PrivateServer

A = TypeVar("A")
R = TypeVar("R")

_PATIENCE = 10.0
_LOOKING = Limits(seconds=30, rows=200_000)
_CRASHED = "The query was stopped: the server ended its connection, twice."
_HARMLESS = {"USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "REFERENCES", "CREATE TEMPORARY TABLES"}
_GRANT = re.compile(r"GRANT (?P<rights>.+?) ON (?P<what>.+?) TO ", re.DOTALL)
_ROLE = re.compile(r"GRANT (?P<roles>[`'\"].+?) TO ", re.DOTALL)
_CONTENTS = """
SELECT table_name, column_name, column_type FROM information_schema.columns
WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position
"""


class MysqlEngine:
    """Databases that are only read. One is for all names: mini-dev has all its databases in one. Several are found by name."""

    name = "mysql"

    def __init__(self, logins: Mapping[str, tuple[MysqlLogin, MysqlLogin]], versions: Mapping[str, str]) -> None:
        """`logins` are for exploring and for judging."""
        self._logins = logins
        self.versions = versions
        rules = WorkerRules([str(scratch_folder())], client=True)
        self.pool = Pool(warm=4, preload=["touchstone.engines.mysql.worker"], rules=rules)
        self.judging = Turns(cores())

    def database(self, name: str, key: str = "") -> MysqlDatabase:
        return MysqlDatabase(self, name, *self._logins[self.named(name)])

    def named(self, name: str) -> str:
        """The name of the database that is meant. Raises Unscorable if there is none."""
        if name in self._logins or len(self._logins) == 1:
            return name if name in self._logins else next(iter(self._logins))
        raise Unscorable(f"database missing: there is no dump {name}.sql", "database")

    async def copy(self, name: str, scripts: Sequence[str]) -> MysqlLogin:
        """A private copy, moved on by scripts. Raises SqlError if there can be none."""
        raise SqlError("write", LIVE)

    async def drop(self, login: MysqlLogin) -> None:
        """Ends a private copy."""

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        """Of the tables and columns: the rows of a live database are nobody's to hash."""
        contents = await self.database("").explore(_CONTENTS, _LOOKING)
        return dict.fromkeys(names, f"schema:{hashlib.sha256(msgspec.json.encode(contents.rows)).hexdigest()}")

    async def close(self) -> None:
        await self.pool.close()


class MysqlDatabase:
    """One episode's database."""

    def __init__(self, engine: MysqlEngine, name: str, explorer: MysqlLogin, judge: MysqlLogin) -> None:
        self._engine = engine
        self._name = name
        self._explorer, self._judge = explorer, judge
        self._scripts: list[str] = []
        self._own: MysqlLogin | None = None
        """The state that scripts have moved on to."""

    async def explore(self, sql: str, limits: Limits) -> Table:
        answer = await self._run(sql, limits, shown=False)
        assert isinstance(answer, SqlRows)
        return answer.table

    async def show(self, sql: str, limits: Limits) -> Observation:
        answer = await self._run(sql, limits, shown=True)
        assert isinstance(answer, ShownTable)
        return answer.seen

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        work = MysqlWork(self._own or self._judge, limits, function=name_of(function), request=encoded(request))
        for alone in (False, True):
            async with self._engine.judging.turn(alone=alone):
                answer = await self._answer(work, wall)
            if isinstance(answer, FunctionResponse) and (alone or not answer.timed_out):
                return decoded(answer, function)
        raise SqlError("crash", _CRASHED)

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        if not scripts:
            return
        own = await self._engine.copy(self._name, [*self._scripts, *scripts])
        await self.close()
        self._own, self._scripts = msgspec.structs.replace(own, reads=True), [*self._scripts, *scripts]

    async def close(self) -> None:
        own, self._own = self._own, None
        if own is not None:
            await self._engine.drop(own)

    async def _run(self, sql: str, limits: Limits, *, shown: bool) -> SqlRows | ShownTable:
        refuse_broken_text(sql)
        work = MysqlWork(self._own or self._explorer, limits, sql, shown)
        for _ in range(2):
            answer = await self._answer(work, limits.seconds)
            if isinstance(answer, SqlRows | ShownTable):
                return answer
        raise SqlError("crash", _CRASHED)

    async def _answer(self, work: MysqlWork, wall: float) -> Answer:
        """On what everybody reads, and where that is not enough, on a copy."""
        answer = await called(self._engine.pool, work, wall)
        if isinstance(answer, NeedsCopy):
            async with self._copied() as copy:
                answer = await called(self._engine.pool, msgspec.structs.replace(work, login=copy), wall)
        return answer

    @asynccontextmanager
    async def _copied(self) -> AsyncGenerator[MysqlLogin]:
        copy = await self._engine.copy(self._name, self._scripts)
        try:
            yield copy
        finally:
            await self._engine.drop(copy)


async def called(pool: Pool, work: MysqlWork, wall: float) -> Answer:
    """Raises SqlError for a fault, and DatabaseFailure without a server."""
    stalled = wall + 2 * _PATIENCE
    try:
        answer = await pool.call(do, work, stalled=stalled)
    except WorkerLost as lost:
        if lost.cause == "stalled":
            raise WorkerFailure(f"the SQL was abandoned: its worker has made no progress for {stalled:g} seconds") from None
        return Lost()
    if isinstance(answer, ServerGone):
        raise DatabaseFailure(f"the server cannot be reached: {answer.message}")
    return checked(answer)


# A live database.


async def open_live(url: str, opening: Opening) -> MysqlEngine:
    """Raises InputError if nobody answers, or the account could do more than reading."""
    login = login_at(url)
    engine = MysqlEngine({login.database: (login, login)}, {})
    opening.stack.push_async_callback(engine.close)
    try:
        server = (await engine.database("").explore("SELECT version()", _LOOKING)).rows[0][0]
        rights = await asyncio.to_thread(rights_of, login)
    except (DatabaseFailure, SqlError) as error:
        raise InputError(f"--database-url: {error}") from None
    if rights:
        raise InputError(
            f"--database-url: the account '{login.user}' {', '.join(rights)}: a live database is used by an account that can "
            f"only read it. Make one: CREATE USER reader IDENTIFIED BY '…'; GRANT SELECT ON {login.database}.* TO reader"
        )
    engine.versions = {"MariaDB" if "mariadb" in server.lower() else "MySQL": server.partition("-")[0]}
    return engine


def login_at(url: str) -> MysqlLogin:
    """From an address. A password that it leaves out comes from MYSQL_PWD. `?ssl=true` asks for an encrypted connection,
    `?socket=…` for a socket."""
    parts = urlsplit(url)
    database = unquote(parts.path.strip("/"))
    options = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if unknown := set(options) - {"ssl", "socket"}:
        raise InputError(f"--database-url: there is no option '{sorted(unknown)[0]}'; there are: socket, ssl")
    if not database or not parts.username:
        raise InputError("--database-url: expected mysql://user@host:port/name")
    try:
        port = parts.port or 3306
    except ValueError:
        raise InputError("--database-url: the port is not a number between 0 and 65535") from None
    password = unquote(parts.password) if parts.password else os.environ.get("MYSQL_PWD", "")
    encrypted = options.get("ssl", "").lower() in ("true", "1", "yes")
    host = parts.hostname or "localhost"
    return MysqlLogin(unquote(parts.username), password, database, host, port, options.get("socket"), encrypted)


def rights_of(login: MysqlLogin) -> list[str]:
    """What the account may do besides reading; empty if that is all."""
    import pymysql
    from pymysql.cursors import Cursor

    from .worker import connect

    rights: list[str] = []
    try:
        with connect(login, _PATIENCE, cursor=Cursor) as connection, connection.cursor() as cursor:
            todo, seen = ["CURRENT_USER"], set[str]()
            while todo:
                who = todo.pop()
                seen.add(who)
                try:
                    cursor.execute(f"SHOW GRANTS FOR {who}")
                except pymysql.Error:
                    rights.append(f"has the role {who}, whose rights it may not look up")
                    continue
                for (line,) in cursor.fetchall():
                    more, roles = rights_in(str(line))
                    rights += more
                    todo += [role for role in roles if role not in seen]
    except pymysql.Error as error:
        raise DatabaseFailure(f"the server cannot be reached: {error.args[-1]}") from None
    return list(dict.fromkeys(rights))


def rights_in(line: str) -> tuple[list[str], list[str]]:
    """What a line of SHOW GRANTS gives besides reading, and the roles that it names."""
    grant = _GRANT.match(line)
    if grant is None:
        role = _ROLE.match(line)
        roles = [name.strip() for name in role["roles"].split(",")] if role else []
        return ([] if role else [f"has a right that is not known here: {line[:60]}"]), roles
    where = grant["what"]
    names = [re.sub(r"\s*\(.*", "", right, flags=re.DOTALL).strip() for right in _listed(grant["rights"])]
    rights = [f"has {name} on {where}" for name in names if name.upper() not in _HARMLESS]
    if "SELECT" in map(str.upper, names) and re.match(r"\*\.\*|`mysql`|`performance_schema`", where):
        rights.append(f"can read the accounts of the server (SELECT on {where})")
    if "WITH GRANT OPTION" in line:
        rights.append(f"can give away its rights on {where}")
    return rights, []


def _listed(text: str) -> list[str]:
    """Split at commas that are not in brackets: SELECT (a, b), INSERT."""
    return re.split(r",\s*(?![^(]*\))", text)


# Databases of a private server.


async def open_dumps(path: str, opening: Opening) -> MysqlEngine:
    """Raises InputError without a server program, or if a dump cannot be loaded."""
    dumps = find_dumps(Path(path)) if path else {}
    if not dumps:
        raise InputError(f"{path or 'MySQL'}: expected mysql://user@host:3306/name, a dump <name>.sql, or a folder of dumps")
    refuse_without_linux("a private MariaDB server")
    from .private_server import started

    server = await started(dumps, opening.say)
    opening.stack.push_async_callback(asyncio.to_thread, server.close)
    logins = await asyncio.to_thread(lambda: {name: (server.reader(name), server.reader(name)) for name in dumps})
    engine = DumpEngine(server, dumps, logins, {"MariaDB": await asyncio.to_thread(server.version)})
    opening.stack.push_async_callback(engine.close)
    return engine


def find_dumps(folder: Path) -> dict[str, Path]:
    if folder.is_file():
        return {folder.stem: folder}
    return {path.stem: path for path in sorted([*folder.glob("*.sql"), *folder.glob("*/*.sql")])}


class DumpEngine(MysqlEngine):
    """Databases of a private server, which whoever writes gets a copy of."""

    def __init__(
        self,
        server: PrivateServer,
        dumps: Mapping[str, Path],
        logins: Mapping[str, tuple[MysqlLogin, MysqlLogin]],
        versions: Mapping[str, str],
    ) -> None:
        super().__init__(logins, versions)
        self._server = server
        self._dumps = dumps

    async def copy(self, name: str, scripts: Sequence[str]) -> MysqlLogin:
        return await asyncio.to_thread(self._server.copy, self._dumps[self.named(name)], scripts)

    async def drop(self, login: MysqlLogin) -> None:
        await asyncio.shield(asyncio.to_thread(self._server.drop, login))

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        return {name: await asyncio.to_thread(self._digest, name) for name in names}

    def _digest(self, name: str) -> str | None:
        try:
            with self._dumps[self.named(name)].open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
        except (Unscorable, OSError):
            return None
