"""`--agent command`: programs play through the real command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.command import overall, records, run_directory, touchstone
from tests.support.programs import PLAYS, python_program, shell_program
from tests.support.worlds import World, make_world
from touchstone.datasets import spider2_demo

pytestmark = pytest.mark.long


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "world")


def test_a_program_plays_three_tasks_through_mcp(tmp_path: Path, world: World) -> None:
    program = python_program(tmp_path / "agent", PLAYS)
    answers = {row["question"]: row["SQL"] for row in json.loads(world.tasks.read_text())}
    done = touchstone(
        "bird", *world.arguments, "--agent", "command", "-n", "3", "-o", "out", "--", program, json.dumps(answers), cwd=tmp_path
    )
    assert done.code == 0, done.err
    run = run_directory(tmp_path / "out")
    assert [record["outcome"] for record in records(run)] == ["passed"] * 3
    assert overall(run)["usage"]["cost"] is None
    command = json.loads((run / "config.json").read_text())["identity"]["command"]
    assert command["confined"] in ("bubblewrap", "landlock")
    assert command["words"][0] == str(program)


def test_a_program_prints_its_answer_and_cannot_read_the_gold(cli: Cli, tmp_path: Path, world: World) -> None:
    """It has a look at the task file, the database and the run, and would print the gold if it could."""
    targets = (world.tasks, world.databases / "shop" / "shop.sqlite", tmp_path / "out" / "latest" / "config.json")
    looks = "\n".join(f'test -s "{target}" && cat "{target}" && exit' for target in targets)
    shell_program(tmp_path / "world", f'{looks}\necho "SELECT COUNT(*) FROM item"')
    done = cli(
        "bird", *world.arguments, "--agent", "command", "--command-output", "sql", "--task", "11", "-o", "out",
        "--command", "world/agent.sh --fast",
    )  # fmt: skip
    assert done.code == 0, done.err
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["evidence"]["prediction"] == "SELECT COUNT(*) FROM item"
    assert record["outcome"] == "passed"


def test_a_run_goes_on_with_the_program_it_had(cli: Cli, tmp_path: Path, world: World) -> None:
    shell_program(tmp_path / "agent", 'echo "SELECT COUNT(*) FROM item"')
    first = ["--agent", "command", "--command-output", "sql", "-n", "1", "-o", "out", "--", "agent/agent.sh"]
    assert cli("bird", *world.arguments, *first).code == 0
    run = run_directory(tmp_path / "out")
    assert cli("bird", "--resume", run, "-n", "2").code == 0
    assert len(records(run)) == 2
    other = shell_program(tmp_path / "other", "exit 0")
    assert "command" in cli("bird", "--resume", run, "-n", "3", "--", other).complaint


def test_spider2_takes_programs_too(cli: Cli, tmp_path: Path) -> None:
    questions, gold, databases = spider2_demo()
    first = json.loads(questions.read_text().splitlines()[0])["instance_id"]
    sql = " ".join((gold / "sql" / f"{first}.sql").read_text().split())
    program = shell_program(tmp_path / "agent", f"cat <<'END'\n{sql}\nEND")
    done = cli(
        "spider2", "run", questions, "--databases", databases, "--gold", gold, "--results", "results", "--task", first,
        "-o", "out", "--agent", "command", "--command-output", "sql", "--", program,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert records(run_directory(tmp_path / "out"))[0]["outcome"] == "passed"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--agent", "command"], "needs a program"),
        (["--agent", "command", "--"], "needs a program"),
        (["--agent", "command", "--", "./no-such-program"], "there is no such program"),
        (["--agent", "command", "--command", "unfinished 'quote"], "no closing quotation"),
        (["--agent", "command", "--command-timeout", "0", "--", "true"], "--command-timeout must be positive"),
        (["--agent", "command", "--command-read", "/", "--", "true"], "--command-read /"),
        (["--agent", "command", "--pass-env", "NOT_SET_AT_ALL", "--", "true"], "NOT_SET_AT_ALL"),
        (["--agent", "oracle", "--", "true"], "--command is for --agent command"),
    ],
)
def test_mistakes_are_told_before_anything_runs(
    cli: Cli, tmp_path: Path, world: World, arguments: list[str], complaint: str
) -> None:
    done = cli("bird", *world.arguments, "-o", "out", *arguments)
    assert done.code == 2
    assert complaint in done.complaint
    assert not (tmp_path / "out").exists()
