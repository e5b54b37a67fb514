"""Agents are adversaries: what they send reaches neither files, nor programs, nor other worlds, and it ends."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from . import functions
from .conftest import OpenWorld, administer, explore, fault, look
from .functions import Work

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=5)


FORBIDDEN = [
    "COPY items TO PROGRAM 'cat > /tmp/stolen'",
    "COPY items FROM PROGRAM 'echo 1'",
    "COPY items TO '/tmp/stolen'",
    "COPY items FROM '/etc/passwd'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('postgresql.conf')",
    "SELECT pg_ls_dir('.')",
    "SELECT * FROM pg_stat_file('.')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(lo_create(0), '/tmp/stolen')",
    "CREATE EXTENSION dblink",
    "CREATE EXTENSION postgres_fdw",
    "CREATE EXTENSION file_fdw",
    "CREATE FUNCTION run(cstring) RETURNS int AS 'libc.so.6', 'system' LANGUAGE c",
    "CREATE FUNCTION f() RETURNS int LANGUAGE internal AS 'pg_backend_pid'",
    "LOAD '/tmp/evil.so'",
    "ALTER SYSTEM SET archive_command = 'evil'",
    "SELECT pg_reload_conf()",
    "CREATE ROLE another SUPERUSER",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE SESSION_USER CREATEDB",
    "SET ROLE postgres",
    "SET SESSION AUTHORIZATION postgres",
    "SELECT * FROM pg_authid",
    "SELECT rolpassword FROM pg_catalog.pg_authid",
    "CREATE SUBSCRIPTION s CONNECTION 'dbname=shop_template' PUBLICATION p",
    "CREATE PUBLICATION p FOR ALL TABLES",
    "CREATE TABLESPACE t LOCATION '/tmp'",
    "UPDATE pg_catalog.pg_class SET relowner = 10",
    "DROP TABLE pg_catalog.pg_class",
    "SET track_activities = on",
    "SET temp_file_limit = -1",
    "SET session_replication_role = replica; SET log_statement = 'all'",
]


@pytest.mark.parametrize("sql", FORBIDDEN)
async def test_what_needs_rights_is_refused(world: PostgresEpisodeDatabase, sql: str) -> None:
    assert (await fault(world, sql))[0] in ("refused", "sql")


async def test_what_needs_rights_is_refused_in_judgements_too(world: PostgresEpisodeDatabase) -> None:
    found = await world.judge(functions.run_all, Work(FORBIDDEN), LIMITS, writes=True, wall=30)
    assert set(found.results) <= {"refused", "sql"}


AS_OWNER = [
    "ALTER ROLE CURRENT_USER SET application_name TO 'the answer is 42'",
    "RESET ROLE; ALTER ROLE CURRENT_USER SET application_name TO 'the answer is 42'",
    # As the owner of a table: what an index computes is computed as the table's owner.
    """CREATE FUNCTION note() RETURNS int LANGUAGE plpgsql AS $$ BEGIN
        ALTER ROLE CURRENT_USER SET application_name TO 'the answer is 42'; RETURN 1; END $$;
    CREATE FUNCTION noted(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RETURN public.note(); END $$;
    CREATE INDEX ON items (noted(id))""",
    """CREATE OR REPLACE FUNCTION add_item(text) RETURNS int SECURITY DEFINER LANGUAGE plpgsql AS $$ BEGIN
        ALTER ROLE CURRENT_USER SET application_name TO 'the answer is 42'; RETURN 1; END $$;
    SELECT add_item('')""",
]


@pytest.mark.parametrize("sql", AS_OWNER)
async def test_no_world_leaves_a_note_for_another(open_world: OpenWorld, sql: str) -> None:
    """On the roles that they work as, which all databases of a server can read."""
    writer = open_world()
    notes = "SELECT count(*) FROM pg_db_role_setting WHERE setconfig::text LIKE '%42%'"
    for text in (sql, f"COMMIT; {sql}"):
        with contextlib.suppress(SqlError):
            await explore(writer, text)
    found = await writer.judge(functions.run_all, Work([sql, notes]), LIMITS, writes=True, wall=30)
    assert found.results[0] not in ("refused", "sql")  # it can be written down …
    await writer.advance([sql], LIMITS)
    await writer.close()
    reader = open_world()
    await eventually(reader, notes, "0")  # … and goes with the world's own roles, which are dropped in the background
    for start in ("", "SELECT 1; "):  # reading what is shared, and in a copy
        assert await look(reader, f"{start}SHOW application_name") == [("touchstone",)]


async def eventually(world: PostgresEpisodeDatabase, sql: str, expected: str) -> None:
    for _ in range(600):
        if await look(world, sql) == [(expected,)]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{sql} never gave {expected}")


@pytest.mark.parametrize("advanced", [False, True])
async def test_a_world_works_as_a_member_of_no_other_role(world: PostgresEpisodeDatabase, advanced: bool) -> None:
    """Of the roles that owned things before the copy was handed over, too."""
    if advanced:
        await world.advance(["CREATE TABLE mine (n int)"], LIMITS)
    roles = "SELECT rolname = session_user FROM pg_roles WHERE pg_has_role({}, oid, 'MEMBER') AND rolname <> current_user"
    mine, logins = roles.format("current_user"), roles.format("session_user")
    assert await look(world, f"CREATE TABLE t (); {mine}") == []
    assert await look(world, f"CREATE TABLE t (); {logins}") == [("t",)]
    found = await world.judge(functions.run_all, Work(["CREATE TABLE t ()", mine, logins]), LIMITS, writes=True, wall=30)
    assert found.results == [[], [], [["True"]]]
    assert await world.judge(functions.memberships, Work([mine]), LIMITS, writes=True, wall=30) == []


async def test_no_two_worlds_work_as_the_same_role(open_world: OpenWorld) -> None:
    query = "CREATE TABLE t (); SELECT current_user, (SELECT relowner::regrole FROM pg_class WHERE relname = 'items')"
    found = [await look(open_world(), query) for _ in range(3)]
    assert len({name for ((user, owner),) in found for name in (user, owner)}) == 3


@pytest.mark.parametrize(
    "take",
    [
        "SELECT pg_advisory_lock(7), pg_sleep(60)",
        "SELECT query_to_xml('SELECT pg_adv' || 'isory_lock(7), pg_sleep(60)', true, true, '')",
        "SELECT query_to_xml('SELECT pg_try_adv' || 'isory_xact_lock_shared(7), pg_sleep(60)', true, true, '')",
    ],
)
async def test_worlds_share_no_advisory_locks(open_world: OpenWorld, take: str) -> None:
    holder, other = open_world(), open_world()
    holding = asyncio.create_task(explore(holder, take, seconds=60))
    held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 7"
    await eventually(other, held, "1")
    for lock in ("SELECT pg_try_advisory_lock(7)", "SELECT 1; SELECT pg_try_advisory_lock(7)"):
        assert await look(other, lock) == [("t",)]
    holding.cancel()
    await asyncio.gather(holding, return_exceptions=True)


@pytest.mark.parametrize("name", ["postgres", "shop_template", "template1"])
async def test_other_databases_cannot_be_dropped_or_changed(world: PostgresEpisodeDatabase, name: str) -> None:
    texts = [
        f'DROP DATABASE "{name}"',
        f'ALTER DATABASE "{name}" SET work_mem = 1024',
        f'CREATE DATABASE mine TEMPLATE "{name}"',
    ]
    found = await world.judge(functions.run_all, Work(texts), LIMITS, writes=True, wall=30)
    assert found.results == ["refused"] * 3


async def test_other_databases_cannot_be_read(world: PostgresEpisodeDatabase) -> None:
    assert (await fault(world, "SELECT * FROM shop_template.public.items"))[0] == "sql"


async def test_everything_may_be_dropped_in_a_copy(world: PostgresEpisodeDatabase) -> None:
    texts = ["DROP OWNED BY CURRENT_USER CASCADE", "SELECT count(*) FROM pg_class WHERE relname = 'items'"]
    found = await world.judge(functions.run_all, Work(texts), LIMITS, wall=30)
    assert found.results == [[], [["0"]]]
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT pg_sleep(60)",
        "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT count(*) FROM r",
        "SELECT count(*) FROM generate_series(1, 100000000000)",
        "SET statement_timeout = 0; SELECT pg_sleep(60)",
        "SELECT pg_sleep(0.2) FROM generate_series(1, 100)",
        "DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$",
        "SET statement_timeout = 0; DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(60); "
        "EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$",
        "LOCK TABLE items; SELECT pg_sleep(60)",
    ],
)
async def test_what_does_not_end_is_ended(
    engine: PostgresEngine, server: PostgresServer, world: PostgresEpisodeDatabase, sql: str
) -> None:
    started = time.monotonic()
    other = engine.world("shop", "judged")
    judging = other.judge(functions.run_all, Work([sql, "SELECT 7"]), Limits(seconds=0.5), writes=True, wall=50)
    told, found = await asyncio.gather(fault(world, sql, seconds=0.5), judging)
    assert told == ("time", "The query was stopped after 0.5 seconds, its time limit.")
    assert found.results == ["time", [["7"]]]
    assert time.monotonic() - started < 30  # whoever lets it sleep waits for a minute
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]
    await nobody_works(server)
    await other.close()


async def nobody_works(server: PostgresServer) -> None:
    """Server processes of what was stopped are gone, soon. (What they run is not shown, but that they wait is.)"""
    busy = "SELECT count(*) FROM pg_stat_activity WHERE usename LIKE 'ts\\_%' AND wait_event = 'PgSleep'"
    for _ in range(400):
        if administer(server, busy) == [(0,)]:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("a server process is still at work")


async def somebody_sleeps(server: PostgresServer) -> None:
    for _ in range(400):
        if administer(server, "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"):
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nothing sleeps")


async def test_one_world_cannot_stall_another(open_world: OpenWorld, server: PostgresServer) -> None:
    first, second = open_world(), open_world()
    locks = [
        explore(first, "DO $$ BEGIN LOCK TABLE items IN ACCESS EXCLUSIVE MODE; PERFORM pg_sleep(60); END $$", seconds=60),
        explore(first, "REINDEX TABLE items; SELECT pg_sleep(60)", seconds=60),
        explore(first, "SELECT pg_advisory_lock(1), pg_sleep(60)", seconds=60),
    ]
    for lock in locks:
        stalling = asyncio.create_task(lock)
        await somebody_sleeps(server)
        assert await look(second, "SELECT count(*) FROM items", seconds=20) == [("3",)]
        assert stalling.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await stalling
        await nobody_works(server)


async def test_one_world_cannot_see_or_end_another(open_world: OpenWorld, server: PostgresServer) -> None:
    first, second = open_world(), open_world()
    working = asyncio.create_task(look(first, "SELECT 'secret', pg_sleep(4)"))
    await somebody_sleeps(server)
    for start in ("", "SET ROLE NONE; "):
        read = "count(*) FILTER (WHERE query LIKE '%secr' || 'et%')"
        ((seen, read),) = await look(second, f"{start}SELECT count(*), {read} FROM pg_stat_activity WHERE usename LIKE 'ts%'")
        assert int(seen) > 1
        assert read == "0"
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'ts%' AND usename <> session_user"
        assert (await fault(second, f"{start}{end}"))[0] == "refused"
    assert await working == [("secret", "")]


async def test_a_statement_that_ends_its_own_connection(world: PostgresEpisodeDatabase) -> None:
    sql = "SET ROLE NONE; SELECT pg_terminate_backend(pg_backend_pid())"
    assert await fault(world, sql) == ("crash", "The database ended the connection while this ran, twice.")
    found = await world.judge(functions.run_all, Work([sql, "SELECT 7"]), LIMITS, wall=30)
    assert found.results == ["crash", [["7"]]]
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


async def test_settings_of_a_role_do_not_outlive_a_judgement(world: PostgresEpisodeDatabase) -> None:
    texts = [
        "SET ROLE NONE",
        "ALTER ROLE CURRENT_USER SET search_path = nowhere",
        "ALTER ROLE CURRENT_USER SET local_preload_libraries = 'nonsense'",
        "ALTER ROLE CURRENT_USER PASSWORD 'mine'",
    ]
    found = await world.judge(functions.run_all, Work(texts), LIMITS, writes=True, wall=30)
    assert found.results == [[]] * 4
    found = await world.judge(functions.run_all, Work(["SELECT 1", "SHOW search_path"]), LIMITS, writes=True, wall=30)
    assert found.results == [[["1"]], [["'\"$user\", public'"]]]
    assert await look(world, "SHOW search_path") == [('"$user", public',)]


@pytest.mark.parametrize("sql", ["COPY items TO STDOUT", "COPY items FROM STDIN", "SELECT 1; COPY items TO STDOUT; SELECT 2"])
async def test_copying_through_the_connection_is_refused(world: PostgresEpisodeDatabase, sql: str) -> None:
    assert await fault(world, sql) == ("refused", "COPY from or to the client is not possible here; use INSERT or SELECT.")
    assert await look(world, "SELECT count(*) FROM items") == [("3",)]


async def test_a_stopped_script_leaves_the_state_alone(world: PostgresEpisodeDatabase) -> None:
    with pytest.raises(SqlError) as caught:
        await world.advance(["CREATE TABLE mine (n int)", "SELECT pg_sleep(9)"], Limits(seconds=0.3))
    assert caught.value.kind == "time"
    assert await look(world, "SELECT to_regclass('mine')") == [(None,)]
