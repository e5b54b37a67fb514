"""Makes a template ready for cloning, and tells what is in it. Runs inside a worker process.

The ground is a clone of the template in which everything belongs to the run's owner. Nobody connects to it, so it can be
cloned at any time. The base is a clone of the ground, for all worlds to read.
"""

from __future__ import annotations

import hashlib
import json
import time
from importlib.resources import files
from typing import Any

import msgspec
import psycopg
from psycopg.sql import SQL, Identifier

from .connection import Connection, Unreachable, administrate
from .control import administrator, execute, refusal
from .messages import Broken, Contents, Description, Done, Gone, Ground, Lost, Refused, Settling
from .names import keeper, owner, quoted

_TABLES = """
    SELECT nspname, relname FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND NOT relispartition AND nspname !~ '^pg_' AND nspname <> 'information_schema'
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
    ORDER BY nspname COLLATE "C", relname COLLATE "C"
"""
_COLUMNS = """
    SELECT attrelid::regclass::text, attnum, attname, format_type(atttypid, atttypmod), attnotnull
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND attnum > 0 AND NOT attisdropped AND nspname !~ '^pg_' AND nspname <> 'information_schema'
    ORDER BY nspname COLLATE "C", relname COLLATE "C", attnum
"""

_BELONGINGS = """
    SELECT 1 FROM pg_shdepend JOIN pg_database ON pg_database.oid = dbid
    WHERE datname = %s AND refclassid = 'pg_authid'::regclass AND refobjid = %s::regrole
"""
_SECONDS_TO_LEAVE = 2.0
_STEP = 0.002


def lay(request: Ground) -> Done | Broken | Refused | Lost | Gone:
    try:
        connection = administrator(request.server, request.patience)
        comment = _comment(connection, request.template)
        if isinstance(comment, Broken):
            return comment
        _clone(connection, request, request.ground, request.template)
        _give_to_owner(request)
        _wait_until_empty(connection, request.ground)
        execute(connection, f"ALTER DATABASE {request.ground} ALLOW_CONNECTIONS false")
        _clone(connection, request, request.base, request.ground)
        execute(connection, f"REVOKE ALL ON DATABASE {request.base} FROM PUBLIC")
        execute(connection, f"GRANT CONNECT ON DATABASE {request.base} TO {owner(request.run)}")
    except Unreachable as error:
        return Gone(str(error))
    except psycopg.Error as error:
        return refusal(error)
    return Done()


def settle(request: Settling) -> Done | Refused | Lost | Gone:
    """Nobody is connected any more, and whatever its own role has made belongs to the owner, like everything else."""
    seat = request.seat
    try:
        connection = administrator(request.server, request.patience)
        _wait_until_empty(connection, seat.database)
        if connection.execute(_BELONGINGS, [seat.database, seat.role]).fetchone():
            with administrate(request.server, seat.database, request.patience) as inside:
                execute(inside, f"REASSIGN OWNED BY {seat.role} TO {seat.owner}; DROP OWNED BY {seat.role}")
            _wait_until_empty(connection, seat.database)
    except Unreachable as error:
        return Gone(str(error))
    except psycopg.Error as error:
        return refusal(error)
    return Done()


def describe(request: Contents) -> Description | Broken | Refused | Lost | Gone:
    try:
        comment = _comment(administrator(request.server, request.patience), request.template)
        if isinstance(comment, Broken):
            return comment
        with administrate(request.server, request.base, request.patience) as connection:
            return _describe(connection, comment.get("digest"))
    except Unreachable as error:
        return Gone(str(error))
    except psycopg.Error as error:
        return refusal(error)


def _describe(connection: Connection, digest: Any) -> Description | Broken:
    tables: dict[str, int] = {}
    for schema, name in connection.execute(_TABLES).fetchall():
        count = SQL("SELECT count(*) FROM {}").format(Identifier(schema, name))
        (rows,) = connection.execute(count).fetchone() or (0,)
        tables[name if schema == "public" else f"{schema}.{name}"] = rows
    if not any(tables.values()):
        return Broken("it holds no rows" if tables else "it holds no tables")
    return Description(tables, digest if isinstance(digest, str) and digest else _digest(connection, tables))


def _digest(connection: Connection, tables: dict[str, int]) -> str:
    connection.execute("SET search_path = ''")
    content = [list(tables.items()), connection.execute(_COLUMNS).fetchall()]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _comment(connection: Connection, template: str) -> dict[str, Any] | Broken:
    """What whoever loaded the template noted about it."""
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s::text::name"
    found = connection.execute(query, [template]).fetchone()
    if found is None:
        return Broken(f"there is no database {template} on the PostgreSQL server")
    try:
        comment = msgspec.json.decode(found[0] or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        return {}
    return Broken(str(comment["broken"])) if comment.get("broken") else comment


def _clone(connection: Connection, request: Ground, name: str, template: str) -> None:
    execute(connection, f"CREATE DATABASE {name} OWNER {keeper(request.run)} TEMPLATE {quoted(template)}{request.strategy}")


def _wait_until_empty(connection: Connection, database: str) -> None:
    """A clone of a database with connections is refused, after a wait in long steps; a closed one takes moments to be gone."""
    until = time.monotonic() + _SECONDS_TO_LEAVE
    while connection.execute("SELECT 1 FROM pg_stat_activity WHERE datname = %s", [database]).fetchone():
        if time.monotonic() > until:
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [database])
            return
        time.sleep(_STEP)


def _give_to_owner(request: Ground) -> None:
    with administrate(request.server, request.ground, request.patience) as connection:
        connection.execute("SELECT set_config('touchstone.owner', %s, false)", [owner(request.run)])
        execute(connection, files(__package__ or "").joinpath("own.sql").read_text())
