"""Proof where the database system is PostgreSQL: a real server, asked through the episode's own database."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from touchstone.benchmarks.interact.grader import Examiner
from touchstone.benchmarks.interact.rules import RULES
from touchstone.benchmarks.interact.tasks import load_tasks
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.errors import InputError
from touchstone.protocols import Limits

pytestmark = pytest.mark.asyncio(loop_scope="module")

LIMITS = Limits(seconds=20)
SCHEMA = """
CREATE TYPE grade AS ENUM ('low', 'middle', 'high');
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL, "City" varchar(20), joined date, active boolean, rank grade);
CREATE TABLE orders (
    number int PRIMARY KEY, customer_id int REFERENCES customer (id), net numeric(8,2), tags text[], doc jsonb);
CREATE VIEW spending AS SELECT customer_id, SUM(net) AS total FROM orders GROUP BY customer_id;
CREATE VIEW large AS SELECT * FROM spending /* of some */ WHERE total > 50::numeric;
"""


def script() -> str:
    chance = random.Random(3)
    customers = ", ".join(
        f"({n}, '{chance.choice(['Ann', 'Bo', 'Cy'])} {n}', '{chance.choice(['Fresno', 'Reno', 'Salem'])}',"
        f" '20{chance.randint(10, 19)}-0{chance.randint(1, 9)}-11', {chance.choice(['true', 'true', 'false'])},"
        f" '{chance.choice(['low', 'middle', 'high'])}')"
        for n in range(1, 41)
    )
    tags, doc = "ARRAY['x', 'it''s']", '\'{"a": [1, "b"]}\''
    orders = ", ".join(
        f"({n}, {chance.randint(1, 40)}, {chance.randint(500, 9000) / 100}, {tags}, {doc})" for n in range(1, 101)
    )
    return f"{SCHEMA} INSERT INTO customer VALUES {customers}; INSERT INTO orders VALUES {orders}"


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        starting = started()
        running = starting.__enter__()
    except InputError as error:
        pytest.skip(str(error))
    try:
        _execute(running, "postgres", "CREATE DATABASE shop_template")
        _execute(running, "shop_template", script())
        yield running
    finally:
        starting.__exit__(None, None, None)


def _execute(server: PostgresServer, database: str, sql: str) -> None:
    with psycopg.connect(server.conninfo(database), autocommit=True) as connection:
        connection.execute(sql.encode())


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(server: PostgresServer) -> AsyncIterator[PostgresEngine]:
    engine = PostgresEngine(server, patience=5)
    yield engine
    await engine.close()


async def proof(engine: PostgresEngine, directory: Path, gold: str, prediction: str) -> dict[str, Any]:
    row = {
        "instance_id": "shop_1",
        "selected_database": "shop",
        "amb_user_query": "?",
        "user_query_ambiguity": {},
        "sol_sql": [gold],
        "category": "Query",
        "test_cases": [],
    }
    file = directory / "bird_interact_data.jsonl"
    file.write_text(json.dumps(row))
    world = engine.world("shop", "shop_1")
    try:
        finding = await Examiner(load_tasks(file)[0], RULES["strict"], world, LIMITS, proof=True).submit(prediction)
    finally:
        await world.close()
    assert finding.passed, finding.reason
    return finding.evidence["proof"]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT MAX(o.net) FROM orders o JOIN customer c ON c.id = o.customer_id WHERE o.net > 10",
            "SELECT MAX(net) FROM orders",
        ),
        (
            "SELECT c.rank::text, COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.rank",
            "SELECT c.rank::text, COUNT(DISTINCT c.id) FROM customer c JOIN orders o ON o.customer_id = c.id"
            " WHERE o.net >= 5 AND o.net <> 66.66 GROUP BY c.rank",
        ),
        (
            "SELECT MAX(total) FROM large",
            "SELECT MAX(total) FROM spending",
        ),
    ],
)
async def test_a_difference_is_refuted_and_its_script_works_in_another_database(
    engine: PostgresEngine, server: PostgresServer, tmp_path: Path, gold: str, prediction: str
) -> None:
    found = await proof(engine, tmp_path, gold, prediction)
    assert found["verdict"] == "refuted", found
    assert 0 < found["difference"]["rows"] <= 10
    name = f"pasted_{abs(hash((gold, prediction))) % 10**8}"
    _execute(server, "postgres", f"CREATE DATABASE {name}")
    with psycopg.connect(server.conninfo(name), autocommit=True) as connection:
        connection.execute(found["difference"]["script"].encode())
        one, other = (set(connection.execute(sql.encode()).fetchall()) for sql in (gold, prediction))
    assert one != other
    assert len(one) == found["difference"]["gold_count"]


@pytest.mark.parametrize(
    ("gold", "prediction"),
    [
        (
            "SELECT DISTINCT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.net > 50",
            "SELECT c.name FROM customer c WHERE c.id IN (SELECT customer_id FROM orders WHERE 50 < net)",
        ),
        (
            'SELECT "City", COUNT(*) FROM customer WHERE active GROUP BY "City"',
            'SELECT "City", SUM(CASE WHEN active THEN 1 ELSE 0 END) FROM customer WHERE active IS TRUE GROUP BY 1',
        ),
        (
            "SELECT customer_id, total FROM large",
            "SELECT customer_id, SUM(net) FROM orders GROUP BY customer_id HAVING NOT SUM(net) <= 50",
        ),
        # A key points at a customer: an outer join finds one for each order.
        (
            "SELECT COUNT(c.id) FROM orders o JOIN customer c ON c.id = o.customer_id WHERE c.rank = 'low'",
            "SELECT COUNT(*) FROM orders o LEFT JOIN customer c ON c.id = o.customer_id WHERE c.rank = 'low'",
        ),
    ],
)
async def test_other_writing_is_upheld(engine: PostgresEngine, tmp_path: Path, gold: str, prediction: str) -> None:
    found = await proof(engine, tmp_path, gold, prediction)
    assert found["verdict"] == "upheld", found
    assert found["databases"] >= 10


async def test_what_asks_the_clock_is_open(engine: PostgresEngine, tmp_path: Path) -> None:
    gold = "SELECT COUNT(*) FROM customer WHERE joined < clock_timestamp()"
    found = await proof(engine, tmp_path, gold, "SELECT COUNT(*) FROM customer")
    assert found["verdict"] == "open"


async def test_a_prediction_that_writes_changes_nothing_of_the_proof(engine: PostgresEngine, tmp_path: Path) -> None:
    gold = "SELECT COUNT(*) FROM customer"
    found = await proof(engine, tmp_path, gold, "WITH gone AS (DELETE FROM orders RETURNING 1) SELECT COUNT(*) FROM customer")
    assert found["verdict"] == "open"
