"""Where a run's databases come from: SQLite files in the dataset, a private PostgreSQL server, or one of the user's.

A private server has all databases of the dumps in it: one prepared store then serves every selection of tasks.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from ...distribution import pip_install
from ...failures import InputError
from ...options import OptionError
from ...protocols import Opening
from .tasks import InteractTask
from .worlds import PostgresWorlds, SqliteWorlds, Worlds, sqlite_file

if TYPE_CHECKING:
    from ...engines.postgres.dumps import Loaded
    from ...engines.postgres.server import Server
    from .config import InteractConfig

DUMPS = "postgre_table_dumps"
_IMAGE_USER, _IMAGE_PASSWORD = "root", "123123"  # the published image's, which everybody knows

Say = Callable[[str], None]


async def open_databases(config: InteractConfig, tasks: Sequence[InteractTask], opening: Opening) -> Worlds:
    """The databases of these tasks, as the options say; the opening's stack closes them."""
    if _is_sqlite(config, tasks):
        from ...engines.cache import default_path
        from ...engines.sqlite.engine import SqliteEngine

        _warn_of_missing(config.directory, tasks, opening.say)
        if config.locale is not None:
            raise OptionError(
                "locale", config.locale, "it is for PostgreSQL, and the databases of this dataset are SQLite files"
            )
        engine = SqliteEngine(cache=default_path() if config.cache else None, today=config.today)
        opening.stack.push_async_callback(engine.close)
        return SqliteWorlds(engine, config.directory)
    refuse_without_driver()
    from ...engines.postgres.engine import PostgresEngine

    server = own_server(config.database_url, config.db_host, config.db_port)
    if server is None:
        server = await _private_server(config, opening.stack, opening.say)
    else:
        _refuse_for_own_server(config)
    postgres = PostgresEngine(server, today=config.today)
    opening.stack.push_async_callback(postgres.close)
    facts = await postgres.start(sorted({task.database for task in tasks}))
    return PostgresWorlds(postgres, config.directory, facts)


def own_server(url: str | None, host: str | None = None, port: int | None = None) -> Server | None:
    """The server that the user named, by address or by host and port."""
    if url:
        return server_at(url)
    if host is None and port is None:
        return None
    user = quote(os.environ.get("PGUSER", _IMAGE_USER))
    password = quote(os.environ.get("PGPASSWORD", _IMAGE_PASSWORD))
    return server_at(f"postgresql://{user}:{password}@{host or 'localhost'}:{port or 5432}")


def server_at(url: str) -> Server:
    """From an address. What it leaves out comes from the usual variables: PGUSER, PGPASSWORD."""
    from ...engines.postgres.server import Server

    parts = urlsplit(url)
    if parts.scheme not in ("postgresql", "postgres") or not (parts.netloc or "host=" in parts.query):
        raise OptionError("database_url", None, "expected an address such as postgresql://user@host:5432")
    try:
        port = parts.port or 5432
    except ValueError:
        raise OptionError("database_url", None, "the port is not a number between 0 and 65535") from None
    options = dict(parse_qsl(parts.query))
    return Server(
        host=options.pop("host", parts.hostname or "localhost"),
        port=port,
        user=unquote(parts.username or os.environ.get("PGUSER") or "postgres"),
        password=unquote(parts.password) if parts.password else os.environ.get("PGPASSWORD"),
        options=options,
    )


async def load_dumps(
    dumps: Path, server: Server | None, say: Say, only: Sequence[str] = (), *, replace: bool = False
) -> Sequence[Loaded]:
    """Loads the dumps into a server of the user's, or into the store that later runs copy, where nothing is loaded twice."""
    refuse_without_driver()
    if server is None:
        from ...engines.postgres.store import default_cache, prepared

        return (await prepared(dumps, None, default_cache(), say)).loaded
    from ...engines.postgres.dumps import find, load

    wanted = find(dumps, only or None)
    there = [] if replace else await asyncio.to_thread(_there, server, [f"{name}_template" for name in wanted])
    if there:
        raise InputError(f"the server has these databases already: {', '.join(there)}; --replace drops them and loads anew")
    return await asyncio.to_thread(load, server, dumps, only or None, say)


def refuse_without_driver() -> None:
    if find_spec("psycopg") is None:
        raise InputError(f"PostgreSQL needs the driver: {pip_install('interact')}")


def _is_sqlite(config: InteractConfig, tasks: Sequence[InteractTask]) -> bool:
    if config.engine != "auto":
        return config.engine == "sqlite"
    if config.database_url or config.db_host or config.db_port or config.dumps:
        return False
    return any(sqlite_file(config.directory, task).is_file() for task in tasks)


def _warn_of_missing(directory: Path, tasks: Sequence[InteractTask], say: Say) -> None:
    files = {task.database: sqlite_file(directory, task) for task in tasks}
    missing = sorted(name for name, file in files.items() if not file.is_file())
    if len(missing) == len(files):
        example = files[missing[0]]
        raise InputError(f"{directory}: none of the {len(files)} databases is here; expected for example {example}")
    if missing:
        say(f"{len(missing)} databases are not in {directory}: {', '.join(missing)}; their tasks are unscorable")


def _find_dumps(directory: Path, named: Path | None) -> Path:
    """The dumps that were named, or those in the dataset or beside it."""
    if named is not None:
        return named
    for path in (directory / DUMPS, directory.parent / DUMPS):
        if path.is_dir():
            return path
    why = f"{directory} has no databases: give the published {DUMPS}, or the address of a server as database-url"
    raise OptionError("dumps", None, why)


async def _private_server(config: InteractConfig, stack: AsyncExitStack, say: Say) -> Server:
    from ...engines.postgres.embedded import embedded_server
    from ...engines.postgres.store import default_cache, prepared

    dumps = _find_dumps(config.directory, config.dumps)
    store = await prepared(dumps, None, default_cache(), say, locale=config.locale)
    return await stack.enter_async_context(embedded_server(store.data, today=config.today))


def _refuse_for_own_server(config: InteractConfig) -> None:
    for option in ("today", "locale"):
        if (value := getattr(config, option)) is not None:
            raise OptionError(option, value, "it is for the private server; one of your own has its own clock and order")


def _there(server: Server, names: list[str]) -> list[str]:
    import psycopg

    try:
        with psycopg.connect(server.conninfo("postgres")) as connection:
            rows = connection.execute("SELECT datname FROM pg_database WHERE datname = ANY(%s) ORDER BY 1", (names,))
            return [name for (name,) in rows.fetchall()]
    except psycopg.Error as error:
        raise InputError(f"the PostgreSQL server cannot be used: {' '.join(str(error).split())}") from None
