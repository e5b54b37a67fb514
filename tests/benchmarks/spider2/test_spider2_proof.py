"""Proof for questions with gold SQL: columns in any order and surplus ones, numbers to two decimals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.benchmarks.spider2.test_spider2_episode import judged
from tests.benchmarks.spider2.worlds import Spider2World
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.types import Outcome

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine() -> AsyncIterator[SqliteEngine]:
    engine = SqliteEngine(workers=1)
    yield engine
    await engine.close()


async def proof(world: Spider2World, engine: SqliteEngine, key: str, sql: str) -> dict[str, Any]:
    record = await judged(world, engine, key, sql, proof=True)
    assert record.outcome is Outcome.passed, record.reason
    found = record.evidence["proof"]
    assert record.metrics["proven"] == float(found["verdict"] in ("same", "upheld"))
    return found


@pytest.mark.parametrize(
    ("key", "sql", "verdict"),
    [
        ("local001", "SELECT name FROM item WHERE price > 1.0", "same"),
        ("local001", "SELECT id, name FROM item WHERE 1.0 < price", "upheld"),
        ("local003", "SELECT legs, name FROM animal WHERE legs >= 0", "upheld"),
        ("local002", "SELECT MAX(id) FROM item", "refuted"),
    ],
)
async def test_the_columns_that_count_are_compared(
    spider2: Spider2World, engine: SqliteEngine, key: str, sql: str, verdict: str
) -> None:
    assert (await proof(spider2, engine, key, sql))["verdict"] == verdict


async def test_without_gold_sql_it_is_open(spider2: Spider2World, engine: SqliteEngine) -> None:
    found = await proof(spider2, engine, "local004", "SELECT SUM(legs) FROM animal")
    assert found == {"verdict": "open", "reason": "there is no gold SQL for this question"}


async def test_a_wrong_answer_is_not_tried(spider2: Spider2World, engine: SqliteEngine) -> None:
    record = await judged(spider2, engine, "local001", "SELECT 1", proof=True)
    assert record.outcome is Outcome.failed
    assert "proof" not in record.evidence
    assert record.metrics["proven"] == 0
