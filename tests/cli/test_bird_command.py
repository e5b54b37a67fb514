"""`touchstone bird`: its options with their names and defaults, its files, and a resume without repeating anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory, times_recorded
from tests.support.worlds import ROWS, World, make_world, row
from touchstone.agents.tools import ToolsConfig
from touchstone.benchmarks.bird.config import BirdConfig
from touchstone.models.openai import OpenAIConfig
from touchstone.options import fields
from touchstone.runs.config import RunOptions, stored_options

STRUCTS = (BirdConfig, ToolsConfig, OpenAIConfig, RunOptions)


def config(run: Path) -> dict[str, Any]:
    return json.loads((run / "config.json").read_text())


def test_the_defaults() -> None:
    given = {field.name: field.default for struct in STRUCTS for field in fields(struct)}
    assert given == given | {
        "model": "gpt-5-mini",
        "base_url": None,
        "max_turns": 20,
        "parallel": 1,
        "output": None,
        "limit": None,
        "offset": 0,
        "difficulty": None,
        "service_tier": None,
        "system_prompt": None,
        "verbose": False,
        "database": (),
        "task": (),
        "epochs": 1,
        "metric": ("ex",),
        "evidence": True,
        "temperature": None,
        "sql_timeout": 30.0,
        "cache": True,
        "max_consecutive_errors": 5,
    }
    assert BirdConfig.agent == "tools"


def test_the_help_names_every_option(cli: Cli) -> None:
    done = cli("bird", "--help-all")
    assert done.code == 0
    for option in (
        "--model -m --base-url --max-turns --parallel -p --output -o --resume -r --limit -n --offset --difficulty "
        "--no-evidence --service-tier --system-prompt --verbose -v --agent --database --task --epochs --metric "
        "--sql-timeout --max-consecutive-errors"
    ).split():
        assert f"{option} " in done.out, option
    assert "OPENAI_BASE_URL" in done.out


def test_the_run_goes_below_results_by_default(cli: Cli, tmp_path: Path, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle").code == 0
    run = run_directory(tmp_path / "results" / "oracle-bird")
    assert sorted(file.name for file in run.iterdir()) == [
        "config.json",
        "config.toml",
        "overall.json",
        "runs.jsonl",
        "seal.json",
        "summary.txt",
    ]


def test_the_terminal_shows_what_the_summary_keeps(cli: Cli, tmp_path: Path, world: World) -> None:
    done = cli("bird", *world.arguments, "--agent", "oracle", "-o", "out")
    run = run_directory(tmp_path / "out")
    assert done.out == f"Run directory: {run.relative_to(tmp_path)}\n" + (run / "summary.txt").read_text()
    assert done.err.endswith(" left\n")
    assert done.err.startswith("6/6 done, 6/6 passed, ")


def test_overall_has_shares_with_intervals_by_difficulty_and_database(cli: Cli, tmp_path: Path, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
    numbers = overall(run_directory(tmp_path / "out"))
    assert list(numbers["by_difficulty"]) == ["challenging", "moderate", "simple"]
    assert list(numbers["by_database"]) == ["shop", "zoo"]
    for share in (numbers["overall"], *numbers["by_difficulty"].values(), *numbers["by_database"].values()):
        assert share["accuracy"] == 1.0
        assert 0 < share["interval"][0] < share["interval"][1] == 1.0
    assert numbers["metrics"] == {"ex": 1.0, "multiset": 1.0, "soft_f1": 1.0}


def test_the_configuration_can_be_run_again(cli: Cli, tmp_path: Path, world: World) -> None:
    options = [
        "--agent",
        "oracle",
        "-o",
        "out",
        "--database",
        "zoo",
        "--task",
        "14",
        "--task",
        "12",
        "--no-evidence",
        "-p",
        "2",
    ]
    assert cli("bird", *world.arguments, *options).code == 0
    saved = config(run_directory(tmp_path / "out"))
    assert saved["command"] == "bird"
    assert saved["versions"].keys() == {"touchstone", "Python", "SQLite"}
    assert saved["format"] == 2
    assert saved["benchmark"]["tasks"] == str(world.tasks)
    assert saved["benchmark"]["task"] == ["14", "12"]
    arguments = stored_options(saved)
    assert cli("bird", *spelled_out({**arguments, "output": str(tmp_path / "again")})).code == 0
    assert config(run_directory(tmp_path / "again"))["identity"] == saved["identity"]


def spelled_out(arguments: dict[str, Any]) -> list[str]:
    """A configuration's arguments as they would be typed."""
    typed: list[str] = []
    for name, value in arguments.items():
        if isinstance(value, bool):
            typed += [f"--{name}"] if value else [f"--no-{name}"] if name in ("evidence", "cache") else []
        else:
            typed += [part for each in (value if isinstance(value, list) else [value]) for part in (f"--{name}", str(each))]
    return typed


