"""Prediction files: every format, how they are paired with tasks, and what is refused because it does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import run_directory
from tests.support.data import shared_data
from tests.support.worlds import ROWS, World, make_world, row
from touchstone.benchmarks.bird.predictions import load_predictions
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.cli import main
from touchstone.errors import InputError

BOM = b"\xef\xbb\xbf"
SQL = {str(each["question_id"]): f"SELECT {each['question_id']}" for each in ROWS}
DATABASE = {str(each["question_id"]): each["db_id"] for each in ROWS}


@pytest.fixture
def tasks(world: World) -> list[BirdTask]:
    return world.load()


def write(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def lines(*values: Any) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def by_position(tagged: bool) -> dict[str, str]:
    """BIRD's own form."""
    return {
        str(position): SQL[key] + (f"\t----- bird -----\t{DATABASE[key]}" if tagged else "") for position, key in enumerate(SQL)
    }


def refusal(path: Path, tasks: list[BirdTask], **options: Any) -> str:
    """What the file is refused with, without its name."""
    with pytest.raises(InputError) as caught:
        load_predictions(path, tasks, **options)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.json", by_position(tagged=True)),
        ("p.json", by_position(tagged=False)),
        ("p.json", dict(reversed(by_position(tagged=True).items()))),
        ("p.json", SQL),
        ("p.json", dict(sorted(SQL.items(), reverse=True))),
        ("p.jsonl", lines(*({"question_id": int(key), "sql": sql} for key, sql in SQL.items()))),
        ("p.jsonl", lines(*({"question_id": key, "sql": sql} for key, sql in reversed(SQL.items())))),
        ("p.jsonl", "\n" + lines(*({"question_id": k, "sql": v, "db_id": DATABASE[k], "x": 1} for k, v in SQL.items()))),
        ("p.sql", "\n".join(SQL.values())),
        ("p.sql", "".join(f"{sql}\t{DATABASE[key]}\n" for key, sql in SQL.items())),
        ("p.sql", "".join(f"{sql}\t{DATABASE[key]}\r\n" for key, sql in SQL.items())),
        ("p.sql", "".join(f"{sql}\r\n" for sql in SQL.values())),
    ],
)
def test_every_format_gives_each_task_its_sql(tmp_path: Path, tasks: list[BirdTask], name: str, content: Any) -> None:
    assert load_predictions(write(tmp_path / name, content), tasks) == SQL


@pytest.mark.parametrize("name", ["p.json", "p.jsonl", "p.sql"])
def test_a_byte_order_mark_is_no_part_of_the_predictions(tmp_path: Path, tasks: list[BirdTask], name: str) -> None:
    content = {
        "p.json": json.dumps(SQL),
        "p.jsonl": lines(*({"question_id": key, "sql": sql} for key, sql in SQL.items())),
        "p.sql": "\n".join(SQL.values()),
    }[name]
    (tmp_path / name).write_bytes(BOM + content.encode())
    assert load_predictions(tmp_path / name, tasks) == SQL


def test_sql_keeps_its_own_tabs_and_lines(tmp_path: Path, tasks: list[BirdTask]) -> None:
    sql = "SELECT\tname,\n\t1 -- ----- bird -----\nFROM item"
    values = {**by_position(tagged=True), "0": f"{sql}\t----- bird -----\tshop"}
    assert load_predictions(write(tmp_path / "p.json", values), tasks)["10"] == sql


@pytest.mark.parametrize("value", [None, 0, 1.5, True, [], ["SELECT 1"], {"sql": "SELECT 1"}])
def test_a_value_that_is_not_text_counts_as_blank(tmp_path: Path, tasks: list[BirdTask], value: Any) -> None:
    found = load_predictions(write(tmp_path / "p.json", {**by_position(tagged=True), "3": value}), tasks)
    assert found == {**SQL, "13": ""}


