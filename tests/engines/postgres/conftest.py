"""One PostgreSQL server for the session, one engine per module, as the episodes of a run share one.

Whatever a test's worlds do, the template, and what a new world sees of it, must be as before: this is checked after every test.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.errors import SqlError
from touchstone.protocols import Limits
from touchstone.types import Table

SHOP = """
    CREATE TABLE items (id serial PRIMARY KEY, name text NOT NULL, price numeric(8, 2), tags text[], more jsonb, made date);
    INSERT INTO items (name, price, tags, more, made) VALUES
        ('bowl', 12.50, '{blue,round}', '{"weight": 1.5}', '2024-02-29'), ('Schüssel 北京', 7, NULL, NULL, 'infinity'),
        ('cup', NULL, '{}', '[1, null]', '0044-03-15 BC');
    CREATE TABLE sales (item int REFERENCES items, sold timestamptz, amount int CHECK (amount > 0));
    INSERT INTO sales SELECT 1 + n % 3, '2024-01-01 12:00+00'::timestamptz + n * interval '1 hour', 1 + n % 5
        FROM generate_series(1, 40) AS n;
    CREATE VIEW cheap AS SELECT * FROM items WHERE price < 10;
    CREATE SEQUENCE tickets;
    CREATE FUNCTION add_item(text) RETURNS int LANGUAGE sql AS 'INSERT INTO items (name) VALUES ($1) RETURNING id';
"""
FINGERPRINT = """
    SELECT (SELECT string_agg(i::text, ';' ORDER BY id) FROM items AS i), (SELECT sum(amount) FROM sales),
        (SELECT string_agg(concat(relname, relkind, relowner::regrole), ',' ORDER BY relname)
            FROM pg_class WHERE relnamespace = 'public'::regnamespace),
        (SELECT last_value FROM tickets), (SELECT last_value FROM items_id_seq), (SELECT count(*) FROM pg_proc),
        (SELECT count(*) FROM pg_namespace), (SELECT count(*) FROM pg_largeobject_metadata), current_setting('search_path')
"""

OpenWorld = Callable[..., PostgresEpisodeDatabase]


def administer(server: PostgresServer, *statements: str, database: str = "postgres") -> list[tuple[Any, ...]]:
    """Runs statements as the administrator; the rows of the last one."""
    with psycopg.connect(server.conninfo(database), autocommit=True) as connection:
        for statement in statements:
            cursor = connection.execute(statement.encode())
        return cursor.fetchall() if cursor.description else []


def make_template(server: PostgresServer, database: str, script: str = SHOP) -> None:
    administer(server, f'CREATE DATABASE "{database}_template"')
    administer(server, script, database=f"{database}_template")


def left_behind(server: PostgresServer) -> set[str]:
    """Databases and roles that a run makes."""
    query = "SELECT datname FROM pg_database UNION ALL SELECT rolname FROM pg_roles"
    return {name for (name,) in administer(server, query) if name.startswith(("ts_", "touchstone_"))}


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with started() as server:
        make_template(server, "shop")
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(server: PostgresServer) -> AsyncIterator[PostgresEngine]:
    engine = PostgresEngine(server, patience=1)
    yield engine
    await engine.close()


@pytest_asyncio.fixture(loop_scope="module")
async def open_world(engine: PostgresEngine) -> AsyncIterator[OpenWorld]:
    """Opens worlds. In the end, all that they did is gone."""
    worlds: list[PostgresEpisodeDatabase] = []

    def open_one(database: str = "shop") -> PostgresEpisodeDatabase:
        worlds.append(engine.world(database, f"task {len(worlds)}"))
        return worlds[-1]

    before = await look(open_one(), FINGERPRINT)
    yield open_one
    assert await look(open_one(), FINGERPRINT) == before
    for world in worlds:
        await world.close()


@pytest.fixture
def world(open_world: OpenWorld) -> PostgresEpisodeDatabase:
    return open_world()


async def explore(world: PostgresEpisodeDatabase, sql: str, **limits: Any) -> Table:
    return await world.explore(sql, Limits(**{"seconds": 10.0, **limits}))


async def look(world: PostgresEpisodeDatabase, sql: str, **limits: Any) -> list[tuple[Any, ...]]:
    """The rows."""
    return [tuple(row) for row in (await explore(world, sql, **limits)).rows]


async def fault(world: PostgresEpisodeDatabase, sql: str, **limits: Any) -> tuple[str, str]:
    """The kind and the message of the error that a text gives."""
    with pytest.raises(SqlError) as caught:
        await explore(world, sql, **limits)
    return caught.value.kind, caught.value.message
