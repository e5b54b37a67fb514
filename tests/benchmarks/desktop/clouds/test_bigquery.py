"""BigQuery with the official client on bqemulator; its connections, which that has not, against a local gRPC server."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.ports import port_to_come_back_to
from touchstone.benchmarks.desktop.evaluation_context import EvaluationContext
from touchstone.benchmarks.desktop.getters import RESULTS
from touchstone.benchmarks.desktop.steps import run_steps
from touchstone.benchmarks.desktop.tasks import SetupStep
from touchstone.errors import Unscorable

from ..support import LocalGuest, make_dataset, make_scene
from . import connections
from .connections import Connections
from .google_services import Google
from .internet import Internet

bigquery = pytest.importorskip(
    "google.cloud.bigquery", reason="BigQuery's client is not installed; `make test-clouds` installs it"
)
PYTHON = "BIGQUERY_EMULATOR_PYTHON"
if PYTHON not in os.environ:
    pytest.skip(f"{PYTHON} does not say where bqemulator is installed; `make test-clouds` does", allow_module_level=True)

PROJECT = "my-project"
ORDERS = [{"name": "customer", "type": "STRING"}, {"name": "amount", "type": "INTEGER", "mode": "REQUIRED"}]


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home, port = tmp_path_factory.mktemp("emulator"), port_to_come_back_to()
    program = [os.environ[PYTHON], str(Path(__file__).with_name("bigquery_emulator.py")), str(port)]
    log = home / "log.txt"
    with (
        log.open("w") as out,
        subprocess.Popen(program, env={**os.environ, "HOME": str(home)}, stdout=out, stderr=out) as process,
    ):
        try:
            address = f"http://127.0.0.1:{port}"
            wait_for(f"{address}/bigquery/v2/projects/{PROJECT}/datasets", process, log)
            yield address
        finally:
            process.terminate()


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(1_200):
        if process.poll() is not None:
            break
        try:
            httpx.get(address).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.1)
        else:
            return
    pytest.fail(f"bqemulator did not start: {log.read_text()}")


@pytest.fixture
def links(internet: Internet) -> Iterator[Connections]:
    with connections.serving(internet) as links:
        yield links


@pytest.fixture
def evaluation(
    tmp_path: Path, guest: LocalGuest, emulator: str, google: Google, links: Connections, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EvaluationContext]:
    monkeypatch.setenv("BIGQUERY_EMULATOR_HOST", emulator)
    evaluation = make_scene(make_dataset(tmp_path), tmp_path, guest)
    evaluation.accounts.init()
    folder = evaluation.dataset.root / "settings" / "google"
    project = json.loads((folder / "gcp_config.json").read_text())[0]
    mine = {"project_id": PROJECT, "email": "me@example.com", "service_account": f"robot@{PROJECT}.iam.gserviceaccount.com"}
    key = f"evaluation_examples/settings/google/{PROJECT}.json"
    (folder / "gcp_config.json").write_text(json.dumps([{**project, **mine, "keyfile_path": key}]))
    (folder / f"{PROJECT}.json").write_text(json.dumps(service_account(mine["service_account"])))
    yield evaluation
    empty_datasets(emulator)


def service_account(email: str) -> dict[str, str]:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(65_537, 2_048)
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    secret = key.private_bytes(serialization.Encoding.PEM, *form).decode()
    where = {"token_uri": "https://oauth2.googleapis.com/token", "project_id": PROJECT}
    return {"type": "service_account", "client_email": email, "private_key": secret, "private_key_id": "1", **where}


def empty_datasets(address: str) -> None:
    base = f"{address}/bigquery/v2/projects/{PROJECT}/datasets"
    for found in httpx.get(base).json().get("datasets", []):
        name = found["datasetReference"]["datasetId"]
        httpx.delete(f"{base}/{name}", params={"deleteContents": "true"}).raise_for_status()


def jobs(address: str) -> list[Any]:
    return httpx.get(f"{address}/bigquery/v2/projects/{PROJECT}/jobs").json().get("jobs", [])


async def prepare(evaluation: EvaluationContext, *actions: dict[str, Any]) -> None:
    parameters = {"actions": list(actions), "project_name": "bigquery-project"}
    await run_steps([SetupStep("bigquery_init", parameters)], evaluation)


async def get(evaluation: EvaluationContext, name: str, **parameters: Any) -> Any:
    return await RESULTS.find(name)(evaluation, project_name="bigquery-project", **parameters)


def table(evaluation: EvaluationContext, name: str, text: str | None = None, **more: Any) -> dict[str, Any]:
    """An action that makes a table, with rows from a file if there is a text."""
    if text is not None:
        (evaluation.dataset.root / f"{name}.txt").write_text(text)
        more["data_from_csv"] = f"evaluation_examples/{name}.txt"
    return {"type": "create_table", "dataset_id": "shop", "table_id": name, **more}


async def test_a_table_with_given_columns_has_every_line_of_its_file(evaluation: EvaluationContext, google: Google) -> None:
    await prepare(evaluation, table(evaluation, "orders", 'Ann,3\n"B, C",40\n', schema_from_json=ORDERS))
    path = await get(
        evaluation, "bigquery_table_to_csv", dataset_id="shop", table_id="orders", schema=["amount", "customer"], dest="o.csv"
    )
    assert sorted(path.read_text().splitlines()) == ["3,Ann", '40,"B, C"']
    assert {grant["grant_type"] for grant in google.grants} == {"urn:ietf:params:oauth:grant-type:jwt-bearer"}


async def test_the_header_names_the_columns_where_none_are_given(evaluation: EvaluationContext) -> None:
    await prepare(evaluation, table(evaluation, "2012", "state,people\nOhio,11\nUtah,3\n"))
    path = await get(
        evaluation, "bigquery_table_to_csv", dataset_id="shop", table_id="2012", schema=["state", "people + 1"], dest="s.csv"
    )
    assert sorted(path.read_text().splitlines()) == ["Ohio,12", "Utah,4"]


async def test_tables_without_rows_in_one_dataset(evaluation: EvaluationContext) -> None:
    await prepare(
        evaluation, table(evaluation, "one", schema_from_json=ORDERS), table(evaluation, "two", schema_from_json=ORDERS)
    )
    assert await get(evaluation, "bigquery_datasets") == ["shop"]
    path = await get(evaluation, "bigquery_table_to_csv", dataset_id="shop", table_id="two", schema=["amount"], dest="e.csv")
    assert path.read_text() == ""


async def test_a_query_of_the_dataset(evaluation: EvaluationContext) -> None:
    await prepare(evaluation, table(evaluation, "orders", "Ann,3\nBob,40\n", schema_from_json=ORDERS))
    (evaluation.dataset.root / "gold.sql").write_text("SELECT SUM(amount), MAX(customer), NULL FROM `{}.shop.orders`")
    path = await get(evaluation, "bigquery_sql_result_to_csv", sql="evaluation_examples/gold.sql", dest="q.csv")
    assert path.read_text() == "43,Bob,\n"


async def test_what_the_agent_did_not_make_is_no_result(evaluation: EvaluationContext) -> None:
    where = {"schema": ["amount"], "dest": "x.csv"}
    assert await get(evaluation, "bigquery_table_to_csv", dataset_id="absent", table_id="orders", **where) is None
    await prepare(evaluation, table(evaluation, "orders", schema_from_json=ORDERS))
    assert await get(evaluation, "bigquery_table_to_csv", dataset_id="shop", table_id="absent", **where) is None
    wrong = {**where, "schema": ["no_such_column"]}
    assert await get(evaluation, "bigquery_table_to_csv", dataset_id="shop", table_id="orders", **wrong) is None


async def test_a_project_is_emptied(evaluation: EvaluationContext, emulator: str, links: Connections) -> None:
    mine = [f"projects/{PROJECT}/locations/us/connections/c{number}" for number in range(3)]
    links.names = [*mine, "projects/other/locations/us/connections/c0"]
    await prepare(evaluation, table(evaluation, "orders", "Ann,3\n", schema_from_json=ORDERS))
    assert await get(evaluation, "bigquery_connections") == ["c0", "c1", "c2"]
    assert jobs(emulator)
    await prepare(evaluation, {"type": "empty"})
    assert not jobs(emulator)
    assert await get(evaluation, "bigquery_datasets") == []
    assert await get(evaluation, "bigquery_connections") == []
    assert links.names == ["projects/other/locations/us/connections/c0"]
    assert links.tokens == {"Bearer"}
    await prepare(evaluation, {"type": "empty"}, table(evaluation, "orders", "Ann,3\n", schema_from_json=ORDERS))
    assert await get(evaluation, "bigquery_datasets") == ["shop"]


async def test_a_missing_file_is_told_before_the_table_is_made(evaluation: EvaluationContext) -> None:
    with pytest.raises(Unscorable, match=r"absent\.csv: the file is not in the dataset"):
        await prepare(evaluation, table(evaluation, "orders", data_from_csv="evaluation_examples/absent.csv"))
    assert await get(evaluation, "bigquery_datasets") == []


async def test_the_key_is_copied_to_the_guest(evaluation: EvaluationContext, guest: LocalGuest) -> None:
    await prepare(evaluation, {"type": "copy_keyfile", "dest": "/home/user/project/credential.json"})
    assert json.loads((guest.home / "project" / "credential.json").read_text())["project_id"] == PROJECT
