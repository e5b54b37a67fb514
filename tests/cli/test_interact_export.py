"""`touchstone export interact`: what the original harnesses would have written, and what we make of it again."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, make_dataset, query_task
from tests.cli.conftest import Cli
from tests.support.chat_server import JSON, Answer, ChatServer, tool_call
from tests.support.command import records, run_directory

MOVES = [
    ("execute", {"sql": "SELECT 'it''s'"}),
    ("ask", {"question": "What is an active customer?"}),
    ("submit", {"sql": "SELECT 'no'"}),
    ("submit", {"sql": ACTIVE}),
    ("submit", {"sql": "SELECT 1"}),
]


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data", query_task(), query_task(instance_id="shop_2", sol_sql=[]))


@pytest.fixture
def run(cli: Cli, dataset: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One task with its first phase passed at the second try, and one that cannot be scored."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")

    def model(request: JSON) -> Answer:
        return tool_call(*MOVES[sum(message["role"] == "tool" for message in request["messages"]) % len(MOVES)])

    with ChatServer(model) as server:
        options = ["--model", "m", "--user-model", "scripted", "--base-url", server.url, "-o", "out", "--max-turns", "5"]
        assert cli("interact", dataset, *options).code == 0
    return run_directory(Path("out"))


def exported(cli: Cli, run: Path, name: str) -> str:
    done = cli("export", "interact", run, "-o", name)
    assert done.code == 0, done.err
    assert "1 of 2 episodes could not be scored" in done.err
    return Path(name).read_text()


def scored(cli: Cli, dataset: Path, results: str) -> Any:
    assert cli("score", "interact", results, "--dataset", dataset, "--json", "v.json", "-o", "again").code == 0
    return {task: (verdict["phase_1"], verdict["phase_2"]) for task, verdict in json.loads(Path("v.json").read_text()).items()}


def test_as_the_batch_harness_writes(cli: Cli, dataset: Path, run: Path) -> None:
    text = exported(cli, run, "results.jsonl")
    row = json.loads(text)
    assert (row["phase1_completed"], row["phase2_completed"], row["last_reward"]) == (True, False, 0.7)
    assert row["original_data"]["instance_id"] == "shop_1"
    assert (row["total_budget"], row["remaining_budget"]) == (16, 4)
    assert row["successful_phase1_sql"] == ACTIVE
    history = row["interaction_history"]
    assert [turn["interaction_object"] for turn in history] == ["Environment", *["User"] * 4]
    assert [turn["phase"] for turn in history] == [1, 1, 1, 1, 2]
    assert [turn["reward"] for turn in history] == [0, 0, 0, 0.7, 0]
    assert [turn["budget_after_action"]["remaining_budget"] for turn in history] == [15, 13, 10, 7, 4]
    assert ast.literal_eval(history[0]["action"].removeprefix("execute")) == "SELECT 'it''s'"
    assert TOTALS not in text  # the gold of the follow-up
    assert scored(cli, dataset, "results.jsonl") == {"shop_1": (True, False)}


def test_as_the_service_based_harness_writes(cli: Cli, dataset: Path, run: Path) -> None:
    document = json.loads(exported(cli, run, "results.json"))
    assert document["mode"] == "a-interact"
    assert document["metrics"] == {
        "total_tasks": 1,
        "total_reward": 0.7,
        "average_reward": 0.7,
        "phase1_rate": 1,
        "phase2_rate": 0,
        "phase1_count": 1,
        "phase2_count": 0,
    }
    (result,) = document["results"]
    assert (result["phase1_passed"], result["phase2_passed"], result["has_follow_up"]) == (True, False, True)
    assert (result["budget_used"], result["budget_remaining"]) == (12, 4)
    assert [step["tool"] for step in result["tool_trajectory"]] == ["execute_sql", "ask_user", *["submit_sql"] * 3]
    assert [step["budget_before"] - step["budget_after"] for step in result["tool_trajectory"]] == [1, 2, 3, 3, 3]
    assert [said["role"] for said in result["dialogue_history"]] == ["agent", "user"]
    assert TOTALS not in json.dumps(document)
    assert scored(cli, dataset, "results.json") == {"shop_1": (True, False)}


def test_a_conversation_is_scored_the_same_again(cli: Cli, dataset: Path) -> None:
    assert cli("interact", dataset, "--mode", "conversational", "--agent", "oracle", "-o", "talk").code == 0
    assert "this run is conversational" in cli("export", "interact", "talk/latest", "-o", "r.jsonl").complaint
    assert cli("export", "interact", "talk/latest", "-o", "r.json").code == 0
    assert json.loads(Path("r.json").read_text())["mode"] == "c-interact"
    first = {each["task"]: each["score"] for each in records(run_directory(Path("talk"))) if each["outcome"] == "passed"}
    assert scored(cli, dataset, "r.json") == {"shop_1": (True, True)}
    assert first == {"shop_1": 1}


def test_what_cannot_be_written_is_refused_in_one_line(cli: Cli, dataset: Path, run: Path) -> None:
    assert "expected .jsonl" in cli("export", "interact", run, "-o", "r.csv").complaint
    assert "No such file or directory" in cli("export", "interact", run, "-o", "nowhere/r.json").complaint
    assert cli("export", "interact", "nothing", "-o", "r.json").code == 2
    assert not Path("r.json").exists()
