from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.steps import STEPS, run_steps
from touchstone.benchmarks.desktop.steps.snowflake import split_script, statements
from touchstone.benchmarks.desktop.tasks import DesktopTask, SetupStep
from touchstone.errors import InputError, Skipped, Unscorable, WorkerFailure

from .support import ABSTRACT, LocalGuest, make_dataset, make_scene
from .test_getters import with_dbt_account
from .web_pages import Pages

FOLDER = f"evaluation_examples/examples/jupyter/{ABSTRACT}"
LOG = '#!/bin/sh\necho "$(basename "$0") $*" >> log.txt\n'


@pytest.fixture
def evaluation(tmp_path: Path, guest: LocalGuest) -> EvaluationContext:
    return make_scene(make_dataset(tmp_path), tmp_path, guest)


async def run(evaluation: EvaluationContext, type: str, **parameters: Any) -> None:
    await run_steps([SetupStep(type, parameters)], evaluation)


async def test_files_and_scripts(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    await run(evaluation, "copyfile_from_host_to_guest", src=f"{FOLDER}/gold.csv", dest="/home/user/Desktop/in.csv")
    assert (guest.home / "Desktop" / "in.csv").read_text() == "a,b\n1,2\n"
    (evaluation.dataset.root / "examples" / "init.sh").write_text("cat Desktop/in.csv > made.txt\nexit 3\n")
    await run(evaluation, "script_and_execute", src="evaluation_examples/examples/init.sh", dest="/home/user/init.sh")
    assert (guest.home / "made.txt").read_text() == "a,b\n1,2\n"
    assert not (guest.home / "init.sh").exists()
    [whole, first, last] = evaluation.log.steps[1].commands
    assert whole.returncode == 3
    assert (first.command, first.returncode, last.command) == ("cat Desktop/in.csv", 0, "exit 3")
    await run(evaluation, "upload_file", files=[{"local_path": f"{FOLDER}/gold.csv", "path": "/home/user/up.csv"}])
    assert (guest.home / "up.csv").is_file()


async def test_values_of_credentials_are_encoded(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    (evaluation.dataset.root / "key.json").write_text('{"user": "me", "port": 1}')
    await run(
        evaluation,
        "copyfile_from_host_to_guest",
        src="evaluation_examples/key.json",
        dest="/home/user/k.json",
        json_encode=True,
    )
    sent = json.loads((guest.home / "k.json").read_text())
    assert {key: base64.b64decode(value).decode() for key, value in sent.items()} == {"user": "me", "port": "1"}


async def test_settings_are_only_copied_when_filled_in(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    src = "evaluation_examples/settings/snowflake/settings.json"
    with pytest.raises(Skipped, match="needs an account"):
        await run(evaluation, "copyfile_from_host_to_guest", src=src, dest="/home/user/k.json")
    evaluation.accounts.init()
    with pytest.raises(Skipped, match="account, user, password not filled in"):
        await run(evaluation, "copyfile_from_host_to_guest", src=src, dest="/home/user/k.json")


async def test_commands(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    await run(evaluation, "execute", command=["touch", "/home/user/answer.txt"])
    assert (guest.home / "answer.txt").is_file()
    counting = "echo x >> n.txt; wc -l < n.txt"
    await run(evaluation, "command", command=counting, shell=True, stdout="count.txt", until={"stdout": "3"})
    assert (evaluation.cache / "count.txt").read_text().strip() == "3"
    await run(evaluation, "execute", command="echo y >> m.txt; false", shell=True, until={"returncode": 0})
    assert (guest.home / "m.txt").read_text() == "y\n" * 5


async def test_programs_and_windows(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    for name in ("wmctrl", "xdg-open", "gedit", "gsettings"):
        guest.program(name, LOG)
    await run(evaluation, "activate_window", window_name="A.xlsx - LibreOffice Calc", strict=True)
    await run(evaluation, "close_window", window_name="calc", by_class=True)
    await run(evaluation, "change_wallpaper", path="/usr/share/a.png")
    await run(evaluation, "launch", command=["gedit", "/home/user/a.txt"])
    await guest.settle()
    await run(evaluation, "open", path="/home/user/A.xlsx")
    await guest.settle()
    assert (guest.home / "log.txt").read_text().splitlines() == [
        "wmctrl -F -a A.xlsx - LibreOffice Calc",
        "wmctrl -x -c calc",
        "gsettings set org.gnome.desktop.background picture-uri file:///usr/share/a.png",
        f"gedit {guest.home}/a.txt",
        f"xdg-open {guest.home}/A.xlsx",
    ]


async def test_downloads(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    with Pages() as pages:
        pages.pages["/data.csv"] = "x\n1\n"
        await run(evaluation, "download", files=[{"url": f"{pages.address}/data.csv", "path": "/home/user/data.csv"}])
        assert (guest.home / "data.csv").read_text() == "x\n1\n"
        with pytest.raises(WorkerFailure, match=r"set-up step 1 \(download\) failed: HTTPStatusError"):
            await run(evaluation, "download", files=[{"url": f"{pages.address}/none", "path": "/home/user/x"}])


async def test_mistakes_are_told_before_anything_runs(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    first = SetupStep("execute", {"command": ["touch", "/home/user/ran"]})
    with pytest.raises(InputError, match="unknown set-up step 'lunch'; did you mean 'launch'"):
        await run_steps([first, SetupStep("lunch", {})], evaluation)
    with pytest.raises(InputError, match="set-up step open: needs the parameter 'path'"):
        await run_steps([first, SetupStep("open", {})], evaluation)
    assert not (guest.home / "ran").exists()
    with pytest.raises(Unscorable, match=r"none.csv: the file is not in the dataset"):
        await run(evaluation, "copyfile_from_host_to_guest", src="evaluation_examples/none.csv", dest="/x")


@pytest.mark.parametrize("name", [name for name in STEPS.names if name != "sleep"])
async def test_without_a_guest_or_an_account_every_step_says_what_it_needs(
    tmp_path: Path, published_tasks: list[DesktopTask], name: str
) -> None:
    used = (step for task in published_tasks for step in [*task.form.config, *task.form.evaluator.postconfig])
    step = next((step for step in used if step.type == name), None)
    if step is None:
        pytest.skip("no published task uses it")
    dataset = make_dataset(tmp_path)
    for source in {step.parameters.get("src", "")} - {""}:
        dataset.resolve(source).parent.mkdir(parents=True, exist_ok=True)
        dataset.resolve(source).write_text("{}")
    with pytest.raises((Skipped, WorkerFailure)) as caught:
        await run_steps([step], make_scene(dataset, tmp_path))
    needs = (
        "needs a running desktop",
        "needs an account: settings/",
        f"set-up step 1 ({name}) failed: RuntimeError: workarena",
    )
    assert str(caught.value).startswith(needs)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("SELECT 1; SELECT 2;", ["SELECT 1", "SELECT 2"]),
        ("-- no; comment\nSELECT 1 /* ; */ ;", ["SELECT 1"]),
        ("SELECT ';' ; SELECT \"a;b\"", ["SELECT ';'", 'SELECT "a;b"']),
        ("CREATE FUNCTION f() AS $$ a; b; $$; SELECT '--'", ["CREATE FUNCTION f() AS $$ a; b; $$", "SELECT '--'"]),
        ("SELECT 'it''s; fine'", ["SELECT 'it''s; fine'"]),
    ],
)
def test_scripts_are_cut_at_the_right_semicolons(text: str, expected: list[str]) -> None:
    assert split_script(text) == expected


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"type": "delete_database", "database": "D"}, ["DROP DATABASE IF EXISTS D"]),
        ({"type": "delete_user", "username": "snowman"}, ["DROP USER IF EXISTS snowman"]),
        (
            {"type": "create_database", "database": "dev", "schema": "customers"},
            [
                "DROP DATABASE IF EXISTS dev",
                "CREATE DATABASE IF NOT EXISTS dev",
                "CREATE SCHEMA IF NOT EXISTS dev.customers",
            ],
        ),
        (
            {"type": "create_table", "database": "C", "table": "my table", "sql": "SELECT 1"},
            ['CREATE OR REPLACE TABLE C.PUBLIC."my table" AS SELECT 1'],
        ),
        ({"type": "execute_script", "sql_command": "DELETE FROM t"}, ["DELETE FROM t"]),
    ],
)
def test_snowflake_actions_as_sql(evaluation: EvaluationContext, action: dict[str, Any], expected: list[str]) -> None:
    assert statements(evaluation, None, action) == expected


async def test_dbt_cloud_is_prepared_over_http(tmp_path: Path) -> None:
    with Pages() as pages:
        base = "/api/v3/accounts/42/projects/"
        pages.json[base] = {"data": [{"id": 7, "name": "old"}]}
        pages.json[f"{base}7/environments/"] = {"data": [{"id": 8, "name": "Christmas_Sales"}]}
        evaluation = with_dbt_account(tmp_path, pages.address)
        actions = [
            {"type": "delete_project"},
            {"type": "create_project", "project_name": "test_connection"},
            {"type": "create_environment", "env_name": "Christmas_Sales"},
            {"type": "create_job", "env_name": "Christmas_Sales", "job_name": "Sales_Process"},
        ]
        await run(evaluation, "dbt_cloud_init", actions=actions)
        changes = [request for request in pages.requests if request.method != "GET"]
        assert [(request.method, request.path) for request in changes] == [
            ("DELETE", f"{base}7/"),
            ("POST", base),
            ("POST", f"{base}7/environments/"),
            ("POST", "/api/v2/accounts/42/jobs/"),
        ]
        assert json.loads(changes[1].body)["name"] == "test_connection"
        job = json.loads(changes[3].body)
        assert (job["environment_id"], job["name"], job["execute_steps"]) == (8, "Sales_Process", ["dbt build"])
        with pytest.raises(WorkerFailure, match="has no environment other"):
            await run(evaluation, "dbt_cloud_init", actions=[{"type": "create_job", "env_name": "other"}])
