"""Connections, workers and servers that go away while a run is at work."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from touchstone.engines.postgres import connection
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.errors import DatabaseFailure
from touchstone.protocols import Limits

from . import functions
from .conftest import administer, explore, look, make_template
from .functions import Work

pytestmark = pytest.mark.asyncio(loop_scope="module")

SLEEPING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
NAP = "pg_sleep(2)"
"""Long enough to be found at it, on a busy machine too."""


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One that may be hurt."""
    with started() as server:
        make_template(server, "shop")
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(server: PostgresServer) -> AsyncIterator[PostgresEngine]:
    engine = PostgresEngine(server, patience=30)
    yield engine
    await engine.close()


async def sleeper(server: PostgresServer) -> int:
    """The server process of a statement that sleeps."""
    for _ in range(1000):
        if found := administer(server, SLEEPING):
            return found[0][0]
        await asyncio.sleep(0.02)
    raise AssertionError("nothing sleeps")


@pytest.mark.parametrize("start", ["", "DELETE FROM sales; "])
async def test_a_statement_whose_connection_is_lost_is_tried_again(
    engine: PostgresEngine, server: PostgresServer, start: str
) -> None:
    world = engine.world("shop", "task")
    working = asyncio.create_task(look(world, f"{start}SELECT {NAP}, count(*) FROM items"))
    administer(server, f"SELECT pg_terminate_backend({await sleeper(server)})")
    assert await working == [("", "3")]
    await world.close()


async def test_a_judgement_whose_connection_is_lost_is_tried_again(engine: PostgresEngine, server: PostgresServer) -> None:
    world = engine.world("shop", "task")
    for writes in (False, True):
        work = Work(["INSERT INTO items (name) VALUES ('x') RETURNING id", f"SELECT {NAP}"])
        working = asyncio.create_task(world.judge(functions.run_all, work, Limits(seconds=5), writes=writes, wall=30))
        administer(server, f"SELECT pg_terminate_backend({await sleeper(server)})")
        assert (await working).results == [[["4"]], [["''"]]]
    await world.close()


async def test_connections_that_died_while_idle_are_replaced(engine: PostgresEngine, server: PostgresServer) -> None:
    world = engine.world("shop", "task")
    for _ in range(2):
        assert await look(world, "SELECT count(*) FROM items") == [("3",)]
        assert await look(world, "DELETE FROM sales; SELECT 1") == [("1",)]
        everybody = "FROM pg_stat_activity WHERE usename IS NOT NULL AND pid <> pg_backend_pid()"
        administer(server, f"SELECT pg_terminate_backend(pid, 2000) {everybody}")
    await world.close()


async def test_a_worker_that_is_killed_is_replaced(engine: PostgresEngine, server: PostgresServer) -> None:
    world = engine.world("shop", "task")
    working = asyncio.create_task(look(world, f"SELECT {NAP}, count(*) FROM items"))
    pid = await sleeper(server)
    for worker in [worker for worker in engine.pool._workers if worker.is_busy]:
        os.kill(worker.pid, signal.SIGKILL)
    assert await working == [("", "3")]
    for _ in range(400):
        if not administer(server, f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}"):
            break
        await asyncio.sleep(0.05)
    assert administer(server, f"SELECT 1 FROM pg_stat_activity WHERE pid = {pid}") == []
    await world.close()


async def test_a_server_that_crashes_and_comes_back(engine: PostgresEngine, server: PostgresServer) -> None:
    worlds = [engine.world("shop", f"task {number}") for number in range(3)]
    await worlds[1].advance(["CREATE TABLE mine AS SELECT 7 AS n"], Limits(seconds=5))
    texts = [f"SELECT {NAP}, count(*) FROM items", f"SELECT {NAP}, n FROM mine", f"DELETE FROM sales; SELECT {NAP}, 1"]
    working = asyncio.gather(*(look(world, text) for world, text in zip(worlds, texts, strict=True)))
    os.kill(await sleeper(server), signal.SIGKILL)
    assert await working == [[("", "3")], [("", "7")], [("", "1")]]
    for world in worlds:
        await world.close()


async def test_a_server_that_is_gone() -> None:
    with started() as server:
        make_template(server, "shop")
        engine = PostgresEngine(server, patience=0.2)
        world, advanced, unused = (engine.world("shop", f"task {number}") for number in range(3))
        await explore(world, "SELECT 1")
        await advanced.advance(["DELETE FROM sales"], Limits(seconds=5))
        working = asyncio.create_task(look(world, "SELECT pg_sleep(600)", seconds=600))
        await sleeper(server)
        os.kill(int((Path(server.host).parent / "data" / "postmaster.pid").read_text().split()[0]), signal.SIGQUIT)
        with pytest.raises(DatabaseFailure, match="the PostgreSQL server cannot be reached: ") as caught:
            await working
        assert "\n" not in str(caught.value)
        for one in (world, advanced, unused):
            with pytest.raises(DatabaseFailure):
                await explore(one, "SELECT 1; SELECT 2")
            with pytest.raises(DatabaseFailure):
                await one.judge(functions.run_all, Work(["SELECT 1"]), Limits(), wall=30)
            await one.close()
        await engine.close()


async def test_a_cancelled_episode_leaves_nothing_running(engine: PostgresEngine, server: PostgresServer) -> None:
    world = engine.world("shop", "task")
    working = asyncio.create_task(explore(world, "SELECT 1; SELECT pg_sleep(30)", seconds=30))
    await sleeper(server)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    await world.close()
    for _ in range(400):
        if not administer(server, SLEEPING):
            break
        await asyncio.sleep(0.05)
    assert administer(server, SLEEPING) == []


async def test_a_server_that_is_slow_to_answer_is_not_one_that_refuses(
    server: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_SECONDS_TO_BE_LET_IN", 0.2)
    attempts: list[float] = []

    def third_time() -> psycopg.Connection:
        attempts.append(time.monotonic())
        if len(attempts) < 3:
            time.sleep(0.3)
            raise psycopg.OperationalError("connection timeout expired")
        return psycopg.connect(server.conninfo("postgres"))

    connection._connect(third_time, server.conninfo("postgres"), patience=60).close()
    assert len(attempts) == 3
