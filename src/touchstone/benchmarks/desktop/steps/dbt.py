"""Steps that prepare a dbt Cloud account and sign in to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....errors import InputError
from ..browser import PORT, browser
from ..clouds import DBT_CLOUD, DbtCloud
from ..evaluation_context import EvaluationContext
from ..registry import STEPS

PATIENCE = 60_000


@STEPS
async def dbt_cloud_init(
    evaluation: EvaluationContext, *, actions: Sequence[dict[str, Any]], setting_file: str = DBT_CLOUD, settings_file: str = ""
) -> None:
    """`delete_project`, `create_project`, `create_environment`, `create_job`. Task files spell it `setting_file`."""
    cloud = DbtCloud(evaluation.accounts, settings_file or setting_file)
    for action in actions:
        await act(cloud, action)


async def act(cloud: DbtCloud, action: dict[str, Any]) -> None:
    """An account has one project at most; what is made, is made in it."""
    kind = action.get("type")
    if kind == "create_project":
        await cloud.create_project(action.get("project_name", "Analytics"))
        return
    projects = await cloud.projects()
    if kind == "delete_project":
        for project in projects:
            await cloud.delete_project(action.get("project_id") or project["id"])
    elif kind == "create_environment":
        await cloud.create_environment(_first(projects, "project")["id"], action.get("env_name", "New Environment"))
    elif kind == "create_job":
        project = _first(projects, "project")["id"]
        wanted = action.get("env_name", "New Environment")
        named = [each for each in await cloud.environments() if each["name"] == wanted]
        environment = _first(named, f"environment {wanted}")["id"]
        steps = action.get("execute_steps", ["dbt build"])
        await cloud.create_job(project, environment, action.get("job_name", "New Job"), steps)
    else:
        raise InputError(f"dbt_cloud_init: unknown action '{kind}'")


@STEPS
async def dbt_cloud_webui_login(
    evaluation: EvaluationContext,
    *,
    listening_port: int = PORT,
    setting_file: str = DBT_CLOUD,
    settings_file: str = "",
    skip_step: int = 0,
    goto_page: str = "project_setup",
) -> None:
    """Signs in, goes to a page (project_setup, account_setup, cli_setup) and skips steps of the project's wizard."""
    file = settings_file or setting_file
    settings = evaluation.accounts.load(file)
    cloud = DbtCloud(evaluation.accounts, file)
    async with browser(evaluation, listening_port) as context:
        page = await context.new_page()
        await page.goto(cloud.address, wait_until="load")
        await page.locator('input[id="username"]').fill(settings["email"], timeout=PATIENCE)
        await page.locator('input[id="password"]').fill(settings["password"])
        await page.locator('button[name="action"]').click()
        await page.locator('button[data-testid="settings-menu"]').wait_for(timeout=PATIENCE)
        projects = await cloud.projects()
        if goto_page == "project_setup" and projects:
            await page.goto(f"{cloud.address}/{cloud.account}/projects/{projects[0]['id']}/setup", wait_until="load")
            for _ in range(skip_step):
                await page.locator('button[type="button"]', has_text="Skip").click()
                await page.wait_for_timeout(1_500)
        elif goto_page == "account_setup":
            await page.goto(f"{cloud.address}/settings/accounts/{cloud.account}/pages/account")
        elif goto_page == "cli_setup":
            await page.goto(f"{cloud.address}/settings/profile/cloud-cli")


def _first(entries: Sequence[dict[str, Any]], what: str) -> dict[str, Any]:
    if not entries:
        raise RuntimeError(f"the dbt Cloud account has no {what}")
    return entries[0]
