"""Runs on a server: what they make, what they leave, what they need, and that they leave others alone."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import pytest_asyncio

from tests.workers.processes import until
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import Description, PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.engines.postgres.worker import PRELOAD
from touchstone.errors import InputError
from touchstone.protocols import Limits
from touchstone.workers.pool import Pool

from . import functions
from .conftest import administer, explore, left_behind, look, make_template
from .functions import Work

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=5)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    """One of this module's own, since its tests look at everything that is there."""
    with started() as server:
        make_template(server, "shop")
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[Pool]:
    pool = Pool(warm=4, preload=PRELOAD)
    yield pool
    await pool.close()


async def play(engine: PostgresEngine, database: str = "shop") -> None:
    """Uses all that there is."""
    world = engine.world(database, "task")
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]
    assert await look(world, "DELETE FROM sales; TABLE sales") == []
    assert (await world.judge(functions.run_all, Work(["TABLE items", "DROP TABLE sales"]), LIMITS, wall=30)).changed == [
        None,
        0,
    ]
    await world.advance(["SET ROLE NONE; CREATE TABLE mine (n int)"], LIMITS)
    assert await look(world, "INSERT INTO mine VALUES (1) RETURNING n") == [("1",)]
    await world.close()


async def test_a_run_leaves_nothing_behind(server: PostgresServer, pool: Pool) -> None:
    engine = PostgresEngine(server, pool=pool)
    await asyncio.gather(play(engine), play(engine))
    open_one = engine.world("shop", "not closed")
    await explore(open_one, "SELECT 1; COMMIT; ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC")
    await explore(open_one, "DELETE FROM sales")
    assert left_behind(server)
    await engine.close()
    assert left_behind(server) == set()
    assert await pool.call(functions.dialect_of, Work(), wall=10) == "postgres"  # the pool is its owner's


async def test_an_engine_that_was_never_used_touches_nothing(pool: Pool) -> None:
    engine = PostgresEngine(PostgresServer("/nowhere", 1, "nobody"), pool=pool)
    world = engine.world("shop", "task")
    await world.close()
    await engine.close()


async def test_what_dead_runs_left_is_dropped(server: PostgresServer, pool: Pool) -> None:
    own_pool = Pool(preload=PRELOAD)
    dead = PostgresEngine(server, pool=own_pool, run="dead", ahead=0)  # copies made ahead would come at any moment
    alive = PostgresEngine(server, pool=pool, run="alive", ahead=0)
    worlds = [engine.world("shop", "task") for engine in (dead, alive)]
    for world in worlds:
        await explore(world, "DELETE FROM sales")
    await own_pool.close()  # as when the process is killed
    administer(server, "CREATE DATABASE ts_dead_mine", "CREATE ROLE ts_dead_mine", "CREATE ROLE touchstone_owner_of_mine")
    before = left_behind(server)
    assert {name.split("_")[1] for name in before if name.startswith("ts_")} == {"dead", "alive"}
    for _ in range(100):  # until the server has noticed that the connection which held the lock is gone
        next_one = PostgresEngine(server, pool=pool)
        await next_one.start()
        await next_one.close()
        if "touchstone_keeper_dead" not in left_behind(server):
            break
    others = {"ts_dead_mine", "touchstone_owner_of_mine"}  # somebody's own, with names like ours
    assert left_behind(server) == {name for name in before if "_dead" not in name} | others
    assert await look(worlds[1], "DELETE FROM sales RETURNING 1") == [("1",)] * 40
    await alive.close()
    assert left_behind(server) == others
    administer(server, "DROP DATABASE ts_dead_mine", *(f"DROP ROLE {name}" for name in others))


async def test_a_run_that_is_alive_is_not_started_twice(server: PostgresServer, pool: Pool) -> None:
    first, second = (PostgresEngine(server, pool=pool, run="same") for _ in range(2))
    facts = await first.start()
    assert [(facts.version,)] == administer(server, "SELECT split_part(current_setting('server_version'), ' ', 1)")
    with pytest.raises(InputError, match="another run with the id same is at work"):
        await second.start()
    await first.close()


@pytest.mark.parametrize("run", ["", "A", "a b", "a_b", "x" * 17, "ä"])
async def test_ids_that_make_bad_names(server: PostgresServer, pool: Pool, run: str) -> None:
    with pytest.raises(InputError, match="not an id for a run"):
        PostgresEngine(server, pool=pool, run=run)


async def test_an_administrator_who_is_no_superuser(server: PostgresServer, pool: Pool) -> None:
    administer(server, "CREATE ROLE plain LOGIN CREATEDB CREATEROLE")
    plain = PostgresServer(server.host, server.port, "plain")
    make_template(plain, "plain")
    engine = PostgresEngine(plain, pool=pool)
    await play(engine, "plain")
    assert (await engine.describe("plain")).tables == {"items": 3, "sales": 40}
    with pytest.raises(InputError, match=r'may not read shop_template .owner: postgres.*: GRANT pg_read_all_data TO "plain"'):
        await engine.start(["plain", "shop", "no_such_database"])
    await engine.close()
    assert left_behind(server) == set()