def test_null_in_json_lines_counts_as_blank(tmp_path: Path, tasks: list[BirdTask]) -> None:
    rows = [{"question_id": key, "sql": None if key == "12" else sql} for key, sql in SQL.items()]
    assert load_predictions(write(tmp_path / "p.jsonl", lines(*rows)), tasks) == {**SQL, "12": ""}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({**by_position(True), "6": "SELECT 1"}, "key '6' is neither a position (0 to 5) nor a question id of the task file"),
        ({**SQL, "16": "SELECT 1"}, "key '16' is neither a position (0 to 5) nor a question id of the task file"),
        ({"x": "SELECT 1"}, "key 'x' is neither a position (0 to 5) nor a question id of the task file"),
        (
            {**by_position(True), "1": "SELECT 1\t----- bird -----\tzoo"},
            "key '1': it is for the database 'zoo', its task has 'shop'",
        ),
        ([], "expected a JSON object of predictions, found list"),
        ("null", "expected a JSON object of predictions, found NoneType"),
        ("{", "not valid JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("", "not valid JSON: Expecting value: line 1 column 1 (char 0)"),
        ('{"0": "a", "0": "b"}', "key '0' occurs twice"),
    ],
)
def test_a_json_file_that_does_not_fit_is_refused(tmp_path: Path, tasks: list[BirdTask], content: Any, complaint: str) -> None:
    assert refusal(write(tmp_path / "p.json", content), tasks) == complaint


def test_keys_of_two_kinds_in_one_file_are_refused(tmp_path: Path, tasks: list[BirdTask]) -> None:
    mixed = {"0": "SELECT 1", "10": "SELECT 1"}
    assert "key '" in refusal(write(tmp_path / "p.json", mixed), tasks, allow_missing=True)


@pytest.mark.parametrize("content", [{}, {"0": "SELECT 1"}, {"10": "SELECT 1", "11": "SELECT 2"}])
def test_a_wrong_count_is_refused(tmp_path: Path, tasks: list[BirdTask], content: dict[str, str]) -> None:
    complaint = refusal(write(tmp_path / "p.json", content), tasks)
    assert complaint.startswith(f"{len(content)} predictions for 6 tasks (--allow-missing ")


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (lines({"question_id": 10, "sql": "x"}, {"question_id": 10, "sql": "y"}), "row 2: question_id 10 occurs twice"),
        (lines({"question_id": 10, "sql": "x"}, {"question_id": "10", "sql": "y"}), "row 2: question_id 10 occurs twice"),
        ("\n" + lines({"question_id": 99, "sql": "x"}), "row 2: question_id 99 is not in the task file"),
        (lines({"question_id": 0, "sql": "x"}), "row 1: question_id 0 is not in the task file"),
        (lines({"question_id": 10, "sql": "x", "db_id": "zoo"}), "row 1: db_id is 'zoo', its task has 'shop'"),
        (lines({"question_id": 10}), "row 1: expected an object with question_id and sql: "),
        (lines({"sql": "x"}), "row 1: expected an object with question_id and sql: "),
        (lines({"question_id": 10, "sql": 5}), "row 1: expected an object with question_id and sql: "),
        (lines([1]), "row 1: expected an object with question_id and sql: "),
        ("{", "row 1: expected an object with question_id and sql: Input data was truncated"),
        (lines({"question_id": 10, "sql": "x"}), "5 of 6 tasks have no prediction, the first is 11 (--allow-missing "),
        ("", "6 of 6 tasks have no prediction, the first is 10 (--allow-missing "),
    ],
)
def test_json_lines_that_do_not_fit_are_refused(tmp_path: Path, tasks: list[BirdTask], content: str, complaint: str) -> None:
    assert refusal(write(tmp_path / "p.jsonl", content), tasks).startswith(complaint)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("SELECT 1\n", "1 lines for 6 tasks; one statement per line is expected"),
        ("SELECT 1\n" * 7, "7 lines for 6 tasks; one statement per line is expected"),
        ("", "1 lines for 6 tasks; one statement per line is expected"),
        ("SELECT 1\n" * 2 + "SELECT 1\tshop\n" + "SELECT 1\n" * 3, "row 3: the database is 'shop', its task has 'zoo'"),
    ],
)
def test_statements_that_do_not_fit_are_refused(tmp_path: Path, tasks: list[BirdTask], content: str, complaint: str) -> None:
    assert refusal(write(tmp_path / "p.sql", content), tasks) == complaint


def test_a_blank_line_among_statements_is_a_blank_prediction(tmp_path: Path, tasks: list[BirdTask]) -> None:
    content = "\n".join("" if key == "14" else sql for key, sql in SQL.items())
    assert load_predictions(write(tmp_path / "p.sql", content), tasks) == {**SQL, "14": ""}


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("p.json", {"0": "SELECT 1", "2": "SELECT 3"}, {"10": "SELECT 1", "12": "SELECT 3"}),
        ("p.json", {"11": "SELECT 2"}, {"11": "SELECT 2"}),
        ("p.json", {}, {}),
        ("p.jsonl", lines({"question_id": 15, "sql": "SELECT 6"}), {"15": "SELECT 6"}),
        ("p.jsonl", "", {}),
    ],
)
def test_missing_predictions_can_be_allowed(
    tmp_path: Path, tasks: list[BirdTask], name: str, content: Any, found: dict[str, str]
) -> None:
    assert load_predictions(write(tmp_path / name, content), tasks, allow_missing=True) == found


