"""Every mistake a user can make: one line that says what is wrong, the right exit code, and nothing half-written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory
from tests.support.worlds import ROWS, World, make_database, make_world, row
from touchstone.plugins import available

ORACLE = ("--agent", "oracle", "-o", "out")


def refused(cli: Cli, tmp_path: Path, *arguments: str | Path) -> str:
    """The one line that a command is refused with; nothing was written."""
    done = cli(*arguments)
    assert done.code == 2
    assert done.out == ""
    (line,) = done.err.splitlines()
    assert line.startswith("touchstone: ")
    assert not (tmp_path / "out").exists()
    assert not (tmp_path / "results").exists()
    return line.removeprefix("touchstone: ")


class TestTaskFile:
    def test_missing(self, cli: Cli, tmp_path: Path, world: World) -> None:
        complaint = refused(cli, tmp_path, "bird", "no.json", world.databases, *ORACLE)
        assert complaint == "no.json: cannot read the task file: No such file or directory"

    @pytest.mark.parametrize(
        ("content", "complaint"),
        [
            ("[", "not valid JSON: Input data was truncated"),
            ("{}", "expected a JSON array of tasks, found dict"),
            ("[]", "there are no tasks in this file"),
            ('[{"question_id": 1}]', "row 1: missing field 'db_id'"),
            (json.dumps([ROWS[0], {**ROWS[1], "SQL": 1}]), "row 2: field 'SQL': Expected 'str', got 'int'"),
        ],
    )
    def test_broken(self, cli: Cli, tmp_path: Path, world: World, content: str, complaint: str) -> None:
        (tmp_path / "bad.json").write_text(content)
        assert refused(cli, tmp_path, "bird", "bad.json", world.databases, *ORACLE) == f"bad.json: {complaint}"

    def test_not_given(self, cli: Cli, tmp_path: Path) -> None:
        complaint = "bird needs TASKS and DATABASES, a dataset's name such as demo, or --resume RUN_DIR"
        assert refused(cli, tmp_path, "bird") == complaint


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--difficulty", "easy"], "--difficulty easy: expected one of simple, moderate, challenging"),
        (["--database", "aviary"], "--database aviary: not in the task file"),
        (["--task", "99"], "--task 99: not in the task file"),
        (["--offset", "6"], "no task is left: the filters and the offset select none of 6"),
        (["--offset", "-1"], "--offset -1: expected a whole number of at least 0"),
        (["-n", "0"], "--limit 0: expected a positive whole number"),
        (["--task", "10", "--database", "zoo"], "no task is left: the filters and the offset select none of 6"),
        (["-p", "0"], "--parallel 0: expected a positive whole number"),
        (["--epochs", "0"], "--epochs 0: expected a positive whole number"),
        *((["--sql-timeout", odd], f"--sql-timeout {odd}: expected a positive number") for odd in ("nan", "inf", "-3")),
        (["-p", "1.5"], "--parallel 1.5: expected a positive whole number"),
        (["--limit", "1e2"], "--limit 1e2: expected a positive whole number"),
    ],
)
def test_an_option_that_makes_no_sense(cli: Cli, tmp_path: Path, world: World, options: list[str], complaint: str) -> None:
    assert refused(cli, tmp_path, "bird", *world.arguments, *ORACLE, *options) == complaint


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--limit", "many"], ["--limit", "many"]),
        (["--no-such-option"], ["--no-such-option"]),
        (["--metric", "accuracy"], ["--metric", "accuracy"]),
        (["--sql-timeout", "long"], ["--sql-timeout", "long"]),
        (["-n"], ["-n"]),
        (["--agent", "tools"], ["--agent specified multiple times"]),
        (["a", "b", "c"], ["unexpected argument: a b c"]),
        (["--exclude-audit", "no.json"], ["--exclude-audit no.json", "No such file"]),
    ],
)
def test_an_option_that_cannot_be_read(cli: Cli, tmp_path: Path, world: World, options: list[str], words: list[str]) -> None:
    complaint = refused(cli, tmp_path, "bird", *world.arguments, *ORACLE, *options)
    for word in words:
        assert word in complaint


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["clever"], f"there is no agent named 'clever'; there are: {', '.join(available('agents'))}"),
        (["replay"], "--predictions: the replay agent needs a prediction file or a run directory"),
        (["replay", "--predictions", "no.json"], "no.json: cannot read the predictions: No such file or directory"),
    ],
)
def test_an_agent_that_cannot_play(cli: Cli, tmp_path: Path, world: World, options: list[str], complaint: str) -> None:
    assert refused(cli, tmp_path, "bird", *world.arguments, "-o", "out", "--agent", *options) == complaint


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--api-url", "http://localhost"], "--api-url is for --agent http, not oracle"),
        (["--sql-field", "answer"], "--sql-field is for --agent http, not oracle"),
        (["--command-timeout", "3"], "--command-timeout is for --agent command, not oracle"),
        (["--no-confine"], "--confine is for --agent command, not oracle"),
        (["--predictions", "x.json"], "--predictions is for --agent replay, not oracle"),
        (["-m", "gpt"], "--model has no effect with --agent oracle, which asks no model"),
        (["--base-url", "http://localhost"], "--base-url has no effect with --agent oracle, which asks no model"),
        (["--max-turns", "3"], "--max-turns is for --agent react or screen or tools, not oracle"),
        (["--system-prompt", "tasks.json"], "--system-prompt has no effect with --agent oracle, which reads no instructions"),
    ],
)
def test_an_option_without_effect(cli: Cli, tmp_path: Path, world: World, options: list[str], complaint: str) -> None:
    (tmp_path / "tasks.json").write_text("You are terse.")
    assert refused(cli, tmp_path, "bird", *world.arguments, *ORACLE, *options) == complaint


def test_what_the_environment_or_a_file_says_of_models_disturbs_no_other_agent(
    cli: Cli, tmp_path: Path, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_MODEL", "gpt")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:9")
    assert cli("bird", *world.arguments, *ORACLE, "-n", "1").code == 0
    run = run_directory(tmp_path / "out")
    assert cli("bird", "--resume", run).code == 0
    assert cli("bird", "--config", run / "config.toml", "-o", "again").code == 0


def test_an_unknown_command(cli: Cli, tmp_path: Path) -> None:
    assert "sparrow" in refused(cli, tmp_path, "sparrow")


class TestDatabases:
    def test_a_directory_that_is_not_there(self, cli: Cli, tmp_path: Path, world: World) -> None:
        complaint = refused(cli, tmp_path, "bird", world.tasks, "nowhere", *ORACLE)
        assert complaint == "nowhere: there is no such directory of databases"

    def test_a_directory_without_the_databases(self, cli: Cli, tmp_path: Path, world: World) -> None:
        complaint = refused(cli, tmp_path, "bird", world.tasks, tmp_path, *ORACLE)
        assert "none of the 2 databases is here; expected for example " in complaint

    def test_one_that_is_missing_makes_its_tasks_unscorable(self, cli: Cli, tmp_path: Path, world: World) -> None:
        (world.databases / "zoo" / "zoo.sqlite").unlink()
        done = cli("bird", *world.arguments, *ORACLE)
        assert done.code == 0
        assert done.err.splitlines()[0] == (
            f"touchstone: 1 databases are not in {world.databases}: zoo; their tasks are unscorable"
        )
        outcomes = overall(run_directory(tmp_path / "out"))["outcomes"]
        assert (outcomes["passed"], outcomes["unscorable"]) == (3, 3)

    @pytest.mark.parametrize("content", [b"", b"this is not SQLite"])
    def test_one_that_is_not_sqlite_makes_its_tasks_unscorable(
        self, cli: Cli, tmp_path: Path, world: World, content: bytes
    ) -> None:
        file = world.databases / "zoo" / "zoo.sqlite"
        file.write_bytes(content)
        assert cli("bird", *world.arguments, *ORACLE).code == 0
        reasons = [each["reason"] for each in records(run_directory(tmp_path / "out")) if each["outcome"] == "unscorable"]
        assert reasons == [f"not a SQLite database: {file}"] * 3


def test_gold_that_fails_makes_its_task_unscorable(cli: Cli, tmp_path: Path) -> None:
    world = make_world(tmp_path / "w", [*ROWS, row(99, "shop", "?", "SELECT colour FROM item")])
    assert cli("bird", *world.arguments, *ORACLE).code == 0
    summary = (run_directory(tmp_path / "out") / "summary.txt").read_text()
    assert "Unscorable:       1" in summary
    assert "1 × the gold SQL cannot be run: no such column: colour" in summary
    assert "Accuracy:         100.0%" in summary


class TestOutput:
    def test_a_place_that_is_a_file(self, cli: Cli, tmp_path: Path, world: World) -> None:
        (tmp_path / "taken").write_text("mine")
        done = cli("bird", *world.arguments, "--agent", "oracle", "-o", "taken")
        assert (done.code, done.err) == (2, "touchstone: cannot create a run directory in taken: File exists\n")
        assert (tmp_path / "taken").read_text() == "mine"

    def test_a_json_file_that_cannot_be_written_is_said_before_anything_runs(
        self, cli: Cli, tmp_path: Path, world: World
    ) -> None:
        predictions = tmp_path / "p.json"
        predictions.write_text(json.dumps({str(each["question_id"]): each["SQL"] for each in ROWS}))
        options = ["--data", world.tasks, "--databases", world.databases, "-o", "out"]
        complaint = refused(cli, tmp_path, "score", "bird", predictions, *options, "--json", "no/where.json")
        assert complaint == "--json no/where.json: expected the name of a file in a directory that exists"


class TestResume:
    @pytest.mark.parametrize("option", ["--resume", "-r"])
    def test_a_directory_that_is_no_run(self, cli: Cli, tmp_path: Path, option: str) -> None:
        (tmp_path / "empty").mkdir()
        complaint = refused(cli, tmp_path, "bird", option, "empty")
        assert complaint == "empty: not a run directory (it has no config.json)"
        assert list((tmp_path / "empty").iterdir()) == []

    def test_a_directory_that_is_not_there(self, cli: Cli, tmp_path: Path) -> None:
        assert refused(cli, tmp_path, "bird", "--resume=gone") == "gone: not a run directory (it has no config.json)"

    @pytest.mark.parametrize(
        "config", ["{", "[]", "{}", '{"command": "bird", "arguments": []}', '{"command": "bird", "arguments": {"limit": "x"}}']
    )
    def test_a_configuration_that_is_broken(self, cli: Cli, tmp_path: Path, config: str) -> None:
        (tmp_path / "run").mkdir()
        (tmp_path / "run" / "config.json").write_text(config)
        refused(cli, tmp_path, "bird", "-r", "run")

    def test_a_run_of_another_command(self, cli: Cli, tmp_path: Path, world: World) -> None:
        predictions = tmp_path / "p.json"
        predictions.write_text(json.dumps({str(each["question_id"]): each["SQL"] for each in ROWS}))
        options = ["--data", world.tasks, "--databases", world.databases, "-o", "scored"]
        assert cli("score", "bird", predictions, *options).code == 0
        before = snapshot(tmp_path / "scored")
        run = run_directory(tmp_path / "scored")
        complaint = refused(cli, tmp_path, "bird", "-r", run)
        assert complaint.startswith(f"{run}: a run of 'touchstone score bird' cannot be resumed with 'touchstone bird")
        assert snapshot(tmp_path / "scored") == before

    @pytest.mark.parametrize(
        ("options", "name"),
        [
            (["--metric", "multiset"], "metric was 'ex' and is now 'multiset'"),
            (["--no-evidence"], "evidence was True and is now False"),
            (["--sql-timeout", "7"], "limits.seconds was 30.0 and is now 7.0"),
            (["--agent", "replay", "--predictions", "."], "agent was 'oracle' and is now 'replay'"),
        ],
    )
    def test_an_option_that_changes_what_is_measured(
        self, cli: Cli, tmp_path: Path, world: World, options: list[str], name: str
    ) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "made", "-n", "6").code == 0
        run = run_directory(tmp_path / "made")
        before = snapshot(run)
        options = [str(run) if option == "." else option for option in options]
        complaint = refused(cli, tmp_path, "bird", "-r", run, *options)
        assert complaint == f"{run}: cannot resume, the records would not be comparable: {name}"
        assert snapshot(run) == before

    def test_a_task_file_that_has_changed(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "made").code == 0
        run = run_directory(tmp_path / "made")
        world.tasks.write_text(json.dumps([{**ROWS[0], "question": "Another?"}, *ROWS[1:]]))
        complaint = refused(cli, tmp_path, "bird", "-r", run)
        assert complaint == f"{run}: cannot resume, task 10 has changed in the task file since"

    def test_a_database_that_has_changed(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "made").code == 0
        run = run_directory(tmp_path / "made")
        make_database(world.databases, "zoo", "INSERT INTO animal VALUES ('eft', 4)")
        complaint = refused(cli, tmp_path, "bird", "-r", run)
        assert f"{run}: cannot resume, the records would not be comparable: databases.zoo was " in complaint

    def test_a_record_that_is_broken(self, cli: Cli, tmp_path: Path, world: World) -> None:
        assert cli("bird", *world.arguments, "--agent", "oracle", "-o", "made").code == 0
        run = run_directory(tmp_path / "made")
        lines = (run / "runs.jsonl").read_text().splitlines(keepends=True)
        (run / "runs.jsonl").write_text("".join([*lines[:2], "garbage\n", *lines[3:]]))
        before = snapshot(run)
        complaint = refused(cli, tmp_path, "bird", "-r", run)
        assert complaint.startswith(f"{run / 'runs.jsonl'}: line 3 is not a record of Touchstone: ")
        assert snapshot(run) == before


class TestScore:
    def arguments(self, world: World, predictions: Any, tmp_path: Path) -> list[str | Path]:
        file = tmp_path / "p.json"
        file.write_text(json.dumps(predictions))
        return ["score", "bird", file, "--data", world.tasks, "--databases", world.databases, "-o", "out"]

    @pytest.mark.parametrize(
        ("predictions", "words"),
        [
            ({}, "0 predictions for 6 tasks"),
            ({"0": "SELECT 1"}, "1 predictions for 6 tasks"),
            ({"x": "SELECT 1"}, "key 'x' is neither a position (0 to 5) nor a question id of the task file"),
            ([1], "expected a JSON object of predictions, found list"),
            (
                {str(n): "SELECT 1\t----- bird -----\tzoo" for n in range(6)},
                "key '0': it is for the database 'zoo', its task has 'shop'",
            ),
        ],
    )
    def test_predictions_that_do_not_fit(self, cli: Cli, tmp_path: Path, world: World, predictions: Any, words: str) -> None:
        complaint = refused(cli, tmp_path, *self.arguments(world, predictions, tmp_path))
        assert complaint.startswith(f"{tmp_path / 'p.json'}: {words}")

    def test_missing_options(self, cli: Cli, tmp_path: Path) -> None:
        assert "--data" in refused(cli, tmp_path, "score", "bird", "p.json")

    def test_an_option_that_makes_no_sense(self, cli: Cli, tmp_path: Path, world: World) -> None:
        arguments = self.arguments(world, {str(n): "SELECT 1" for n in range(6)}, tmp_path)
        assert refused(cli, tmp_path, *arguments, "-p", "0") == "--parallel 0: expected a positive whole number"


@pytest.mark.parametrize("what", ["absent", "empty", "file"])
def test_a_summary_of_what_is_no_run(cli: Cli, tmp_path: Path, what: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("")
    assert refused(cli, tmp_path, "summary", what) == f"{what}: not a run directory (it has no config.json)"


def snapshot(directory: Path) -> dict[str, bytes]:
    return {str(file.relative_to(directory)): file.read_bytes() for file in directory.rglob("*") if file.is_file()}
