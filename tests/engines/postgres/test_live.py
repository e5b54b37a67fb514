"""A live database: a role that could write is refused, and nothing that is sent changes anything."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AsyncExitStack

import pytest

from touchstone.engines.judging_connection import JudgingConnection
from touchstone.engines.postgres.live import LiveEngine, open_live
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.errors import InputError, SqlError
from touchstone.protocols import Limits, Opening

from .conftest import administer

LIMITS = Limits(seconds=10)


def total(bench: JudgingConnection, table: str) -> int:
    return bench.run(f"SELECT count(*) FROM {table}").rows[0][0]


def url(server: PostgresServer, role: str) -> str:
    return f"postgresql://{role}@/live?host={server.host}&port={server.port}"


@pytest.fixture(scope="module")
def live(server: PostgresServer) -> Iterator[PostgresServer]:
    administer(server, "CREATE DATABASE live", "CREATE ROLE reader LOGIN", "CREATE ROLE writer LOGIN")
    administer(server, "CREATE ROLE counter LOGIN", "CREATE ROLE member LOGIN NOINHERIT", "GRANT writer TO member")
    administer(
        server,
        "CREATE TABLE item (id int, name text); INSERT INTO item VALUES (1, 'a'), (2, 'b'); CREATE SEQUENCE ticket",
        "CREATE FUNCTION sly() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'DELETE FROM item RETURNING id'",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
        "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader, writer; GRANT UPDATE (name) ON item TO writer",
        "GRANT USAGE ON SEQUENCE ticket TO counter",
        database="live",
    )
    yield server
    administer(
        server,
        "DROP DATABASE live WITH (FORCE)",
        "DROP ROLE reader",
        "DROP ROLE writer",
        "DROP ROLE counter",
        "DROP ROLE member",
    )


async def opened(server: PostgresServer, role: str, stack: AsyncExitStack) -> LiveEngine:
    place = url(PostgresServer(server.host, server.port, role), role).replace(f"&port={server.port}", "")
    return await open_live(place.replace("@/", f"@localhost:{server.port}/"), Opening(stack=stack))


@pytest.mark.parametrize(
    ("role", "why"),
    [
        ("writer", "can write to item"),
        ("postgres", "is a superuser"),
        ("member", "can write to item"),  # by SET ROLE
        ("counter", "can advance ticket"),
    ],
)
async def test_a_role_that_could_write_is_refused(live: PostgresServer, role: str, why: str) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match=why):
            await opened(live, live.user if role == "postgres" else role, stack)


async def test_a_role_that_reads_reads(live: PostgresServer) -> None:
    async with AsyncExitStack() as stack:
        engine = await opened(live, "reader", stack)
        database = engine.database("live")
        assert "a" in (await database.show("SELECT name FROM item", LIMITS)).text
        assert await database.judge(total, "item", LIMITS, wall=30) == 2
        assert engine.versions["PostgreSQL"]
        assert (await engine.digests(["live"]))["live"]


HOSTILE = [
    "DELETE FROM item",
    "SELECT sly()",
    "SELECT nextval('ticket')",
    "SELECT 1; DELETE FROM item",
    "COMMIT; DELETE FROM item",
    "SET TRANSACTION READ WRITE",
    "SELECT set_config('transaction_read_only', 'off', false), sly()",
    "CREATE TABLE mine (a int)",
    "SELECT * INTO mine FROM item",
    "COPY item TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT lo_create(0)",
    "DO $$ BEGIN DELETE FROM item; END $$",
    "SELECT pg_advisory_lock(1)",
    "EXPLAIN ANALYZE DELETE FROM item",
    "WITH gone AS (DELETE FROM item RETURNING *) SELECT * FROM gone",
]


ROLLED_BACK = ("SELECT lo_create(0)",)
"""Before PostgreSQL 16 a read-only transaction lets it pass."""


async def test_nothing_is_written(live: PostgresServer) -> None:
    async with AsyncExitStack() as stack:
        database = (await opened(live, "reader", stack)).database("live")
        for sql in HOSTILE:
            try:
                await database.show(sql, LIMITS)
            except SqlError:
                continue
            assert sql in ROLLED_BACK
    state = "SELECT (SELECT count(*) FROM item), last_value, (SELECT count(*) FROM pg_largeobject_metadata) FROM ticket"
    assert administer(live, state, database="live") == [(2, 1, 0)]


async def test_an_address_that_nobody_is_at_is_told(live: PostgresServer) -> None:
    async with AsyncExitStack() as stack:
        with pytest.raises(InputError, match="names no database"):
            await open_live("postgresql://reader@localhost:1", Opening(stack=stack))
