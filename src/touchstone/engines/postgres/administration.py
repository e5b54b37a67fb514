"""What an administrator does, inside a worker process: makes templates ready for cloning, copies them, tells about them, drops.

The ground (`BaseClone`) is a clone of the template in which everything belongs to the run's owner. Nobody connects to it,
so it can be cloned at any time. The base is a clone of the ground, for all episodes to read.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable
from functools import wraps
from importlib.resources import files
from typing import Any, TypeAlias, TypeVar

import msgspec
import psycopg
import psycopg2
from psycopg.sql import SQL, Identifier

from .connection import MAINTENANCE, Connection, Unreachable, administrate, execute, is_alive, keep_seat, one_line
from .messages import (
    BaseClone,
    BrokenTemplate,
    Contents,
    CopyOrder,
    Description,
    Done,
    Laid,
    LoginOrder,
    Lost,
    Orders,
    PostgresServer,
    Refused,
    ServerGone,
    TemplateCheck,
    TemplateRights,
)
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

_DATABASE = """
    SELECT pg_get_userbyid(datdba), datistemplate OR pg_has_role(current_user, datdba, 'USAGE'),
        format('ENCODING %%L LC_COLLATE %%L LC_CTYPE %%L', pg_encoding_to_char(encoding), datcollate, datctype)
    FROM pg_database WHERE datname = %s::text::name
"""
_RIGHTS = """
    SELECT coalesce(bool_and(pg_has_role(current_user, relowner, 'USAGE')), true),
        coalesce(bool_and(has_table_privilege(pg_class.oid, 'SELECT') AND has_schema_privilege(nspname, 'USAGE')), true)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm', 'S') AND nspname !~ '^pg_' AND nspname <> 'information_schema'
"""
_BELONGINGS = """
    SELECT 1 FROM pg_shdepend JOIN pg_database ON pg_database.oid = dbid
    WHERE datname = %s AND refclassid = 'pg_authid'::regclass AND refobjid = %s::regrole
"""
_SYSTEM_TABLES = """
    SELECT oid::regclass::text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'pg_catalog'::regnamespace AND NOT relisshared
"""
_OPEN_SCHEMAS = """
    DO $touchstone$
    DECLARE command text;
    BEGIN
        FOR command IN
            SELECT format('GRANT ALL ON SCHEMA %I TO {owner}', nspname) FROM pg_namespace
            WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'
        LOOP
            EXECUTE command;
        END LOOP;
    END
    $touchstone$
