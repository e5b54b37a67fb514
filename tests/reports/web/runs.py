"""Runs to look at, made by the real commands: two models on BIRD tasks, and a dialogue with a simulated user and a budget."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.benchmarks.interact.datasets import ACTIVE, TOTALS, make_dataset
from tests.support.chat_players import gold_for
from tests.support.chat_server import JSON, Answer, ChatServer, text, tool_call
from tests.support.command import run_directory, touchstone
from tests.support.worlds import make_world
from touchstone.types import Record

KEY = {"OPENAI_API_KEY": "sk-none"}
HOSTILE = "<script>window.hurt = 1</script><img src=x onerror='window.hurt=1'>\"'&</script>"
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)

WRONG = {
    "Which items are dear?": "SELECT name, price FROM item",
    "What is the mean price?": "SELECT round(avg(price), 1) FROM item",
    "How many legs are there?": "SELECT count(legs) FROM animal",
}


def player(wrong: Mapping[str, str]) -> Any:
    """Looks at the data once, then submits: what is in `wrong`, or else the gold."""

    def answer(request: JSON) -> Answer:
        question = request["messages"][1]["content"].split("\n")[0]
        said = [message for message in request["messages"] if message["role"] == "tool"]
        if not said:
            table = "animal" if "leg" in question else "item"
            return tool_call("execute_sql", {"sql": f"SELECT * FROM {table} -- a look"})
        return tool_call("submit_sql", {"sql": wrong.get(question, gold_for(request))})

    return answer


def talker(request: JSON) -> Answer:
    """Asks once, then submits wrongly, then what is right, and for the follow-up at once."""
    if request["model"] == "user":
        chosen = "[labeled" in str(request["messages"]) or "labeled(number)" in str(request["messages"])
        return text("<s>labeled(1)</s>" if chosen else "<s>Whoever bought two things or more.</s>")
    said = [message["content"] for message in request["messages"] if message["role"] == "tool"]
    if not said:
        return tool_call("ask", {"question": "What is an active customer?"})
    if len(said) == 1:
        return tool_call("execute", {"sql": "SELECT * FROM customer"})
    if "follow-up" in said[-1]:
        return tool_call("submit", {"sql": TOTALS})
    return tool_call("submit", {"sql": ACTIVE if "not correct" in said[-1] else "SELECT name FROM customer"})


def make_runs(directory: Path) -> Path:
    """results/good, results/bad (BIRD) and results/talk (BIRD-Interact)."""
    directory.mkdir(parents=True, exist_ok=True)
    world = make_world(directory / "world")
    results = directory / "results"
    for name, wrong in (("good", {"How many legs are there?": "SELECT legs FROM animal"}), ("bad", WRONG)):
        with ChatServer(player(wrong)) as server:
            options = ("--model", name, "--base-url", server.url, "-p", "2", "-o", results / name)
            done = touchstone("bird", *world.arguments, *options, cwd=directory, env=KEY)
        assert done.code == 0, done.err
    dataset = make_dataset(directory / "interact")
    with ChatServer(talker) as server:
        options = (
            "--model",
            "agent",
            "--user-model",
            "user",
            "--base-url",
            server.url,
            "--task",
            "shop_1",
            "-o",
            results / "talk",
        )
        done = touchstone("interact", dataset, *options, cwd=directory, env=KEY)
    assert done.code == 0, done.err
    return results


def run_of(results: Path, name: str) -> Path:
    return run_directory(results / name)


def write_run(path: Path, *records: Record, **config: Any) -> Path:
    """A run directory by hand, for what no real run has yet."""
    path.mkdir(parents=True)
    identity = {"benchmark": "bird", "agent": "tools", "model": "m"}
    (path / "config.json").write_text(json.dumps({"title": "by hand", "command": "bird", "identity": identity, **config}))
    (path / "runs.jsonl").write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))
    return path
