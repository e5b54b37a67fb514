from __future__ import annotations

import json
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.browser import address_in
from touchstone.benchmarks.desktop.clouds import same_address
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.getters import RESULTS
from touchstone.benchmarks.desktop.getters.dbt import job_words
from touchstone.benchmarks.desktop.getters.web import pieces_found
from touchstone.benchmarks.desktop.tasks import DesktopTask, checks
from touchstone.errors import InputError, Skipped

from .support import LocalGuest, make_dataset, make_scene
from .web_pages import Pages, tree


async def test_files_of_the_guest(tmp_path: Path, guest: LocalGuest) -> None:
    evaluation = make_scene(make_dataset(tmp_path), tmp_path, guest)
    (guest.home / "a.txt").write_text("here")
    fetched = await RESULTS.find("vm_file")(evaluation, path="/home/user/a.txt", dest="copy.txt")
    assert fetched == tmp_path / "cache" / "copy.txt"
    assert fetched.read_text() == "here"
    assert await RESULTS.find("vm_file")(evaluation, path="/home/user/b.txt", dest="copy2.txt") is None
    with pytest.raises(InputError, match="leads out of the cache"):
        await RESULTS.find("vm_file")(evaluation, path="/home/user/a.txt", dest="../../copy.txt")


async def test_commands_of_the_guest(tmp_path: Path, guest: LocalGuest) -> None:
    evaluation = make_scene(make_dataset(tmp_path), tmp_path, guest)
    (guest.home / "Metabase").mkdir()
    (guest.home / "Metabase" / "metabase.db.mv.db").touch()
    assert await RESULTS.find("vm_command_line")(evaluation, command=["ls", "/home/user/Metabase"]) == "metabase.db.mv.db\n"


async def test_profiles_are_looked_for_in_order(tmp_path: Path, guest: LocalGuest) -> None:
    evaluation = make_scene(make_dataset(tmp_path), tmp_path, guest)
    dirs = ["/home/user/.dbt", "/home/user/project", "$DBT_PROFILES_DIR"]
    find = RESULTS.find("dbt_profiles")
    assert await find(evaluation, dirs=dirs, dest="profiles.yml") is None
    (guest.home / ".profile").write_text(f"export DBT_PROFILES_DIR={guest.home}/elsewhere\n")
    for number, folder in enumerate(("elsewhere", "project", ".dbt")):
        (guest.home / folder).mkdir()
        (guest.home / folder / "profiles.yml").write_text(folder)
        found = await find(evaluation, dirs=dirs[: 3 - number] if number else ["/home/user/elsewhere"], dest="profiles.yml")
        assert found.read_text() == folder


@pytest.mark.parametrize("name", RESULTS.names)
async def test_without_a_guest_or_an_account_every_getter_says_what_it_needs(
    tmp_path: Path, published_tasks: list[DesktopTask], name: str
) -> None:
    """With the parameters of a published task."""
    parameters = next(
        {key: value for key, value in check.result.items() if key != "type"}
        for task in published_tasks
        for check in checks(task.form.evaluator)
        if check.result["type"] == name
    )
    dataset = make_dataset(tmp_path)
    with pytest.raises(Skipped) as caught:
        await RESULTS.find(name)(make_scene(dataset, tmp_path), **parameters)
    assert caught.value.kind in ("guest", "account")
    assert str(caught.value).startswith(("needs a running desktop", "needs an account: settings/"))


@pytest.mark.parametrize("browser", ["Google Chrome", "Chromium"])
def test_the_address_bar_of_either_browser(browser: str) -> None:
    assert address_in(tree("localhost:8080/dags", browser)) == "localhost:8080/dags"


def test_the_focused_window_counts() -> None:
    assert address_in(tree("one.example", "Chromium", "two.example")) == "two.example"


@pytest.mark.parametrize("text", ["", "<x", "<desktop/>", '<!DOCTYPE x [<!ENTITY a "b">]><desktop/>', tree("", "Firefox")])
def test_trees_without_an_address(text: str) -> None:
    assert address_in(text) is None