"""
"""Who is no superuser can give a thing only to a role that could have made it there."""
_SECONDS_TO_LEAVE = 2.0
_STEP = 0.002
_SHUTDOWN = "57P"

_kept: dict[str, Connection] = {}

R = TypeVar("R")
A = TypeVar("A")


Trouble: TypeAlias = Refused | Lost | ServerGone


def _answered(work: Callable[[R], A]) -> Callable[[R], A | Trouble]:
    """What goes wrong between us and the server is an answer, too."""

    @wraps(work)
    def answer(request: R) -> A | Trouble:
        try:
            return work(request)
        except Unreachable as error:
            return ServerGone(str(error))
        except psycopg.Error as error:
            return refusal(error)
        except psycopg2.Error:
            return Lost()

    return answer


@_answered
def administer(request: Orders) -> Done:
    connection = administrator(request.server, request.patience)
    for statement in request.statements:
        execute(connection, statement)
    return Done()


def administrator(server: PostgresServer, patience: float) -> Connection:
    """The kept connection, or a new one where that is dead."""
    conninfo = server.conninfo(MAINTENANCE)
    connection = _kept.pop(conninfo, None)
    if connection is not None and not is_alive(connection):
        connection.close()
        connection = None
    _kept[conninfo] = connection = connection or administrate(server, MAINTENANCE, patience)
    return connection


def refusal(error: psycopg.Error) -> Refused | Lost:
    if error.sqlstate is None or error.sqlstate.startswith(_SHUTDOWN):
        return Lost()
    return Refused(error.sqlstate or "", one_line(error.diag.message_primary or error))


@_answered
def lay(request: BaseClone) -> Laid | BrokenTemplate:
    connection = administrator(request.server, request.patience)
    comment = _comment(connection, request.template)
    if isinstance(comment, BrokenTemplate):
        return comment
    if not request.filled:
        _clone(connection, request, request.ground, request.template)
    _give_to_owner(request)
    _shrink(request)
    _empty(connection, request.ground)
    execute(connection, f"ALTER DATABASE {request.ground} ALLOW_CONNECTIONS false")
    _clone(connection, request, request.base, request.ground)
    execute(connection, f"REVOKE ALL ON DATABASE {request.base} FROM PUBLIC")
    execute(connection, f"GRANT CONNECT ON DATABASE {request.base} TO {owner(request.run)}")
    _take_locks_away(request)
    (size,) = connection.execute("SELECT pg_database_size(%s::text)", [request.base]).fetchone() or (0,)
    return Laid(size)


@_answered
def copy(request: CopyOrder) -> Done:
    """A private copy, in which everything belongs to a role that exists for this copy alone.

    A role may note things down where all databases of a server can read them (`ALTER ROLE CURRENT_USER SET …`), and there are
    many ways to act as the owner of a table (an index's expression, for one). So no two copies have an owner in common.
    """
    before, owner = ", ".join(request.belongs_to), request.login.owner
    hand_over = f"REASSIGN OWNED BY {before} TO {owner}" + ("" if request.shared else f"; DROP OWNED BY {before}")
    connection = administrator(request.server, request.patience)
    execute(connection, request.create)
    execute(connection, f"{request.roles}; GRANT {before} TO {owner}" if request.superuser else request.roles)
    if request.superuser:
        # A connection costs more than the hand-over itself, so the one that the copy is used through does it: as a member
        # of the roles that owned all, which it no longer is when somebody else's SQL comes.
        keep_seat(request.login, hand_over, request.session)
        execute(connection, f"REVOKE {before} FROM {owner}")
    else:
        with administrate(request.server, request.login.database, request.patience) as inside:
            execute(inside, _OPEN_SCHEMAS.format(owner=owner))
            execute(inside, hand_over)
    return Done()


@_answered
def settle(request: LoginOrder) -> Done:
    """Makes a private copy one that can be cloned: nobody is connected any more, and whatever its own role has made belongs to
    the owner, like everything else."""
    login = request.login
    connection = administrator(request.server, request.patience)
    _empty(connection, login.database)
    if connection.execute(_BELONGINGS, [login.database, login.role]).fetchone():
        with administrate(request.server, login.database, request.patience) as inside:
            execute(inside, f"REASSIGN OWNED BY {login.role} TO {login.owner}; DROP OWNED BY {login.role}")
        _empty(connection, login.database)
    return Done()


@_answered
def remove(request: LoginOrder) -> Done:
    """Its role goes, and a private database with it."""
    login = request.login
    connection = administrator(request.server, request.patience)
    if login.private:
        _empty(connection, login.database)
        execute(connection, f"DROP DATABASE IF EXISTS {login.database} WITH (FORCE)")
    else:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = %s", [login.role])
    execute(connection, f"DROP ROLE IF EXISTS {login.role}" + (f", {login.owner}" if login.private else ""))
    return Done()


def rights(request: TemplateCheck) -> list[TemplateRights] | ServerGone:
    """What may be done with each template; nothing of those that are not there."""
    templates: list[TemplateRights] = []
    try:
        for name in request.templates:
            row = administrator(request.server, request.patience).execute(_DATABASE, [name]).fetchone()
            if row is not None:
                owned, readable = _contents(request, name)
                templates.append(TemplateRights(name, str(row[0]), bool(row[1]) and owned, readable, str(row[2])))
    except (Unreachable, psycopg.Error) as error:
        return ServerGone(one_line(error))
    return templates


def _contents(request: TemplateCheck, name: str) -> tuple[bool, bool]:
    """Whether all in it is ours, and whether all of it can be read."""
    try:
        with administrate(request.server, name, 0) as inside:
            owned, readable = inside.execute(_RIGHTS).fetchone() or (False, False)
            return bool(owned), bool(readable)
    except (Unreachable, psycopg.Error):
        return False, False  # it does not let us in


@_answered
def describe(request: Contents) -> Description | BrokenTemplate:
    comment = _comment(administrator(request.server, request.patience), request.template)
    if isinstance(comment, BrokenTemplate):
        return comment
    with administrate(request.server, request.base, request.patience) as connection:
        return _describe(connection, comment.get("digest"))


def _describe(connection: Connection, digest: Any) -> Description | BrokenTemplate:
    tables: dict[str, int] = {}
    for schema, name in connection.execute(_TABLES).fetchall():
        count = SQL("SELECT count(*) FROM {}").format(Identifier(schema, name))
        (rows,) = connection.execute(count).fetchone() or (0,)
        tables[name if schema == "public" else f"{schema}.{name}"] = rows
    if not any(tables.values()):
        return BrokenTemplate("it holds no rows" if tables else "it holds no tables")
    return Description(tables, digest if isinstance(digest, str) and digest else _digest(connection, tables))


def _digest(connection: Connection, tables: dict[str, int]) -> str:
    connection.execute("SET search_path = ''")
    content = [list(tables.items()), connection.execute(_COLUMNS).fetchall()]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _comment(connection: Connection, template: str) -> dict[str, Any] | BrokenTemplate:
    """What whoever loaded the template noted about it."""
    query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s::text::name"
    row = connection.execute(query, [template]).fetchone()
    if row is None:
        return BrokenTemplate(f"there is no database {template} on the PostgreSQL server")
    try:
        comment = msgspec.json.decode(row[0] or "{}", type=dict[str, Any])
    except msgspec.MsgspecError:
        return {}
    return BrokenTemplate(str(comment["broken"])) if comment.get("broken") else comment


def _clone(connection: Connection, request: BaseClone, name: str, template: str) -> None:
    execute(connection, f"CREATE DATABASE {name} OWNER {keeper(request.run)} TEMPLATE {quoted(template)}{request.strategy}")


def _empty(connection: Connection, database: str) -> None:
    """Ends all connections to it. A clone of a database that has some is refused, and DROP DATABASE, when it meets one that is
    just closing, looks again only after a tenth of a second."""
    until = time.monotonic() + _SECONDS_TO_LEAVE
    # Without the view pg_stat_activity, which takes longer to plan than to read.
    end = """
        SELECT pg_terminate_backend(pid) FROM pg_stat_get_activity(NULL)
        WHERE datid = (SELECT oid FROM pg_database WHERE datname = $1::text::name)
    """
    while execute(connection, end, database).ntuples and time.monotonic() < until:
        time.sleep(_STEP)


def _shrink(request: BaseClone) -> None:
    """Most of a small database are the system's own tables. Packed they need a quarter fewer files, and every copy is quicker.

    Only a superuser may do that. The second connection writes the cache of those tables, which each copy then has, too.
    """
    if request.superuser:
        with administrate(request.server, request.ground, request.patience) as connection:
            for (table,) in connection.execute(_SYSTEM_TABLES).fetchall():
                execute(connection, f"VACUUM (FULL) {table}")
        administrate(request.server, request.ground, request.patience).close()


def _take_locks_away(request: BaseClone) -> None:
    """Episodes that read the same database must not wait for one another: who wants such a lock gets a copy of its own.

    Only a superuser can arrange that; with another administrator, see `statements`.
    """
    with administrate(request.server, request.base, request.patience) as connection:
        if request.superuser:
            query = r"SELECT oid::regprocedure::text FROM pg_proc WHERE proname ~ '^pg_(try_)?advisory_'"
            for (function,) in connection.execute(query).fetchall():
                execute(connection, f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC")


def _give_to_owner(request: BaseClone) -> None:
    with administrate(request.server, request.ground, request.patience) as connection:
        connection.execute("SELECT set_config('touchstone.owner', %s, false)", [owner(request.run)])
        execute(connection, files(__package__ or "").joinpath("own.sql").read_text())
