"""`touchstone score bird`: predictions judged without a model, on the same path as a live run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory
from tests.support.worlds import ROWS, World

WRONG: dict[str, str] = {"10": "SELECT name FROM item", "13": "SELECT AVG(prize) FROM item", "15": ""}
SQL: dict[str, str] = {str(each["question_id"]): WRONG.get(str(each["question_id"]), each["SQL"]) for each in ROWS}


@pytest.fixture
def predictions(tmp_path: Path) -> Path:
    path = tmp_path / "some-model.json"
    path.write_text(json.dumps(SQL))
    return path


def score(cli: Cli, world: World, predictions: Path, *options: str | Path) -> Any:
    return cli("score", "bird", predictions, "--data", world.tasks, "--databases", world.databases, *options)


def test_it_writes_a_run_directory(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    done = score(cli, world, predictions)
    assert done.code == 0
    run = run_directory(tmp_path / "results" / "some-model-bird")
    assert sorted(file.name for file in run.iterdir()) == [
        "config.json",
        "config.toml",
        "overall.json",
        "runs.jsonl",
        "seal.json",
        "summary.txt",
    ]
    assert overall(run)["overall"] == {**overall(run)["overall"], "passed": 3, "not_passed": 3}
    assert (run / "summary.txt").read_text() in done.out


def test_json_holds_every_tasks_verdict(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    assert score(cli, world, predictions, "-o", "out", "--json", "v.json").code == 0
    verdicts = json.loads((tmp_path / "v.json").read_text())
    assert verdicts.keys() == SQL.keys()
    assert verdicts["11"] == {"ex": 1, "multiset": 1, "soft_f1": 1.0, "outcome": "passed", "reason": verdicts["11"]["reason"]}
    assert {key: verdict["outcome"] for key, verdict in verdicts.items() if key in WRONG} == dict.fromkeys(WRONG, "failed")
    assert verdicts["13"]["reason"] == "The prediction cannot be run: no such column: prize"
    assert verdicts["15"] == {"ex": 0, "multiset": 0, "soft_f1": 0.0, "outcome": "failed", "reason": "nothing was submitted"}


def test_json_has_nothing_where_nothing_could_be_judged(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    (world.databases / "zoo" / "zoo.sqlite").unlink()
    assert score(cli, world, predictions, "-o", "out", "--json", "v.json").code == 0
    verdict = json.loads((tmp_path / "v.json").read_text())["12"]
    assert verdict["outcome"] == "unscorable"
    assert (verdict["ex"], verdict["multiset"], verdict["soft_f1"]) == (None, None, None)
    assert "zoo.sqlite" in verdict["reason"]


@pytest.mark.parametrize("name", ["p.json", "p.jsonl", "p.sql"])
def test_every_format_gives_the_same_verdicts(cli: Cli, tmp_path: Path, world: World, name: str) -> None:
    content = {
        "p.json": json.dumps({str(position): sql for position, sql in enumerate(SQL.values())}),
        "p.jsonl": "".join(json.dumps({"question_id": key, "sql": sql}) + "\n" for key, sql in SQL.items()),
        "p.sql": "".join(sql + "\n" for sql in SQL.values()),
    }[name]
    (tmp_path / name).write_text(content)
    assert score(cli, world, tmp_path / name, "-o", "out").code == 0
    outcomes = {record["task"]: record["outcome"] for record in records(run_directory(tmp_path / "out"))}
    assert outcomes == {key: "failed" if key in WRONG else "passed" for key in SQL}


def test_a_run_can_be_scored_again(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    assert score(cli, world, predictions, "-o", "one").code == 0
    assert score(cli, world, run_directory(tmp_path / "one"), "-o", "two").code == 0
    assert overall(run_directory(tmp_path / "two"))["overall"]["passed"] == 3


def test_verdicts_are_the_same_with_and_without_the_cache(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    verdicts: list[Any] = []
    for number, options in enumerate((["--no-cache"], [], [])):
        assert score(cli, world, predictions, "-o", f"out{number}", *options).code == 0
        found = records(run_directory(tmp_path / f"out{number}"))
        verdicts.append(sorted((each["task"], each["outcome"], each["reason"], str(each["metrics"])) for each in found))
    assert verdicts[0] == verdicts[1] == verdicts[2]


def test_missing_predictions_can_be_counted_as_failed(cli: Cli, tmp_path: Path, world: World) -> None:
    (tmp_path / "p.json").write_text(json.dumps({"11": SQL["11"]}))
    done = score(cli, world, tmp_path / "p.json", "-o", "out", "--allow-missing")
    assert done.code == 0
    assert overall(run_directory(tmp_path / "out"))["overall"] == {
        **overall(run_directory(tmp_path / "out"))["overall"],
        "passed": 1,
        "not_passed": 5,
    }


@pytest.mark.parametrize(
    ("metrics", "names", "title"),
    [
        ([], ["ex", "multiset", "soft_f1"], "metric ex"),
        (["soft-f1"], ["ex", "multiset", "soft_f1"], "metric soft-f1"),
        (["multiset", "r-ves"], ["ex", "multiset", "r_ves", "r_ves_oracle", "soft_f1"], "metric multiset"),
    ],
)
def test_metrics_are_repeatable_and_the_first_decides(
    cli: Cli, tmp_path: Path, world: World, predictions: Path, metrics: list[str], names: list[str], title: str
) -> None:
    options = [part for metric in metrics for part in ("--metric", metric)]
    assert score(cli, world, predictions, "-o", "out", *options).code == 0
    run = run_directory(tmp_path / "out")
    assert list(overall(run)["metrics"]) == names
    assert title in (run / "summary.txt").read_text()


def test_filters_choose_what_is_scored(cli: Cli, tmp_path: Path, world: World, predictions: Path) -> None:
    assert score(cli, world, predictions, "-o", "out", "--database", "zoo", "-n", "2").code == 0
    assert sorted(record["task"] for record in records(run_directory(tmp_path / "out"))) == ["12", "14"]