@pytest.mark.parametrize(
    ("options", "played"),
    [
        (["-n", "2"], "10 11"),
        (["--limit", "2", "--offset", "3"], "13 14"),
        (["--difficulty", "challenging"], "13 15"),
        (["--database", "zoo", "--difficulty", "simple"], "14"),
        (["--database", "zoo", "--database", "shop"], "10 11 12 13 14 15"),
        (["--task", "12", "--task", "10"], "10 12"),
    ],
)
def test_which_tasks_are_played(cli: Cli, tmp_path: Path, world: World, options: list[str], played: str) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", *options).code == 0
    assert [record["task"] for record in records(run_directory(tmp_path / "out"))] == played.split()


def test_json_lines_are_a_task_file_too(cli: Cli, tmp_path: Path, world: World) -> None:
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in ROWS))
    assert cli("bird", "tasks.jsonl", world.databases, "--agent", "oracle", "-o", "out").code == 0
    assert overall(run_directory(tmp_path / "out"))["overall"]["passed"] == 6


def test_evidence_can_be_withheld(cli: Cli, tmp_path: Path, world: World) -> None:
    for number, options in enumerate(([], ["--no-evidence"])):
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", f"out{number}", "-n", "1", *options).code == 0
        (record,) = records(run_directory(tmp_path / f"out{number}"))
        assert ("Hint" in record["brief"]["request"]) == (not options)


def test_epochs_play_each_task_so_often(cli: Cli, tmp_path: Path, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "--epochs", "3", "-p", "4").code == 0
    run = run_directory(tmp_path / "out")
    assert times_recorded(run) == {(str(each["question_id"]), epoch): 1 for each in ROWS for epoch in range(3)}
    assert "Total tasks:      6 (18 attempts)" in (run / "summary.txt").read_text()


def test_verbose_says_what_became_of_each_task(cli: Cli, world: World) -> None:
    done = cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-v")
    lines = done.err.splitlines()
    assert [line.split()[:2] for line in lines[:6]] == [["passed", str(each["question_id"])] for each in ROWS]


@pytest.mark.parametrize(("metric", "passed"), [("ex", 1), ("multiset", 0), ("soft-f1", 1), ("r-ves", 1)])
def test_the_metric_decides_what_passes(cli: Cli, tmp_path: Path, metric: str, passed: int) -> None:
    world = make_world(tmp_path / "w", [row(1, "shop", "?", "SELECT 1 FROM item")])
    (tmp_path / "p.json").write_text('{"0": "SELECT 1"}')
    options = ["--agent", "replay", "--predictions", "p.json", "-o", "out", "--metric", metric]
    assert cli("bird", *world.arguments, *options).code == 0
    run = run_directory(tmp_path / "out")
    assert overall(run)["overall"]["passed"] == passed
    assert ("r_ves" in overall(run)["metrics"]) == (metric == "r-ves")


def test_the_time_limit_holds_for_each_statement(cli: Cli, tmp_path: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    world = make_world(tmp_path / "w", [row(1, "shop", "?", endless)])
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "--sql-timeout", "0.2").code == 0
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["outcome"] == "unscorable"
    assert "0.2 seconds" in record["reason"]


