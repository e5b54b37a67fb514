"""`touchstone interact` on a dataset whose ground truth is not there, or not for all tasks."""

from __future__ import annotations

import json
from pathlib import Path

from tests.benchmarks.interact.datasets import make_dataset, management_task, query_task
from tests.cli.conftest import Cli
from tests.support.command import records, run_directory


def test_a_run_says_at_its_start_how_many_tasks_can_be_scored(cli: Cli, tmp_path: Path) -> None:
    withheld = {"sol_sql": [], "test_cases": []}
    follow_up = {"query": "How many?", "sol_sql": [], "test_cases": [], "category": "Query"}
    tasks = [
        query_task(),
        query_task(instance_id="shop_2", follow_up=follow_up),
        query_task(instance_id="shop_3", **withheld),
        management_task(test_cases=[]),
    ]
    done = cli("interact", make_dataset(tmp_path / "data", *tasks), "--agent", "oracle", "-o", "out")
    assert done.code == 0, done.err
    said = "4 tasks can be played, 1 can be scored: the gold of 3 is withheld"
    assert said in done.err.splitlines()[0]
    run = run_directory(Path("out"))
    assert json.loads((run / "config.json").read_text())["scorable"] == 1
    assert "1 of 4 tasks can be scored" in (run / "summary.txt").read_text()
    outcomes = {record["task"]: record["outcome"] for record in records(run)}
    assert outcomes == {"shop_1": "passed", "shop_2": "skipped", "shop_3": "skipped", "shop_M_1": "unscorable"}


def test_what_the_rules_need_decides(cli: Cli, tmp_path: Path) -> None:
    """The batch harness passes a Management phase without tests, so it can be scored by its rules."""
    dataset = make_dataset(tmp_path / "data", management_task(test_cases=[]))
    done = cli("interact", dataset, "--agent", "oracle", "--compat", "batch", "-o", "out")
    assert "can be scored" not in done.err + done.out
    assert [record["outcome"] for record in records(run_directory(Path("out")))] == ["passed"]


def test_a_whole_dataset_has_nothing_to_say(cli: Cli, tmp_path: Path) -> None:
    done = cli("interact", make_dataset(tmp_path / "data"), "--agent", "oracle", "-o", "out")
    assert "can be scored" not in done.err + done.out
    assert json.loads((run_directory(Path("out")) / "config.json").read_text())["scorable"] == 2
