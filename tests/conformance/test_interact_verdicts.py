"""BIRD-Interact's judgements, recorded from the original evaluators: ours has the same verdict under `--compat batch`.

What is different on purpose is named here with its reason, and a row in docs/interact.md.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from tests.support.data import shared_data
from touchstone.benchmarks.interact.grader import Examiner
from touchstone.benchmarks.interact.rules import RULES, Compat
from touchstone.benchmarks.interact.tasks import InteractTask, load_tasks
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import started
from touchstone.engines.sqlite.database import SqliteEpisodeDatabase
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import InputError, Unscorable
from touchstone.protocols import EpisodeDatabase, Limits
from touchstone.sandbox.sandboxed_call import confinement

pytestmark = pytest.mark.asyncio(loop_scope="module")

OURS = {
    "difft_1161": "what a submission deletes is there again when the gold is run",
    "difft_M_95": "SQL runs as a role of the run's, which cannot be called root",
    "difft_M_107": "hidden tests cannot start threads",
}
"""Different from the originals under all rules. Each has a row in docs/interact.md."""
if find_spec("pandas"):
    OURS["difft_M_105"] = "recorded without pandas, which the published environment has"
STRICT = {
    "difft_M_3": "all names of all evaluators are there",
    "difft_M_55": "all names of all evaluators are there",
    "difft_M_99": "all names of all evaluators are there",
    "difft_M_61": "a test may have any name that begins with test",
    "difft_M_71": "a submission is not run in a transaction",
    "difft_M_87": "a text of several statements may begin with a query",
}
LIMITS = Limits(seconds=20)


def cases(name: str) -> list[dict[str, Any]]:
    text = (shared_data("conformance") / "interact" / f"{name}.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def as_task(case: dict[str, Any], directory: Path) -> InteractTask:
    file = directory / "bird_interact_data.jsonl"
    row = {
        "instance_id": case["id"],
        "selected_database": "recorded",
        "amb_user_query": "?",
        "user_query_ambiguity": {},
        "sol_sql": case["gold"],
        "test_cases": case["tests"],
        "category": case["category"],
        "conditions": case["conditions"],
    }
    file.write_text(json.dumps(row))
    return load_tasks(file)[0]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    script = (shared_data("conformance") / "interact" / "postgres_schema.sql").read_text()
    try:
        starting = started()
        running = starting.__enter__()
    except InputError as error:
        pytest.skip(str(error))
    try:
        for database, sql in (("postgres", "CREATE DATABASE recorded_template"), ("recorded_template", script)):
            with psycopg.connect(running.conninfo(database), autocommit=True) as connection:
                connection.execute(sql.encode())
        yield running
    except psycopg.errors.FeatureNotSupported as error:
        pytest.skip(f"the recorded schema needs more than this server has: {error.diag.message_detail}")
    finally:
        starting.__exit__(None, None, None)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def postgres(server: PostgresServer) -> AsyncIterator[PostgresEngine]:
    engine = PostgresEngine(server, patience=5)
    yield engine
    await engine.close()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sqlite() -> AsyncIterator[SqliteEngine]:
    engine = SqliteEngine(workers=2)
    yield engine
    await engine.close()


async def verdict(world: EpisodeDatabase, case: dict[str, Any], compat: Compat, directory: Path) -> tuple[bool, str]:
    """Whether it passes; for a query what the official comparison says of it, which is recorded under all rules."""
    try:
        finding = await Examiner(as_task(case, directory), RULES[compat], world, LIMITS).submit(case["predicted"])
    except Unscorable as reason:
        return False, f"unscorable: {reason}"
    finally:
        await world.close()
    return finding.verdicts.get("official", finding.passed), finding.reason


async def disagreements(name: str, open_world: Any, compat: Compat, directory: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for case in cases(name):
        passed, reason = await verdict(open_world(case["id"]), case, compat, directory)
        if passed != case["official_passed"]:
            found[case["id"]] = f"{case['kind']}: original {case['official_passed']}, ours {passed}: {reason}"
    return found


async def test_queries_on_postgresql(postgres: PostgresEngine, tmp_path: Path) -> None:
    found = await disagreements("query", lambda key: postgres.world("recorded", key), "batch", tmp_path)
    assert found.keys() == {key for key in OURS if "_M_" not in key}, found


@pytest.mark.skipif(bool(confinement()), reason="this kernel cannot confine fully")
@pytest.mark.parametrize(("compat", "ours"), [("batch", OURS), ("strict", OURS | STRICT)])
async def test_hidden_tests_on_postgresql(
    postgres: PostgresEngine, compat: Compat, ours: dict[str, str], tmp_path: Path
) -> None:
    found = await disagreements("management", lambda key: postgres.world("recorded", key), compat, tmp_path)
    assert found.keys() == {key for key in ours if "_M_" in key}, found


@pytest.mark.parametrize("compat", ["batch", "strict"])
async def test_queries_on_sqlite(sqlite: SqliteEngine, compat: Compat, tmp_path: Path) -> None:
    file = tmp_path / "recorded.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript((shared_data("conformance") / "interact" / "sqlite_schema.sql").read_text())
    connection.close()
    assert await disagreements("sqlite", lambda _: SqliteEpisodeDatabase(sqlite, file), compat, tmp_path) == {}