def test_pieces_of_an_address() -> None:
    address = "https://localhost:8080/dags/x?dag_run_id=manual__2024-01-01T00%3A00%3A00%2B00%3A00"
    assert pieces_found(["x", " manual__2024-01-01T00:00:00+00:00\n"], address) == (
        "x check succeed; manual__2024-01-01T00:00:00+00:00 check succeed"
    )
    assert "failed" in pieces_found(["y"], address)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("https://www.a.com/", "https://A.com", True),
        ("https://a.com/x", "https://a.com/x/", False),
        ("https://a.com/x?y=1", "https://a.com/x?y=2", False),
    ],
)
def test_addresses_of_pages(first: str, second: str, same: bool) -> None:
    assert same_address(first, second) is same


JOBS = [
    {"id": 1, "name": "Sales_Process", "execute_steps": ["dbt seed", "dbt run"], "generate_docs": True},
    {
        "id": 2,
        "name": "Sales_Summary",
        "schedule": {"time": {"type": "every_hour", "interval": 6}},
        "job_completion_trigger_condition": {"condition": {"job_id": 1, "statuses": [10]}},
    },
]


@pytest.mark.parametrize(
    ("name", "previous", "fields", "words"),
    [
        ("Sales_Process", "", ["generate_docs", "execute_steps"], "True ['dbt seed', 'dbt run']"),
        ("Sales_Summary", "Sales_Process", ["job_completion_trigger_condition"], "matched 10"),
        ("Sales_Summary", "Other", ["job_completion_trigger_condition"], "mismatched 10"),
        ("Sales_Summary", "", ["time_type", "time_interval"], "every_hour 6"),
        ("Sales_Process", "", ["job_completion_trigger_condition"], "None"),
        ("None", "", ["id"], "None"),
    ],
)
def test_jobs_in_words(name: str, previous: str, fields: list[str], words: str) -> None:
    assert job_words(JOBS, name, previous, fields) == words


async def test_dbt_cloud_over_http(tmp_path: Path) -> None:
    """The real client against a local server that answers as dbt Cloud's API does."""
    project = {"id": 7, "name": "Analytics", "connection": {"type": "snowflake"}}
    environments = [{"id": 8, "name": "dev env", "dbt_version": "1.5.0-latest", "type": "development"}]
    with Pages() as pages:
        base = "/api/v3/accounts/42/projects/"
        pages.json[base] = {"data": [project]}
        pages.json[f"{base}7/environments/"] = {"data": environments}
        pages.json["/api/v2/accounts/42/jobs/?project_id=7"] = {"data": JOBS}
        evaluation = with_dbt_account(tmp_path, pages.address)
        assert await RESULTS.find("dbt_project_info")(evaluation, fields=["name", "connection_type"]) == "Analytics snowflake"
        environment = RESULTS.find("dbt_environment_info")
        assert await environment(evaluation, name="dev env", fields=["dbt_version", "type"]) == "1.5.0-latest development"
        assert await environment(evaluation, name="other", fields=["type"]) == "None"
        assert await RESULTS.find("dbt_job_info")(evaluation, name="Sales_Process", fields=["id"]) == "1"
        pages.json[base] = {"data": []}
        assert await RESULTS.find("dbt_project_info")(evaluation, fields=["name"]) == "None"
        assert {request.token for request in pages.requests} == {"Token secret-token"}


def with_dbt_account(tmp_path: Path, address: str) -> EvaluationContext:
    dataset = make_dataset(tmp_path)
    settings = dataset.root / "settings" / "dbt_cloud" / "settings.json"
    settings.parent.mkdir(parents=True)
    account = {"email": "a@b.c", "password": "p", "account_id": "42", "token": "secret-token", "cloud_host": address}
    settings.write_text(json.dumps(account))
    return make_scene(dataset, tmp_path)
