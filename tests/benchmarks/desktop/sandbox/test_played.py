"""Tasks played from the command line on real desktops: solved with mouse and keyboard they score 1, left alone they score 0."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Done, finish, records, run_directory, start
from tests.support.data import shared_data
from touchstone.datasets import desktop_demo

pytestmark = pytest.mark.desktop
EXCEL = "1e8df695-bd1b-45b3-b557-e7d599cf7597"
"""A published task: a column of profits in a workbook of weekly sales."""
PROFITS = """
import subprocess

for _ in range(120):
    if "WeeklySales.xlsx" in subprocess.run(["wmctrl", "-l"], capture_output=True, text=True).stdout:
        break
    time.sleep(0.5)
time.sleep(2)
# ---
# D1
pyautogui.click(406, 191)
pyautogui.write("Profit\\n", interval=0.03)
time.sleep(0.5)
# ---
# D2 to D11
pyautogui.click(406, 209)
pyautogui.keyDown("shift")
pyautogui.click(406, 371)
pyautogui.keyUp("shift")
pyautogui.write("=B2-C2", interval=0.03)
pyautogui.hotkey("alt", "enter")
time.sleep(0.5)
# ---
pyautogui.hotkey("ctrl", "s")
time.sleep(2)
"""


def played(directory: Path, images: dict[str, str], dataset: Path, agent: str, *more: str) -> tuple[Done, dict[str, Any]]:
    """The records by domain."""
    arguments = ["desktop", "run", dataset, "--agent", agent, "--abstract", "-o", agent, *more]
    done = finish(start(*arguments, cwd=directory, env=images), 600)
    assert done.code == 0, done.err
    return done, {record["facets"]["domain"]: record for record in records(run_directory(directory / agent))}


@pytest.fixture(scope="module")
def solved(tmp_path_factory: pytest.TempPathFactory, images: dict[str, str]) -> tuple[Path, dict[str, Any]]:
    directory = tmp_path_factory.mktemp("solved")
    return directory, played(directory, images, desktop_demo(), "oracle", "--parallel", "2")[1]


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory, images: dict[str, str]) -> dict[str, Any]:
    return played(tmp_path_factory.mktemp("untouched"), images, desktop_demo(), "nothing", "--parallel", "2")[1]


@pytest.mark.parametrize("domain", ["dbt", "excel", "jupyter", "terminal"])
def test_a_task_scores_one_when_it_is_solved_and_zero_when_not(
    domain: str, solved: tuple[Path, dict[str, Any]], untouched: dict[str, Any]
) -> None:
    assert (solved[1][domain]["outcome"], solved[1][domain]["score"]) == ("passed", 1.0), solved[1][domain]["reason"]
    assert (untouched[domain]["outcome"], untouched[domain]["score"]) == ("failed", 0.0), untouched[domain]["reason"]
    assert untouched[domain]["steps"] == []


def test_the_record_says_on_what_it_was_played_and_the_episode_can_be_looked_at(solved: tuple[Path, dict[str, Any]]) -> None:
    directory, found = solved
    record = found["excel"]
    assert record["evidence"]["desktop"]["provider"] == "sandbox"
    assert [layer.rpartition("-")[0] for layer in record["evidence"]["desktop"]["image"]] == ["system", "desktop", "session"]
    assert "google-chrome" in record["evidence"]["desktop"]["stand-ins"]
    episode = run_directory(directory / "oracle") / "episodes" / record["task"]
    assert len(list(episode.glob("*.png"))) == len(record["steps"]) + 1
    assert (episode / "video.mp4").read_bytes()[4:8] == b"ftyp"


def test_a_published_workbook_is_worked_on_in_calc(tmp_path: Path, images: dict[str, str]) -> None:
    source = shared_data("spider2v") / "evaluation_examples" / "examples" / "excel" / EXCEL
    target = tmp_path / "data" / "evaluation_examples" / "examples" / "excel" / EXCEL
    shutil.copytree(source, target, copy_function=shutil.copyfile)
    target.chmod(0o755)
    (target / "solution.py").write_text(PROFITS)
    _, right = played(tmp_path, images, tmp_path / "data", "oracle")
    _, untouched = played(tmp_path, images, tmp_path / "data", "nothing")
    assert (right["excel"]["outcome"], right["excel"]["score"]) == ("passed", 1.0), right["excel"]["reason"]
    assert (untouched["excel"]["outcome"], untouched["excel"]["score"]) == ("failed", 0.0)
