"""`touchstone compare` on real runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.command import run_directory, touchstone
from tests.support.data import shared_data
from tests.support.worlds import ROWS, World

WRONG = {"10": "SELECT name FROM item", "13": "SELECT AVG(prize) FROM item", "15": ""}


@pytest.fixture
def runs(cli: Cli, tmp_path: Path, world: World) -> tuple[Path, Path]:
    """Some predictions of which three are wrong, and the oracle."""
    sql = {str(row["question_id"]): WRONG.get(str(row["question_id"]), row["SQL"]) for row in ROWS}
    (tmp_path / "some.json").write_text(json.dumps(sql))
    assert cli("score", "bird", "some.json", "--data", world.tasks, "--databases", world.databases, "-o", "some").code == 0
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "gold").code == 0
    return run_directory(tmp_path / "some"), run_directory(tmp_path / "gold")


def test_two_runs_are_compared(cli: Cli, tmp_path: Path, runs: tuple[Path, Path]) -> None:
    done = cli("compare", *runs, "--json", "c.json")
    assert done.code == 0
    assert "B wins 3, A wins 0, ties 3 (3 passed by both)" in done.out
    assert "agent: replay in A, oracle in B" in done.out
    assert "A failed: The prediction cannot be run: no such column: prize" in done.out
    (pair,) = json.loads((tmp_path / "c.json").read_text())["pairs"]
    assert [flip["task"] for flip in pair["only_second_right"]] == ["10", "13", "15"]
    assert pair["accuracy"]["p"] == 0.25


def test_a_link_to_the_latest_run_will_do(cli: Cli, runs: tuple[Path, Path]) -> None:
    assert cli("compare", "some/latest", "gold/latest").code == 0


def test_another_metric_is_refused_with_exit_code_2(cli: Cli, world: World, runs: tuple[Path, Path]) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "--metric", "soft-f1", "-o", "soft").code == 0
    done = cli("compare", runs[1], "soft/latest")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines() == [
        "touchstone: these runs cannot be compared (--force compares them anyway):",
        "  metric: ex in A, soft_f1 in B",
    ]
    forced = cli("compare", runs[1], "soft/latest", "--force")
    assert forced.code == 0
    assert "CAUTION" in forced.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["gold/latest"], "two run directories or more"),
        (["gold/latest", "nowhere"], "nowhere: not a run directory"),
        (["gold/latest", "some/latest", "--detect", "5"], "--detect 5: expected a fraction"),
        (["gold/latest", "some/latest", "--resamples", "1"], "--resamples 1: expected 100 or more"),
        (["gold/latest", "some/latest", "--json", "no/such/c.json"], "expected the name of a file in a directory that exists"),
    ],
)
def test_mistakes_are_told_in_one_line(cli: Cli, runs: tuple[Path, Path], arguments: list[str], complaint: str) -> None:
    done = cli("compare", *arguments)
    assert done.code == 2
    assert complaint in done.complaint
    assert len(done.err.splitlines()) == 1


def test_real_predictions_as_a_user_compares_them(tmp_path: Path) -> None:
    """Against what the original evaluator's verdicts say, counted by hand."""
    bird = shared_data("bird")
    names = ("gpt-4", "gpt-4o-ta", "gpt-35-turbo")
    tasks = {task["question_id"]: task["db_id"] for task in json.loads((bird / "tasks" / "mini_dev_sqlite.json").read_text())}
    data = ("--data", bird / "tasks" / "mini_dev_sqlite.json", "--databases", bird / "dev_databases")
    passed: list[set[str]] = []
    for name in names:
        predictions = bird / "predictions" / f"{name}.json"
        assert touchstone("score", "bird", predictions, *data, "--database", "superhero", "-o", name, cwd=tmp_path).code == 0
        verdicts = json.loads((bird / "official_verdicts" / f"{name}.json").read_text()).values()
        passed.append({str(v["question_id"]) for v in verdicts if v["ex"] and tasks[v["question_id"]] == "superhero"})
    done = touchstone("compare", *(f"{name}/latest" for name in names), "--json", "c.json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    for pair in json.loads((tmp_path / "c.json").read_text())["pairs"]:
        first, second = passed[pair["first"]], passed[pair["second"]]
        assert {flip["task"] for flip in pair["only_first_right"]} == first - second
        assert {flip["task"] for flip in pair["only_second_right"]} == second - first
        assert (pair["tasks"], pair["both_passed"]) == (52, len(first & second))


@pytest.fixture
def worse(cli: Cli, tmp_path: Path) -> tuple[str, str]:
    """Eight questions of somebody's own: the oracle, and answers of which all are wrong."""
    from touchstone.benchmarks.sql.config import DEMO

    (tmp_path / "q.csv").write_text("id,question,sql\n" + "".join(f"t{n},{n}?,SELECT {n}\n" for n in range(8)))
    (tmp_path / "p.json").write_text(json.dumps({f"t{n}": "SELECT -1" for n in range(8)}))
    data = ["--questions", "q.csv", "--db", DEMO / "shop.sqlite"]
    assert cli("run", "sql", *data, "--agent", "oracle", "-o", "all").code == 0
    assert cli("score", "sql", "p.json", *data, "-o", "none").code == 0
    return "all/latest", "none/latest"


def test_a_run_that_is_worse_fails_the_build(cli: Cli, tmp_path: Path, worse: tuple[str, str]) -> None:
    good, bad = worse
    done = cli("compare", good, bad, "--fail-if-worse", "--markdown", "s.md")
    assert done.code == 1
    assert "Worse: accuracy -100.0 points, p = 0.0078." in done.out
    text = (tmp_path / "s.md").read_text()
    assert "Broke: 8, fixed: 0." in text
    assert "- `t3`: " in text
    assert cli("compare", good, bad).code == 0
    assert cli("compare", bad, good, "--fail-if-worse").code == 0


def test_a_difference_that_may_be_chance_fails_nothing(cli: Cli, runs: tuple[Path, Path]) -> None:
    assert cli("compare", runs[1], runs[0], "--fail-if-worse").code == 0
    done = cli("compare", *runs, "--by", "0.1")
    assert done.code == 2
    assert "together with --fail-if-worse" in done.err
