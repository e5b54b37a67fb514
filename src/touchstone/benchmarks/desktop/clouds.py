"""Connections to cloud services with the official clients, each in a thread and closed after use."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from ...errors import Unscorable
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
    match = re.search(r"https://(.*?)\.snowflakecomputing\.com", account)
    return match.group(1) if match else account


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


# dbt Cloud's administrative API (version 2 and 3), by plain HTTP: projects, environments, jobs.


DBT_VERSION = "1.5.0-latest"


class DbtCloud:
    """One account; tasks assume that it has one project at most."""

    def __init__(self, accounts: Accounts, settings_file: str) -> None:
        settings: dict[str, str] = accounts.load(settings_file)
        host = settings["cloud_host"].rstrip("/")
        self.account = settings["account_id"]
        self.address = host if host.startswith(("http://", "https://")) else f"https://{host}"
        self._headers = {"Authorization": f"Token {settings['token']}"}

    async def projects(self) -> list[dict[str, Any]]:
        """At most the first."""
        return (await self._list("v3", "projects"))[:1]

    async def environments(self) -> list[dict[str, Any]]:
        """Of the project, if there is one."""
        return [each for one in await self.projects() for each in await self._list("v3", f"projects/{one['id']}/environments")]

    async def jobs(self) -> list[dict[str, Any]]:
        return [each for one in await self.projects() for each in await self._list("v2", "jobs", {"project_id": one["id"]})]

    async def create_project(self, name: str) -> None:
        await self._call("POST", "v3", "projects", {"name": name, "account_id": int(self.account)})

    async def delete_project(self, project: int) -> None:
        await self._call("DELETE", "v3", f"projects/{project}")

    async def create_environment(self, project: int, name: str) -> None:
        body = {"name": name, "project_id": project, "account_id": int(self.account), "dbt_version": DBT_VERSION}
        await self._call("POST", "v3", f"projects/{project}/environments", {**body, "type": "deployment"})

    async def create_job(self, project: int, environment: int, name: str, steps: list[str]) -> None:
        body: dict[str, Any] = {"name": name, "project_id": project, "environment_id": environment, "execute_steps": steps}
        triggers = {"github_webhook": False, "git_provider_webhook": False, "schedule": False}
        fixed = {"account_id": int(self.account), "state": 1, "triggers": triggers, "settings": {"threads": 1}}
        schedule = {"date": {"type": "every_day"}, "time": {"type": "every_hour", "interval": 1}}
        await self._call("POST", "v2", "jobs", {**body, **fixed, "schedule": schedule})

    async def _list(self, version: str, path: str, query: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        return (await self._call("GET", version, path, None, query))["data"]

    async def _call(
        self, method: str, version: str, path: str, body: Any = None, query: dict[str, Any] | None = None
    ) -> dict[str, Any]:
        url = f"{self.address}/api/{version}/accounts/{self.account}/{path}/"
        async with httpx.AsyncClient(headers=self._headers, timeout=60) as client:
            answer = await client.request(method, url, json=body, params=query)
            answer.raise_for_status()
            return answer.json() if answer.content else {}


# One WorkArena (ServiceNow) task in the guest's browser.
#
# WorkArena is written for Playwright's blocking interface, which belongs to the thread that started it. So all calls go
# through one thread of their own.


T = TypeVar("T")
SEED = 999
"""Tasks were chosen with it: another seed gives other tasks."""


class WorkArena:
    def __init__(self, name: str, arguments: dict[str, Any], settings: dict[str, str], address: str) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="workarena")
        self._messages: list[dict[str, str]] = []
        os.environ.update({key: value for key, value in settings.items() if key.startswith("SNOW_")})
        self._there(lambda: self._begin(name, arguments, address))

    def field(self, name: str) -> str:
        """A value that the task made up and that must be unique."""
        return str(self._there(lambda: self._task.template_record[name]))

    def validate(self, address: str | None, answer: str | None = None) -> bool:
        """On the page that the agent is on. No page, no success."""
        if answer is not None:
            self._messages.append({"role": "assistant", "message": answer})
        return address is not None and self._there(lambda: self._validate(address))

    def close(self) -> None:
        self._there(self._end)
        self._thread.shutdown()

    def _there(self, work: Callable[[], T]) -> T:
        return self._thread.submit(work).result()

    def _begin(self, name: str, arguments: dict[str, Any], address: str) -> None:
        known = {task.__name__: task for task in need("browsergym.workarena", "desktop-servicenow").ALL_WORKARENA_TASKS}
        if name not in known:
            raise Unscorable(f"WorkArena has no task {name}", kind="gold_missing")
        self._playwright = need("playwright.sync_api").sync_playwright().start()
        self._context = self._playwright.chromium.connect_over_cdp(address).contexts[0]
        page = self._context.new_page()
        self._context.pages[0].close()
        generator = need("gymnasium.utils.seeding", "desktop-servicenow").np_random(SEED)[0]
        self._task = known[name](seed=int(generator.integers(2**31)), **arguments)
        goal, _ = self._task.setup(page=page)
        self._messages = [{"role": "user", "message": goal}] if goal else []

    def _validate(self, address: str) -> bool:
        for page in self._context.pages:
            page.reload()  # until then it may still say the address it had
            if same_address(page.url, address):
                return bool(self._task.validate(page, self._messages)[0])
        return False

    def _end(self) -> None:
        self._task.teardown()
        self._playwright.stop()


def same_address(first: str, second: str) -> bool:
    """Without regard to www., the case of the host, or a lone slash."""

    def normal(url: str) -> tuple[str, str, str, str, str]:
        scheme, host, path, query, fragment = urlsplit(url)
        return scheme.lower() or "http", host.lower().replace("www.", ""), "" if path == "/" else path, query, fragment

    return normal(first) == normal(second)
