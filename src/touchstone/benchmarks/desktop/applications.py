"""The 21 applications of Spider2-V, and how it is known whether this machine has them."""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from shutil import which

METABASE_JAR = "METABASE_JAR"
"""The variable that says where Metabase's program is."""


def _program(*names: str) -> Callable[[], str | None]:
    """Any of these on the path is enough."""
    return lambda: None if any(which(name) for name in names) else f"{' or '.join(names)} is not on the path"


def _library(module: str, extra: str) -> Callable[[], str | None]:
    """A cloud service has nothing to install here but the client."""

    def missing() -> str | None:
        try:
            found = find_spec(module) is not None
        except ModuleNotFoundError:
            found = False
        return None if found else f"the library {module} is not installed: pip install 'touchstone[{extra}]'"

    return missing


def _postgresql() -> str | None:
    if which("postgres") or any(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        return None
    return "no PostgreSQL server is installed"


def _metabase() -> str | None:
    jar = os.environ.get(METABASE_JAR, "")
    if not which("java"):
        return "java is not on the path"
    return None if jar and Path(jar).is_file() else f"set {METABASE_JAR} to metabase.jar"


def _nothing() -> str | None:
    return None


APPLICATIONS: dict[str, Callable[[], str | None]] = {
    "chromium": _program("google-chrome", "chromium", "chromium-browser"),
    "terminal": _program("gnome-terminal"),
    "vscode": _program("code", "code-server"),
    "docker": _program("docker"),
    "excel": _program("libreoffice", "soffice"),
    "servicenow": _library("browsergym.workarena", "desktop-servicenow"),
    "snowflake": _library("snowflake.connector", "desktop-snowflake"),
    "airbyte": _program("docker"),
    "metabase": _metabase,
    "jupyter": _program("jupyter-lab"),
    "bigquery": _library("google.cloud.bigquery", "desktop-google"),
    "dagster": _program("dagster"),
    "airflow": _program("airflow", "astro"),
    "postgresql": _postgresql,
    "superset": _program("superset", "docker"),
    "dbt": _program("dbt"),
    "duckdb": _program("duckdb"),
    "dbt_cloud": _nothing,
    "sqlite3": _program("sqlite3"),
    "mysql": _program("mysqld", "mariadbd"),
    "hasura_cloud": _nothing,
}
"""What is missing, in words, or None."""
ACCOUNTS = {
    "servicenow": "servicenow/settings.json",
    "snowflake": "snowflake/settings.json",
    "bigquery": "google/gcp_config.json",
    "dbt_cloud": "dbt_cloud/settings.json",
    "hasura_cloud": "hasura_cloud/settings.json",
}
"""The settings of applications that are services."""
