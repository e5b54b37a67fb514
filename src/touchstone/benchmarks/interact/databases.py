"""Where a run's databases come from: SQLite files in the dataset, a private PostgreSQL server, or one of the user's.

A private server has all databases of the dumps in it: one prepared store then serves every selection of tasks.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from ...errors import InputError
from ...options import OptionError
from ...plugins import open_engine
from ...protocols import Opening
from .episode_databases import EpisodeDatabases, PostgresDatabases, SqliteDatabases, sqlite_file
from .tasks import InteractTask

if TYPE_CHECKING:
    from ...engines.postgres.dumps import LoadedDatabase
    from ...engines.postgres.engine import PostgresEngine
    from ...engines.postgres.messages import PostgresServer
    from ...engines.sqlite.engine import SqliteEngine
    from .config import InteractConfig

DUMPS = "postgre_table_dumps"
_IMAGE_USER, _IMAGE_PASSWORD = "root", "123123"  # the published image's, which everybody knows

Say = Callable[[str], None]


async def open_databases(config: InteractConfig, tasks: Sequence[InteractTask], opening: Opening) -> EpisodeDatabases:
    """The databases of these tasks, as the options say; the opening's stack closes them."""
    directory = config.directory
    if _is_sqlite(config, tasks):
        _warn_of_missing(directory, tasks, opening.say)
        for option in ("locale", "time_zone"):
            if (value := getattr(config, option)) is not None:
                raise OptionError(option, value, "it is for PostgreSQL, and the databases of this dataset are SQLite files")
        engine = await open_engine("sqlite", opening, place=str(directory), cache=config.cache, today=config.today)
        return SqliteDatabases(cast("SqliteEngine", engine), directory)
    from ...engines.postgres.config import server_at

    address = own_server(config.database_url, config.db_host, config.db_port)
    if address:
        server_at(address)  # a wrong one is refused as the option's value, without its password
        _refuse_for_own_server(config)
    source = address or str(_find_dumps(directory, config.dumps))
    options = {"today": config.today, "locale": config.locale, "time_zone": config.time_zone}
    engine = cast("PostgresEngine", await open_engine("postgres", opening, place=source, **options))
    await engine.start(sorted({task.database for task in tasks}))
    return PostgresDatabases(engine, directory)


def own_server(url: str | None, host: str | None = None, port: int | None = None) -> str | None:
    """The address of the server that the user named, by its address or by host and port."""
    if url or (host is None and port is None):
        return url
    user = quote(os.environ.get("PGUSER", _IMAGE_USER))
    password = quote(os.environ.get("PGPASSWORD", _IMAGE_PASSWORD))
    return f"postgresql://{user}:{password}@{host or 'localhost'}:{port or 5432}"


async def load_dumps(
    dumps: Path, address: str | None, say: Say, only: Sequence[str] = (), *, replace: bool = False
) -> Sequence[LoadedDatabase]:
    """Loads the dumps into a server of the user's, or into the store that later runs copy, where nothing is loaded twice."""
    from ...engines.postgres.config import refuse_without_driver, server_at

    refuse_without_driver("interact")
    if address is None:
        from ...engines.postgres.store import default_cache, prepared

        return (await prepared(dumps, None, default_cache(), say)).loaded
    from ...engines.postgres.dumps import find, load

    server, wanted = server_at(address), find(dumps, only or None)
    there = [] if replace else await asyncio.to_thread(_there, server, [f"{name}_template" for name in wanted])
    if there:
        raise InputError(f"the server already has these databases: {', '.join(there)}; --replace drops them and loads anew")
    return await asyncio.to_thread(load, server, dumps, only or None, say)


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


def _refuse_for_own_server(config: InteractConfig) -> None:
    for option in ("today", "locale"):
        if (value := getattr(config, option)) is not None:
            raise OptionError(option, value, "it is for the private server; one of your own has its own clock and order")


def _there(server: PostgresServer, names: list[str]) -> list[str]:
    import psycopg

    try:
        with psycopg.connect(server.conninfo("postgres")) as connection:
            rows = connection.execute("SELECT datname FROM pg_database WHERE datname = ANY(%s) ORDER BY 1", (names,))
            return [name for (name,) in rows.fetchall()]
    except psycopg.Error as error:
        raise InputError(f"the PostgreSQL server cannot be used: {' '.join(str(error).split())}") from None
