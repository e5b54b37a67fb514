"""Connections to cloud services with the official clients, each in a thread and closed after use."""

from __future__ import annotations

import csv
import re
from collections.abc import Generator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from .accounts import Accounts
from .extras import need

SNOWFLAKE = "evaluation_examples/settings/snowflake/settings.json"
GCP = "evaluation_examples/settings/google/gcp_config.json"
DRIVE = "evaluation_examples/settings/googledrive/settings.yml"
DBT_CLOUD = "evaluation_examples/settings/dbt_cloud/settings.json"
GOOGLE = "evaluation_examples/settings/google/settings.json"
SERVICENOW = "evaluation_examples/settings/servicenow/settings.json"
HASURA = "evaluation_examples/settings/hasura_cloud/settings.json"
_SCOPES = [f"https://www.googleapis.com/auth/{name}" for name in ("cloud-platform", "drive", "bigquery")]


@contextmanager
def snowflake_cursor(accounts: Accounts, settings_file: str, **more: Any) -> Generator[Any]:
    """A cursor on the account; `more` says database and schema, or another user."""
    settings = {**accounts.load(settings_file), **more}
    settings["account"] = account_name(settings["account"])
    connector = need("snowflake.connector", "desktop-snowflake")
    with closing(connector.connect(**settings)) as connection, closing(connection.cursor()) as cursor:
        yield cursor


def account_name(account: str) -> str:
    """Settings give the address of an account; the connector wants its name."""
    found = re.search(r"https://(.*?)\.snowflakecomputing\.com", account)
    return found.group(1) if found else account


@contextmanager
def bigquery_client(accounts: Accounts, project: dict[str, Any]) -> Generator[Any]:
    bigquery = need("google.cloud.bigquery", "desktop-google")
    with closing(bigquery.Client(project=project["project_id"], credentials=_credentials(accounts, project))) as client:
        yield client


def connection_client(accounts: Accounts, project: dict[str, Any]) -> Any:
    """BigQuery's connections have a service of their own."""
    service = need("google.cloud.bigquery_connection_v1", "desktop-google")
    return service.ConnectionServiceClient(credentials=_credentials(accounts, project))


def drive_client(accounts: Accounts, settings_file: str) -> Any:
    """Google Drive with the stored consent of its owner."""
    accounts.load(settings_file)
    auth, drive = need("pydrive2.auth", "desktop-google"), need("pydrive2.drive", "desktop-google")
    login = auth.GoogleAuth(
        settings={
            "client_config_backend": "file",
            "client_config_file": str(accounts.path("googledrive/client_secrets.json")),
            "save_credentials": True,
            "save_credentials_backend": "file",
            "save_credentials_file": str(accounts.path("googledrive/credentials.json")),
            "get_refresh_token": True,
        }
    )
    return drive.GoogleDrive(login)


def write_rows(path: Path, rows: Sequence[Sequence[Any]], header: Sequence[str] = ()) -> Path:
    """A table as CSV, with the line ends that Python's writer makes by default."""
    with path.open("w", newline="", encoding="utf-8", errors="ignore") as file:
        writer = csv.writer(file)
        if header:
            writer.writerow(header)
        writer.writerows(rows)
    return path


def identifier(name: str, *, exact: bool = False) -> str:
    """A name for SQL; one that is not a plain word is quoted, as is one that must keep its case."""
    plain = not exact and all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", part) for part in name.split("."))
    escaped = name.replace('"', '""')
    return name if plain else f'"{escaped}"'


def _credentials(accounts: Accounts, project: dict[str, Any]) -> Any:
    account = need("google.oauth2.service_account", "desktop-google")
    keyfile = accounts.path(str(project["keyfile_path"]))
    return account.Credentials.from_service_account_file(str(keyfile), scopes=_SCOPES)
