"""BIRD-Interact's one configuration: the same from the command line, a file and Python, written down and read again."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import touchstone
from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, make_dataset
from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, text, tool_call
from tests.support.command import records, run_directory
from touchstone.agents.scripted import OracleConfig
from touchstone.benchmarks.interact.config import InteractConfig, SweepConfig
from touchstone.errors import InputError
from touchstone.options import plain
from touchstone.runs.config import RunConfig, from_json


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("patience", -1.0, "expected a number of at least 0"),
        ("mode", "other", "expected one of agentic, conversational, single"),
        ("compat", "own", "expected one of strict, batch, adk, conv"),
        ("limit", 0, "expected a positive whole number, or -1 for all tasks"),
        ("offset", -1, "expected a whole number of at least 0"),
        ("category", "Other", "expected one of Query, Management"),
        ("sql_timeout", 0.0, "expected a positive number"),
        ("on_leak", "shrug", "expected one of flag, retry, refuse"),
        ("task", "x", "not in the task file"),
    ],
)
def test_a_wrong_value_is_refused_in_the_same_words_everywhere(
    cli: Cli, dataset: Path, option: str, value: Any, why: str
) -> None:
    name = option.replace("_", "-")
    shown = f"{value:g}" if isinstance(value, float) else value
    typed = cli("interact", dataset, "--agent", "oracle", f"--{name}={shown}")
    assert typed.complaint == f"touchstone: --{name} {shown}: {why}"
    Path("run.toml").write_text(f'dataset = "{dataset}"\nagent = "oracle"\n{name} = {json.dumps(value)}\n')
    in_file = cli("interact", "--config", "run.toml")
    assert (typed.code, in_file.code) == (2, 2)
    assert in_file.complaint == f"touchstone: run.toml: {name} = {value!r}: {why}"
    with pytest.raises(InputError, match=f"^{re.escape(f'{option}={value!r}: {why}')}$"):
        touchstone.run(touchstone.benchmark("interact", dataset, **{option: value}), "oracle")


def test_a_task_file_stands_for_its_directory(dataset: Path) -> None:
    """Its databases are beside it: the directory is what programs must not see and nodes are sent."""
    other = (dataset / "bird_interact_data.jsonl").rename(dataset / "mine.jsonl")
    config = InteractConfig(dataset=other)
    assert (config.dataset, config.task_file, config.file) == (dataset, "mine.jsonl", other)
    run = RunConfig(benchmark=config, agent=OracleConfig())
    assert dataset in run.paths()
    assert from_json(json.loads(json.dumps(run.as_json()))) == run


def test_prompts_of_ones_own_are_a_path(dataset: Path, tmp_path: Path) -> None:
    config = InteractConfig(dataset=dataset, user_prompt=str(tmp_path))
    assert (config.user_prompt, config.user_prompt_folder) == (None, tmp_path)
    assert InteractConfig(dataset=dataset, user_prompt="v1").user_prompt == "v1"
    assert tmp_path in RunConfig(benchmark=config, agent=OracleConfig()).paths()


def test_a_password_is_not_written_down(dataset: Path) -> None:
    config = InteractConfig(dataset=dataset, database_url="postgresql://me:secret@host:5432")
    assert "secret" not in json.dumps(plain(config))
    assert "secret" in json.dumps(plain(config, secrets=True))


def test_the_demo_and_fetched_data_have_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert InteractConfig(dataset=Path("demo")) == InteractConfig()
    with pytest.raises(InputError, match="fetch it with 'touchstone data get mini-interact'"):
        InteractConfig(dataset=Path("mini-interact"))
    fetched = make_dataset(tmp_path / "data" / "mini-interact")
    (fetched / "bird_interact_data.jsonl").rename(fetched / "mini_interact.jsonl")
    assert len(InteractConfig(dataset=Path("mini-interact")).chosen()) == 2
    Path("demo").mkdir()
    assert InteractConfig(dataset=Path("demo")).dataset == Path("demo"), "what is here counts more"


def test_a_run_is_run_again_from_its_toml(cli: Cli, dataset: Path) -> None:
    options = ["--mode", "conversational", "--patience", "2", "--category", "Query", "--compat", "conv"]
    assert cli("interact", dataset, "--agent", "oracle", "-o", "first", *options).code == 0
    first = run_directory(Path("first"))
    done = cli("interact", "--config", first / "config.toml", "-o", "second")
    assert done.code == 0, done.err
    written, again = (json.loads((run / "config.json").read_text()) for run in (first, run_directory(Path("second"))))
    assert written["benchmark"] == again["benchmark"]
    assert written["identity"] == again["identity"]
    assert again["identity"]["patience"] == 2


OLD = {
    "offset": 0,
    "database": [],
    "task": [],
    "model": "gpt-5-mini",
    "agent": "oracle",
    "max-turns": 60,
    "epochs": 1,
    "mode": "agentic",
    "compat": "strict",
    "user-prompt": "v1",
    "user-sim": "guarded",
    "engine": "auto",
    "sql-timeout": 60.0,
    "cache": True,
    "parallel": 1,
    "max-consecutive-errors": 5,
    "verbose": False,
    "executor": "local",
    "ray-env": [],
    "command-output": "none",
    "command-timeout": 600.0,
    "command-network": True,
    "command-read": [],
    "pass-env": [],
    "allow-visible-gold": False,
    "confine": True,
}
"""The arguments of a run as format 1 has them."""


def test_a_run_of_format_1_is_resumed(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--agent", "oracle", "-n", "1", "-o", "out").code == 0
    file = run_directory(Path("out")) / "config.json"
    config = json.loads(file.read_text())
    kept = {name: config[name] for name in ("title", "command", "identity", "versions", "planned", "seal")}
    arguments = {**OLD, "dataset": str(dataset / "bird_interact_data.jsonl"), "limit": -1}
    file.write_text(json.dumps({**kept, "format": 1, "arguments": arguments}))
    done = cli("interact", "--resume", file.parent)
    assert done.code == 0, done.err
    assert {record["task"]: record["outcome"] for record in records(file.parent)} == {"shop_1": "passed", "shop_M_1": "passed"}
    assert json.loads(file.read_text())["format"] == 2


def test_a_sweep_of_format_1_is_resumed(cli: Cli, dataset: Path) -> None:
    sweep = Path("sweep")
    sweep.mkdir()
    arguments = {**OLD, "dataset": str(dataset), "patience": "0,6", "reference": False}
    (sweep / "config.json").write_text(json.dumps({"format": 1, "command": "interact sweep", "arguments": arguments}))
    done = cli("interact", "sweep", "--resume", sweep)
    assert done.code == 0, done.err
    assert {path.name for path in sweep.iterdir() if path.is_dir()} == {"patience-0", "patience-6"}
    assert (sweep / "scaling.json").is_file()


def test_levels_of_a_sweep(dataset: Path) -> None:
    assert list(SweepConfig(dataset=dataset, mode="conversational").runs()) == [
        *(f"patience-{level}" for level in (0, 3, 5, 7)),
        "unambiguous",
    ]
    runs = SweepConfig(dataset=dataset, patience="10, 2.5,10", reference=False, compat="adk", task=("shop_1",)).runs()
    assert {folder: run.patience for folder, run in runs.items()} == {"patience-2.5": 2.5, "patience-10": 10}
    assert {(run.compat, run.task, type(run)) for run in runs.values()} == {("adk", ("shop_1",), InteractConfig)}
    with pytest.raises(InputError, match=r"^mode='single': "):
        SweepConfig(dataset=dataset, mode="single")


class Reacting:
    """Submits what is right in the text protocol that it is told to speak."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def __call__(self, request: JSON) -> Answer:
        first, *_, last = (str(message["content"]) for message in request["messages"])
        self.told.append(first)
        sql = TOTALS if "follow-up" in last else ACTIVE
        return text(f"<thought>I know.</thought><interaction_object>User</interaction_object><action>submit('{sql}')</action>")


