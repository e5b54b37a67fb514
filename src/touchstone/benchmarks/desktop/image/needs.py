"""Which layers the applications of a task need, and which applications no layer can give."""

from __future__ import annotations

from collections.abc import Iterable

_LAYERS: dict[str, tuple[str, ...]] = {
    "vscode": ("vscode",),
    "jupyter": ("jupyter",),
    "dbt": ("dbt",),
    "duckdb": ("duckdb",),
    "dagster": ("dagster",),
    "airflow": ("airflow",),
    "superset": ("superset",),
    "postgresql": ("postgresql",),
    "mysql": ("mysql",),
    "metabase": ("metabase",),
}
"""Chromium, the terminal, Calc and sqlite3 are in every image, and a cloud service needs but the browser and an account."""
_DOCKERS = {"superset", "airflow"}
"""Applications whose containers have a stand-in."""
_NO_DOCKER = "there is no Docker engine in the sandbox; its stand-in is for Superset and Airflow only"
_NO_AIRBYTE = "Airbyte exists only as Docker images, and there is no Docker engine in the sandbox"


def layers_for(apps: Iterable[str]) -> list[str]:
    """Beyond those of every image. An application that is not known needs nothing."""
    return sorted({layer for app in apps for layer in _LAYERS.get(app, ())})


def not_given(apps: Iterable[str]) -> dict[str, str]:
    """The applications among these that no layer gives, and why."""
    wanted = set(apps)
    missing = {"airbyte": _NO_AIRBYTE} if "airbyte" in wanted else {}
    if "docker" in wanted and not wanted & _DOCKERS:
        missing["docker"] = _NO_DOCKER
    return missing
