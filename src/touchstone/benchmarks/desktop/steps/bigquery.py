"""Steps that prepare a BigQuery project, and sign in to its console. They wipe the project: it must be a blank one."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from typing import Any

from ....failures import InputError, Unscorable
from ..browser import PORT, browser, page_at
from ..clouds import GCP, GOOGLE, bigquery_client, connection_client
from ..extras import need
from ..scene import Scene
from .googledrive import google_sign_in
from .registry import STEPS

CONSOLE = "https://console.cloud.google.com/bigquery"


@STEPS
async def bigquery_init(
    scene: Scene,
    *,
    actions: Sequence[dict[str, Any]],
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
) -> None:
    """`empty`, `create_table`, `copy_keyfile`."""
    project = scene.accounts.project(config_file, project_name, project_index)
    for action in actions:
        match action.get("type", "empty"):
            case "empty":
                await to_thread(_empty, scene, project)
            case "create_table":
                await to_thread(_create_table, scene, project, action)
            case "copy_keyfile":
                keyfile = scene.accounts.path(str(project["keyfile_path"]))
                await scene.guest.put(keyfile, action.get("dest", "/home/user/keyfile.json"))
            case other:
                raise InputError(f"bigquery_init: unknown action '{other}'; expected empty, create_table or copy_keyfile")


@STEPS
async def bigquery_login(
    scene: Scene,
    *,
    settings_file: str = GOOGLE,
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
    ws: str = "",
    listening_port: int = PORT,
) -> None:
    """The console at the project, and at a place in it if `ws` says so."""
    project, owner = scene.accounts.project(config_file, project_name, project_index), scene.accounts.load(settings_file)
    url = f"{CONSOLE}?project={project['project_id']}" + (f"&ws={ws}" if ws else "")
    async with browser(scene, listening_port) as context:
        page = await page_at(context, url)
        await google_sign_in(page, owner["email"], owner["password"])


def _empty(scene: Scene, project: dict[str, Any]) -> None:
    """Jobs, datasets with all they hold, connections. Each list is read to its end first: its pages move when things go."""
    with bigquery_client(scene.accounts, project) as client:
        for job in list(client.list_jobs()):
            client.cancel_job(job)
            client.delete_job_metadata(job)
        for dataset in list(client.list_datasets()):
            client.delete_dataset(dataset, delete_contents=True, not_found_ok=True)
    service = connection_client(scene.accounts, project)
    for connection in list(service.list_connections(parent=f"projects/{project['project_id']}/locations/us")):
        service.delete_connection(name=connection.name)


def _create_table(scene: Scene, project: dict[str, Any], action: dict[str, Any]) -> None:
    """With the given columns, or those that a header names; with rows from a CSV file of the dataset."""
    bigquery = need("google.cloud.bigquery", "desktop-google")
    source = scene.dataset.resolve(action["data_from_csv"]) if "data_from_csv" in action else None
    if source is not None and not source.is_file():
        raise Unscorable(f"{action['data_from_csv']}: the file is not in the dataset", kind="gold_missing")
    dataset = f"{project['project_id']}.{action['dataset_id']}"
    given: list[dict[str, str]] = action.get("schema_from_json") or []
    columns = [
        bigquery.SchemaField(column["name"], column.get("type", "STRING"), mode=column.get("mode", "NULLABLE"))
        for column in given
    ]
    table = bigquery.Table(f"{dataset}.{action['table_id']}", schema=columns or None)
    with bigquery_client(scene.accounts, project) as client:
        client.create_dataset(bigquery.Dataset(dataset), exists_ok=True)
        if source is None:
            client.create_table(table)
            return
        # The job makes the table: one without columns could not be filled.
        how = {"schema": columns, "skip_leading_rows": 0} if columns else {"autodetect": True, "skip_leading_rows": 1}
        job = bigquery.LoadJobConfig(source_format=bigquery.SourceFormat.CSV, **how)
        with source.open("rb") as file:
            client.load_table_from_file(file, table, job_config=job).result()
