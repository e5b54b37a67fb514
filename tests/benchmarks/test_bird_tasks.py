"""BIRD's task files: what is read, what is refused and in which words, and which tasks are chosen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.data import shared_data
from tests.support.worlds import ROWS, Row, World, row
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks, select
from touchstone.errors import InputError

BOM = b"\xef\xbb\xbf"


def keys(tasks: list[BirdTask]) -> list[str]:
    return [task.key for task in tasks]


def write(path: Path, rows: Any) -> Path:
    path.write_text(json.dumps(rows))
    return path


def write_lines(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    return path


def test_a_task_holds_what_its_row_says(tmp_path: Path) -> None:
    given = row(7, "shop", "Which?", "SELECT 1", "moderate", evidence=" a hint ")
    (task,) = load_tasks(write(tmp_path / "t.json", [given]))
    assert (task.key, task.question_id, task.index, task.database) == ("7", "7", 0, "shop")
    assert (task.question, task.evidence, task.gold) == ("Which?", "a hint", "SELECT 1")
    assert task.facets == {"difficulty": "moderate", "database": "shop"}


def test_json_and_json_lines_with_and_without_bom_give_the_same_tasks(tmp_path: Path) -> None:
    plain = load_tasks(write(tmp_path / "t.json", list(ROWS)))
    lines = write_lines(tmp_path / "t.jsonl", list(ROWS))
    assert load_tasks(lines) == plain
    for file in (tmp_path / "t.json", lines):
        file.write_bytes(BOM + file.read_bytes())
        assert load_tasks(file) == plain


def test_blank_lines_between_json_lines_are_passed_over(tmp_path: Path) -> None:
    file = tmp_path / "t.jsonl"
    file.write_text("\n" + json.dumps(ROWS[0]) + "\r\n\n" + json.dumps(ROWS[1]))
    assert keys(load_tasks(file)) == ["10", "11"]


def test_evidence_and_difficulty_may_be_absent_or_null(tmp_path: Path) -> None:
    bare = {"question_id": 1, "db_id": "shop", "question": "?", "SQL": "SELECT 1"}
    first, second = load_tasks(write(tmp_path / "t.json", [bare, {**bare, "question_id": 2, "evidence": None}]))
    assert (first.evidence, second.evidence) == ("", "")
    assert first.facets["difficulty"] == "unknown"


def test_fields_that_are_not_known_are_passed_over(tmp_path: Path) -> None:
    (task,) = load_tasks(write(tmp_path / "t.json", [{**ROWS[0], "remark": [1, 2]}]))
    assert task.key == "10"


def test_question_ids_that_occur_twice_get_their_position(tmp_path: Path) -> None:
    """As in the mini-dev of 2024, where 137 and 138 occur twice."""
    rows = [row(137, "shop", "a", "SELECT 1"), row(5, "shop", "b", "SELECT 2"), row(137, "shop", "c", "SELECT 3")]
    tasks = load_tasks(write(tmp_path / "t.json", rows))
    assert keys(tasks) == ["137@0", "5", "137@2"]
    assert keys(select(tasks, ids=["137"])) == ["137@0", "137@2"]
    assert keys(select(tasks, ids=["137@2"])) == ["137@2"]


def test_a_number_and_a_text_of_the_same_digits_are_one_question_id(tmp_path: Path) -> None:
    tasks = load_tasks(write(tmp_path / "t.json", [row(1, "shop", "a", "SELECT 1"), row("1", "shop", "b", "SELECT 2")]))
    assert keys(tasks) == ["1@0", "1@1"]


@pytest.mark.parametrize("field", ["question_id", "db_id", "question", "SQL", "evidence", "difficulty"])
def test_the_digest_changes_with_every_field(tmp_path: Path, field: str) -> None:
    (before,) = load_tasks(write(tmp_path / "t.json", [ROWS[0]]))
    (after,) = load_tasks(write(tmp_path / "t.json", [{**ROWS[0], field: "other"}]))
    assert before.digest != after.digest


def without(field: str) -> Row:
    return {name: value for name, value in ROWS[1].items() if name != field}


@pytest.mark.parametrize(
    ("broken", "complaint"),
    [
        *((without(field), f"row 2: missing field '{field}'") for field in ("question_id", "db_id", "question", "SQL")),
        ({**ROWS[1], "question": 5}, "row 2: field 'question': Expected 'str', got 'int'"),
        ({**ROWS[1], "SQL": None}, "row 2: field 'SQL': Expected 'str', got 'null'"),
        ({**ROWS[1], "question_id": 1.5}, "row 2: field 'question_id': Expected 'int | str', got 'float'"),
        ({**ROWS[1], "db_id": ["shop"]}, "row 2: field 'db_id': Expected 'str', got 'array'"),
        ({**ROWS[1], "difficulty": 3}, "row 2: field 'difficulty': Expected 'str', got 'int'"),
        ({**ROWS[1], "evidence": {}}, "row 2: field 'evidence': Expected 'str | null', got 'object'"),
        ("SELECT 1", "row 2: Expected 'object', got 'str'"),
        (None, "row 2: Expected 'object', got 'null'"),
    ],
)
@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_a_broken_row_is_refused_by_number_and_field(tmp_path: Path, suffix: str, broken: Any, complaint: str) -> None:
    file = tmp_path / f"t.{suffix}"
    (write if suffix == "json" else write_lines)(file, [ROWS[0], broken])
    with pytest.raises(InputError) as caught:
        load_tasks(file)
    assert str(caught.value) == f"{file}: {complaint}"


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("t.json", b"", "not valid JSON: Input data was truncated"),
        ("t.json", b"[", "not valid JSON: Input data was truncated"),
        ("t.json", b"[}", "not valid JSON: JSON is malformed: invalid character (byte 1)"),
        ("t.json", b'["\xff"]', "row 1: Expected 'object', got 'str'"),
        ("t.json", b"{}", "expected a JSON array of tasks, found dict"),
        ("t.json", b'"x"', "expected a JSON array of tasks, found str"),
        ("t.json", b"[]", "there are no tasks in this file"),
        ("t.jsonl", b"\n\n", "there are no tasks in this file"),
        ("t.jsonl", b"\n{", "row 2: not valid JSON: Input data was truncated"),
        ("t.jsonl", b"[]", "row 1: Expected 'object', got 'array'"),
    ],
)
def test_a_broken_file_is_refused_in_one_line(tmp_path: Path, name: str, content: bytes, complaint: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_tasks(file)
    assert str(caught.value).startswith(f"{file}: {complaint}")
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    for path, why in ((tmp_path / "no.json", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(InputError) as caught:
            load_tasks(path)
        assert str(caught.value) == f"{path}: cannot read the task file: {why}"


@pytest.mark.parametrize(
    ("options", "chosen"),
    [
        ({}, "10 11 12 13 14 15"),
        ({"difficulty": "simple"}, "10 14"),
        ({"difficulty": "moderate"}, "11 12"),
        ({"databases": ["zoo"]}, "12 14 15"),
        ({"databases": ["zoo", "shop"]}, "10 11 12 13 14 15"),
        ({"databases": ["zoo"], "difficulty": "challenging"}, "15"),
        ({"ids": ["15", "10"]}, "10 15"),
        ({"limit": 2}, "10 11"),
        ({"limit": 100}, "10 11 12 13 14 15"),
        ({"offset": 4}, "14 15"),
        ({"offset": 1, "limit": 2}, "11 12"),
        ({"databases": ["zoo"], "offset": 1, "limit": 1}, "14"),
    ],
)
def test_filters_come_first_and_offset_and_limit_after(world: World, options: dict[str, Any], chosen: str) -> None:
    assert keys(select(world.load(), **options)) == chosen.split()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"databases": ["zoo", "aviary"]}, "database='aviary': not in the task file"),
        ({"ids": ["99"]}, "task='99': not in the task file"),
        ({"offset": 6}, "no task is left: the filters and the offset select none of 6"),
        ({"ids": ["10"], "databases": ["zoo"]}, "no task is left: the filters and the offset select none of 6"),
    ],
)
def test_a_selection_that_makes_no_sense_is_refused(world: World, options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        select(world.load(), **options)
    assert str(caught.value) == complaint


@pytest.mark.parametrize(("name", "count"), [("mini_dev_sqlite.json", 500), ("dev.json", 1534)])
def test_the_published_files_load(name: str, count: int) -> None:
    tasks = load_tasks(shared_data("bird") / "tasks" / name)
    assert len(tasks) == len({task.key for task in tasks}) == count
    assert [task.index for task in tasks] == list(range(count))
    assert {task.facets["difficulty"] for task in tasks} == {"simple", "moderate", "challenging"}
