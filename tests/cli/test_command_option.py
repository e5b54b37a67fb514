"""`--agent command`: programs play through the real command line."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.command import Done, overall, records, run_directory, touchstone
from tests.support.programs import PLAYS, python_program, shell_program
from tests.support.worlds import World, make_world
from touchstone.api.results import read
from touchstone.datasets import spider2_demo

pytestmark = pytest.mark.long


@pytest.fixture
def world(tmp_path: Path) -> World:
    return make_world(tmp_path / "world")


def test_a_program_plays_three_tasks_through_mcp(tmp_path: Path, world: World) -> None:
    program = python_program(tmp_path / "agent", PLAYS)
    answers = {row["question"]: row["SQL"] for row in json.loads(world.tasks.read_text())}
    done = touchstone(
        "bird", *world.arguments, "--agent", "command", "--allow-visible-gold", "-n", "3", "-o", "out",
        "--", program, json.dumps(answers), cwd=tmp_path,
    )  # fmt: skip
    assert done.code == 0, done.err
    run = run_directory(tmp_path / "out")
    assert [record["outcome"] for record in records(run)] == ["passed"] * 3
    assert overall(run)["usage"]["cost"] is None
    identity = json.loads((run / "config.json").read_text())["identity"]
    assert identity["gold_reachable"] == "yes"
    command = identity["command"]
    assert command["confined"] in ("bubblewrap", "landlock")
    assert command["words"][0] == str(program)


def test_a_program_prints_its_answer_and_cannot_read_the_gold(cli: Cli, tmp_path: Path, world: World) -> None:
    """It has a look at the task file, the database and the run, and would print the gold if it could."""
    targets = (world.tasks, world.databases / "shop" / "shop.sqlite", tmp_path / "out" / "latest" / "config.json")
    looks = "\n".join(f'test -s "{target}" && cat "{target}" && exit' for target in targets)
    shell_program(tmp_path / "agent", f'{looks}\necho "SELECT COUNT(*) FROM item"')
    done = cli(
        "bird", *world.arguments, "--agent", "command", "--command-output", "sql", "--task", "11", "-o", "out",
        "--command", "agent/agent.sh --fast",
    )  # fmt: skip
    assert done.code == 0, done.err
    (record,) = records(run_directory(tmp_path / "out"))
    assert record["evidence"]["prediction"] == "SELECT COUNT(*) FROM item"
    assert record["outcome"] == "passed"


class TestGoldBesideTheProgram:
    """In the layout of the published archives: the gold lies beside the tasks, and users keep copies of it."""

    @pytest.fixture
    def project(self, tmp_path: Path, world: World) -> Path:
        rows = json.loads(world.tasks.read_text())
        gold = "".join(f"{row['SQL']}\t{row['db_id']}\n" for row in rows)
        (world.tasks.parent / "dev_gold.sql").write_text(gold)
        program = shell_program(tmp_path / "project", f"cat {world.tasks.parent}/dev_gold.sql | head -1 | cut -f 1")
        return program.parent

    def play(self, cli: Cli, world: World, project: Path, *more: str) -> Done:
        options = ["--agent", "command", "--command-output", "sql", "-n", "1", "-o", "out", *more]
        return cli("bird", *world.arguments, *options, "--", project / "agent.sh")

    def test_the_folder_of_the_dataset_is_not_seen(self, cli: Cli, tmp_path: Path, world: World, project: Path) -> None:
        done = self.play(cli, world, project, "--command-read", str(world.tasks.parent))
        assert done.code == 0, done.err
        run = run_directory(tmp_path / "out")
        assert [record["outcome"] for record in records(run)] == ["failed"]
        assert "none of the " in done.err
        self.said_everywhere(cli, run, "no (checked)")

    @pytest.mark.parametrize("name", ["dev.json", "old/mini_dev_sqlite_gold.sql", "few_shot.csv.gz"])
    def test_a_copy_in_the_projects_folder_is_refused_by_its_name(
        self, cli: Cli, tmp_path: Path, world: World, project: Path, name: str
    ) -> None:
        copy = project / name
        copy.parent.mkdir(exist_ok=True)
        data = world.tasks.read_bytes()
        copy.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        done = self.play(cli, world, project)
        assert done.code == 2
        assert str(copy) in done.complaint
        assert "--allow-visible-gold" in done.complaint
        assert not (tmp_path / "out").exists()

    def test_who_knows_better_is_told_of_in_every_report(self, cli: Cli, tmp_path: Path, world: World, project: Path) -> None:
        (project / "dev.json").write_bytes(world.tasks.read_bytes())
        assert self.play(cli, world, project, "--allow-visible-gold").code == 0
        self.said_everywhere(cli, run_directory(tmp_path / "out"), "yes")

    def test_a_program_that_is_not_confined_is_not_searched(
        self, cli: Cli, tmp_path: Path, world: World, project: Path
    ) -> None:
        assert self.play(cli, world, project, "--no-confine").code == 0
        run = run_directory(tmp_path / "out")
        assert [record["outcome"] for record in records(run)] == ["passed"]  # it read the gold, and the run says that it could
        self.said_everywhere(cli, run, "not confined")

    def test_a_program_in_the_folder_of_the_dataset_is_refused(self, cli: Cli, world: World) -> None:
        program = shell_program(world.tasks.parent, "exit 0")
        done = self.play(cli, world, program.parent)
        assert done.code == 2
        assert "keep program and data in separate folders" in done.complaint

    def said_everywhere(self, cli: Cli, run: Path, answer: str) -> None:
        sentence = f"Gold reachable by the agent: {answer}"
        assert json.loads((run / "config.json").read_text())["identity"]["gold_reachable"] == answer
        assert overall(run)["gold_reachable"] == answer
        assert sentence in (run / "summary.txt").read_text()
        assert sentence in cli("summary", run).out
        assert f"gold reachable by the agent: {answer}" in cli("compare", run, run).out
        assert read(run).gold_reachable == answer
        assert cli("view", run, "--export", "site").code == 0
        pages = "".join(page.read_text() for page in (run.parents[1] / "site").rglob("*.html"))
        assert re.search(rf"Gold reachable by the agent(<[^>]*>)+{re.escape(answer)}<", pages)


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
        "-o", "out", "--agent", "command", "--command-output", "sql", "--allow-visible-gold", "--", program,
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
        (["--agent", "command", "--command-timeout", "0", "--", "true"], "--command-timeout 0: expected a positive number"),
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