async def test_templates_that_another_role_owns_are_copied(server: PostgresServer, pool: Pool) -> None:
    """As in the published image, whose templates belong to its superuser."""
    administer(server, "CREATE ROLE reader LOGIN CREATEDB CREATEROLE", "GRANT pg_read_all_data TO reader")
    engine = PostgresEngine(PostgresServer(server.host, server.port, "reader"), pool=pool)
    await engine.start(["shop"])
    await play(engine)
    assert (await engine.describe("shop")).tables == (await _of_superuser(server, pool)).tables
    await engine.close()
    assert left_behind(server) == set()


async def _of_superuser(server: PostgresServer, pool: Pool) -> Description:
    engine = PostgresEngine(server, pool=pool)
    try:
        return await engine.describe("shop")
    finally:
        await engine.close()


async def test_an_administrator_without_rights(server: PostgresServer, pool: Pool) -> None:
    administer(server, "CREATE ROLE weak LOGIN CREATEDB")
    engine = PostgresEngine(PostgresServer(server.host, server.port, "weak"), pool=pool)
    with pytest.raises(InputError, match=r'the role weak needs CREATEROLE on .*: ALTER ROLE "weak" CREATEROLE'):
        await engine.start()
    await engine.close()


async def test_a_server_that_is_not_there(server: PostgresServer, pool: Pool) -> None:
    for missing in (
        PostgresServer("/nowhere", 5432, "postgres"),
        PostgresServer("127.0.0.1", 1, "postgres"),
        PostgresServer(server.host, 1, "postgres"),
    ):
        engine = PostgresEngine(missing, pool=pool, patience=0.2)
        with pytest.raises(InputError) as caught:
            await explore(engine.world("shop", "task"), "SELECT 1")
        assert str(caught.value).startswith("the PostgreSQL server cannot be used: connection ")
        assert "\n" not in str(caught.value)
        await engine.close()


def lets_in(server: PostgresServer) -> bool:
    with suppress(psycopg.OperationalError):
        return bool(administer(server, "SELECT 1"))
    return False


async def test_passwords_and_who_is_let_in(pool: Pool) -> None:
    with started() as open_server:
        make_template(open_server, "shop")
        administer(open_server, "ALTER ROLE postgres PASSWORD 'it''s secret'")
        rules = Path(open_server.host).parent / "data" / "pg_hba.conf"
        closed = PostgresServer(open_server.host, open_server.port, "postgres", "it's secret", {"application_name": "mine"})

        rules.write_text("local all all scram-sha-256\n")
        administer(open_server, "SELECT pg_reload_conf()")
        await until(lambda: not lets_in(open_server))
        engine = PostgresEngine(closed, pool=pool)
        await play(engine)
        await engine.close()
        assert left_behind(closed) == set()

        wrong = PostgresEngine(PostgresServer(closed.host, closed.port, "postgres", "wrong"), pool=pool)
        with pytest.raises(InputError, match="password authentication failed"):
            await wrong.start()
        await wrong.close()

        rules.write_text("local all postgres trust\nlocal all all reject\n")
        administer(closed, "SELECT pg_reload_conf()")
        await until(lambda: lets_in(open_server))
        engine = PostgresEngine(open_server, pool=pool)
        with pytest.raises(InputError, match="does not let in the roles that are made for episodes: "):
            await engine.start()
        await engine.close()
        assert left_behind(closed) == set()


async def test_the_main_process_does_without_the_driver() -> None:
    code = "import sys, touchstone.engines.postgres.engine as e; sys.exit('psycopg' in sys.modules or not e.PostgresEngine)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0  # noqa: ASYNC221


async def test_a_session_that_was_opened_ahead_is_used_once(server: PostgresServer, pool: Pool) -> None:
    """After a judgement by a session of its own, the next copy comes with one, made in a pause."""
    engine = PostgresEngine(server, pool=pool, ahead=1)
    waiting = "SELECT pid FROM pg_stat_activity WHERE datname ~ '^ts_.*_c[0-9]+$' AND usename ~ '^ts_'"
    world, ahead, process = engine.world("shop", "task"), set[int](), 0
    try:
        while process not in ahead:  # the first has none, and later ones only if a pause was long enough
            ahead = {pid for (pid,) in administer(server, waiting)}
            process = await world.judge(functions.process_of_session, Work(["DELETE FROM sales"]), LIMITS, writes=True, wall=30)
            await asyncio.sleep(0.2)
        assert process not in {pid for (pid,) in administer(server, waiting)}
    finally:
        await engine.close()
