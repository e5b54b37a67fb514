"""dbt Cloud's administrative API (version 2 and 3), by plain HTTP: projects, environments, jobs."""

from __future__ import annotations

from typing import Any

import httpx

from .accounts import Accounts

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
        return await self._list("v3", "projects")

    async def environments(self, project: int) -> list[dict[str, Any]]:
        return await self._list("v3", f"projects/{project}/environments")

    async def jobs(self, project: int) -> list[dict[str, Any]]:
        return await self._list("v2", "jobs", {"project_id": project})

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