def test_react_speaks_one_protocol_from_everywhere(cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    model = Reacting()
    with ChatServer(model) as server:
        options = ["--model", "m", "--base-url", server.url, "--user-model", "scripted", "--task", "shop_1", "-o", "out"]
        done = cli("interact", dataset, "--agent", "react", *options)
        benchmark = touchstone.interact(dataset, user_model="scripted", task=("shop_1",))
        results = touchstone.run(benchmark, "react", model="m", base_url=server.url)
    assert done.code == 0, done.err
    (record,) = records(run_directory(Path("out")))
    assert record["outcome"] == "passed", record["reason"]
    assert results.passed == 1, results.failures
    assert len(set(model.told)) == 1


def test_the_user_is_the_agents_model_unless_another_is_named(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    asked: list[tuple[str, float | None]] = []

    def models(request: JSON) -> Answer:
        asked.append((request["model"], request.get("temperature")))
        if not request.get("tools"):
            return text("unanswerable()")
        said = [message["content"] for message in request["messages"] if message["role"] == "tool"]
        return tool_call("submit", {"sql": ACTIVE}) if said else tool_call("ask", {"question": "Which?"})

    with ChatServer(models) as server:
        options: dict[str, Any] = {"model": "agent", "base_url": server.url, "temperature": 0.5, "max_turns": 2}
        touchstone.run(touchstone.interact(dataset, task=("shop_1",)), "tools", **options)
        touchstone.run(touchstone.interact(dataset, task=("shop_1",), user_model="user"), "tools", **options)
    assert asked == [("agent", 0.5), ("agent", None), ("agent", 0.5), ("agent", 0.5), ("user", None), ("agent", 0.5)]


def test_the_user_of_an_agent_without_a_model_may_be_one(cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """--base-url is the user's then, as it always was."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    asked: list[str] = []

    def user(request: JSON) -> Answer:
        asked.append(request["model"])
        return text("unanswerable()")

    (dataset.parent / "curious.py").write_text(
        "from touchstone.types import ToolCall\n"
        "async def play(stage):\n"
        """    await stage.call(ToolCall("1", "ask", '{"question": "Which?"}'))\n"""
    )
    with ChatServer(user) as server:
        options = ["--user-model", "user", "--base-url", server.url, "--task", "shop_1", "-o", "out"]
        done = cli("interact", dataset, "--agent", "curious.py:play", *options)
    assert done.code == 0, done.err
    assert asked == ["user"]
