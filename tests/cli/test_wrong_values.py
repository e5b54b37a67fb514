"""A wrong value is refused in one line, whichever way it comes in: typed, in a TOML file, or from Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import touchstone
from tests.cli.conftest import Cli
from touchstone.options import fields
from touchstone.plugins import benchmark_type

NAMES = "one of sandbox, docker, remote, or module:function"
COLUMNS = "id, question, sql, expected, database, evidence, tags, difficulty, order, tolerance, columns"
MISSING = "No such file or directory"
NO_FOLDER = "expected the name of a file in a directory that exists"
CASES: list[tuple[str, str, str, Any, str]] = [
    ("bird", "oracle", "sql_timeout", "long", "expected a positive number"),
    ("bird", "oracle", "limit", 1.5, "expected a positive whole number"),
    ("bird", "oracle", "offset", -3, "expected a whole number of at least 0"),
    ("bird", "oracle", "difficulty", "hard", "expected one of simple, moderate, challenging"),
    ("bird", "oracle", "today", "tomorrow", "expected a date such as 2025-02-19"),
    ("bird", "oracle", "engine", "oracle", "expected one of sqlite, postgres, mysql"),
    ("bird", "oracle", "task", "9999", "not in the task file"),
    ("bird", "oracle", "overlay", "no.json", f"cannot be read: {MISSING}"),
    ("bird", "oracle", "laws", "no.toml", "works only with a search: proof, or the metric proven, without a suite"),
    ("bird", "oracle", "exclude_audit", "no.json", MISSING),
    ("bird", "oracle", "parallel", 0, "expected a positive whole number"),
    ("bird", "oracle", "epochs", "two", "expected a positive whole number"),
    ("bird", "oracle", "fail_under", 60, "expected a number from 0 to 1"),
    ("bird", "oracle", "executor", "slurm", "expected one of local, ray"),
    ("bird", "oracle", "max_cost", -5, "expected a positive number"),
    ("bird", "oracle", "junit", "no/x.xml", NO_FOLDER),
    ("bird", "http", "api_url", "ftp://x", "expected an address that begins with http:// or https://"),
    ("bird", "http", "api_timeout", 0, "expected a positive number"),
    ("bird", "command", "command", "no-such-program", "there is no such program"),
    ("bird", "command", "command_output", "json", "expected one of none, sql"),
    ("bird", "tools", "max_turns", 0, "expected a positive whole number"),
    ("bird", "tools", "temperature", -1, "expected a number of at least 0"),
    ("bird", "tools", "top_p", 2, "expected a number above 0 and at most 1"),
    ("bird", "tools", "reasoning_effort", "huge", "expected one of none, minimal, low, medium, high, xhigh"),
    ("bird", "tools", "extra_body", "{", "expected a JSON object"),
    ("bird", "vote", "votes", 0, "expected a positive whole number"),
    ("spider2", "oracle", "compat", "loose", "expected one of strict, official"),
    ("spider2", "oracle", "tasks", "no.jsonl", "there is no such file, and no dataset of this name"),
    ("interact", "oracle", "mode", "chat", "expected one of agentic, conversational, single"),
    ("interact", "oracle", "patience", -2, "expected a number of at least 0"),
    ("interact", "oracle", "prices", "no.json", MISSING),
    ("interact", "oracle", "limit", 0, "expected a positive whole number, or -1 for all tasks"),
    ("desktop", "oracle", "provider", "vmware", f"expected {NAMES}"),
    ("desktop", "oracle", "domain", "none", "no task has it; expected dbt, excel, jupyter, terminal"),
    ("desktop", "oracle", "solutions", "none", "no such directory"),
    ("desktop", "oracle", "settle", -1, "expected a number of at least 0"),
    ("sql", "oracle", "tolerance", "some", "expected a number such as 0.01, or 1%"),
    ("sql", "oracle", "column", "x", f"expected NAME=COLUMN with one of {COLUMNS}"),
    ("sql", "oracle", "tag", "none", "not in the questions"),
]
DATA = {"bird": "tasks", "spider2": "tasks", "interact": "dataset", "desktop": "dataset", "sql": "questions"}


@pytest.mark.parametrize(("benchmark", "agent", "option", "value", "why"), CASES)
def test_every_entrance_refuses_it_alike(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, benchmark: str, agent: str, option: str, value: Any, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    name, data = option.replace("_", "-"), {DATA[benchmark]: "demo"}
    typed = cli("run", benchmark, "--agent", agent, f"--{name}={value}", *([] if option in data else ["demo"]))
    assert (typed.code, typed.complaint) == (2, f"touchstone: --{name} {value}: {why}")

    keys = {**data, "agent": agent, name: value}
    (tmp_path / "o.toml").write_text("".join(f"{key} = {json.dumps(given)}\n" for key, given in keys.items()))
    from_file = cli("run", benchmark, "--config", "o.toml")
    assert (from_file.code, from_file.complaint) == (2, f"touchstone: o.toml: {name} = {value!r}: {why}")

    own = option in {field.name for field in fields(benchmark_type(benchmark))}
    more = {} if own else {option: value}
    model = {"model": "gpt-5-mini"} if agent in ("tools", "vote") else {}
    with pytest.raises(touchstone.OptionError) as refused:
        touchstone.run(touchstone.benchmark(benchmark, **(data | ({option: value} if own else {}))), agent, **model, **more)
    assert str(refused.value) == f"{option}={value!r}: {why}"
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("agent", "why"),
    [
        ("nofile.py:play", "No such file or directory"),
        ("mine.py:nothing", "module 'mine' has no attribute 'nothing'"),
        ("no_such_module:play", "No module named 'no_such_module'"),
        ("broken.py:play", "invalid syntax (broken.py, line 1)"),
    ],
)
def test_a_function_that_is_not_there_is_refused_as_it_was_typed(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, agent: str, why: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def play(question): ...\n")
    Path("broken.py").write_text("def play(:\n")
    typed = cli("run", "bird", "demo", "--agent", agent)
    expected = f"touchstone: --agent {agent}: expected file.py:function or module:function: {why}"
    assert (typed.code, typed.complaint) == (2, expected)
