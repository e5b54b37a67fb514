"""The list of tasks to leave out: written by an audit, taken by a run, and never stale without a word."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from touchstone.benchmarks.audit import audit_finding, excluded, remaining
from touchstone.benchmarks.audit.findings import exclusions
from touchstone.errors import InputError
from touchstone.types import Task

TASKS = [Task(key=key, index=index, facets={}, digest=f"d{key}") for index, key in enumerate("abcd")]
FINDINGS = [
    audit_finding("d", "database_missing", "not here"),
    audit_finding("c", "gold_fails", "no such table"),
    audit_finding("a", "ties_under_limit", "tied"),
    audit_finding("a", "gold_empty", "no rows"),
    audit_finding("b", "clock", "today"),
]


def write(path: Path, *severities: str) -> Path:
    path.write_bytes(msgspec.json.encode(exclusions("bird", "0", TASKS, FINDINGS, severities or ("error",))))  # pyright: ignore
    return path


def test_one_entry_per_task_in_the_order_of_the_dataset(tmp_path: Path) -> None:
    listed = json.loads(write(tmp_path / "x.json").read_text())
    assert listed["benchmark"] == "bird"
    assert [(each["task"], each["digest"], each["kind"]) for each in listed["exclude"]] == [
        ("a", "da", "ties_under_limit"),
        ("c", "dc", "gold_fails"),
    ]


def test_warnings_on_demand(tmp_path: Path) -> None:
    assert excluded(write(tmp_path / "x.json", "error", "warning")) == {"a", "b", "c"}


def test_a_task_that_has_changed_is_played_and_said_to_be(tmp_path: Path) -> None:
    changed = [msgspec.structs.replace(task, digest="other") if task.key == "a" else task for task in TASKS]
    said: list[str] = []
    assert excluded(write(tmp_path / "x.json"), changed, benchmark="bird", say=said.append) == {"c"}
    assert said == [
        f"--exclude-audit {tmp_path / 'x.json'}: 1 of its 2 tasks have changed since the audit, and are not left out: a"
    ]


def test_tasks_that_are_not_there_are_said_too(tmp_path: Path) -> None:
    said: list[str] = []
    assert excluded(write(tmp_path / "x.json"), TASKS[1:], say=said.append) == {"c"}
    assert "are not among the tasks: a" in said[0]


def test_what_remains(tmp_path: Path) -> None:
    path = write(tmp_path / "x.json")
    assert [task.key for task in remaining(TASKS, path, benchmark="bird")] == ["b", "d"]
    assert remaining(TASKS, None, benchmark="bird") == TASKS
    with pytest.raises(InputError, match="no task is left of 1"):
        remaining(TASKS[2:3], path, benchmark="bird")


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"benchmark": "bird"}', '{"benchmark": 1, "data": "", "severities": [], "exclude": []}']
)
def test_a_file_that_is_no_such_list(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(InputError, match=r"exclude_audit=.*x\.json': expected a list"):
        excluded(tmp_path / "x.json")


def test_a_file_that_is_not_there_and_one_of_another_benchmark(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        excluded(tmp_path / "none.json")
    with pytest.raises(InputError, match="about the benchmark 'bird', not 'spider2'"):
        excluded(write(tmp_path / "x.json"), benchmark="spider2")
