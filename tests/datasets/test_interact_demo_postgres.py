"""The demo for BIRD-Interact on a real server: gold is right, and every misreading gives something else.

`interact_misreadings.json` holds, for each ambiguity, what somebody would write who took it the other way, and some
right answers that are written differently. If the data ever changes so that a misreading no longer shows, a test fails.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from touchstone.benchmarks.interact.official import official, rewritten
from touchstone.benchmarks.interact.tasks import read_conditions
from touchstone.datasets import interact_demo
from touchstone.engines.judging_connection import Result
from touchstone.engines.postgres import dumps
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.verdicts.by_value import StrictConditions, strict

DEMO = interact_demo()
TASKS: dict[str, dict[str, Any]] = {
    record["instance_id"]: record
    for record in map(json.loads, (DEMO / "bird_interact_data.jsonl").read_text(encoding="utf-8").splitlines())
}
FIXTURE: dict[str, list[dict[str, Any]]] = json.loads(
    (Path(__file__).parent / "interact_misreadings.json").read_text(encoding="utf-8")
)
PHASES = [(key, phase) for key in TASKS for phase in (1, 2)]
MANAGED = [(key, phase) for key, phase in PHASES if (TASKS[key], TASKS[key]["follow_up"])[phase - 1]["test_cases"]]
PREPARED = [key for key, record in TASKS.items() if record["preprocess_sql"]]
WRONG = [(case["instance_id"], case["phase"], case["why"], case["sql"]) for case in FIXTURE["wrong"]]
RIGHT = [(case["instance_id"], case["phase"], case["why"], case["sql"]) for case in FIXTURE["right"]]


class Ground:
    """A server with the demo's databases, and copies of them to work in."""

    def __init__(self, server: PostgresServer, administrator: psycopg.Connection[Any]) -> None:
        self._server = server
        self._administrator = administrator
        self._numbers = itertools.count()

    @contextmanager
    def copy(self, database: str) -> Iterator[psycopg.Connection[Any]]:
        name = f"copy_{next(self._numbers)}"
        self._administrator.execute(f"CREATE DATABASE {name} TEMPLATE {database}_template".encode())
        try:
            with closing(psycopg.connect(self._server.conninfo(name))) as connection:
                yield connection
        finally:
            self._administrator.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())

    @contextmanager
    def original(self, database: str) -> Iterator[psycopg.Connection[Any]]:
        """For those who only read."""
        with closing(psycopg.connect(self._server.conninfo(f"{database}_template"))) as connection:
            connection.read_only = True
            yield connection


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    with started() as server:
        for loaded in dumps.load(server, DEMO):
            assert loaded.errors == []
        with closing(psycopg.connect(server.conninfo("postgres"), autocommit=True)) as administrator:
            yield Ground(server, administrator)


def run(connection: psycopg.Connection[Any], sql: str) -> Result:
    """Every statement of the text, committed; the last result counts."""
    cursor = connection.execute(sql.encode())
    while cursor.nextset():
        pass
    columns = tuple(column.name for column in cursor.description or ())
    result = Result(columns, cursor.fetchall() if columns else [])
    connection.commit()
    return result


def execute_queries(sqls: str | Sequence[str], _database: str, connection: psycopg.Connection[Any]) -> tuple[Any, bool, bool]:
    """What test functions call: the last result, whether there was an error, whether it took too long."""
    result: list[tuple[Any, ...]] | None = None
    try:
        for sql in [sqls] if isinstance(sqls, str) else sqls:
            result = run(connection, sql).rows
    except psycopg.Error:
        connection.rollback()
        return None, True, False
    return result, False, False


