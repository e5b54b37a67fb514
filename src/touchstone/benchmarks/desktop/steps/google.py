"""Steps that prepare a BigQuery project, and sign in to its console. They wipe the project: it must be a blank one."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from typing import Any

from ....errors import InputError
from ..browser import PORT, browser, page_at
from ..clouds import DRIVE, GCP, GOOGLE, bigquery_client, connection_client, drive_client
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import STEPS

# Steps in Google Drive, and signing in to a Google account.


HOME = "https://drive.google.com/drive/my-drive"
FOLDER = "application/vnd.google-apps.folder"
PATIENCE = 60_000


@STEPS
async def googledrive_init(
    evaluation: EvaluationContext, *, actions: Sequence[dict[str, Any]], settings_file: str = DRIVE
) -> None:
    """`delete`, `mkdirs`, `upload`, by paths such as ["folder", "file"]."""
    drive = await to_thread(drive_client, evaluation.accounts, settings_file)
    for action in actions:
        await to_thread(_do, evaluation, drive, action)


@STEPS
async def googledrive_login(
    evaluation: EvaluationContext, *, settings_file: str = GOOGLE, listening_port: int = PORT, need_login: bool = True
) -> None:
    owner = evaluation.accounts.load(settings_file)
    async with browser(evaluation, listening_port) as context:
        page = await context.new_page()
        await page.goto(HOME)
        if need_login:
            await google_sign_in(page, owner["email"], owner["password"])


async def google_sign_in(page: Any, email: str, password: str) -> None:
    """Google asks only who is not signed in yet: without the form there is nothing to do."""
    box = page.locator('input[type="email"]')
    try:
        await box.fill(email, timeout=PATIENCE)
    except need("playwright.async_api").TimeoutError:
        return
    await page.locator("#identifierNext > div > button").click()
    await page.locator('input[type="password"]').fill(password, timeout=PATIENCE)
    await page.locator("#passwordNext > div > button").click()
    await page.wait_for_load_state("load")


def _do(evaluation: EvaluationContext, drive: Any, action: dict[str, Any]) -> None:
    path = [action["path"]] if isinstance(action.get("path"), str) else list(action.get("path", []))
    match action.get("type"):
        case "delete":
            _delete(drive, path, trash=action.get("trash", False))
        case "mkdirs":
            _folder(drive, path)
        case "upload":
            source = evaluation.dataset.file(action["src"])
            parent = _folder(drive, path[:-1])
            file = drive.CreateFile({"title": path[-1], "parents": [{"id": parent}]})
            file.SetContentFile(str(source))
            file.Upload()
        case other:
            raise InputError(f"googledrive_init: unknown action '{other}'; expected delete, mkdirs or upload")


def _children(drive: Any, parent: str, name: str | None, *, folders: bool = False) -> list[Any]:
    title = name.replace("\\", "\\\\").replace("'", "\\'") if name is not None else None
    terms = [f"'{parent}' in parents", "trashed = false"]
    terms += [f"title = '{title}'"] if title is not None else []
    terms += [f"mimeType = '{FOLDER}'"] if folders else []
    return drive.ListFile({"q": " and ".join(terms)}).GetList()


def _folder(drive: Any, path: Sequence[str], *, make: bool = True) -> str | None:
    """The id of a folder, made with those above it if it is not there."""
    parent = "root"
    for name in path:
        folders = _children(drive, parent, name, folders=True)
        if not folders and not make:
            return None
        if not folders:
            made = drive.CreateFile({"title": name, "mimeType": FOLDER, "parents": [{"id": parent}]})
            made.Upload()
            folders = [made]
        parent = folders[0]["id"]
    return parent


def _delete(drive: Any, path: Sequence[str], *, trash: bool) -> None:
    """An empty path means everything."""
    parent = _folder(drive, path[:-1], make=False)
    for file in _children(drive, parent, path[-1] if path else None) if parent else ():
        file.Trash() if trash else file.Delete()


CONSOLE = "https://console.cloud.google.com/bigquery"


@STEPS
async def bigquery_init(
    evaluation: EvaluationContext,
    *,
    actions: Sequence[dict[str, Any]],
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
) -> None:
    """`empty`, `create_table`, `copy_keyfile`."""
    project = evaluation.accounts.project(config_file, project_name, project_index)
    for action in actions:
        match action.get("type", "empty"):
            case "empty":
                await to_thread(_empty, evaluation, project)
            case "create_table":
                await to_thread(_create_table, evaluation, project, action)
            case "copy_keyfile":
                keyfile = evaluation.accounts.path(str(project["keyfile_path"]))
                await evaluation.guest.put(keyfile, action.get("dest", "/home/user/keyfile.json"))
            case other:
                raise InputError(f"bigquery_init: unknown action '{other}'; expected empty, create_table or copy_keyfile")


@STEPS
async def bigquery_login(
    evaluation: EvaluationContext,
    *,
    settings_file: str = GOOGLE,
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
    ws: str = "",
    listening_port: int = PORT,
) -> None:
    """The console at the project, and at a place in it if `ws` says so."""
    project = evaluation.accounts.project(config_file, project_name, project_index)
    owner = evaluation.accounts.load(settings_file)
    url = f"{CONSOLE}?project={project['project_id']}" + (f"&ws={ws}" if ws else "")
    async with browser(evaluation, listening_port) as context:
        page = await page_at(context, url)
        await google_sign_in(page, owner["email"], owner["password"])


def _empty(evaluation: EvaluationContext, project: dict[str, Any]) -> None:
    """Jobs, datasets with all they hold, connections. Each list is read to its end first: its pages move when things go."""
    with bigquery_client(evaluation.accounts, project) as client:
        for job in list(client.list_jobs()):
            client.cancel_job(job)
            client.delete_job_metadata(job)
        for dataset in list(client.list_datasets()):
            client.delete_dataset(dataset, delete_contents=True, not_found_ok=True)
    service = connection_client(evaluation.accounts, project)
    for connection in list(service.list_connections(parent=f"projects/{project['project_id']}/locations/us")):
        service.delete_connection(name=connection.name)


def _create_table(evaluation: EvaluationContext, project: dict[str, Any], action: dict[str, Any]) -> None:
    """With the given columns, or those that a header names; with rows from a CSV file of the dataset."""
    bigquery = need("google.cloud.bigquery", "desktop-google")
    source = evaluation.dataset.file(action["data_from_csv"]) if "data_from_csv" in action else None
    dataset = f"{project['project_id']}.{action['dataset_id']}"
    schema: list[dict[str, str]] = action.get("schema_from_json") or []
    columns = [
        bigquery.SchemaField(column["name"], column.get("type", "STRING"), mode=column.get("mode", "NULLABLE"))
        for column in schema
    ]
    table = bigquery.Table(f"{dataset}.{action['table_id']}", schema=columns or None)
    with bigquery_client(evaluation.accounts, project) as client:
        client.create_dataset(bigquery.Dataset(dataset), exists_ok=True)
        if source is None:
            client.create_table(table)
            return
        # The job makes the table: one without columns could not be filled.
        how = {"schema": columns, "skip_leading_rows": 0} if columns else {"autodetect": True, "skip_leading_rows": 1}
        job = bigquery.LoadJobConfig(source_format=bigquery.SourceFormat.CSV, **how)
        with source.open("rb") as file:
            client.load_table_from_file(file, table, job_config=job).result()
