"""The official submission format: a folder of files named by instance id."""

from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.benchmarks.spider2.submissions import load_submission, score_file
from touchstone.errors import InputError


def folder(tmp_path: Path, **files: str) -> Path:
    made = tmp_path / "mine"
    made.mkdir()
    for name, text in files.items():
        (made / name.replace("_dot_", ".")).write_text(text)
    return made


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("SELECT 1", "SELECT 1"),
        ("\n  SELECT 1;\n", "SELECT 1;"),
        ("```sql\nSELECT 1\n```", "SELECT 1"),
        ("As follows:\n```SQL \nSELECT 1\n```\nbye", "SELECT 1"),
        ("", ""),
    ],
)
def test_sql_is_read_without_its_fence(tmp_path: Path, text: str, sql: str) -> None:
    handed_in = load_submission(folder(tmp_path, local001_dot_sql=text))
    assert (handed_in.sql, handed_in.files) == ({"local001": sql}, {})


def test_sql_and_results_may_be_mixed(tmp_path: Path) -> None:
    made = folder(tmp_path, local001_dot_sql="SELECT 1", bq001_dot_csv="a\n1\n", README_dot_md="no")
    (made / "local002.csv").mkdir()
    handed_in = load_submission(made)
    assert handed_in.sql == {"local001": "SELECT 1"}
    assert handed_in.files == {"bq001": made / "bq001.csv"}
    assert handed_in.ids == {"local001", "bq001"}


def test_a_question_can_be_answered_only_once(tmp_path: Path) -> None:
    made = folder(tmp_path, local001_dot_sql="SELECT 1", local001_dot_csv="a\n1\n")
    with pytest.raises(InputError) as caught:
        load_submission(made)
    assert str(caught.value) == f"{made}: local001 exists both as .sql and as .csv"


@pytest.mark.parametrize(
    ("kind", "complaint"),
    [
        ("missing", "there is no such folder of .sql or .csv files"),
        ("file", "there is no such folder of .sql or .csv files"),
        ("empty", "there is no .sql and no .csv file in this folder"),
    ],
)
def test_a_folder_that_is_none(tmp_path: Path, kind: str, complaint: str) -> None:
    made = tmp_path / "mine"
    if kind == "file":
        made.write_text("")
    if kind == "empty":
        made.mkdir()
        (made / "notes.txt").write_text("")
    with pytest.raises(InputError) as caught:
        load_submission(made)
    assert str(caught.value) == f"{made}: {complaint}"


def test_the_official_list_of_correct_ids() -> None:
    assert score_file(["local003", "bq001", "sf_bq002", "sf001"]) == "instance_id\nsf_bq001\nsf_local003\nsf001\nsf_bq002\n"
    assert score_file([]) == "instance_id\n"
