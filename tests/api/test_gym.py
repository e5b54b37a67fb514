"""Stepping through episodes: observations, rewards and ends, as training loops expect them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from examples.own_benchmark import Sums

import touchstone
from tests.support.worlds import ROWS, World, make_world, row
from touchstone import Gym, InputError, ToolCall
from touchstone.errors import Unscorable

FIRST = ROWS[0]["SQL"]


@pytest.fixture
def env(world: World) -> Iterator[Gym]:
    with touchstone.gym(touchstone.bird(world.tasks, world.databases), max_steps=3) as env:
        yield env


def test_an_episode_from_reset_to_the_reward(env: Gym) -> None:
    observation, info = env.reset("10")
    assert "Which items are dear?" in observation
    assert info["task"] == "10"
    assert info["fields"]["database"] == "shop"
    assert [tool["function"]["name"] for tool in info["tools"]] == ["execute_sql", "submit_sql"]
    observation, reward, terminated, truncated, info = env.step(("execute_sql", {"sql": "SELECT 41 + 1"}))
    assert "42" in observation
    assert (reward, terminated, truncated, info["steps"]) == (0.0, False, False, 1)
    _, reward, terminated, truncated, info = env.step({"name": "submit_sql", "arguments": {"sql": FIRST}})
    assert (reward, terminated, truncated, info["outcome"]) == (1.0, True, False, "passed")
    assert info["verdict"].evidence["gold"] == FIRST
    assert len(env.transcript) == 2


def test_a_wrong_answer_is_worth_nothing(env: Gym) -> None:
    env.reset("10")
    _, reward, terminated, _, info = env.step(ToolCall("x", "submit_sql", '{"sql": "SELECT 1"}'))
    assert (reward, terminated, info["outcome"]) == (0.0, True, "failed")


def test_too_many_steps_cut_an_episode_off(env: Gym) -> None:
    env.reset()
    for _ in range(2):
        assert not env.step(("execute_sql", {"sql": "SELECT 1"}))[3]
    _, reward, terminated, truncated, info = env.step(("execute_sql", {"sql": "SELECT 1"}))
    assert (reward, terminated, truncated, info["outcome"]) == (0.0, False, True, "limit")
    with pytest.raises(InputError, match="call reset"):
        env.step(("execute_sql", {"sql": "SELECT 1"}))


@pytest.mark.parametrize("action", [("drop", {}), ("execute_sql", "{"), ("execute_sql", {"query": "SELECT 1"})])
def test_a_broken_action_is_an_observation(env: Gym, action: tuple[str, dict[str, str] | str]) -> None:
    env.reset()
    observation, _, terminated, truncated, info = env.step(action)
    assert info["error"]
    assert observation
    assert not terminated
    assert not truncated


def test_what_is_no_action_at_all_is_refused(env: Gym) -> None:
    env.reset()
    with pytest.raises(InputError, match="not str"):
        env.step("SELECT 1")  # pyright: ignore


def test_tasks_come_in_order_or_by_seed(env: Gym) -> None:
    assert [env.reset()[1]["task"] for _ in range(7)] == ["10", "11", "12", "13", "14", "15", "10"]
    drawn = [env.reset(seed=7)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    assert drawn == [env.reset(seed=7)[1]["task"], *(env.reset()[1]["task"] for _ in range(5))]
    assert drawn != sorted(drawn)
    with pytest.raises(InputError, match="no task '99'"):
        env.reset("99")


def test_episodes_are_apart_from_each_other(env: Gym) -> None:
    env.reset("11")
    assert not env.step(("execute_sql", {"sql": "DELETE FROM item"}))[4]["error"]
    env.reset("11")
    assert env.step(("submit_sql", {"sql": "SELECT COUNT(*) FROM item"}))[1] == 1.0


def test_twins_play_at_the_same_time(env: Gym) -> None:
    twin = env.twin()
    env.reset("10")
    twin.reset("11")
    assert env.step(("submit_sql", {"sql": FIRST}))[1] == 1.0
    assert twin.step(("submit_sql", {"sql": "SELECT COUNT(*) FROM item"}))[1] == 1.0
    twin.close()
    assert env.reset("10")[1]["task"] == "10", "the first goes on"


def test_broken_gold_is_not_the_players_fault(tmp_path: Path) -> None:
    rows = [row(1, "shop", "?", "SELECT nothing FROM item"), row(2, "gone", "?", "SELECT 1")]
    broken = make_world(tmp_path / "broken", rows)
    with touchstone.gym(touchstone.bird(broken.tasks, broken.databases)) as env:
        env.reset("1")
        _, reward, terminated, truncated, info = env.step(("submit_sql", {"sql": "SELECT 1"}))
        assert (reward, terminated, truncated, info["outcome"]) == (0.0, False, True, "unscorable")
        with pytest.raises(Unscorable):
            env.reset("2")


async def test_it_steps_inside_a_running_loop() -> None:
    with touchstone.gym(Sums(2)) as env:
        env.reset("sum-1")
        assert env.step(("add", {"a": 1, "b": 2}))[0] == "3"
        assert env.step(("submit", {"value": "13"}))[1] == 1.0
