"""Spider2's struct of options: the same from the command line, from files and from Python."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import touchstone
from tests.benchmarks.spider2.worlds import BY_QUESTION, SQL, Spider2World, make_spider2
from tests.cli.conftest import Cli
from tests.support.command import records, run_directory
from tests.support.sql_service import SqlService, answering
from touchstone.benchmarks.spider2.config import CHECKOUT, Spider2Config
from touchstone.datasets import spider2_demo
from touchstone.errors import InputError

WITH_GOLD_SQL = ["local001", "local002", "local003"]


@pytest.fixture
def world(tmp_path: Path) -> Spider2World:
    return make_spider2(tmp_path / "spider2")


class TestWhereTheDataIs:
    @pytest.mark.parametrize("config", [Spider2Config(), Spider2Config(Path("demo"))])
    def test_no_name_and_demo_are_what_ships(self, config: Spider2Config) -> None:
        assert (config.tasks, config.gold, config.databases) == spider2_demo()

    def test_gold_is_looked_for_beside_the_questions(self, world: Spider2World, tmp_path: Path) -> None:
        assert Spider2Config(world.questions).gold == world.gold
        elsewhere = tmp_path / "q.jsonl"
        shutil.copyfile(world.questions, elsewhere)
        assert Spider2Config(elsewhere).gold == CHECKOUT
        assert Spider2Config(elsewhere, gold=world.gold).gold == world.gold

    def test_questions_are_looked_for_beside_the_gold(self, world: Spider2World, tmp_path: Path) -> None:
        assert Spider2Config(gold=world.gold).tasks == world.questions
        gold = tmp_path / "gold"
        shutil.copytree(world.gold, gold)
        with pytest.raises(InputError, match="tasks: expected the file of questions"):
            touchstone.run(Spider2Config(gold=gold), "oracle")

    def test_a_dataset_that_was_fetched_has_a_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        with pytest.raises(InputError, match="touchstone data get spider2-lite"):
            Spider2Config(Path("spider2-lite"))
        fetched = make_spider2(tmp_path / "data" / "spider2-lite" / "spider2-lite")
        fetched.databases.rename(tmp_path / "data" / "spider2-lite" / "spider2-localdb")
        for name in ("spider2-lite", "lite"):
            assert touchstone.run(Spider2Config(Path(name)), "oracle").passed == 3


class TestOneRefusal:
    @pytest.mark.parametrize(
        ("option", "value", "why"),
        [
            ("sql_timeout", -1, "expected a positive number"),
            ("compat", "loose", "expected one of strict, official"),
            ("limit", 0, "expected a positive whole number"),
            ("task", "local099", "not in {questions}"),
            ("documents", "no", "there is no such folder"),
        ],
    )
    def test_comes_from_every_door(
        self, cli: Cli, world: Spider2World, tmp_path: Path, option: str, value: object, why: str
    ) -> None:
        why = why.replace("{questions}", str(world.questions))
        name = option.replace("_", "-")
        given = ("spider2", world.questions, "--databases", world.databases, "--agent", "oracle", "-o", "out")
        assert cli(*given, f"--{name}", str(value)).complaint == f"touchstone: --{name} {value}: {why}"
        file = tmp_path / "options.toml"
        file.write_text(f"{name} = {json.dumps([value] if option == 'task' else value)}\n")
        said = cli(*given, "--config", file).complaint
        assert said.startswith(f"touchstone: {file}: {name} = ")
        assert said.endswith(f": {why}")
        with pytest.raises(InputError) as refused:
            touchstone.run(Spider2Config(world.questions, world.databases, **{option: value}), "oracle")  # pyright: ignore
        assert str(refused.value).endswith(f": {why}")
        assert not (tmp_path / "out").exists()


class TestOldNamesOfApi:
    """Under `api`, --output is the results file and --runs the place of the run directory."""

    def test_a_file_of_options(self, cli: Cli, world: Spider2World, tmp_path: Path) -> None:
        lines = {
            "input": world.questions,
            "output": "o/out.json",
            "runs": "o/runs",
            "databases": world.databases,
            "result_csv_dir": "o/csv",
        }
        with SqlService(answering(BY_QUESTION)) as service:
            lines["api_url"] = service.url
            (tmp_path / "a.toml").write_text("".join(f'{name} = "{value}"\n' for name, value in lines.items()))
            assert cli("spider2", "api", "--config", "a.toml").code == 0
            first = run_directory(tmp_path / "o" / "runs")
            assert [entry["instance_id"] for entry in json.loads((tmp_path / "o" / "out.json").read_text())] == WITH_GOLD_SQL
            (tmp_path / "o" / "out.json").unlink()
            for word in ("api", "run"):  # what a run has written does the same again
                assert cli("spider2", word, "--config", first / "config.toml").code == 0
                assert (tmp_path / "o" / "out.json").is_file()
                (tmp_path / "o" / "out.json").unlink()
        assert len(list((tmp_path / "o" / "runs").glob("run-*"))) == 3
        assert len(service.requests) == 9

    def test_a_run_of_format_1_is_resumed(self, cli: Cli, world: Spider2World, tmp_path: Path) -> None:
        with SqlService(answering(BY_QUESTION)) as service:
            places = ("--output", "out.json", "--runs", "runs", "--results", "csv", "--api-url", service.url)
            assert cli("spider2", "api", "--input", world.questions, *world.options, *places, "-n", "1").code == 0
            made = run_directory(tmp_path / "runs")
            config = json.loads((made / "config.json").read_text())
            for part in ("benchmark", "agent", "model", "run", "format"):
                config.pop(part)
            config["arguments"] = {
                "input": str(world.questions),
                "databases": str(world.databases),
                "gold": str(world.gold),
                "results": str(tmp_path / "csv"),
                "output": str(tmp_path / "out.json"),
                "runs": str(tmp_path / "runs"),
                "api-url": service.url,
                "all": False,
                "minimal-request": False,
                "compat": "strict",
                "limit": 1,
                "parallel": 1,
            }
            (made / "config.json").write_text(json.dumps(config))
            done = cli("spider2", "api", "--resume", made, "--limit", "3")
        assert done.code == 0, done.err
        assert [record["task"] for record in records(made)] == WITH_GOLD_SQL
        assert len(json.loads((tmp_path / "out.json").read_text())) == 3
        assert json.loads((made / "config.json").read_text())["format"] == 2

    def test_the_help_says_so(self, cli: Cli) -> None:
        assert "--runs" in cli("spider2", "api", "--help").out
        assert "--runs" not in cli("spider2", "run", "--help-all").out
        assert "--report" in cli("spider2", "run", "--help").out


def test_python_writes_no_files_unless_told(world: Spider2World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    played = touchstone.run(touchstone.spider2(world.questions, world.databases), lambda question: BY_QUESTION[question])
    assert played.passed == len(SQL)
    assert {path.name for path in tmp_path.iterdir()} == {"spider2", "cache"}


def test_a_folder_of_sql_is_played_by_replay(world: Spider2World, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for key, sql in SQL.items():
        (folder / f"{key}.sql").write_text(sql)
    source = touchstone.spider2(world.questions, world.databases)
    assert touchstone.run(source, "replay", predictions=folder).passed == len(SQL)
    (folder / "local001.sql").unlink()
    with pytest.raises(InputError, match="1 of 5 tasks have no prediction, the first is local001"):
        touchstone.run(source, "replay", predictions=folder)
    (folder / "local001.csv").write_text("name\n")
    with pytest.raises(InputError, match="touchstone score spider2"):
        touchstone.run(source, "replay", predictions=folder)
