"""A run on a server: the lock that shows that it lives, the roles that it works with, and tidying up after runs that died.

Every database of a run is owned by its keeper, a role that nobody logs in as, and the names of the roles of its episodes hold
its id. So all that a run has made can be found. (Roles with a common group could leave one another notes there.)
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets

import psycopg
from psycopg.sql import SQL, Identifier, Literal

from .connection import MAINTENANCE, OURS, Connection, Unreachable, administrate, connect, one_line
from .messages import Done, Facts, Hold, PostgresServer, ServerGone, Unfit
from .names import keeper, of_episodes, owner, quoted

OLDEST = 14
_KEEPER = re.compile(keeper(r"([a-z0-9]+)") + "$")

_lock: Connection | None = None


def hold(request: Hold) -> Facts | Unfit:
    """Checks the server, takes the run's lock and makes its two roles. The lock lasts as long as this process."""
    global _lock
    try:
        _lock = administrate(request.server, MAINTENANCE, request.patience)
        facts = _facts(_lock)
        if isinstance(facts, Unfit):
            return facts
        if not _try_lock(_lock, request.run):
            return Unfit(f"another run with the id {request.run} is at work on this PostgreSQL server")
        _sweep_dead(_lock)
        _make_roles(_lock, request, facts)
        return _check_logins(_lock, request.server) or facts
    except Unreachable as error:
        return Unfit(f"the PostgreSQL server cannot be used: {error}")
    except psycopg.Error as error:
        return Unfit(f"the PostgreSQL server cannot be used: {one_line(error)}")


def let_go(request: Hold) -> Done | ServerGone:
    """Drops all that the run has made, and gives its lock back."""
    global _lock
    try:
        if _lock is None or _lock.closed or _lock.broken:
            _lock = administrate(request.server, MAINTENANCE, 0)
        _sweep(_lock, request.run)
    except (Unreachable, psycopg.Error) as error:
        return ServerGone(one_line(error))
    finally:
        if _lock is not None:
            _lock.close()
        _lock = None
    return Done()


def _facts(connection: Connection) -> Facts | Unfit:
    major = connection.info.server_version // 10000
    version = (connection.info.parameter_status("server_version") or str(major)).split()[0]
    if major < OLDEST:
        return Unfit(f"PostgreSQL {OLDEST} or newer is needed; the server is version {version}")
    query = "SELECT rolsuper, rolcreatedb, rolcreaterole FROM pg_roles WHERE rolname = current_user"
    superuser, creates_databases, creates_roles = connection.execute(query).fetchone() or (False, False, False)
    has = {"CREATEDB": superuser or creates_databases, "CREATEROLE": superuser or creates_roles}
    lacking = [right for right in has if not has[right]]
    if lacking:
        needs = f"the role {connection.info.user} needs {' and '.join(lacking)} on the PostgreSQL server"
        why = "every episode gets a database and a role of its own"
        return Unfit(f"{needs}: {why}; a superuser can run: ALTER ROLE {quoted(connection.info.user)} {' '.join(lacking)}")
    return Facts(major, version, superuser, _collation(connection, major))


def _collation(connection: Connection, major: int) -> str:
    icu = "NULL" if major < 15 else "daticulocale" if major < 17 else "datlocale"
    query = f"SELECT datcollate, {icu} FROM pg_database WHERE datname = current_database()"
    of_libc, of_icu = connection.execute(query.encode()).fetchone() or ("", None)
    return f"ICU {of_icu}" if of_icu else str(of_libc)


def _try_lock(connection: Connection, run: str) -> bool:
    return bool(connection.execute("SELECT pg_try_advisory_lock(%s)", [_key(run)]).fetchone() == (True,))


def _key(run: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"touchstone {run}".encode(), digest_size=8).digest(), signed=True)


def _make_roles(connection: Connection, request: Hold, facts: Facts) -> None:
    past_policies = SQL("BYPASSRLS" if facts.superuser else "")  # row policies are not to change what agents see
    for role, options in ((keeper(request.run), SQL("")), (owner(request.run), past_policies)):
        member = Identifier(request.server.user)
        connection.execute(SQL("CREATE ROLE {} NOLOGIN {} ROLE {}").format(Identifier(role), options, member))


def _check_logins(connection: Connection, server: PostgresServer) -> Unfit | None:
    """Whether roles that are made here are let in, which for example peer authentication does not do."""
    role = f"touchstone_probe_{secrets.token_hex(4)}"
    password = secrets.token_hex(16) if server.needs_passwords else None
    clause = SQL("PASSWORD {}").format(Literal(password)) if password else SQL("")
    connection.execute(SQL("CREATE ROLE {} LOGIN {}").format(Identifier(role), clause))
    open_to_all = "SELECT has_database_privilege(%s, %s, 'CONNECT')"
    try:
        if connection.execute(open_to_all, [role, MAINTENANCE]).fetchone() == (True,):
            connect(server.as_role(role, password).conninfo(MAINTENANCE, **OURS), 0).close()
    except Unreachable as error:
        return Unfit(f"the PostgreSQL server does not let in the roles that are made for episodes: {error}")
    finally:
        connection.execute(SQL("DROP ROLE {}").format(Identifier(role)))
    return None


def _sweep_dead(connection: Connection) -> None:
    for (role,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname LIKE 'touchstone%'").fetchall():
        keeper = _KEEPER.match(role)
        if keeper and _try_lock(connection, keeper[1]):
            _sweep(connection, keeper[1])
            connection.execute("SELECT pg_advisory_unlock(%s)", [_key(keeper[1])])


def _sweep(connection: Connection, run: str) -> None:
    """What cannot be dropped stays for the next run to try."""
    databases = "SELECT datname FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba WHERE rolname = %s"
    for (name,) in connection.execute(databases, [keeper(run)]).fetchall():
        with contextlib.suppress(psycopg.DatabaseError):
            connection.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))
    members = "SELECT rolname FROM pg_roles WHERE rolname ~ %s"
    logins = [name for (name,) in connection.execute(members, [of_episodes(run)]).fetchall()]
    connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = ANY (%s)", [logins])
    for name in (*logins, owner(run), keeper(run)):
        with contextlib.suppress(psycopg.DatabaseError):
            connection.execute(SQL("DROP ROLE IF EXISTS {}").format(Identifier(name)))
