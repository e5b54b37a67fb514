from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.config import TaskChoice
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, checks, load_task, load_tasks
from touchstone.benchmarks.desktop.validate import list_warnings, mistakes, pair_mistakes, task_warnings
from touchstone.errors import InputError
from touchstone.options import OptionError

from .support import ABSTRACT, VERBOSE, make_dataset, task_form, write_task

DOMAINS = {"excel": 62, "servicenow": 58, "airbyte": 48, "metabase": 48, "snowflake": 44, "jupyter": 44} | {
    "dbt": 40,
    "bigquery": 40,
    "dagster": 40,
    "airflow": 38,
    "superset": 32,
}


def test_all_published_tasks_are_read(published_tasks: list[DesktopTask]) -> None:
    assert Counter(task.domain for task in published_tasks) == DOMAINS
    assert Counter(task.facets["difficulty"] for task in published_tasks) == {"easy": 98, "medium": 310, "hard": 86}
    assert sum(task.account for task in published_tasks) == 170
    assert len({task.digest for task in published_tasks}) == 494


def test_no_published_task_names_anything_unknown(published_tasks: list[DesktopTask]) -> None:
    assert [f"{task.key}: {said}" for task in published_tasks for said in mistakes(task)] == []


def test_published_tasks_come_in_pairs(published_tasks: list[DesktopTask]) -> None:
    assert list(pair_mistakes(published_tasks)) == []


def test_the_two_errors_of_the_published_lists_are_told(published: Dataset, published_tasks: list[DesktopTask]) -> None:
    said = list(list_warnings(published_tasks, published))
    assert len(said) == 4
    for key in ("4c0bd03d-0308-4ed0-b754-5c98cf6ea2af", "aef836e9-1d84-4a49-9dd7-359c0dbc6ade"):
        assert sum(key in warning for warning in said) == 2


def test_published_rules_that_compare_the_result_with_itself_are_told(published_tasks: list[DesktopTask]) -> None:
    doubtful = {task.key[:8]: list(task_warnings(task)) for task in published_tasks if list(task_warnings(task))}
    assert len(doubtful) == 2
    assert doubtful["64f19902"] == ["field 'evaluator', rule 0 (sheet_data): compares the result with itself"]


def test_metrics_of_lists_and_of_one(published_tasks: list[DesktopTask]) -> None:
    counts = Counter(len(checks(task.form.evaluator)) for task in published_tasks)
    assert counts == {1: 448, 2: 40, 3: 6}


