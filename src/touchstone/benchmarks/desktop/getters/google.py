"""Tables, datasets and connections of a BigQuery project."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..browser import active_address
from ..clouds import DRIVE, GCP, bigquery_client, connection_client, drive_client, write_rows
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import RESULTS


@RESULTS
async def bigquery_table_to_csv(
    evaluation: EvaluationContext,
    *,
    dataset_id: str,
    table_id: str,
    schema: Sequence[str],
    dest: str,
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
) -> Path | None:
    """A table's columns as CSV without a header; None if there is no such table."""
    project = evaluation.accounts.project(config_file, project_name, project_index)
    query = f"SELECT {', '.join(schema)} FROM `{project['project_id']}.{dataset_id}.{table_id}`"
    return await to_thread(_query, evaluation, project, query, dest)


@RESULTS
async def bigquery_sql_result_to_csv(
    evaluation: EvaluationContext,
    *,
    sql: str,
    dest: str,
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
) -> Path | None:
    """The result of a query in a file of the dataset; {} in it stands for the project's id."""
    project = evaluation.accounts.project(config_file, project_name, project_index)
    query = evaluation.dataset.resolve(sql).read_text().format(project["project_id"])
    return await to_thread(_query, evaluation, project, query, dest)


@RESULTS
async def bigquery_datasets(
    evaluation: EvaluationContext, *, config_file: str = GCP, project_name: str | None = None, project_index: int = 0
) -> list[str]:
    """The ids of the project's datasets."""
    project = evaluation.accounts.project(config_file, project_name, project_index)

    def listed() -> list[str]:
        with bigquery_client(evaluation.accounts, project) as client:
            return [dataset.dataset_id for dataset in client.list_datasets()]

    return await to_thread(listed)


@RESULTS
async def bigquery_connections(
    evaluation: EvaluationContext, *, config_file: str = GCP, project_name: str | None = None, project_index: int = 0
) -> list[str]:
    """The names of the project's connections."""
    project = evaluation.accounts.project(config_file, project_name, project_index)

    def listed() -> list[str]:
        client = connection_client(evaluation.accounts, project)
        parent = f"projects/{project['project_id']}/locations/us"
        return [connection.name.rpartition("/")[2] for connection in client.list_connections(parent=parent)]

    return await to_thread(listed)


def _query(evaluation: EvaluationContext, project: dict[str, Any], query: str, dest: str) -> Path | None:
    with bigquery_client(evaluation.accounts, project) as client:
        rows = _rows(client, query)
    return None if rows is None else write_rows(evaluation.cached(dest), rows)


def _rows(client: Any, query: str) -> list[Any] | None:
    """None when the query fails, as it does on a table that the agent did not make."""
    try:
        return [list(row.values()) for row in client.query(query).result()]
    except (need("google.api_core.exceptions").NotFound, need("google.api_core.exceptions").BadRequest):
        return None


# Google's web applications in the guest's browser.


WORKBOOK = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@RESULTS
async def googlesheet_active_file(
    evaluation: EvaluationContext, *, dest: str, goto_prefix: str = "https://", settings_file: str = DRIVE
) -> Path | None:
    """The sheet that is open in the browser, as a workbook; None if it is not the account's."""
    address = await active_address(evaluation, goto_prefix)
    sheet_id = re.search(r"docs\.google\.com/spreadsheets/d/([\w-]+)", address or "")
    if sheet_id is None:
        return None
    copy = evaluation.cached(dest)

    def download() -> Path | None:
        sheet = drive_client(evaluation.accounts, settings_file).CreateFile({"id": sheet_id.group(1)})
        try:
            sheet.GetContentFile(str(copy), mimetype=WORKBOOK)
        except need("pydrive2.files", "desktop-google").ApiRequestError as error:
            if error.error.get("code") == 404:
                return None
            raise
        return copy

    return await to_thread(download)