def accepted(ground: Ground, key: str, phase: int, sql: str, *, prepare: bool = True, clean: bool = True) -> bool:
    """Whether the submission passes. It must be possible to run it: a wrong answer that fails outright shows nothing."""
    record = TASKS[key]
    part = (record, record["follow_up"])[phase - 1]
    reads = record["category"] == part["category"] == "Query" and not record["preprocess_sql"]
    with (ground.original if reads else ground.copy)(record["selected_database"]) as connection:
        for before in record["preprocess_sql"] * prepare + record["sol_sql"] * (phase == 2):
            run(connection, before)
        for after in record["clean_up_sqls"] * (clean and phase == 2):
            run(connection, after)
        if part["category"] == "Query":
            return same(connection, part["sol_sql"][0], sql, read_conditions(part["conditions"]))
        result = run(connection, sql)
        return all(passes(test, sql, part["sol_sql"], connection, result) for test in part["test_cases"])


def same(connection: psycopg.Connection[Any], gold: str, predicted: str, conditions: StrictConditions) -> bool:
    """The verdict of both comparisons, which must agree on everything in the demo."""
    exactly = strict(run(connection, gold), run(connection, predicted), conditions).matched
    rows = [run(connection, rewritten(sql)).rows for sql in (gold, predicted)]
    assert official(*rows, order=conditions.order) == exactly
    return exactly


def passes(test: str, sql: str, gold: list[str], connection: psycopg.Connection[Any], result: Result) -> bool:
    """As an official runner does it: the function sees only the names that it is given, none of its own top level."""
    scope: dict[str, Any] = {}
    exec(test, {"execute_queries": execute_queries, "pred_query_result": result.rows}, scope)
    try:
        scope["test_case"]([sql], gold, "the copy", connection)
    except AssertionError as error:
        objection = str(error)
    else:
        return True
    assert objection, "every assertion says what is wrong"
    return False


def gold_of(key: str, phase: int) -> str:
    return (TASKS[key], TASKS[key]["follow_up"])[phase - 1]["sol_sql"][0]


@pytest.mark.parametrize(("key", "phase"), PHASES)
def test_gold_passes(ground: Ground, key: str, phase: int) -> None:
    assert accepted(ground, key, phase, gold_of(key, phase))


@pytest.mark.parametrize(("key", "phase"), MANAGED)
def test_doing_nothing_fails(ground: Ground, key: str, phase: int) -> None:
    assert not accepted(ground, key, phase, "SELECT 1")


@pytest.mark.parametrize(("key", "phase", "why", "sql"), WRONG, ids=[f"{key}-{phase}-{why}" for key, phase, why, _ in WRONG])
def test_a_misreading_fails(ground: Ground, key: str, phase: int, why: str, sql: str) -> None:
    assert not accepted(ground, key, phase, sql), why


@pytest.mark.parametrize(("key", "phase", "why", "sql"), RIGHT, ids=[f"{key}-{phase}-{why}" for key, phase, why, _ in RIGHT])
def test_a_right_answer_in_other_words_passes(ground: Ground, key: str, phase: int, why: str, sql: str) -> None:
    assert accepted(ground, key, phase, sql), why


@pytest.mark.parametrize("key", PREPARED)
def test_gold_passes_for_those_who_never_prepare(ground: Ground, key: str) -> None:
    """Some harnesses run neither preprocess_sql nor clean_up_sqls."""
    assert accepted(ground, key, 1, gold_of(key, 1), prepare=False)
    assert accepted(ground, key, 2, gold_of(key, 2), prepare=False, clean=False)


def test_preparing_catches_what_the_data_alone_does_not(ground: Ground) -> None:
    [sql] = [sql for key, _, why, sql in WRONG if key == "seed_vault_M_2" and why == "the limits themselves count"]
    assert accepted(ground, "seed_vault_M_2", 1, sql, prepare=False)
    assert not accepted(ground, "seed_vault_M_2", 1, sql)


def test_cleaning_up_matters(ground: Ground) -> None:
    assert not accepted(ground, "mountain_rescue_M_2", 2, gold_of("mountain_rescue_M_2", 2), clean=False)
