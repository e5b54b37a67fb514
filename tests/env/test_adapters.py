"""What other trainers see: their own packages where those are installed (`make .venv-trainers/.complete`), else their calls."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import touchstone
from tests.support.command import touchstone as touchstone_command
from tests.support.worlds import ROWS, World, make_world, row
from touchstone.benchmarks.sql_episode import TOOLS
from touchstone.env import RewardOptions
from touchstone.env.adapters import call_in, trl_reward, verl_score

from .conftest import Served

ROOT = Path(__file__).parents[2]
GOLD = ROWS[0]["SQL"]
ENVIRONMENTS = {"verifiers": "verifiers", "openenv_mcp": "openenv", "trl": "torch", "verl": "torch"}
"""Below .venv-trainers, for what is played with versions that exclude others."""


def played(package: str, what: str, *arguments: str, cache: Path) -> dict[str, Any]:
    python = ROOT / ".venv-trainers" / ENVIRONMENTS.get(what, "") / "bin/python"
    if not python.exists() or subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode:
        pytest.skip(f"{package} is not installed: make .venv-trainers/.complete")
    script = Path(__file__).with_name("trainers.py")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TOUCHSTONE_CACHE": str(cache)}
    done = subprocess.run([python, script, what, *arguments], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.long
def test_openenvs_own_clients_play(served_once: Served, tmp_path: Path) -> None:
    assert played("openenv", "openenv", served_once.address, cache=tmp_path) == {
        "begun": ["10", None, False],
        "seen": True,
        "state": 1,
        "end": [1.0, True],
        "over": True,
        "tools": ["execute_sql", "submit_sql"],
        "called": True,
        "by_http": True,
        "together": 20.0,
        "sync": "11",
    }


@pytest.mark.long
def test_openenvs_mcp_client_joins_its_session(served_once: Served, tmp_path: Path) -> None:
    """Of the package `openenv`, which follows openenv-core; its validator passes, too."""
    before = served_once.metric("sessions_active")
    assert played("openenv", "openenv_mcp", served_once.address, cache=tmp_path) == {
        "first": [True, ["execute_sql", "submit_sql"], 1, "Submitted."],
        "same": True,
        "valid": True,
    }
    assert served_once.metric("sessions_active") == before


@pytest.mark.long
def test_trl_trains_with_the_reward(world: World, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    words = ("env", "rows", "bird", world.tasks, world.databases, "--form", "trl", "-o", rows)
    assert touchstone_command(*words, cwd=tmp_path).code == 0
    data = (str(world.tasks), str(world.databases), str(rows))
    assert played("trl", "trl", *data, cache=tmp_path) == {"reward": -0.25}


@pytest.mark.long
def test_verls_reward_managers_call_the_function(world: World, tmp_path: Path) -> None:
    function = tmp_path / "reward.py"
    function.write_text(
        "import touchstone\nfrom touchstone.env.adapters import verl_score\n"
        f"compute_score = verl_score(touchstone.bird({str(world.tasks)!r}, {str(world.databases)!r}))\n"
    )
    assert played("verl", "verl", str(function), cache=tmp_path) == {
        "one": [1.0, 0.0],
        "many": [1.0, 0.0],
        "outcomes": ["passed", "failed"],
    }


@pytest.mark.long
def test_gymnasium_steps_through_episodes(world: World, tmp_path: Path) -> None:
    assert played("gymnasium", "gymnasium", str(world.tasks), str(world.databases), cache=tmp_path) == {
        "task": "10",
        "text": True,
        "seen": True,
        "end": [1.0, True, False],
        "broken": True,
        "seeded": True,
    }


@pytest.mark.long
def test_skyrl_gym_makes_and_steps_the_environment(world: World, tmp_path: Path) -> None:
    assert played("skyrl_gym", "skyrl", str(world.tasks), str(world.databases), cache=tmp_path) == {
        "task": "10",
        "asked": ["system", "user"],
        "seen": True,
        "end": [1.0, True, []],
    }


@pytest.mark.long
def test_verifiers_loads_and_scores_the_taskset(world: World, tmp_path: Path) -> None:
    assert played("verifiers", "verifiers", str(world.tasks), str(world.databases), cache=tmp_path) == {
        "keys": ["10", "11", "12", "13", "14", "15"],
        "prompt": True,
        "taken": 2,
        "rewards": [1.0, 0.0],
    }


@pytest.fixture
def partly_broken(tmp_path: Path) -> World:
    return make_world(tmp_path / "partly", [*ROWS, row(99, "shop", "?", "SELECT nothing FROM nowhere")])


def test_verl_scores_one_answer_and_batches(partly_broken: World) -> None:
    score = verl_score(touchstone.bird(partly_broken.tasks, partly_broken.databases))
    text = f"```sql\n{GOLD}\n```"
    one = score(data_source="touchstone/bird", solution_str=text, ground_truth="10", extra_info={})
    assert one == {"score": 1.0, "usable": True, "outcome": "passed"}
    many = score(
        data_sources=["touchstone/bird"] * 3,
        solution_strs=[text, "?", text],
        ground_truths=["10", "10", "99"],
        extra_infos=[{}] * 3,
    )
    assert [each["score"] for each in many] == [1.0, 0.0, 0.0]
    assert [each["usable"] for each in many] == [True, True, False]


def test_trl_rewards_text_and_conversations(partly_broken: World) -> None:
    reward = trl_reward(touchstone.bird(partly_broken.tasks, partly_broken.databases), RewardOptions(format_penalty=0.25))
    completions: Sequence[Any] = [f"```sql\n{GOLD}\n```", [{"role": "assistant", "content": GOLD}], "no idea", GOLD]
    prompts = ["?"] * 4
    assert reward(prompts=prompts, completions=completions, task=["10", "10", "10", "99"]) == [1.0, 1.0, -0.25, None]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<sql>SELECT 1</sql>", "execute_sql"),
        ("<sql>SELECT 1</sql> so <solution>SELECT 2</solution>", "submit_sql"),
        ("```sql\nSELECT 1\n```", "submit_sql"),
        ("SELECT 1", "submit_sql"),
        ("hello", ""),
        ("<sql>SELECT 1", ""),
    ],
)
def test_actions_in_text(text: str, name: str) -> None:
    assert call_in(text, TOOLS).name == name
