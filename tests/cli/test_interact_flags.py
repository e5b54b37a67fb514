"""Flags of the published BIRD-Interact scripts: they work, are said to have no effect, or are refused by name in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.interact.datasets import make_dataset
from tests.cli.conftest import Cli
from tests.support.command import records, run_directory, times_recorded


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    return make_dataset(tmp_path / "data")


def only_record(output: str) -> dict[str, Any]:
    (record,) = records(run_directory(Path(output)))
    return record


@pytest.mark.parametrize("limit", [["--limit=-1"], ["--limit", "-1"]])
def test_a_limit_of_minus_one_is_none(cli: Cli, dataset: Path, limit: list[str]) -> None:
    done = cli("interact", "--data", dataset, "--agent", "oracle", *limit, "--log_dir", "out", "--concurrency", "2")
    assert done.code == 0, done.err
    assert len(records(run_directory(Path("out")))) == 2
    assert "--limit -2: expected a positive whole number, or -1" in cli("interact", dataset, "--limit=-2").complaint


def test_the_parts_of_the_starting_budget(cli: Cli, dataset: Path) -> None:
    """3 and 3 by default; two ambiguities and the patience add 4 and 6."""
    common = ["interact", dataset, "--agent", "oracle", "--task", "shop_1"]
    assert cli(*common, "-o", "both", "--env_interact_budget", "5", "--submit_budget=7").code == 0
    assert only_record("both")["evidence"]["budget"] == 22
    assert cli(*common, "-o", "one", "--submit_budget", "0").code == 0
    assert only_record("one")["evidence"]["budget"] == 13
    assert "are the same coins" in cli(*common, "--submit_budget", "3", "--start-budget", "6").complaint
    assert "--submit_budget x: expected a number" in cli(*common, "--submit_budget", "x").complaint
    assert "--submit_budget : expected a number" in cli(*common, "--submit_budget").complaint


def test_resume_alone_goes_on_with_the_latest_run(cli: Cli, dataset: Path) -> None:
    common = ["interact", "--data_path", dataset, "--agent", "oracle", "--output_path", "out"]
    begun = cli(*common, "--limit", "1", "--resume")
    assert begun.code == 0, begun.err
    assert "there is no run in out: a new one begins" in begun.err
    again = cli(*common, "--resume", "--limit", "-1")
    assert again.code == 0, again.err
    assert times_recorded(run_directory(Path("out"))) == {("shop_1", 0): 1, ("shop_M_1", 0): 1}
    assert "--output must say where the latest run is" in cli("interact", dataset, "--agent", "oracle", "--resume").complaint
    assert "--output must say where the latest run is" in cli("interact", "sweep", dataset, "-o", "s", "-r").complaint


def test_modes_of_the_service_based_harness(cli: Cli, dataset: Path) -> None:
    for words, mode in ((["--mode", "c-interact"], "conversational"), (["--mode=a-interact"], "agentic")):
        done = cli("interact", dataset, "--agent", "oracle", "--task", "shop_1", "--base_output_dir", mode, *words)
        assert done.code == 0, done.err
        assert json.loads((run_directory(Path(mode)) / "config.json").read_text())["identity"]["mode"] == mode


def test_what_has_no_effect_is_said(cli: Cli, dataset: Path) -> None:
    flags = ["--start_actual_index", "0", "--env", "bird_interact_sql", "--mini_interact", "--debug_mode"]
    done = cli("interact", dataset, "--agent", "oracle", "--task", "shop_1", "-o", "out", *flags)
    assert done.code == 0, done.err
    assert "without effect here: --start_actual_index, --env, --mini_interact, --debug_mode" in done.err
    assert "bird_interact_sql" not in (run_directory(Path("out")) / "config.json").read_text()


@pytest.mark.parametrize(
    ("flag", "instead"),
    [
        (["--budgets", "0", "6"], "sweep --patience"),
        (["--budgets=0,6"], "sweep --patience"),
        (["--agent_models", "a"], "one --model a run"),
        (["--agent_model_provider", "openai"], "litellm/"),
        (["--user_model_provider", "openai"], "--user-model litellm/"),
        (["--kb_path", "x"], "from the dataset directory"),
        (["--use_encoder_decoder"], "--user-sim faithful"),
        (["--human_mode"], "--agent human"),
        (["--debug"], "--agent oracle"),
        (["--debug_sol_sql"], "--agent oracle"),
        (["--debug_num", "3"], "--limit"),
        (["--encoder-decoder"], "--user-sim faithful"),
        (["--full"], "--limit"),
        (["--mode", "oracle"], "--agent oracle"),
        (["--tasks", "shop_1,shop_2"], "with --task"),
        (["--model_name", "x"], "--model"),
        (["--turn_num", "3"], "--mode conversational"),
        (["--external_kg_path=x"], "--mode conversational"),
        (["--jsonl", "x.jsonl"], "score interact"),
    ],
)
def test_what_means_something_else_is_refused_by_name(cli: Cli, dataset: Path, flag: list[str], instead: str) -> None:
    done = cli("interact", dataset, "--agent", "oracle", *flag)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert done.complaint.startswith(f"touchstone: {flag[0].partition('=')[0]} ")
    assert instead in done.complaint