class TestResume:
    def test_it_goes_on_without_repeating_an_option(self, cli: Cli, tmp_path: Path, world: World) -> None:
        options = ["--agent", "oracle", "-o", "out", "--no-evidence", "--database", "zoo", "--sql-timeout", "9"]
        assert cli("bird", *world.arguments, *options).code == 0
        run = run_directory(tmp_path / "out")
        lines = (run / "runs.jsonl").read_text().splitlines(keepends=True)
        (run / "runs.jsonl").write_text(lines[0] + lines[1][:50])
        done = cli("bird", "--resume", run)
        assert done.code == 0
        assert done.out.startswith(f"Run directory: {run} (1 done before)\n")
        assert times_recorded(run) == {("12", 0): 1, ("14", 0): 1, ("15", 0): 1}
        assert overall(run)["total"] == 3
        assert [path.name for path in (tmp_path / "out").iterdir() if path.is_dir() and not path.is_symlink()] == [run.name]

    def test_a_finished_run_is_only_summed_up(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
        run = run_directory(tmp_path / "out")
        before = (run / "runs.jsonl").read_bytes()
        done = cli("bird", "-r", tmp_path / "out" / "latest")
        assert done.code == 0
        assert "Passed:           6" in done.out
        assert (run / "runs.jsonl").read_bytes() == before

    def test_more_tasks_and_epochs_can_be_asked_for(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-n", "2").code == 0
        run = run_directory(tmp_path / "out")
        assert cli("bird", "-r", run, "-n", "4", "--epochs", "2").code == 0
        assert times_recorded(run) == {(key, epoch): 1 for key in ("10", "11", "12", "13") for epoch in (0, 1)}

    def test_what_was_asked_for_in_addition_is_still_asked_for_next_time(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out", "-n", "2").code == 0
        run = run_directory(tmp_path / "out")
        assert cli("bird", "-r", run, "-n", "4").code == 0
        (run / "runs.jsonl").write_bytes(b"")
        assert cli("bird", "-r", run, "-n", "1").code == 0  # this time only
        assert len(records(run)) == 1
        assert cli("bird", "-r", run).code == 0
        assert len(records(run)) == 4
        assert json.loads((run / "config.json").read_text())["planned"] == 4
        assert "limit = 4\n" in (run / "config.toml").read_text()

    def test_it_works_from_another_directory(self, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        make_world(tmp_path / "world")
        assert cli("bird", "world/tasks.json", "world/databases", "--agent", "oracle", "-o", "out", "-n", "2").code == 0
        (tmp_path / "elsewhere").mkdir()
        monkeypatch.chdir(tmp_path / "elsewhere")
        assert cli("bird", "-r", "../out/latest", "-n", "3").code == 0
        assert len(records(run_directory(tmp_path / "out"))) == 3


class TestReplay:
    def test_a_run_played_again_gives_the_same_verdicts(self, cli: Cli, tmp_path: Path, world: World) -> None:
        predictions = {str(n): each["SQL"] if n % 2 else "SELECT 0" for n, each in enumerate(ROWS)}
        (tmp_path / "p.json").write_text(json.dumps(predictions))
        assert cli("bird", *world.arguments, "--agent", "replay", "--predictions", "p.json", "-o", "one").code == 0
        one = run_directory(tmp_path / "one")
        assert cli("bird", *world.arguments, "--agent", "replay", "--predictions", one, "-o", "two").code == 0
        verdicts = [
            [(record["task"], record["outcome"], record["reason"]) for record in records(run_directory(tmp_path / name))]
            for name in ("one", "two")
        ]
        assert verdicts[0] == verdicts[1]
        assert overall(one)["overall"]["passed"] == 3

    def test_a_resume_with_other_predictions_is_refused(self, cli: Cli, tmp_path: Path, world: World) -> None:
        (tmp_path / "p.json").write_text(json.dumps({str(n): each["SQL"] for n, each in enumerate(ROWS)}))
        assert cli("bird", *world.arguments, "--agent", "replay", "--predictions", "p.json", "-o", "out", "-n", "2").code == 0
        (tmp_path / "p.json").write_text(json.dumps({str(n): "SELECT 0" for n in range(6)}))
        done = cli("bird", "-r", run_directory(tmp_path / "out"), "-n", "6")
        assert done.code == 2
        assert ": cannot resume, the records would not be comparable: predictions was " in done.err


def test_a_summary_can_be_made_of_a_run_that_was_killed(cli: Cli, tmp_path: Path, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    (run / "summary.txt").unlink()
    (run / "runs.jsonl").write_bytes((run / "runs.jsonl").read_bytes()[:-30])
    done = cli("summary", run)
    assert done.code == 0
    assert "Total tasks:      5\n" in done.out


def test_a_run_of_some_tasks_is_replayed_on_those(cli: Cli, world: World) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "--limit", "2", "-o", "first").code == 0
    again = ("--agent", "replay", "--predictions", "first/latest", "-o", "second")
    assert cli("bird", *world.arguments, *again, "--limit", "2").code == 0
    refused = cli("bird", *world.arguments, *again)
    assert refused.code == 2
    assert "4 of 6 tasks have no prediction" in refused.complaint
