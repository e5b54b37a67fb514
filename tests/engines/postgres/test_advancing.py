"""Worlds that move on: a follow-up sees what was committed before it, and nobody else does."""

from __future__ import annotations

import pytest

from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from . import functions
from .conftest import OpenWorld, explore, fault, look
from .functions import Work

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=5)


async def test_the_state_is_what_the_scripts_made_of_it(open_world: OpenWorld) -> None:
    world, other = open_world(), open_world()
    await world.advance(["CREATE TABLE orders (n int)", "INSERT INTO orders VALUES (1), (2); DELETE FROM sales"], LIMITS)
    query = "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM sales)"
    assert await look(world, query) == [("2", "0")]
    assert await look(other, "SELECT to_regclass('orders'), (SELECT count(*) FROM sales)") == [(None, "40")]


async def test_exploring_an_advanced_state_leaves_it_alone(world: PostgresEpisodeDatabase) -> None:
    await world.advance(["CREATE TABLE orders (n serial)", "INSERT INTO orders DEFAULT VALUES"], LIMITS)
    for _ in range(2):
        assert await look(world, "INSERT INTO orders DEFAULT VALUES RETURNING n") == [("2",)]
        assert await look(world, "DROP TABLE orders; SELECT to_regclass('orders')") == [(None,)]
        await explore(world, "COMMIT; DROP TABLE orders")
        assert await look(world, "TABLE orders") == [("1",)]


async def test_judging_an_advanced_state_leaves_it_alone(world: PostgresEpisodeDatabase) -> None:
    await world.advance(["CREATE TABLE orders AS SELECT 1 AS n"], LIMITS)
    for writes in (False, True):
        found = await world.judge(functions.run_all, Work(["TABLE orders"]), LIMITS, writes=writes, wall=30)
        assert found.results == [[["1"]]]
        found = await world.judge(
            functions.run_all, Work(["UPDATE orders SET n = 2", "TABLE orders"]), LIMITS, writes=writes, wall=30
        )
        assert found.results == [[], [["2"]]]


async def test_states_build_on_one_another(world: PostgresEpisodeDatabase) -> None:
    for number in range(1, 4):
        await world.advance([f"INSERT INTO items (name) VALUES ('step {number}')"], LIMITS)
        assert await look(world, "SELECT max(id) FROM items") == [(str(3 + number),)]
        assert await look(world, "DELETE FROM sales; SELECT count(*) FROM items") == [(str(3 + number),)]


async def test_what_a_script_creates_belongs_to_whoever_comes_next(world: PostgresEpisodeDatabase) -> None:
    """Also what it makes as its own login role, which is another one in the next copy."""
    await world.advance(["CREATE TABLE first (n int); SET ROLE NONE; CREATE TABLE second (n int)"], LIMITS)
    await world.advance(["ALTER TABLE first ADD m int; ALTER TABLE second ADD m int; DROP TABLE first"], LIMITS)
    assert await look(world, "DROP TABLE second; SELECT to_regclass('first'), to_regclass('second')") == [(None, None)]


@pytest.mark.parametrize("bad", ["SELECT 1 / 0", "SELEC", "", "SELECT pg_sleep(9)", "COPY items TO STDOUT", "SELECT '\ud800'"])
async def test_a_script_that_fails_changes_nothing(world: PostgresEpisodeDatabase, bad: str) -> None:
    await world.advance(["CREATE TABLE orders AS SELECT 1 AS n"], LIMITS)
    with pytest.raises(SqlError):
        await world.advance(["UPDATE orders SET n = 2", bad, "UPDATE orders SET n = 3"], Limits(seconds=0.5))
    assert await look(world, "TABLE orders") == [("1",)]
    await world.advance(["UPDATE orders SET n = n + 1"], LIMITS)
    assert await look(world, "TABLE orders") == [("2",)]


async def test_scripts_that_only_read_change_nothing(world: PostgresEpisodeDatabase) -> None:
    await world.advance([], LIMITS)
    await world.advance(["SELECT 1", "TABLE items"], LIMITS)
    assert await look(world, "SELECT current_database()") == await look(world, "SELECT current_database()")
    assert "_b" in (await look(world, "SELECT current_database()"))[0][0]  # the one that all worlds read


async def test_an_error_while_reading_is_told(world: PostgresEpisodeDatabase) -> None:
    with pytest.raises(SqlError, match='column "nope" does not exist'):
        await world.advance(["SELECT 1", "SELECT nope FROM items"], LIMITS)


async def test_a_world_can_be_closed_in_any_state(open_world: OpenWorld) -> None:
    unused, used, advanced = open_world(), open_world(), open_world()
    await explore(used, "DELETE FROM sales")
    await advanced.advance(["DELETE FROM sales"], LIMITS)
    await explore(advanced, "SELECT 1; SELECT 2")
    for world in (unused, used, advanced, advanced):
        await world.close()
    assert await look(advanced, "SELECT count(*) FROM sales") == [("40",)]  # it begins anew
    assert (await fault(used, "SELECT nope"))[0] == "sql"
