"""Where BIRD-Interact's databases come from: SQLite files in the dataset, else templates on a PostgreSQL server.

Without a server of the user's a private one is started, with all databases of the dumps in it: one store then serves every
selection of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from ..benchmarks.interact.tasks import InteractTask
from ..benchmarks.interact.worlds import PostgresWorlds, SqliteWorlds, Worlds, sqlite_file
from ..distribution import pip_install
from ..engines.sqlite.engine import SqliteEngine
from ..failures import InputError

if TYPE_CHECKING:
    from ..engines.postgres.server import Server

DUMPS = "postgre_table_dumps"
Say = Callable[[str], None]


def silent(_: str) -> None:
    """A notebook is told by what comes back."""


async def open_worlds(
    directory: Path,
    tasks: Sequence[InteractTask],
    dumps: Path | None,
    sqlite: Callable[[], SqliteEngine],
    stack: AsyncExitStack,
) -> Worlds:
    if dumps is None and has_sqlite(directory, tasks):
        return SqliteWorlds(sqlite(), directory)
    return await postgres_worlds(directory, stack, dumps=dumps)


def has_sqlite(directory: Path, tasks: Sequence[InteractTask]) -> bool:
    return any(sqlite_file(directory, task).is_file() for task in tasks)


async def postgres_worlds(
    directory: Path, stack: AsyncExitStack, *, dumps: Path | None = None, server: Server | None = None, say: Say = silent
) -> Worlds:
    refuse_without_driver()
    from ..engines.postgres.engine import PostgresEngine

    engine = PostgresEngine(server or await _private_server(find_dumps(directory, dumps), stack, say))
    stack.push_async_callback(engine.close)
    return PostgresWorlds(engine, directory, await engine.start())


def find_dumps(directory: Path, given: Path | None) -> Path:
    """The dumps that were named, or those in the dataset or beside it."""
    if given is not None:
        return given
    for place in (directory / DUMPS, directory.parent / DUMPS):
        if place.is_dir():
            return place
    raise InputError(
        f"{directory}: there are no databases for these tasks: give --dumps (the published {DUMPS}) or --database-url"
    )


def refuse_without_driver() -> None:
    if find_spec("psycopg") is None:
        raise InputError(f"PostgreSQL needs the driver: {pip_install('interact')}")


async def _private_server(dumps: Path, stack: AsyncExitStack, say: Say) -> Server:
    from ..engines.postgres.embedded import embedded_server
    from ..engines.postgres.store import default_cache, prepared

    store = await prepared(dumps, None, default_cache(), say)
    return await stack.enter_async_context(embedded_server(store.data))
