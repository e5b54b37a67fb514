"""A live PostgreSQL database, which is read and never written to.

Three locks, each enough by itself: a role that could write anything is refused before any SQL runs; every statement runs alone
in a READ ONLY transaction, by the protocol that takes no second statement; and the transaction is rolled back.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import unquote, urlsplit

import msgspec

from ...errors import DatabaseFailure, InputError, SqlError, WorkerFailure
from ...protocols import Opening
from ...sandbox.folders import scratch_folder
from ...sandbox.worker import WorkerRules
from ...types import Limits, Observation, Table
from ...workers.limits import Turns, cores
from ...workers.pool import Pool, WorkerLost
from ..judging_connection import JudgingConnection, name_of, result_type
from .config import refuse_without_driver, server_at
from .messages import (
    CRASHED,
    Applied,
    Exploration,
    Login,
    Lost,
    NeedsCopy,
    PostgresFault,
    PostgresRows,
    PostgresShown,
    QueryJudgement,
    ServerGone,
)
from .worker import PRELOAD, explore, judge

A = TypeVar("A")
R = TypeVar("R")

_PATIENCE = 10.0
_ROLE = re.compile(r"[a-z_][a-z0-9_$]*")
_READ_ONLY = "This database is live, so it can only be read, by one statement at a time."

_RIGHTS = """
WITH role AS (SELECT * FROM pg_roles WHERE pg_has_role(oid, 'MEMBER')),  -- and whatever SET ROLE could make of it
relation AS (SELECT c.oid, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
SELECT 'is a superuser' WHERE EXISTS (SELECT FROM role WHERE rolsuper)
UNION ALL SELECT 'can create roles' WHERE EXISTS (SELECT FROM role WHERE rolcreaterole)
UNION ALL SELECT 'can create databases' WHERE EXISTS (SELECT FROM role WHERE rolcreatedb)
UNION ALL SELECT 'can replicate' WHERE EXISTS (SELECT FROM role WHERE rolreplication)
UNION ALL SELECT 'is a member of ' || rolname FROM role
    WHERE rolname IN ('pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files')
UNION ALL SELECT 'can create schemas in this database'
    WHERE EXISTS (SELECT FROM role WHERE has_database_privilege(role.oid, current_database(), 'CREATE'))
UNION ALL (SELECT 'can create tables in schema ' || nspname FROM pg_namespace n
    WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
    AND EXISTS (SELECT FROM role WHERE has_schema_privilege(role.oid, n.oid, 'CREATE')) LIMIT 1)
UNION ALL (SELECT 'can write to ' || r.oid::regclass::text FROM relation r
    WHERE r.relkind IN ('r', 'p', 'v', 'f') AND EXISTS (SELECT FROM role
        WHERE has_table_privilege(role.oid, r.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
        OR has_any_column_privilege(role.oid, r.oid, 'INSERT, UPDATE'))
    LIMIT 1)
UNION ALL (SELECT 'can advance ' || r.oid::regclass::text FROM relation r
    WHERE r.relkind = 'S' AND EXISTS (SELECT FROM role WHERE has_sequence_privilege(role.oid, r.oid, 'USAGE, UPDATE'))
    LIMIT 1)
"""
_CONTENTS = """
SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
WHERE table_schema NOT IN ('information_schema', 'pg_catalog') ORDER BY 1, 2, ordinal_position
"""
_LOOKING = Limits(seconds=30, rows=200_000)


async def open_live(url: str, opening: Opening) -> LiveEngine:
    """Raises InputError if nobody answers, or the role could write."""
    refuse_without_driver()
    server, database = server_at(url), unquote(urlsplit(url).path.strip("/"))
    if not database:
        raise InputError("--database-url: it names no database: expected postgresql://user@host:port/name")
    if not _ROLE.fullmatch(server.user):
        raise InputError(f"--database-url: the role '{server.user}': expected a name of small letters, digits and underscores")
    login = Login(database, server.user, server, server.user, database, False, _PATIENCE)
    engine = LiveEngine(login)
    opening.stack.push_async_callback(engine.close)
    await engine.start()
    return engine


class LiveEngine:
    """One database of a server that others use too."""

    name = "postgres"

    def __init__(self, login: Login) -> None:
        self.login = login
        self.pool = Pool(warm=4, preload=PRELOAD, rules=WorkerRules([str(scratch_folder())], client=True))
        self.judging = Turns(cores())
        self._version = ""

    @property
    def versions(self) -> Mapping[str, str]:
        return {"PostgreSQL": self._version} if self._version else {}

    async def start(self) -> None:
        world = self.database(self.login.database)
        try:
            rights = [row[0] for row in (await world.explore(_RIGHTS, _LOOKING)).rows]
            self._version = (await world.explore("SHOW server_version", _LOOKING)).rows[0][0].split()[0]
        except (DatabaseFailure, SqlError) as error:
            raise InputError(f"--database-url: {error}") from None
        if rights:
            name = self.login.role
            raise InputError(
                f"--database-url: the role '{name}' {', '.join(rights)}: a live database is used by a role that cannot write. "
                "Make one: CREATE ROLE reader LOGIN PASSWORD '…'; GRANT pg_read_all_data TO reader"
            )

    def database(self, name: str, key: str = "") -> LiveDatabase:
        return LiveDatabase(self)

    async def digests(self, names: Sequence[str]) -> Mapping[str, str | None]:
        """Of the tables and columns: the rows of a live database are nobody's to hash."""
        rows = (await self.database("").explore(_CONTENTS, _LOOKING)).rows
        digest = hashlib.sha256(msgspec.json.encode(rows)).hexdigest()
        return dict.fromkeys(names, f"schema:{digest}")

    async def close(self) -> None:
        await self.pool.close()


class LiveDatabase:
    """The database, read by one episode."""

    def __init__(self, engine: LiveEngine) -> None:
        self._engine = engine

    async def explore(self, sql: str, limits: Limits) -> Table:
        answer = await self._explore(sql, limits, shown=False)
        assert isinstance(answer, PostgresRows)
        return answer.table

    async def show(self, sql: str, limits: Limits) -> Observation:
        answer = await self._explore(sql, limits, shown=True)
        assert isinstance(answer, PostgresShown)
        return answer.seen

    async def judge(
        self, function: Callable[[JudgingConnection, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        encoded = msgspec.Raw(msgspec.msgpack.encode(request))
        for alone in (False, True):
            order = QueryJudgement(self._engine.login, name_of(function), encoded, limits, False, alone)
            async with self._engine.judging.turn(alone=alone):
                answer = await self._call(judge, order, wall + _PATIENCE)
            if isinstance(answer, Applied) and (alone or not answer.timed_out):
                return msgspec.msgpack.decode(answer.response, type=result_type(function))
            if isinstance(answer, NeedsCopy):
                raise SqlError("write", _READ_ONLY)
        raise SqlError("crash", CRASHED)

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        if scripts:
            raise SqlError("write", _READ_ONLY)

    async def close(self) -> None:
        pass

    async def _explore(self, sql: str, limits: Limits, *, shown: bool) -> PostgresRows | PostgresShown:
        try:
            sql.encode()
        except UnicodeEncodeError:
            raise SqlError("sql", "The SQL contains half of a Unicode character (a lone surrogate).") from None
        for _ in range(2):
            order = Exploration(self._engine.login, sql, limits, False, shown)
            answer = await self._call(explore, order, limits.seconds + 2 * _PATIENCE)
            if isinstance(answer, PostgresRows | PostgresShown):
                return answer
            if isinstance(answer, PostgresFault):
                raise SqlError(answer.kind, answer.message)
            if isinstance(answer, NeedsCopy):
                raise SqlError("write", _READ_ONLY)
        raise SqlError("crash", CRASHED)

    async def _call(self, function: Callable[[A], R], request: A, stalled: float) -> R | Lost:
        try:
            answer = await self._engine.pool.call(function, request, stalled=stalled)
        except WorkerLost as lost:
            if lost.cause == "stalled":
                raise WorkerFailure(f"the SQL was abandoned: its worker has made no progress for {stalled:g} seconds") from None
            return Lost()
        if isinstance(answer, ServerGone):
            raise DatabaseFailure(f"the server cannot be reached: {answer.message}")
        return answer