def test_keys_that_mean_different_tasks_as_positions_and_as_ids_are_refused(tmp_path: Path) -> None:
    world = make_world(tmp_path / "w", [row(number, "shop", "?", "SELECT 1") for number in (1, 2, 0)])
    some = write(tmp_path / "p.json", {"0": "SELECT 1", "1": "SELECT 2"})
    complaint = (
        "its 2 keys could be positions or question ids, which name different tasks (a .jsonl with question_id says which)"
    )
    assert refusal(some, world.load(), allow_missing=True) == complaint


def test_a_full_set_of_keys_that_are_positions_and_ids_in_another_order_is_refused(tmp_path: Path) -> None:
    """Both readings fit, and give other pairs: nothing in the file says which is meant."""
    world = make_world(tmp_path / "w", [row(number, "shop", "?", "SELECT 1") for number in (1, 2, 0)])
    every = write(tmp_path / "p.json", {"0": "SELECT 1", "1": "SELECT 2", "2": "SELECT 3"})
    assert "could be positions or question ids" in refusal(every, world.load())


def test_question_ids_that_occur_twice_are_paired_by_position(tmp_path: Path) -> None:
    world = make_world(tmp_path / "w", [row(number, "shop", "?", "SELECT 1") for number in (7, 7, 8)])
    file = write(tmp_path / "p.json", {"0": "SELECT 1", "1": "SELECT 2", "2": "SELECT 3"})
    assert load_predictions(file, world.load()) == {"7@0": "SELECT 1", "7@1": "SELECT 2", "8": "SELECT 3"}


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, tasks: list[BirdTask]) -> None:
    assert refusal(tmp_path / "no.json", tasks) == "cannot read the predictions: No such file or directory"


class TestRun:
    """A run directory as predictions: what was submitted, by task."""

    @pytest.fixture
    def run(self, tmp_path: Path, world: World) -> Path:
        assert main(["bird", *world.arguments, "--agent", "oracle", "-o", str(tmp_path / "out")]) == 0
        return run_directory(tmp_path / "out")

    def test_gives_what_was_submitted(self, run: Path, tasks: list[BirdTask]) -> None:
        assert load_predictions(run, tasks) == {task.key: task.gold for task in tasks}

    def test_a_torn_last_line_is_a_missing_prediction(self, run: Path, tasks: list[BirdTask]) -> None:
        content = (run / "runs.jsonl").read_bytes()
        (run / "runs.jsonl").write_bytes(content[:-20])
        assert refusal(run, tasks).startswith("1 of 6 tasks have no prediction, the first is 15 ")

    def test_a_broken_line_is_refused(self, run: Path, tasks: list[BirdTask]) -> None:
        content = (run / "runs.jsonl").read_bytes()
        (run / "runs.jsonl").write_bytes(b"{]\n" + content)
        with pytest.raises(InputError, match=r"runs\.jsonl: .*not a record"):
            load_predictions(run, tasks)

    def test_a_run_on_other_tasks_is_refused(self, run: Path, tmp_path: Path) -> None:
        other = make_world(tmp_path / "other", [{**ROWS[0], "question": "Which items are cheap?"}, *ROWS[1:]])
        assert refusal(run, other.load()) == "task 10 is not in the task file, or is another task there"

    def test_a_directory_that_is_no_run_is_refused(self, tmp_path: Path, tasks: list[BirdTask]) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputError, match=r"runs\.jsonl: cannot read the predictions: No such file"):
            load_predictions(tmp_path / "empty", tasks)


def test_the_published_predictions_load() -> None:
    data = shared_data("bird")
    tasks = load_tasks(data / "tasks" / "mini_dev_sqlite.json")
    for file in sorted((data / "predictions").glob("*.json")):
        assert load_predictions(file, tasks).keys() == {task.key for task in tasks}


@pytest.mark.parametrize(("name", "count"), [("mini_dev_sqlite", 500), ("dev", 1534)])
def test_the_published_gold_files_are_prediction_files_too(name: str, count: int) -> None:
    """They differ from the SQL in the task file in white space only."""
    data = shared_data("bird") / "tasks"
    tasks = load_tasks(data / f"{name}.json")
    found = load_predictions(data / f"{name}_gold.sql", tasks)
    assert len(found) == count
