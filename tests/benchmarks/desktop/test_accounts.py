from __future__ import annotations

import json
from pathlib import Path

import pytest

from touchstone.benchmarks.desktop.accounts import TEMPLATES, Accounts
from touchstone.benchmarks.desktop.tasks import Dataset
from touchstone.errors import InputError, Skipped

SNOWFLAKE = "evaluation_examples/settings/snowflake/settings.json"
GCP = "evaluation_examples/settings/google/gcp_config.json"


def fill(accounts: Accounts, name: str, **values: str) -> None:
    content = json.loads(accounts.path(name).read_text())
    (content[0] if isinstance(content, list) else content).update(values)
    accounts.path(name).write_text(json.dumps(content))


def test_templates_are_written_once_and_for_the_owner_only(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    assert all(written for _, written in accounts.init())
    assert {path.stat().st_mode & 0o777 for path, _ in accounts.init()} == {0o600}
    fill(accounts, "snowflake/settings.json", user="me")
    assert not any(written for _, written in accounts.init())
    assert json.loads(accounts.path(SNOWFLAKE).read_text())["user"] == "me"


def test_templates_are_the_published_ones(published: Dataset) -> None:
    for name, template in TEMPLATES.items():
        if not isinstance(template, str):
            text = (published.root / "settings" / f"{name}.template").read_text()
            lines = [line.partition(" //")[0] for line in text.splitlines() if not line.strip().startswith("//")]
            assert json.loads("\n".join(lines)) == template


def test_no_template_counts_as_filled_in(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    assert not any(standing.ready for standing in accounts.standings())
    accounts.init()
    assert not any(standing.ready for standing in accounts.standings())


def test_a_filled_account_is_loaded(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    accounts.init()
    fill(accounts, "snowflake/settings.json", account="https://abc.snowflakecomputing.com", user="me")
    with pytest.raises(Skipped, match=r"needs an account: settings/snowflake/settings.json: password not filled in"):
        accounts.load(SNOWFLAKE)
    fill(accounts, "snowflake/settings.json", password="p{x}xxxx")
    assert accounts.load(SNOWFLAKE)["user"] == "me"


def test_a_google_project_needs_its_key_file(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    accounts.init()
    keyfile = "evaluation_examples/settings/google/my-project.json"
    fill(
        accounts, "google/gcp_config.json", project_id="my-project", email="a@b.c", service_account="s@x", keyfile_path=keyfile
    )
    with pytest.raises(Skipped, match=r"the key file .*my-project.json does not exist"):
        accounts.project(GCP, "bigquery-project")
    accounts.path(keyfile).write_text("{}")
    assert accounts.project(GCP, "bigquery-project")["project_id"] == "my-project"
    with pytest.raises(Skipped, match="no project named 'other'"):
        accounts.project(GCP, "other")


def test_comments_of_the_published_template_are_told(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    accounts.init()
    accounts.path("hasura_cloud/settings.json").write_text('{"email": "secret@b.c" // mine\n}')
    standing = accounts.standing("hasura_cloud/settings.json")
    assert "not valid JSON" in standing.problem
    assert "secret" not in repr(standing)


def test_settings_stay_in_their_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leads out of"):
        Accounts(tmp_path / "settings").path("evaluation_examples/settings/../../x.json")
