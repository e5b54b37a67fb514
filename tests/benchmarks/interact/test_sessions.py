"""What a submission leaves in its session is there for its hidden tests, on a real PostgreSQL with its real roles."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from touchstone.benchmarks.interact.grader import Examiner, PhaseFinding
from touchstone.benchmarks.interact.rules import RULES, Compat
from touchstone.benchmarks.interact.tasks import load_tasks
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.errors import InputError, Unscorable
from touchstone.protocols import Limits
from touchstone.sandbox.sandboxed_call import confinement

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(bool(confinement()), reason="this kernel cannot confine fully"),
]

HEAD = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    "
LIMITS = Limits(seconds=20)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    try:
        starting = started()
        running = starting.__enter__()
    except InputError as error:
        pytest.skip(str(error))
    try:
        script = "CREATE TABLE item (id int PRIMARY KEY, price numeric); INSERT INTO item VALUES (1, 2.5), (2, 7)"
        for database, sql in (("postgres", "CREATE DATABASE shop_template"), ("shop_template", script)):
            with psycopg.connect(running.conninfo(database), autocommit=True) as connection:
                connection.execute(sql.encode())
        yield running
    finally:
        starting.__exit__(None, None, None)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def engine(server: PostgresServer) -> AsyncIterator[PostgresEngine]:
    engine = PostgresEngine(server, patience=5)
    yield engine
    await engine.close()


async def submitted(
    engine: PostgresEngine, directory: Path, *sqls: str, compat: Compat = "batch", **changed: Any
) -> list[PhaseFinding]:
    row = {
        "instance_id": "shop_M_1",
        "selected_database": "shop",
        "amb_user_query": "?",
        "user_query_ambiguity": {},
        "sol_sql": ["SELECT 1"],
        "category": "Management",
        "test_cases": [HEAD + "pass"],
        **changed,
    }
    file = directory / "bird_interact_data.jsonl"
    file.write_text(json.dumps(row))
    world = engine.world("shop", "shop_M_1")
    examiner = Examiner(load_tasks(file)[0], RULES[compat], world, LIMITS)
    try:
        return [await examiner.submit(sql) for sql in sqls]
    finally:
        await world.close()


@pytest.mark.parametrize("compat", RULES)
@pytest.mark.parametrize(
    ("sql", "look"),
    [
        ("CREATE TEMP TABLE aside AS SELECT 7 AS x", "SELECT x FROM aside"),
        ("SET my.x TO '7'", "SELECT current_setting('my.x')::int"),
        ("PREPARE later AS SELECT 7", "EXECUTE later"),
        ("INSERT INTO item VALUES (7, 7)", "SELECT id FROM item WHERE id = 7"),
    ],
)
async def test_a_test_sees_the_session_of_the_submission(
    engine: PostgresEngine, tmp_path: Path, compat: Compat, sql: str, look: str
) -> None:
    test = f"{HEAD}assert execute_queries([{look!r}], db_name, conn)[0] == [(7,)]"
    (finding,) = await submitted(engine, tmp_path, sql, compat=compat, test_cases=[test])
    assert finding.passed, finding.reason


async def test_the_name_of_the_database_is_that_of_the_connection(engine: PostgresEngine, tmp_path: Path) -> None:
    test = f"{HEAD}assert execute_queries('SELECT current_database()', db_name, conn)[0] == [(db_name,)]"
    (finding,) = await submitted(engine, tmp_path, "SELECT 1", test_cases=[test])
    assert finding.passed, finding.reason


@pytest.mark.parametrize(("compat", "there"), [("batch", True), ("conv", True), ("adk", False), ("strict", False)])
async def test_the_follow_up_is_prepared_in_its_session_where_the_original_does_so(
    engine: PostgresEngine, tmp_path: Path, compat: Compat, there: bool
) -> None:
    sql = "CREATE TEMP TABLE aside AS SELECT 7 AS x"
    follow_up = {
        "query": "?",
        "sol_sql": ["SELECT 1"],
        "category": "Management",
        "test_cases": [f"{HEAD}assert execute_queries(['SELECT x FROM aside'], db_name, conn)[0] == [(7,)]"],
    }
    findings = await submitted(engine, tmp_path, sql, "SELECT 1", compat=compat, sol_sql=[sql], follow_up=follow_up)
    assert [finding.passed for finding in findings] == [True, there]


@pytest.mark.parametrize("compat", ["batch", "adk", "conv"])
async def test_what_a_submission_leaves_in_an_open_transaction_is_there_for_the_follow_up(
    engine: PostgresEngine, tmp_path: Path, compat: Compat
) -> None:
    """The originals commit after each text, whoever began the transaction."""
    sql = "BEGIN; CREATE TABLE kept AS SELECT 7 AS x"
    for category, tests in (("Query", []), ("Management", [f"{HEAD}assert pred_query_result == [(7,)]"])):
        follow_up = {"query": "?", "sol_sql": ["SELECT x FROM kept"], "category": category, "test_cases": tests}
        findings = await submitted(
            engine, tmp_path, sql, "SELECT x FROM kept", compat=compat, sol_sql=[sql], follow_up=follow_up
        )
        assert [finding.passed for finding in findings] == [True, True], findings[-1].reason


@pytest.mark.parametrize("compat", RULES)
async def test_a_query_that_follows_a_management_task_is_compared_with_its_gold(
    engine: PostgresEngine, tmp_path: Path, compat: Compat
) -> None:
    follow_up = {"query": "?", "sol_sql": ["SELECT price FROM item WHERE id = 1"], "category": "Query", "test_cases": []}
    wrong, right = "SELECT 'anything'", "SELECT 2.5"
    findings = await submitted(engine, tmp_path, "SELECT 1", wrong, right, compat=compat, follow_up=follow_up)
    assert [finding.passed for finding in findings] == [True, False, True]


@pytest.mark.parametrize("compat", RULES)
async def test_what_the_gold_may_not_do_here_makes_a_task_unscorable(
    engine: PostgresEngine, tmp_path: Path, compat: Compat
) -> None:
    for gold in ("CREATE ROLE somebody", "CREATE EXTENSION not_there_at_all"):
        with pytest.raises(Unscorable, match="the gold SQL cannot be run here"):
            await submitted(engine, tmp_path, "SELECT 1", compat=compat, sol_sql=[gold])


@pytest.mark.skipif(find_spec("numpy") is None, reason="numpy is not installed")
async def test_a_test_may_compute_with_numpy(engine: PostgresEngine, tmp_path: Path) -> None:
    """Its library wants threads, which a test cannot start."""
    test = f"{HEAD}import numpy; assert numpy.linalg.det(numpy.eye(300)) == 1"
    (finding,) = await submitted(engine, tmp_path, "SELECT 1", test_cases=[test])
    assert finding.passed, finding.reason


@pytest.mark.parametrize("compat", RULES)
async def test_tests_without_a_gold_are_enough_unless_the_original_needs_one(
    engine: PostgresEngine, tmp_path: Path, compat: Compat
) -> None:
    if compat in ("batch", "adk"):
        with pytest.raises(Unscorable, match="no gold SQL"):
            await submitted(engine, tmp_path, "SELECT 1", compat=compat, sol_sql=[], test_cases=[f"{HEAD}pass"])
    else:
        (finding,) = await submitted(engine, tmp_path, "SELECT 1", compat=compat, sol_sql=[], test_cases=[f"{HEAD}pass"])
        assert finding.passed, finding.reason


async def test_a_gold_that_is_wrong_by_itself_is_the_originals_business(engine: PostgresEngine, tmp_path: Path) -> None:
    (finding,) = await submitted(engine, tmp_path, "SELECT 1", compat="batch", sol_sql=["UPDATE nowhere SET a = 1"])
    assert finding.passed
    with pytest.raises(Unscorable, match="nowhere"):
        await submitted(engine, tmp_path, "SELECT 1", compat="strict", sol_sql=["UPDATE nowhere SET a = 1"])


@pytest.mark.parametrize(("compat", "passed"), [("strict", True), ("batch", False), ("adk", False), ("conv", False)])
async def test_only_ours_runs_what_needs_to_be_outside_of_a_transaction(
    engine: PostgresEngine, tmp_path: Path, compat: Compat, passed: bool
) -> None:
    (finding,) = await submitted(engine, tmp_path, "VACUUM item", compat=compat)
    assert finding.passed is passed


async def test_errors_do_not_show_names_of_ours(engine: PostgresEngine, tmp_path: Path) -> None:
    (finding,) = await submitted(engine, tmp_path, "CREATE DATABASE other", compat="batch")
    (other,) = await submitted(
        engine, tmp_path, "DO $$ BEGIN RAISE '% % %', current_database(), current_user, session_user; END $$"
    )
    assert not finding.passed
    assert "ts_" not in finding.feedback + other.feedback
    assert "shop" in other.feedback
