from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from touchstone.benchmarks.desktop.accounts import Accounts
from touchstone.benchmarks.desktop.checking import Report, examine, files_named
from touchstone.benchmarks.desktop.dataset import Dataset
from touchstone.benchmarks.desktop.tasks import APPS, DesktopTask, load_tasks

from .support import ABSTRACT, VERBOSE, make_dataset, task_form


def check(dataset: Dataset, **options: Any) -> Report:
    tasks = load_tasks(dataset)
    known = {task.key: task for task in tasks}
    return examine(tasks[:1], known, dataset, Accounts(dataset.root / "settings"), **options)[0]


def kinds(report: Report) -> list[str]:
    return [obstacle.kind for obstacle in report.obstacles]


def test_a_task_with_everything_there_runs(tmp_path: Path) -> None:
    report = check(make_dataset(tmp_path), have=["jupyter"])
    assert (report.runs, report.offline, report.obstacles) == (True, True, [])


def test_an_application_whose_layer_has_not_been_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_IMAGES", str(tmp_path / "images"))
    report = check(make_dataset(tmp_path))
    assert [(one.kind, one.detail) for one in report.obstacles] == [
        ("app", "jupyter: touchstone desktop image build desktop jupyter")
    ]


def test_an_application_that_no_layer_gives(tmp_path: Path) -> None:
    report = check(make_dataset(tmp_path, task_form(related_apps=["airbyte"]), task_form(VERBOSE, ABSTRACT)))
    assert [one.kind for one in report.obstacles] == ["app"]
    assert "Docker" in report.obstacles[0].detail


@pytest.mark.parametrize("app", APPS)
def test_every_application_can_be_there(tmp_path: Path, app: str) -> None:
    """In a machine of somebody's, for example."""
    report = check(make_dataset(tmp_path, task_form(related_apps=[app]), task_form(VERBOSE, ABSTRACT)), have=[app])
    assert "app" not in kinds(report)


def test_a_missing_file(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path)
    gold = dataset.root / f"examples/jupyter/{ABSTRACT}/gold.csv"
    gold.unlink()
    report = check(dataset, have=["jupyter"])
    assert kinds(report) == ["file"]
    assert report.obstacles[0].detail.endswith(f"{ABSTRACT}/gold.csv")


def test_a_missing_account(tmp_path: Path) -> None:
    login = {"type": "hasura_login", "parameters": {"settings_file": "evaluation_examples/settings/hasura_cloud/settings.json"}}
    forms = [task_form(config=[login], tags=["abstract", "account"]), task_form(VERBOSE, ABSTRACT)]
    dataset = make_dataset(tmp_path, *forms)
    assert kinds(check(dataset, have=["jupyter"])) == ["account", "network"]
    assert kinds(check(dataset, have=["jupyter"], network=True)) == ["account"]
    Accounts(dataset.root / "settings").init()
    (dataset.root / "settings/hasura_cloud/settings.json").write_text('{"email": "a@b.c", "password": "p"}')
    assert check(dataset, have=["jupyter"], network=True).runs


@pytest.mark.parametrize("where", ["instruction", "counterpart", "script", "archive"])
def test_the_network_is_needed_where_an_address_is_named(tmp_path: Path, where: str) -> None:
    text = "curl https://api.open-notify.org/astros.json http://localhost:3000"
    abstract = task_form(instruction=text) if where == "instruction" else task_form()
    verbose = task_form(VERBOSE, ABSTRACT, **({"instruction": text} if where == "counterpart" else {}))
    dataset = make_dataset(tmp_path, abstract, verbose)
    folder = dataset.root / "examples/jupyter" / ABSTRACT
    if where == "script":
        (folder / "init.sh").write_text(text)
    if where == "archive":
        with ZipFile(folder / "project.zip", "w") as opened:
            opened.writestr("dags/example.py", text)
    report = check(dataset, have=["jupyter"])
    assert [(one.kind, one.detail) for one in report.obstacles] == [("network", "api.open-notify.org")]
    assert check(dataset, have=["jupyter"], network=True).runs


def test_a_script_is_evidence_that_files_cannot_give(tmp_path: Path) -> None:
    result = {"type": "vm_command_line", "command": ["ls"]}
    evaluator = {"func": "exact_match", "result": result, "expected": {"type": "rule", "rules": {"expected": ""}}}
    assert not check(make_dataset(tmp_path, task_form(evaluator=evaluator)), have=["jupyter"]).offline


def test_the_published_tasks(published: Dataset, published_tasks: list[DesktopTask], tmp_path: Path) -> None:
    """The counts of the specification; with all applications, the 32 Excel tasks with workbooks are those that can run."""
    known = {task.key: task for task in published_tasks}
    reports = examine(published_tasks, known, published, Accounts(tmp_path), have=APPS)
    assert sum(report.offline for report in reports) == 154
    assert sum("account" in kinds(report) for report in reports) == 170
    excel = [report for report in reports if report.task.domain == "excel"]
    assert sum(report.runs for report in excel) == 32
    assert all(kinds(report) == ["file"] * len(report.obstacles) for report in excel)
    assert len(files_named(excel[0].task)) == 2
