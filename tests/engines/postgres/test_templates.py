"""Templates of all kinds: whoever owns them, whatever is in them, and those that cannot be used."""

from __future__ import annotations

import json

import pytest
import pytest_asyncio

from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.errors import Unscorable
from touchstone.protocols import Limits

from .conftest import OpenWorld, administer, explore, look, make_template

pytestmark = pytest.mark.asyncio(loop_scope="module")

RICH = """
    CREATE SCHEMA "Odd one"; CREATE SCHEMA empty;
    CREATE TYPE mood AS ENUM ('sad', 'happy');
    CREATE TYPE pair AS (a int, b text);
    CREATE TYPE span AS RANGE (subtype = float8);
    CREATE DOMAIN positive AS int CHECK (VALUE > 0);
    CREATE TABLE "Odd one"."Tä ble" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, m mood, p positive, s serial);
    INSERT INTO "Odd one"."Tä ble" (m, p) VALUES ('sad', 1), ('happy', 2);
    CREATE TABLE parts (n int) PARTITION BY RANGE (n);
    CREATE TABLE parts_low PARTITION OF parts FOR VALUES FROM (0) TO (10);
    CREATE TABLE secrets (who text); INSERT INTO secrets VALUES ('a'), ('b');
    ALTER TABLE secrets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
    CREATE VIEW seen AS SELECT * FROM "Odd one"."Tä ble";
    CREATE MATERIALIZED VIEW kept AS SELECT count(*) FROM seen;
    CREATE SEQUENCE numbers;
    CREATE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 2 * $1';
    CREATE FUNCTION twice(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN $1 || $1; END';
    CREATE FUNCTION boss() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text';
    CREATE PROCEDURE wipe() LANGUAGE sql AS 'DELETE FROM "Odd one"."Tä ble"';
    CREATE AGGREGATE total(int) (SFUNC = int4pl, STYPE = int, INITCOND = '0');
    CREATE FUNCTION noticed() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER noticing BEFORE INSERT ON "Odd one"."Tä ble" FOR EACH ROW EXECUTE FUNCTION noticed();
    CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = int4eq);
    CREATE COLLATION german (LOCALE = 'C');
    CREATE STATISTICS related ON m, p FROM "Odd one"."Tä ble";
    CREATE TEXT SEARCH CONFIGURATION plain (COPY = simple);
    SELECT lo_from_bytea(4711, 'large');
    COMMENT ON TABLE parts IS 'in parts';
    REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC; REVOKE EXECUTE ON FUNCTION twice(int) FROM PUBLIC;
"""
SUPERUSERS = "CREATE OPERATOR CLASS own FOR TYPE int USING hash AS OPERATOR 1 =, FUNCTION 1 hashint4(int)"
CHANGES = [
    'ALTER TABLE "Odd one"."Tä ble" ADD extra int; DELETE FROM "Odd one"."Tä ble"; DROP TABLE "Odd one"."Tä ble" CASCADE',
    "ALTER TYPE mood ADD VALUE 'calm'",
    "ALTER TYPE pair ADD ATTRIBUTE c int; DROP TYPE pair; DROP TYPE span; DROP DOMAIN positive CASCADE",
    'CREATE OR REPLACE VIEW seen AS SELECT id, m, p, s, 1 AS more FROM "Odd one"."Tä ble"; DROP VIEW seen CASCADE',
    "REFRESH MATERIALIZED VIEW kept; DROP MATERIALIZED VIEW kept",
    "ALTER SEQUENCE numbers RESTART 7; DROP SEQUENCE numbers",
    "CREATE OR REPLACE FUNCTION twice(int) RETURNS int LANGUAGE sql AS 'SELECT 3 * $1'; DROP FUNCTION twice(int), twice(text)",
    "CALL wipe(); DROP PROCEDURE wipe; DROP AGGREGATE total(int)",
    "INSERT INTO parts VALUES (1); ALTER TABLE parts DETACH PARTITION parts_low; DROP TABLE parts, parts_low",
    'DROP TRIGGER noticing ON "Odd one"."Tä ble"; DROP FUNCTION noticed',
    "DROP OPERATOR === (int, int); DROP OPERATOR CLASS own USING hash; DROP COLLATION german; DROP STATISTICS related",
    "DROP TEXT SEARCH CONFIGURATION plain; SELECT lo_unlink(4711)",
    'DROP SCHEMA empty; ALTER SCHEMA "Odd one" RENAME TO even; CREATE TABLE even.more (n int); CREATE SCHEMA another',
    "COMMENT ON TABLE parts IS 'of mine'; GRANT SELECT ON secrets TO PUBLIC; CREATE INDEX ON secrets (who); ANALYZE secrets",
    "CREATE TABLE mine (m mood, p positive); DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE mine (n int)",
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def rich(server: PostgresServer) -> str:
    """A template of somebody else's, with something of every kind in it."""
    administer(server, "CREATE ROLE stranger LOGIN", "CREATE DATABASE rich_template OWNER stranger")
    administer(
        server, "CREATE EXTENSION IF NOT EXISTS plpgsql", "GRANT ALL ON SCHEMA public TO stranger", database="rich_template"
    )
    administer(server, f"SET ROLE stranger; {RICH}; RESET ROLE; {SUPERUSERS}", database="rich_template")
    return "rich"


@pytest.mark.parametrize("change", CHANGES)
async def test_everything_can_be_changed_and_dropped_in_a_copy(open_world: OpenWorld, rich: str, change: str) -> None:
    world = open_world(rich)
    await explore(world, change)
    await world.advance([change], Limits(seconds=10))
    assert await look(open_world(rich), "SELECT p, m FROM seen") == [("1", "sad"), ("2", "happy")]


async def test_everything_can_be_read_at_once(open_world: OpenWorld, rich: str) -> None:
    query = """
        SELECT (SELECT count(*) FROM "Odd one"."Tä ble"), (SELECT count(*) FROM secrets), (TABLE kept), twice(2), twice('a'),
            (SELECT total(n) FROM (VALUES (1), (2)) AS v (n)), 1 OPERATOR(public.===) 1, lo_get(4711), last_value
        FROM numbers
    """
    world = open_world(rich)
    assert await look(world, query) == [("2", "2", "2", "4", "aa", "3", "t", "\\x6c61726765", "1")]
    assert "_b" in (await look(world, "SELECT current_database()"))[0][0]  # the one that all worlds read


async def test_functions_with_the_rights_of_their_owner_have_none(open_world: OpenWorld, rich: str) -> None:
    for start in ("", "SELECT 1; "):
        ((boss,),) = await look(open_world(rich), f"{start}SELECT boss()")
        assert boss.startswith(("touchstone_owner", "ts_"))


async def test_the_template_itself_stays_as_it_is(engine: PostgresEngine, server: PostgresServer, rich: str) -> None:
    await explore(engine.world(rich, "task"), "SELECT 1")
    query = "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relname IN ('secrets', 'seen', 'numbers')"
    assert administer(server, query, database="rich_template") == [("stranger",)]


async def test_long_names_do_not_collide(server: PostgresServer, open_world: OpenWorld) -> None:
    names = ["a_very_long_name_of_a_database_which_shares_its_beginning_" + end for end in ("xy", "xz")]
    for name in names:
        assert len(name) == 60
        make_template(server, name, f"CREATE TABLE t AS SELECT '{name[-2:]}' AS which")
    worlds = [open_world(name) for name in names]
    for world, name in zip(worlds, names, strict=True):
        await world.advance(["UPDATE t SET which = which || '!'"], Limits(seconds=5))
        assert await look(world, "TABLE t") == [(f"{name[-2:]}!",)]


async def test_odd_names(server: PostgresServer, engine: PostgresEngine, open_world: OpenWorld) -> None:
    make_template(server, "Größe & 'so'", "CREATE TABLE t AS SELECT 1 AS n")
    assert await look(open_world("Größe & 'so'"), "DELETE FROM t; TABLE t") == []
    assert (await engine.describe("Größe & 'so'")).tables == {"t": 1}


async def test_a_description(engine: PostgresEngine, rich: str) -> None:
    assert (await engine.describe("shop")).tables == {"items": 3, "sales": 40}
    assert (await engine.describe(rich)).tables == {"Odd one.Tä ble": 2, "parts": 0, "secrets": 2}


async def test_the_digest_is_of_the_content(server: PostgresServer, engine: PostgresEngine) -> None:
    scripts = {
        "one": "CREATE TABLE t AS SELECT 1 AS n",
        "same": "CREATE TABLE t AS SELECT 1 AS n",
        "more": "CREATE TABLE t AS SELECT 1 AS n FROM generate_series(1, 2)",
        "type": "CREATE TABLE t AS SELECT 1::bigint AS n",
        "name": "CREATE TABLE t AS SELECT 1 AS m",
    }
    for name, script in scripts.items():
        make_template(server, f"digest_{name}", script)
    digests = {name: (await engine.describe(f"digest_{name}")).digest for name in scripts}
    assert digests["one"] == digests["same"]
    assert len(set(digests.values())) == 4


async def test_what_the_loader_noted_counts(server: PostgresServer, engine: PostgresEngine) -> None:
    for name, comment in (("noted", json.dumps({"digest": "abc"})), ("remarked", "just a remark"), ("listed", "[1]")):
        make_template(server, name, "CREATE TABLE t AS SELECT 1 AS n")
        administer(server, f"COMMENT ON DATABASE {name}_template IS '{comment}'")
    assert (await engine.describe("noted")).digest == "abc"
    assert (await engine.describe("remarked")).digest == (await engine.describe("listed")).digest


async def test_templates_that_cannot_be_used(server: PostgresServer, engine: PostgresEngine) -> None:
    make_template(server, "half", "CREATE TABLE t AS SELECT 1 AS n")
    administer(server, """COMMENT ON DATABASE half_template IS '{"broken": "table t was not loaded"}'""")
    make_template(server, "bare", "CREATE VIEW v AS SELECT 1")
    make_template(server, "hollow", "CREATE TABLE t (n int)")
    reasons = {
        "missing": "database missing cannot be used: there is no database missing_template on the PostgreSQL server",
        "half": "database half cannot be used: table t was not loaded",
        "bare": "database bare cannot be used: it holds no tables",
        "hollow": "database hollow cannot be used: it holds no rows",
    }
    for name, reason in reasons.items():
        with pytest.raises(Unscorable) as caught:
            await engine.describe(name)
        assert str(caught.value) == reason
    for name in ("missing", "half"):
        with pytest.raises(Unscorable):
            await explore(engine.world(name, "task"), "SELECT 1")


async def test_a_template_that_appears_later_can_be_used(server: PostgresServer, open_world: OpenWorld) -> None:
    world = open_world("late")
    with pytest.raises(Unscorable):
        await explore(world, "SELECT 1")
    make_template(server, "late", "CREATE TABLE t AS SELECT 1 AS n")
    assert await look(world, "TABLE t") == [("1",)]
