"""The demo for desktops: what ships is what the generator makes, and its tasks are whole.

They are played in `make test-desktop`.
"""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.benchmarks.desktop.support import make_scene

from touchstone.benchmarks.desktop.evaluate import evaluate
from touchstone.benchmarks.desktop.solutions import solution
from touchstone.benchmarks.desktop.tasks import Dataset, DesktopTask, checks, demo, load_tasks
from touchstone.benchmarks.desktop.validate import examine_dataset
from touchstone.types import Outcome

GENERATOR = Path(__file__).parents[2] / "tools" / "make_demo_desktop.py"
DEMO = demo()
DATASET = Dataset(DEMO)
TASKS = load_tasks(DATASET)
LEFT_BEHIND = [task for task in TASKS if checks(task.form.evaluator)[0].result["type"] == "vm_file"]
"""Judged by a file."""


def test_the_generator_makes_what_is_shipped(tmp_path: Path) -> None:
    subprocess.run([sys.executable, str(GENERATOR), "--output", str(tmp_path)], check=True, capture_output=True)
    files = sorted(path.relative_to(DEMO) for path in DEMO.rglob("*") if path.is_file())
    assert files == sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file())
    assert [file for file in files if (DEMO / file).read_bytes() != (tmp_path / file).read_bytes()] == []
    assert sum((DEMO / file).stat().st_size for file in files) < 200_000


def test_it_has_no_mistake_and_both_forms_of_four_tasks() -> None:
    findings = examine_dataset(DATASET)
    assert (findings.mistakes, findings.warnings) == ([], [])
    assert [task.domain for task in TASKS if not task.verbose] == ["dbt", "excel", "jupyter", "terminal"]
    assert len(TASKS) == 8


@pytest.mark.parametrize("task", TASKS, ids=lambda task: f"{task.domain}-{task.facets['instruction']}")
def test_the_forms_of_a_task_have_the_same_files(task: DesktopTask) -> None:
    other = next(other for other in TASKS if other.key == task.form.counterpart)
    names = {path.name for path in task.folder.iterdir()} - {task.file.name}
    assert names == {path.name for path in other.folder.iterdir()} - {other.file.name}
    assert all((task.folder / name).read_bytes() == (other.folder / name).read_bytes() for name in names)
    tutorial = (task.folder / "verbose_instruction.txt").read_text().rstrip()
    assert (tutorial in task.form.instruction) is task.verbose


@pytest.mark.parametrize("task", [task for task in TASKS if not task.verbose], ids=lambda task: task.domain)
def test_the_solution_uses_the_hands_and_writes_no_file(task: DesktopTask) -> None:
    *actions, last = solution(task, DATASET)
    assert last.name == "done"
    codes = [json.loads(action.arguments)["code"] for action in actions]
    assert len(codes) >= 3
    for code in codes:
        called = {ast.unparse(node.func) for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)}
        assert not {"open", "exec", "eval"} & called
        assert not any(name.endswith((".write_text", ".write_bytes", ".open", ".system", ".Popen")) for name in called)
    assert any("pyautogui." in code for code in codes)


@pytest.mark.parametrize("task", LEFT_BEHIND, ids=lambda task: f"{task.domain}-{task.facets['instruction']}")
async def test_gold_passes_and_what_the_guest_is_given_does_not(task: DesktopTask, tmp_path: Path) -> None:
    (check,) = checks(task.form.evaluator)
    place = tmp_path / "result" / check.result["path"].lstrip("/")
    place.parent.mkdir(parents=True)
    shutil.copy(DATASET.resolve(check.expected["path"]), place)
    right = await evaluate(task, make_scene(DATASET, tmp_path, given=tmp_path / "result"))
    assert (right.outcome, right.score) == (Outcome.passed, 1.0), right.reason
    place.unlink()
    given = [step.parameters for step in task.form.config if step.parameters.get("dest") == check.result["path"]]
    for parameters in given:
        shutil.copy(DATASET.resolve(parameters["src"]), place)
    untouched = await evaluate(task, make_scene(DATASET, tmp_path, given=tmp_path / "result"))
    assert (untouched.outcome, untouched.score) == (Outcome.failed, 0.0)
