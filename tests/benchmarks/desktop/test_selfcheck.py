"""What `selfcheck` says of records that agents left, and that it goes on where it stopped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.desktop.playing import SAVED
from tests.benchmarks.desktop.support import ABSTRACT, VERBOSE, make_dataset
from tests.cli.test_desktop_run import command
from tests.support.command import Done
from tests.support.records import a_record
from touchstone.benchmarks.desktop.selfcheck import left_out, table, wrong
from touchstone.types import Outcome, Record


def record(task: str, domain: str, outcome: Outcome, **evidence: Any) -> Record:
    return a_record(task, outcome=outcome, facets={"domain": domain}, evidence=evidence, reason="why")


UNTOUCHED = [
    record("1", "excel", Outcome.failed),
    record("2", "excel", Outcome.skipped),
    record("3", "airflow", Outcome.error, kind="set-up"),
    record("4", "airflow", Outcome.error, kind="evaluation"),
    record("5", "airflow", Outcome.passed),
]
SOLVED = [record("1", "excel", Outcome.passed), record("5", "airflow", Outcome.failed), record("6", "dbt", Outcome.passed)]
FOUND = {"oracle": {one.task: one for one in SOLVED}, "nothing": {one.task: one for one in UNTOUCHED}}


def test_a_table_per_domain() -> None:
    head, *rows, last = table(FOUND)
    assert head.split() == "domain tasks left out set up graded solutions solved left alone passed alone".split()
    assert [row.split() for row in rows] == [
        "airflow 3 0 2 1 1 0 3 1".split(),
        "dbt 1 0 1 1 1 1 0 0".split(),
        "excel 2 1 1 1 1 1 1 0".split(),
        "all 6 1 4 3 3 2 4 1".split(),
    ]
    assert last == "\n2 of 5 that can be played here: set up, graded and solved; 3: set up and graded; 1 passed untouched"


def test_what_must_not_be_believed_is_named() -> None:
    assert [line.partition(" (")[0] for line in wrong(FOUND)] == ["oracle: 5", "nothing: 3", "nothing: 4", "nothing: 5"]
    right = {"oracle": {"1": SOLVED[0]}, "nothing": {"1": UNTOUCHED[0], "2": UNTOUCHED[1]}}
    assert not list(wrong(right))


def test_what_is_left_out_is_named_with_its_reason() -> None:
    assert list(left_out(FOUND)) == ["left out: 1 for why: 2"]


@pytest.fixture
def check(tmp_path: Path) -> Any:
    make_dataset(tmp_path)
    solutions = tmp_path / "solutions"
    solutions.mkdir()
    for task in (ABSTRACT, VERBOSE):
        (solutions / f"{task}.py").write_text(SAVED)

    def run(*arguments: str) -> Done:
        fixed = ("--provider", "tests.benchmarks.desktop.drawn:provider", "--solutions", "solutions", "-o", "runs")
        return command("desktop", "selfcheck", tmp_path, *fixed, *arguments, cwd=tmp_path)

    return run


def told(done: Done) -> list[str]:
    return [line for line in done.out.splitlines() if " tasks to play, " in line]


def test_checks_in_one_folder_add_up(check: Any, tmp_path: Path) -> None:
    first = check("--task", ABSTRACT)
    assert first.code == 0, first.err
    assert told(first) == [f"{agent}: 1 tasks to play, 0 right already" for agent in ("oracle", "nothing")]
    (tmp_path / "solutions" / f"{VERBOSE}.py").write_text("pass")
    second = check()
    assert told(second) == [f"{agent}: 1 tasks to play, 1 right already" for agent in ("oracle", "nothing")]
    assert "1 of 2 that can be played here: set up, graded and solved; 2: set up and graded; 0 passed untouched" in second.out
    assert second.code == 1
    assert f"oracle: {VERBOSE}" in second.err

    (tmp_path / "solutions" / f"{VERBOSE}.py").write_text(SAVED)
    third = check()
    assert told(third) == ["oracle: 1 tasks to play, 1 right already", "nothing: 0 tasks to play, 2 right already"]
    assert "2 of 2 that can be played here" in third.out
    assert third.code == 0, third.err
    assert told(check("--again", "--task", ABSTRACT)) == [
        f"{agent}: 1 tasks to play, 0 right already" for agent in ("oracle", "nothing")
    ]


def test_a_solution_serves_both_forms_of_a_task(check: Any, tmp_path: Path) -> None:
    (tmp_path / "solutions" / f"{VERBOSE}.py").unlink()
    done = check()
    assert done.code == 0, done.err
    assert "2 of 2 that can be played here: set up, graded and solved" in done.out


def test_scripts_may_be_given_more_time(check: Any, tmp_path: Path) -> None:
    assert check("--task", ABSTRACT, "--eval-timeout", "450").code == 0
    configs = [json.loads(path.read_text()) for path in tmp_path.glob("runs/*/run-*/config.json")]
    assert [config["benchmark"]["eval_timeout"] for config in configs] == [450, 450]


def test_a_task_that_has_changed_is_played_again(check: Any, tmp_path: Path) -> None:
    check("--task", ABSTRACT)
    (file,) = (tmp_path / "evaluation_examples/examples").glob(f"*/{ABSTRACT}/{ABSTRACT}.json")
    file.write_text(file.read_text().replace('"action_number": ', '"action_number": 1'))
    assert told(check("--task", ABSTRACT))[0] == "oracle: 1 tasks to play, 0 right already"
