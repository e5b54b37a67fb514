"""Google Drive with PyDrive2 and Google's client below it, against a local server with Drive's interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from touchstone.benchmarks.desktop.desktop import CONTROLLER_PORT
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.getters import RESULTS
from touchstone.benchmarks.desktop.getters.google import WORKBOOK
from touchstone.benchmarks.desktop.steps import run_steps
from touchstone.benchmarks.desktop.tasks import SetupStep

from ..support import LocalGuest, make_dataset, make_scene
from ..web_pages import Pages, tree
from .google_services import FOLDER, REFRESH, SHEET, Google

pytest.importorskip("pydrive2", reason="PyDrive2 is not installed; `make test-clouds` installs it")

TOKENS = "https://oauth2.googleapis.com/token"
APPLICATION = {
    "client_id": "us",
    "client_secret": "secret-of-us",
    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
    "token_uri": TOKENS,
    "redirect_uris": ["http://localhost"],
}
CONSENT = {
    "access_token": "old",
    "client_id": "us",
    "client_secret": "secret-of-us",
    "refresh_token": REFRESH,
    "token_expiry": "2020-01-01T00:00:00Z",
    "token_uri": TOKENS,
    "user_agent": None,
    "revoke_uri": None,
    "invalid": False,
    "_class": "OAuth2Credentials",
    "_module": "oauth2client.client",
}


@pytest.fixture
def evaluation(tmp_path: Path, guest: LocalGuest) -> EvaluationContext:
    evaluation = make_scene(make_dataset(tmp_path), tmp_path, guest)
    evaluation.accounts.init()
    folder = evaluation.dataset.root / "settings" / "googledrive"
    (folder / "client_secrets.json").write_text(json.dumps({"installed": APPLICATION}))
    (folder / "credentials.json").write_text(json.dumps(CONSENT))
    return evaluation


async def prepare(evaluation: EvaluationContext, *actions: dict[str, Any]) -> None:
    await run_steps([SetupStep("googledrive_init", {"actions": list(actions)})], evaluation)


async def test_folders_are_made_and_files_uploaded(evaluation: EvaluationContext, google: Google) -> None:
    (evaluation.dataset.root / "a.csv").write_bytes(b"a,b\n1,2\n")
    upload = {"type": "upload", "src": "evaluation_examples/a.csv"}
    await prepare(
        evaluation,
        {"type": "mkdirs", "path": ["Spider001", "it's"], "exist_ok": True},
        {"type": "mkdirs", "path": ["Spider001"], "exist_ok": True},
        {**upload, "path": ["Spider001", "it's", "b.csv"]},
        {**upload, "path": "top.csv"},
    )
    assert google.tree() == {"Spider001": {"it's": {"b.csv": b"a,b\n1,2\n"}}, "top.csv": b"a,b\n1,2\n"}
    assert {grant["refresh_token"] for grant in google.grants} == {REFRESH}


async def test_one_path_is_deleted(evaluation: EvaluationContext, google: Google) -> None:
    folder = google.add("Spider001", FOLDER)
    google.add("a.txt", parent=folder.id)
    google.add("b.txt", parent=folder.id)
    google.add("a.txt")
    await prepare(
        evaluation,
        {"type": "delete", "path": ["Spider001", "a.txt"], "trash": False},
        {"type": "delete", "path": ["absent", "a.txt"]},
    )
    assert google.tree() == {"Spider001": {"b.txt": b""}, "a.txt": b""}
    await prepare(evaluation, {"type": "delete", "path": ["Spider001"], "trash": True})
    assert google.tree() == {"a.txt": b""}
    assert [file.title for file in google.files if file.trashed] == ["Spider001"]


async def test_everything_is_deleted_over_several_pages(evaluation: EvaluationContext, google: Google) -> None:
    for number in range(5):
        google.add(f"{number}.txt")
    await prepare(evaluation, {"type": "delete"})
    assert google.files == []


async def test_the_open_sheet_is_fetched_as_a_workbook(
    evaluation: EvaluationContext, google: Google, guest: LocalGuest
) -> None:
    sheet = google.add("Budget", SHEET, exports={WORKBOOK: b"PK workbook"})
    getter = RESULTS.find("googlesheet_active_file")
    with Pages() as pages:
        guest.ports[CONTROLLER_PORT] = pages.address
        pages.json["/accessibility"] = {"AT": tree(f"docs.google.com/spreadsheets/d/{sheet.id}/edit#gid=0")}
        path = await getter(evaluation, dest="budget.xlsx")
        assert path.read_bytes() == b"PK workbook"
        pages.json["/accessibility"] = {"AT": tree("docs.google.com/spreadsheets/u/0/")}
        assert await getter(evaluation, dest="budget.xlsx") is None
        pages.json["/accessibility"] = {"AT": tree("docs.google.com/spreadsheets/d/not-shared/edit")}
        assert await getter(evaluation, dest="budget.xlsx") is None
