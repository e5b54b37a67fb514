"""Tables, datasets and connections of a BigQuery project."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..clouds import GCP, bigquery_client, connection_client, write_rows
from ..scene import Scene
from .registry import RESULTS


@RESULTS
async def bigquery_table_to_csv(
    scene: Scene,
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
    project = scene.accounts.project(config_file, project_name, project_index)
    query = f"SELECT {', '.join(schema)} FROM `{project['project_id']}.{dataset_id}.{table_id}`"
    return await to_thread(_query, scene, project, query, dest)


@RESULTS
async def bigquery_sql_result_to_csv(
    scene: Scene,
    *,
    sql: str,
    dest: str,
    config_file: str = GCP,
    project_name: str | None = None,
    project_index: int = 0,
) -> Path | None:
    """The result of a query in a file of the dataset; {} in it stands for the project's id."""
    project = scene.accounts.project(config_file, project_name, project_index)
    query = scene.dataset.resolve(sql).read_text().format(project["project_id"])
    return await to_thread(_query, scene, project, query, dest)


@RESULTS
async def bigquery_datasets(
    scene: Scene, *, config_file: str = GCP, project_name: str | None = None, project_index: int = 0
) -> list[str]:
    """The ids of the project's datasets."""
    project = scene.accounts.project(config_file, project_name, project_index)

    def listed() -> list[str]:
        with bigquery_client(scene.accounts, project) as client:
            return [dataset.dataset_id for dataset in client.list_datasets()]

    return await to_thread(listed)


@RESULTS
async def bigquery_connections(
    scene: Scene, *, config_file: str = GCP, project_name: str | None = None, project_index: int = 0
) -> list[str]:
    """The names of the project's connections."""
    project = scene.accounts.project(config_file, project_name, project_index)

    def listed() -> list[str]:
        client = connection_client(scene.accounts, project)
        parent = f"projects/{project['project_id']}/locations/us"
        return [connection.name.rpartition("/")[2] for connection in client.list_connections(parent=parent)]

    return await to_thread(listed)


def _query(scene: Scene, project: dict[str, Any], query: str, dest: str) -> Path | None:
    with bigquery_client(scene.accounts, project) as client:
        rows = _rows(client, query)
    return None if rows is None else write_rows(scene.cached(dest), rows)


def _rows(client: Any, query: str) -> list[Any] | None:
    """None when the query fails, as it does on a table that the agent did not make."""
    from ..extras import need

    try:
        return [list(row.values()) for row in client.query(query).result()]
    except (need("google.api_core.exceptions").NotFound, need("google.api_core.exceptions").BadRequest):
        return None
