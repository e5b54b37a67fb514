"""Structs of options: checked alike whoever makes them, written down and read back, told in the words of each door."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.support.command import records, run_directory
from tests.support.worlds import ROWS, World
from touchstone import InputError, RunConfig, RunOptions, bird
from touchstone.agents.http import HttpConfig
from touchstone.agents.tools import ToolsConfig
from touchstone.models.openai import OpenAIConfig
from touchstone.models.recorded import RecordedConfig
from touchstone.options import Count, Opt, OptionError, Options, fields, from_text, paths, plain, relocated
from touchstone.plugins import agent_type, available, benchmark_type, model_type
from touchstone.runs.config import from_json, stored_options


class Small(Options, frozen=True, kw_only=True):
    limit: Annotated[Count | None, Opt(names=("-n",))] = None
    """At most
    so many."""
    task: Annotated[tuple[str, ...], Opt()] = ()
    data: Annotated[Path | None, Opt(positional=True)] = None
    files: Annotated[tuple[Path, ...], Opt()] = ()
    level: Literal["low", "high"] = "low"
    seconds: float = 1.0
    body: dict[str, Any] | None = None
    key: Annotated[str | None, Opt(secret=lambda _: True)] = None
    url: str = ""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"limit": 0}, "limit=0: expected a positive whole number"),
        ({"limit": True}, "limit=True: expected a positive whole number"),
        ({"limit": "x"}, "limit='x': expected a positive whole number"),
        ({"limit": [1, 2]}, "limit=[1, 2]: expected a positive whole number"),
        ({"level": "middle"}, "level='middle': expected one of low, high"),
        ({"seconds": "long"}, "seconds='long': expected a number"),
        ({"seconds": float("nan")}, "seconds=nan: expected a number"),
        ({"data": 3}, "data=3: expected a path"),
        ({"body": [1]}, "body=[1]: expected a JSON object"),
    ],
)
def test_a_wrong_value_is_refused_when_it_is_given(options: dict[str, Any], complaint: str) -> None:
    with pytest.raises(OptionError) as caught:
        Small(**options)
    assert str(caught.value) == complaint


def test_values_are_eased_into_their_types() -> None:
    made = Small(task=17, data="a", files="b", seconds=2, limit=3)  # pyright: ignore
    assert (made.task, made.data, made.files, made.seconds, made.limit) == (("17",), Path("a"), (Path("b"),), 2.0, 3)
    assert Small(task=["1", 2]).task == ("1", "2")  # pyright: ignore


def test_what_is_written_down_has_no_secrets_and_absolute_paths() -> None:
    made = Small(data=Path("a"), files=(Path("/b"),), key="k", url="http://me:pw@host/x?api_key=1")
    assert plain(made) == plain(made) | {"data": str(Path("a").absolute()), "files": ["/b"], "url": "http://host/x?"}
    assert "key" not in plain(made)
    assert plain(made, secrets=True)["key"] == "k"


def test_paths_are_known_by_their_type() -> None:
    made = Small(data=Path("/a"), files=(Path("/b"), Path("/c")), url="/not/a/path")
    assert list(paths(made)) == [Path("/a"), Path("/b"), Path("/c")]
    moved = relocated(made, lambda path: Path("/there") / path.name)
    assert (moved.data, moved.files) == (Path("/there/a"), (Path("/there/b"), Path("/there/c")))


def test_the_text_under_a_field_is_its_help() -> None:
    assert {field.name: field.doc for field in fields(Small)}["limit"] == "At most so many."


@given(st.integers(min_value=1), st.lists(st.text(min_size=1), max_size=3).map(tuple), st.floats(0, allow_infinity=False))
def test_what_is_written_is_what_is_read(limit: int, task: tuple[str, ...], seconds: float) -> None:
    made = Small(limit=limit, task=task, seconds=seconds)
    assert Small(**json.loads(json.dumps(plain(made)))) == made
    by_name = {field.name: field for field in fields(Small)}
    assert from_text(by_name["limit"], [str(limit)]) == limit
    assert from_text(by_name["seconds"], [repr(seconds)]) == seconds


def test_every_option_of_ours_is_told_and_no_two_have_one_name() -> None:
    benchmarks = [benchmark_type("bird")]
    for benchmark in benchmarks:
        for name in available("agents"):
            for model in ("openai:", "litellm:", "local", "recorded:"):
                structs = (benchmark, agent_type(name), model_type(model), RunOptions)
                options = [field for struct in structs for field in fields(struct) if not field.opt.internal]
                spelled = [each for field in options for each in field.names]
                twice = {each for each in spelled if spelled.count(each) > 1}
                assert twice <= {"--schema", "-n"}, (name, model)  # which baselines take from the benchmark
                assert all(field.doc for field in options), [field.name for field in options if not field.doc]


def test_a_configuration_is_written_and_read_back(world: World, tmp_path: Path) -> None:
    made = RunConfig(
        benchmark=bird(world.tasks, world.databases, task=("10",), metric="multiset"),
        agent=ToolsConfig(max_turns=3),
        model=OpenAIConfig(model="m", temperature=0.5, extra_body={"a": [1]}),
        run=RunOptions(parallel=2, output=tmp_path),
    )
    assert from_json(json.loads(json.dumps(made.as_json()))) == made
    assert stored_options({"format": 2, **made.as_json()}) == made.as_options()
    headers = RunConfig(benchmark=made.benchmark, agent=HttpConfig(api_url="http://h", header="Authorization=secret"))  # pyright: ignore
    assert "secret" not in json.dumps(headers.as_json())
    assert from_json(headers.as_json(secrets=True)) == headers
    assert RecordedConfig(model="recorded:run").relocated(Path.absolute).model == f"recorded:{Path('run').absolute()}"


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("sql_timeout", -1, "expected a positive number"),
        ("limit", "many", "expected a positive whole number"),
        ("metric", "accuracy", "expected one of ex, ex-ties, proven, multiset, soft-f1, r-ves, r-ves-wall"),
        ("task", "99", "not in the task file"),
    ],
)
def test_each_door_refuses_in_its_own_words(cli: Cli, world: World, option: str, value: Any, why: str) -> None:
    from touchstone import run

    with pytest.raises(InputError) as caught:
        run(bird(world.tasks, world.databases, **{option: value}), "oracle")
    assert str(caught.value) == f"{option}={value!r}: {why}"
    name = option.replace("_", "-")
    oracle = ("bird", *world.arguments, "--agent", "oracle")
    assert cli(*oracle, f"--{name}={value}").complaint == f"touchstone: --{name} {value}: {why}"
    Path("f.toml").write_text(f"{name} = {json.dumps(value)}\n")
    in_file = cli(*oracle, "--config", "f.toml").complaint
    assert in_file == f"touchstone: f.toml: {name} = {value!r}: {why}"


def test_an_agents_options_are_in_the_help_with_that_agent_alone(cli: Cli) -> None:
    assert "--sql-field" not in cli("bird", "--help").out
    shown = cli("bird", "--agent", "http", "--help").out
    assert "--sql-field" in shown
    assert "--model" not in shown
    assert "--top-p" not in cli("bird", "--help").out
    assert "--top-p" in cli("bird", "--help-all").out
    assert len(cli("bird", "--help").out.splitlines()) < 90


def test_run_names_the_benchmark(cli: Cli, tmp_path: Path) -> None:
    assert cli("run", "bird", "demo", "--agent", "oracle", "-n", "1", "-o", "out").code == 0
    assert cli("bird", "--resume", run_directory(tmp_path / "out"), "-n", "2").code == 0
    assert len(records(run_directory(tmp_path / "out"))) == 2
    assert "there is no benchmark named 'birds'" in cli("run", "birds", "demo").complaint


def test_a_function_plays_from_the_command_line(cli: Cli, world: World, tmp_path: Path) -> None:
    gold = {row["question"]: row["SQL"] for row in ROWS}
    (tmp_path / "mine.py").write_text(f"GOLD = {gold!r}\n\ndef answer(question):\n    return GOLD[question]\n")
    assert cli("bird", *world.arguments, "--agent", "mine.py:answer", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    assert [record["outcome"] for record in records(run)] == ["passed"] * 6
    assert json.loads((run / "config.json").read_text())["identity"]["agent"] == "answer"
    assert cli("bird", "--resume", run).code == 0
    assert "no attribute 'other'" in cli("bird", *world.arguments, "--agent", "mine.py:other").complaint


def test_a_run_of_the_first_format_is_resumed(cli: Cli, world: World, tmp_path: Path) -> None:
    assert cli("bird", *world.arguments, "--agent", "oracle", "-n", "2", "-o", "out").code == 0
    run = run_directory(tmp_path / "out")
    config = json.loads((run / "config.json").read_text())
    for part in ("benchmark", "agent", "model", "run"):
        del config[part]
    old = {"data-file": str(world.tasks), "db-dir": str(world.databases), "agent": "oracle", "limit": 2, "sql-timeout": 30.0}
    old |= {"api-timeout": 600.0, "command-output": "none", "max-turns": 20, "model": "gpt-5-mini", "sql-field": "sql"}
    (run / "config.json").write_text(json.dumps({**config, "format": 1, "arguments": old}))
    assert cli("bird", "--resume", run, "-n", "3").code == 0
    assert len(records(run)) == 3
    assert json.loads((run / "config.json").read_text())["format"] == 2


def test_a_plug_in_of_the_wrong_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import EntryPoint

    monkeypatch.setitem(
        available("benchmarks"), "odd", EntryPoint("odd", "tests.cli.test_options:Odd", "touchstone.benchmarks")
    )
    with pytest.raises(InputError, match="the benchmark 'odd': expected a subclass of BenchmarkConfig, found Odd"):
        benchmark_type("odd")


class Odd:
    name: ClassVar[str] = "odd"
