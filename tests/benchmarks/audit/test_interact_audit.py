"""BIRD-Interact's audit: golds, hidden tests and annotations with one defect each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import TEST, VIEW, ambiguity, make_dataset, management_task, query_task
from touchstone.benchmarks.audit import AuditFinding
from touchstone.benchmarks.interact.audit import audit
from touchstone.benchmarks.interact.episode_databases import SqliteDatabases
from touchstone.benchmarks.interact.tasks import data_file, load_tasks
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Limits

ORDERED = {"decimal": -1, "distinct": False, "order": True}
ALWAYS = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    assert True"
NEVER = "def test_case(pred_sqls, sol_sqls, db_name, conn):\n    assert False, 'never'"


async def findings(engine: SqliteEngine, directory: Path, *tasks: dict[str, Any]) -> list[AuditFinding]:
    dataset = make_dataset(directory / "data", *tasks)
    file = data_file(dataset)
    worlds = SqliteDatabases(engine, dataset)
    return await audit(load_tasks(file), file, worlds, limits=Limits(seconds=5), watch=lambda done, total: None)


@pytest.mark.asyncio(loop_scope="module")
async def test_sound_tasks(engine: SqliteEngine, tmp_path: Path) -> None:
    assert await findings(engine, tmp_path) == []


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({"sol_sql": []}, {"gold_withheld"}),
        ({"sol_sql": ["SELECT nothing FROM customer"]}, {"gold_fails"}),
        ({"preprocess_sql": ["DROP TABLE nothing"]}, {"preprocess_fails"}),
        ({"clean_up_sqls": ["DROP TABLE nothing"]}, {"clean_up_fails"}),
        ({"selected_database": "nowhere"}, {"database_missing", "texts_missing"}),
        ({"sol_sql": ["SELECT name FROM customer WHERE id > 9"]}, {"gold_empty", "official_rejects_gold"}),
        ({"sol_sql": ["SELECT name FROM customer ORDER BY tier"], "conditions": ORDERED}, {"row_order"}),
        ({"sol_sql": ["SELECT name FROM customer ORDER BY name"], "conditions": ORDERED}, set()),
        ({"sol_sql": ["SELECT name FROM customer WHERE tier IS DISTINCT FROM 'gold'"]}, {"official_rejects_gold"}),
        ({"sol_sql": ["SELECT name FROM customer ORDER BY tier DESC LIMIT 1"]}, {"ties_under_limit"}),
        ({"query": None}, {"no_clear_request"}),
        ({"external_knowledge": [0, 77]}, {"knowledge_missing"}),
        ({"knowledge_ambiguity": [ambiguity("Active", "count(*) >= 2", deleted_knowledge=9)]}, {"knowledge_missing"}),
        ({"follow_up": {"query": "And?", "sol_sql": ["SELECT nothing"], "category": "Query"}}, {"gold_fails"}),
    ],
)
async def test_defects_of_a_query(engine: SqliteEngine, tmp_path: Path, changed: dict[str, Any], kinds: set[str]) -> None:
    found = await findings(engine, tmp_path, query_task(**changed))
    about_the_gold = "sol_sql" in changed  # then the fragments are those of another one
    assert {finding.kind for finding in found} - ({"snippet_not_in_gold"} if about_the_gold else set()) == kinds


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(
    ("changed", "kind", "words"),
    [
        ({"test_cases": [ALWAYS]}, "vacuous_test", "phase 1 pass after 'SELECT 1'"),
        ({"test_cases": [TEST, NEVER]}, "test_fails_on_gold", "test 2 of phase 1 rejects the gold (assertion): never"),
        ({"test_cases": ["x ="]}, "test_fails_on_gold", "no_test"),
        ({"test_cases": []}, "tests_missing", "phase 1"),
        ({"sol_sql": [f"{VIEW}; SELECT 1 FROM absent"]}, "gold_fails", "no such table: absent"),
    ],
)
async def test_defects_of_hidden_tests(
    engine: SqliteEngine, tmp_path: Path, changed: dict[str, Any], kind: str, words: str
) -> None:
    found = [each for each in await findings(engine, tmp_path, management_task(**changed)) if each.severity == "error"]
    assert [each.kind for each in found] == [kind]
    assert words in found[0].sentence


@pytest.mark.asyncio(loop_scope="module")
async def test_annotations(engine: SqliteEngine, tmp_path: Path) -> None:
    critical = [ambiguity("idle customers", "having COUNT( * )>=2;"), ambiguity("active customers", "HAVING count(*) > 3")]
    task = query_task(user_query_ambiguity={"critical_ambiguity": critical, "non_critical_ambiguity": []})
    found = await findings(engine, tmp_path, task, query_task(instance_id="shop_2", sol_sql=["SELECT 1"]))
    own = [(each.kind, each.sentence) for each in found if each.task == "shop_1"]
    assert own == [
        ("term_not_in_request", "the request does not say 'idle customers'"),
        ("snippet_not_in_gold", "the gold does not have the fragment of 'active customers'"),
        ("contradicting_gold", "shop_2 makes the same request, and has another gold"),
    ]
