from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from touchstone.benchmarks.desktop.accounts import Accounts
from touchstone.benchmarks.desktop.check import Report, examine, files_named
from touchstone.benchmarks.desktop.image import Store
from touchstone.benchmarks.desktop.needed import applications, overrides
from touchstone.benchmarks.desktop.needed import read as needed_by
from touchstone.benchmarks.desktop.tasks import APPS, Dataset, DesktopTask, load_tasks
from touchstone.benchmarks.desktop.validate import Applications

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
    assert [one.kind for one in report.obstacles] == ["software"]
    assert report.standing == "software"
    assert "Docker" in report.obstacles[0].detail


@pytest.mark.parametrize("app", APPS)
def test_every_application_can_be_there(tmp_path: Path, app: str) -> None:
    """In a machine of somebody's, for example."""
    report = check(make_dataset(tmp_path, task_form(related_apps=[app]), task_form(VERBOSE, ABSTRACT)), have=[app])
    assert "app" not in kinds(report)


def test_one_layer_serves_two_applications(tmp_path: Path) -> None:
    """dbt's has DuckDB's program, so nobody is told to build another for it."""
    nothing_made = Applications(store=Store(tmp_path))
    build = "touchstone desktop image build desktop"
    assert nothing_made.missing(["dbt", "duckdb"]) == {"dbt": f"{build} dbt", "duckdb": build}
    assert nothing_made.missing(["duckdb"]) == {"duckdb": f"{build} duckdb"}


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
            opened.writestr("project/init.sh", text)
    report = check(dataset, have=["jupyter"])
    assert [(one.kind, one.detail) for one in report.obstacles] == [("network", "api.open-notify.org")]
    assert check(dataset, have=["jupyter"], network=True).runs


OUTSIDE = "https://api.open-notify.org/astros.json"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("init.sh", f"# wget {OUTSIDE}\necho done # see {OUTSIDE}\n"),
        ("settings.yaml", f"airflow: # {OUTSIDE}\n  connections: []\n"),
        ("query.sql", f"select 1 -- {OUTSIDE}\n"),
        ("dags.py", f'"""Like {OUTSIDE}."""\n# {OUTSIDE}\nx = 1\n\ndef f():\n    """{OUTSIDE}"""\n'),
        ("notebook.ipynb", json.dumps({"cells": [{"cell_type": "markdown", "source": [OUTSIDE]}]})),
    ],
)
def test_what_does_not_run_needs_no_network(tmp_path: Path, name: str, text: str) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "examples/jupyter" / ABSTRACT / name).write_text(text)
    assert check(dataset, have=["jupyter"]).runs


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        ("init.sh", f"echo '#'; curl {OUTSIDE}\n", "api.open-notify.org"),
        ("settings.yaml", f"host: '{OUTSIDE}'\n", "api.open-notify.org"),
        ("dags.py", f'import requests\nrequests.get("{OUTSIDE}")\n', "api.open-notify.org"),
        (
            "notebook.ipynb",
            json.dumps({"cells": [{"cell_type": "code", "source": ["from sklearn.datasets import fetch_california_housing"]}]}),
            "data of California housing",
        ),
        ("init.sh", "pip install -q nothing-like-it\n", "the package index"),
    ],
)
def test_what_runs_is_read(tmp_path: Path, name: str, text: str, needed: str) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "examples/jupyter" / ABSTRACT / name).write_text(text)
    report = check(dataset, have=["jupyter"])
    assert [(one.kind, one.detail) for one in report.obstacles] == [("network", needed)]
    assert report.standing == "network"


def test_a_package_that_is_there_can_be_installed_without_a_network(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "examples/jupyter" / ABSTRACT / "eval.sh").write_text("pip install pytest > /dev/null\n")
    assert check(dataset, have=["jupyter"]).standing == "runs"


@pytest.mark.parametrize(
    ("script", "standin"),
    [
        ("docker compose up --detach", "docker"),
        ("code /home/user/project", "code"),
        ("echo $P | sudo -S systemctl stop postgresql", "systemctl"),
        ('sudo date -s "+6 hours"', "date"),
        ("dagster project scaffold --name one", "package index"),
    ],
)
def test_a_stand_in_is_named(tmp_path: Path, script: str, standin: str) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "examples/jupyter" / ABSTRACT / "init.sh").write_text(f"# astro dev start\n{script}\n")
    report = check(dataset, have=["jupyter", "superset", "vscode"])
    assert (report.standing, report.standins) == ("stand-ins", (standin,))


@pytest.mark.parametrize(
    ("script", "app"),
    [
        ("code /home/user/shop", "vscode"),
        ("astro dev start --no-browser", "airflow"),
        ("docker compose up -d", "superset"),
        ("echo $P | sudo -S -u postgres createdb shop", "postgresql"),
        ("sudo -S mysql < init.sql", "mysql"),
        ("conda activate dagster", "dagster"),
    ],
)
def test_an_application_that_a_script_calls_counts_though_it_is_not_listed(tmp_path: Path, script: str, app: str) -> None:
    dataset = make_dataset(tmp_path)
    (dataset.root / "examples/jupyter" / ABSTRACT / "init.sh").write_text(f"# mysql < x\n{script}\n")
    assert applications(load_tasks(dataset)[0]) == ["jupyter", app]
    (dataset.root / "examples/jupyter" / ABSTRACT / "init.sh").write_text(f"# {script}\n")
    needed_by.cache_clear()
    assert applications(load_tasks(dataset)[0]) == ["jupyter"]


def test_overrides_have_reasons_and_hold_for_their_tasks_alone(tmp_path: Path) -> None:
    assert all(entry.why and (entry.ignore or entry.needs) for entry in overrides().values())
    key = "93b05252-b8cd-4f23-8850-168dc8107d83"
    assert {"wttr.in", "developer.mozilla.org"} == set(overrides()[key].ignore)
    evaluator = {"func": "exact_match", "result": {"type": "vm_command_line", "command": ["ls"]}}
    evaluator |= {"expected": {"type": "rule", "rules": {"expected": ""}}}
    text = "Link to https://wttr.in/HongKong."
    forms = [task_form(key, VERBOSE, instruction=text, evaluator=evaluator), task_form(VERBOSE, key)]
    assert check(make_dataset(tmp_path / "named", *forms), have=["jupyter"]).runs
    other = [task_form(instruction=text), task_form(VERBOSE, ABSTRACT)]
    assert kinds(check(make_dataset(tmp_path / "other", *other), have=["jupyter"])) == ["network"]


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