@pytest.mark.parametrize(
    ("chosen", "count"),
    [
        (TaskChoice(split="all"), 494),
        (TaskChoice(split="verbose"), 247),
        (TaskChoice(split="account"), 170),
        (TaskChoice(split="non_account"), 324),
        (TaskChoice(split="one"), 1),
        (TaskChoice(exclude_account=True), 324),
        (TaskChoice(instruction="abstract", domain=("excel",)), 31),
        (TaskChoice(app=("duckdb", "sqlite3")), 28),
        (TaskChoice(tag=("cli",)), 28),
        (TaskChoice(difficulty=("easy", "hard")), 184),
        (TaskChoice(task=("0f0ee112-c8e2-4827-8324-398aa32432e8",)), 1),
        (TaskChoice(domain=("dbt",), app=("dbt_cloud",), instruction="verbose"), 10),
    ],
)
def test_selections(published: Dataset, published_tasks: list[DesktopTask], chosen: TaskChoice, count: int) -> None:
    assert len(chosen.select(published_tasks, published)) == count


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        (TaskChoice(domain=("exel",)), "--domain exel: no task has it; expected jupyter"),
        (TaskChoice(app=("word",)), "--app word: no task has it"),
        (TaskChoice(task=("1",)), "--task 1: no task has it"),
    ],
)
def test_selections_that_mean_nothing(tmp_path: Path, chosen: TaskChoice, said: str) -> None:
    dataset = make_dataset(tmp_path)
    with pytest.raises(OptionError) as refused:
        chosen.select(load_tasks(dataset), dataset)
    assert refused.value.spelled().startswith(said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"action_number": "4"}, "field 'action_number': Expected 'int', got 'str'"),
        ({"config": [{"typ": "launch"}]}, r"field 'config\[0\]': Object contains unknown field 'typ'"),
        ({"hint": "x"}, "Object contains unknown field 'hint'"),
        ({"id": "other"}, f"field 'id': expected '{ABSTRACT}', the name of the file, found 'other'"),
        (
            {"evaluator": {"func": ["exact_match"] * 2, "result": [{}], "expected": [{}, {}]}},
            "field 'evaluator': 2 functions with 1 results, 2 expected values and 2 options",
        ),
    ],
)
def test_a_broken_task_is_told_with_file_and_field(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    path = write_task(tmp_path, task_form())
    path.write_text(__import__("json").dumps({**task_form(), **change}))
    with pytest.raises(InputError, match=f"{ABSTRACT}.json: {said}"):
        load_task(path)


def test_every_field_is_required(tmp_path: Path) -> None:
    for field in task_form():
        form = task_form()
        path = write_task(tmp_path, form)
        path.write_text(__import__("json").dumps({key: value for key, value in form.items() if key != field}))
        with pytest.raises(InputError, match=f"missing field '{field}'"):
            load_task(path)


def test_names_and_parameters_are_checked(tmp_path: Path) -> None:
    evaluator = {
        "func": "compare_cvs",
        "result": {"type": "vm_file", "path": "x"},
        "expected": {"type": "rules", "rules": {}},
        "postconfig": [{"type": "sleep", "parameters": {"seconds": "1"}}],
    }
    form = task_form(config=[{"type": "launch", "parameters": {"cmd": []}}], evaluator=evaluator, related_apps=["word"])
    said = list(mistakes(load_task(write_task(tmp_path, form))))
    assert said == [
        "field 'related_apps': unknown application 'word'",
        "field 'config[0]' (launch): has no parameter 'cmd' (it has command, shell)",
        "field 'evaluator.postconfig[0]' (sleep): parameter 'seconds': Expected 'float', got 'str'",
        "field 'evaluator', metric 0 (compare_cvs): unknown metric 'compare_cvs'; did you mean 'compare_csv'?",
        "field 'evaluator', metric 0, result getter vm_file: needs the parameter 'dest'",
        "field 'evaluator', metric 0, expected getter rules: unknown expected getter 'rules'; did you mean 'rule'?",
    ]


@pytest.mark.parametrize(
    ("abstract", "verbose", "said"),
    [
        (task_form(counterpart="x"), task_form(VERBOSE, ABSTRACT), "there is no task x"),
        (task_form(), task_form(VERBOSE, VERBOSE), f"{VERBOSE} names {VERBOSE} instead of this task"),
        (task_form(tags=["verbose"]), task_form(VERBOSE, ABSTRACT), "is verbose too"),
        (task_form(), task_form(VERBOSE, ABSTRACT, instruction="Else."), f"does not begin with that of {ABSTRACT}"),
    ],
)
def test_pairs_that_do_not_fit(tmp_path: Path, abstract: dict[str, Any], verbose: dict[str, Any], said: str) -> None:
    tasks = load_tasks(make_dataset(tmp_path, abstract, verbose))
    assert any(said in mistake for _, mistake in pair_mistakes(tasks))


def test_paths_stay_inside_the_dataset(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path)
    assert dataset.resolve("evaluation_examples/test_all.json").is_file()
    for path in ("evaluation_examples/../../etc/passwd", "/etc/passwd", "../x"):
        with pytest.raises(InputError, match="leads out of the dataset"):
            dataset.resolve(path)


def test_an_empty_directory_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there are no tasks here"):
        load_tasks(Dataset(tmp_path))
    with pytest.raises(InputError, match="no such directory"):
        Dataset(tmp_path / "none")
