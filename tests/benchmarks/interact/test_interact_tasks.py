"""Task files of BIRD-Interact: all of mini-interact, and one clear line for what is wrong."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from touchstone.benchmarks.interact.rules import Prices, read_prices
from touchstone.benchmarks.interact.tasks import data_file, load_tasks, select
from touchstone.errors import InputError

ROW: dict[str, Any] = {
    "instance_id": "a_1",
    "selected_database": "a",
    "amb_user_query": "what?",
    "user_query_ambiguity": {"critical_ambiguity": [], "non_critical_ambiguity": []},
}


def written(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows) + "\n")
    return path


def test_all_tasks_of_mini_interact_load_with_their_budget() -> None:
    tasks = load_tasks(data_file(shared_data("mini-interact")))
    assert len(tasks) == 300
    assert {len(task.phases) for task in tasks} == {1}
    budgets = Counter(Prices().budget(task.ambiguities, 6) for task in tasks)
    for line, task in zip((shared_data("mini-interact") / "mini_interact.jsonl").open(), tasks, strict=True):
        row = json.loads(line)
        count = len(row["user_query_ambiguity"]["critical_ambiguity"]) + len(row["knowledge_ambiguity"])
        assert Prices().budget(task.ambiguities, 6) == 12 + 2 * count
    assert sum(budgets.values()) == 300
    assert min(budgets) >= 14


def test_a_follow_up_is_the_second_phase_and_one_text_counts_as_a_list_of_one(tmp_path: Path) -> None:
    row = ROW | {
        "query": "clear",
        "sol_sql": "SELECT 1",
        "conditions": {"order": True, "decimal": 2, "new": "ignored"},
        "follow_up": {
            "query": "and then?",
            "sol_sql": ["SELECT 2", " "],
            "category": "Management",
            "test_cases": ["def t(): 0"],
        },
    }
    (task,) = load_tasks(written(tmp_path / "t.jsonl", row))
    first, second = task.phases
    assert (first.shown, first.clear, first.gold, first.conditions.order) == ("what?", "clear", ("SELECT 1",), True)
    assert (second.clear, second.gold, second.category, len(second.tests)) == ("and then?", ("SELECT 2",), "Management", 1)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["{"], "row 1: not valid JSON"),
        ([{"instance_id": "x"}], "row 1: missing field 'selected_database'"),
        ([ROW | {"selected_database": 3}], "row 1: field 'selected_database': Expected 'str', got 'int'"),
        ([ROW, ROW], "row 2: instance_id 'a_1' is also in row 1"),
        ([ROW | {"conditions": {"order": "yes"}}], "row 1: conditions.order must be true or false"),
        ([ROW | {"follow_up": {"category": "Query"}}], "row 1: field 'follow_up': missing field 'query'"),
        (
            [ROW | {"user_query_ambiguity": {"critical_ambiguity": [{"term": "x"}]}}],
            "missing field 'sql_snippet'",
        ),
        ([""], "there are no tasks in this file"),
    ],
)
def test_a_broken_file_is_told_in_one_line(tmp_path: Path, rows: list[Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        load_tasks(written(tmp_path / "tasks.jsonl", *rows))
    assert said in str(error.value)
    assert "tasks.jsonl" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_dataset_is_a_directory_with_a_task_file_or_the_file_itself(tmp_path: Path) -> None:
    file = written(tmp_path / "bird_interact_data.jsonl", ROW)
    assert data_file(tmp_path) == data_file(file) == file
    with pytest.raises(InputError, match="there is no such dataset directory"):
        data_file(tmp_path / "none")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"expected bird_interact_data\.jsonl or mini_interact\.jsonl"):
        data_file(tmp_path / "empty")


def test_selecting_names_what_is_unknown(tmp_path: Path) -> None:
    rows = [ROW | {"instance_id": f"a_{n}", "category": "Management" if n == 2 else "Query"} for n in range(4)]
    tasks = load_tasks(written(tmp_path / "t.jsonl", *rows))
    assert [task.key for task in select(tasks, category="Query", offset=1, limit=1)] == ["a_1"]
    assert [task.key for task in select(tasks, ids=["a_3"])] == ["a_3"]
    for options, said in [
        ({"ids": ["b"]}, "task='b': not in the task file"),
        ({"databases": ["b"]}, "database='b': not in the task file"),
        ({"limit": 0}, "--limit 1 or more"),
        ({"offset": 9}, "no task is left"),
    ]:
        with pytest.raises(InputError, match=said):
            select(tasks, **options)  # type: ignore[arg-type]


def test_prices_can_be_overridden_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"ask": 1, "start_budget": 20}')
    assert read_prices(file) == Prices(ask=1, start_budget=20)
    for text, said in [("{", "prices.json"), ('{"aks": 1}', "aks"), ('{"ask": -1}', "field 'ask': expected 0 or more")]:
        file.write_text(text)
        with pytest.raises(InputError, match=said):
            read_prices(file)
    with pytest.raises(InputError, match="No such file"):
        read_prices(tmp_path / "none.json")
