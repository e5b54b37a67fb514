"""Tasks played from the command line on real desktops: solved with mouse and keyboard they score 1, left alone they score 0."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import Done, finish, records, run_directory, start
from tests.support.data import shared_data

pytestmark = pytest.mark.desktop
DOMAINS = ("dbt", "excel", "jupyter", "terminal")
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


def played(directory: Path, images: dict[str, str], dataset: Path, agent: str) -> dict[str, Any]:
    done = finish(start("desktop", "run", dataset, "--agent", agent, "-o", agent, cwd=directory, env=images), 300)
    assert done.code == 0, done.err
    return by_domain(directory / agent)


def by_domain(output: Path) -> dict[str, Any]:
    return {record["facets"]["domain"]: record for record in records(run_directory(output))}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory, images: dict[str, str]) -> tuple[Path, Done]:
    """Two desktops at once."""
    directory = tmp_path_factory.mktemp("demo")
    return directory, finish(start("desktop", "demo", "--parallel", "2", "-o", ".", cwd=directory, env=images), 600)


@pytest.mark.parametrize("domain", DOMAINS)
def test_a_task_scores_one_when_it_is_solved_and_zero_when_not(domain: str, demo: tuple[Path, Done]) -> None:
    solved, untouched = (by_domain(demo[0] / agent)[domain] for agent in ("oracle", "nothing"))
    assert (solved["outcome"], solved["score"]) == ("passed", 1.0), solved["reason"]
    assert (untouched["outcome"], untouched["score"]) == ("failed", 0.0), untouched["reason"]
    assert untouched["steps"] == []


def test_the_demo_says_how_it_went(demo: tuple[Path, Done]) -> None:
    _, done = demo
    assert done.code == 0, done.err
    for domain in DOMAINS:
        assert re.search(rf"^{domain} +1 +0$", done.out, re.MULTILINE), done.out
    assert "touchstone view ." in done.out


def test_the_record_says_on_what_it_was_played_and_the_episode_can_be_looked_at(demo: tuple[Path, Done]) -> None:
    directory, _ = demo
    record = by_domain(directory / "oracle")["excel"]
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
    right = played(tmp_path, images, tmp_path / "data", "oracle")
    untouched = played(tmp_path, images, tmp_path / "data", "nothing")
    assert (right["excel"]["outcome"], right["excel"]["score"]) == ("passed", 1.0), right["excel"]["reason"]
    assert (untouched["excel"]["outcome"], untouched["excel"]["score"]) == ("failed", 0.0)
