"""Where `touchstone interact` gets its databases: SQLite files, a private PostgreSQL server, or one of the user's."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ..api.worlds import has_sqlite, postgres_worlds, refuse_without_driver
from ..benchmarks.interact.tasks import InteractTask
from ..benchmarks.interact.worlds import SqliteWorlds, Worlds, sqlite_file
from ..failures import InputError
from .building import open_engine
from .conduct import say
from .interact_options import DatabaseOptions
from .options import JudgeOptions

if TYPE_CHECKING:
    from ..engines.postgres.dumps import Loaded
    from ..engines.postgres.server import Server

_IMAGE_USER, _IMAGE_PASSWORD = "root", "123123"  # the published image's, which everybody knows


async def open_worlds(
    directory: Path, tasks: Sequence[InteractTask], given: DatabaseOptions, judged: JudgeOptions, stack: AsyncExitStack
) -> Worlds:
    if _is_sqlite(directory, tasks, given):
        _warn_of_missing(directory, tasks)
        return SqliteWorlds(open_engine(judged, stack), directory)
    return await postgres_worlds(directory, stack, dumps=given.dumps, server=own_server(given), say=say)


def own_server(given: DatabaseOptions) -> Server | None:
    """The server that the user named, by address or by host and port."""
    if given.database_url:
        return server_at(given.database_url)
    if given.db_host is None and given.db_port is None:
        return None
    user = quote(os.environ.get("PGUSER", _IMAGE_USER))
    password = quote(os.environ.get("PGPASSWORD", _IMAGE_PASSWORD))
    return server_at(f"postgresql://{user}:{password}@{given.db_host or 'localhost'}:{given.db_port or 5432}")


def server_at(url: str) -> Server:
    """From an address. What it leaves out comes from the usual variables: PGUSER, PGPASSWORD."""
    from ..engines.postgres.server import Server

    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or not (parts.netloc or "host=" in parts.query):
        raise InputError("--database-url: expected an address such as postgresql://user@host:5432")
    try:
        port = parts.port or 5432
    except ValueError:
        raise InputError("--database-url: the port is not a number between 0 and 65535") from None
    options = dict(parse_qsl(parts.query))
    return Server(
        host=options.pop("host", parts.hostname or "localhost"),
        port=port,
        user=unquote(parts.username or os.environ.get("PGUSER") or "postgres"),
        password=unquote(parts.password) if parts.password else os.environ.get("PGPASSWORD"),
        options=options,
    )


async def prepared_store(dumps: Path) -> Sequence[Loaded]:
    """Loads the dumps into the store that later runs copy; what is there already is not loaded again."""
    from ..engines.postgres.store import default_cache, prepared

    return (await prepared(dumps, None, default_cache(), say)).loaded


async def load_into(server: Server, dumps: Path, only: Sequence[str], *, replace: bool) -> Sequence[Loaded]:
    """Loads the dumps into a server of the user's."""
    refuse_without_driver()
    from ..engines.postgres.dumps import find, load

    wanted = find(dumps, only or None)
    there = [] if replace else await asyncio.to_thread(_there, server, [f"{name}_template" for name in wanted])
    if there:
        raise InputError(f"the server has these databases already: {', '.join(there)}; --replace drops them and loads anew")
    return await asyncio.to_thread(load, server, dumps, only or None, say)


def _there(server: Server, names: list[str]) -> list[str]:
    import psycopg

    try:
        with psycopg.connect(server.conninfo("postgres")) as connection:
            rows = connection.execute("SELECT datname FROM pg_database WHERE datname = ANY(%s) ORDER BY 1", (names,))
            return [name for (name,) in rows.fetchall()]
    except psycopg.Error as error:
        raise InputError(f"the PostgreSQL server cannot be used: {' '.join(str(error).split())}") from None


def _is_sqlite(directory: Path, tasks: Sequence[InteractTask], given: DatabaseOptions) -> bool:
    if given.engine != "auto":
        return given.engine == "sqlite"
    if given.database_url or given.db_host or given.db_port or given.dumps:
        return False
    return has_sqlite(directory, tasks)


def _warn_of_missing(directory: Path, tasks: Sequence[InteractTask]) -> None:
    files = {task.database: sqlite_file(directory, task) for task in tasks}
    missing = sorted(name for name, file in files.items() if not file.is_file())
    if len(missing) == len(files):
        example = files[missing[0]]
        raise InputError(f"{directory}: none of the {len(files)} databases is here; expected for example {example}")
    if missing:
        say(f"{len(missing)} databases are not in {directory}: {', '.join(missing)}; their tasks are unscorable")
