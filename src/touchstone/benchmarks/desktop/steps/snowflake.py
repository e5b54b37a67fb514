"""Steps that prepare a Snowflake account (a blank one: they drop databases and users), and work in its web interface."""

from __future__ import annotations

import re
from asyncio import to_thread
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from ....errors import InputError
from ..browser import PORT, browser, find_page, page_at
from ..clouds import HASURA, SNOWFLAKE, identifier, snowflake_cursor
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..getters.snowflake import LINKS, SITE
from ..registry import STEPS

KEPT_DATABASES = ("SNOWFLAKE", "SNOWFLAKE_SAMPLE_DATA")
PATIENCE = 60_000
SHORT = 5_000
_BUTTON = 'div[role="button"]'


@STEPS
async def snowflake_init(
    evaluation: EvaluationContext, *, actions: Sequence[dict[str, Any]], settings_file: str = SNOWFLAKE
) -> None:
    """`delete_database`, `delete_user`, `create_database`, `create_table`, `execute_script`, `copy_keyfile`."""
    for action in actions:
        if action.get("type") == "copy_keyfile":
            evaluation.accounts.load(settings_file)
            await evaluation.guest.put(evaluation.accounts.path(settings_file), action.get("dest", "/home/user/keyfile.json"))
        else:
            await to_thread(_act, evaluation, settings_file, action)


def _act(evaluation: EvaluationContext, settings_file: str, action: dict[str, Any]) -> None:
    with snowflake_cursor(evaluation.accounts, settings_file) as cursor:
        ids = [_executed(cursor, sql) for sql in statements(evaluation, cursor, action)]
    if "query_ids_path" in action:
        evaluation.cached(action["query_ids_path"]).write_text("".join(f"{query_id}\n" for query_id in ids))


def statements(evaluation: EvaluationContext, cursor: Any, action: dict[str, Any]) -> list[str]:
    """What an action does, as SQL. Only "delete all" has to ask the account first."""
    match action.get("type"):
        case "delete_database":
            names = [*map(identifier, _texts(action.get("database")))] or _all(cursor, "SHOW DATABASES", 1, KEPT_DATABASES)
            return [f"DROP DATABASE IF EXISTS {name}" for name in names]
        case "delete_user":
            names = [*map(identifier, _texts(action.get("username")))] or _others(cursor)
            return [f"DROP USER IF EXISTS {name}" for name in names]
        case "create_database":
            name = identifier(action["database"])
            drop = [f"DROP DATABASE IF EXISTS {name}"] if action.get("delete_first", True) else []
            schema = action.get("schema")
            make = [f"CREATE SCHEMA IF NOT EXISTS {name}.{identifier(schema)}"] if schema else []
            return [*drop, f"CREATE DATABASE IF NOT EXISTS {name}", *make]
        case "create_table":
            place = f"{identifier(action['database'])}.{identifier(action.get('schema', 'PUBLIC'))}"
            return [f"CREATE OR REPLACE TABLE {place}.{identifier(action['table'])} AS {action['sql']}"]
        case "execute_script":
            return _script(evaluation, action)
        case other:
            raise InputError(f"snowflake_init: unknown action '{other}'")


def split_script(text: str) -> list[str]:
    """Statements of a script: no comments, cut at semicolons outside quotes and dollar signs."""
    pattern = r"--[^\n]*|/\*.*?\*/|('(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|\$\$.*?\$\$)|(;)"
    parts, start = [""], 0
    for match in re.finditer(pattern, text, re.DOTALL):
        parts[-1] += text[start : match.start()] + (match.group(1) or "")
        if match.group(2):
            parts.append("")
        start = match.end()
    parts[-1] += text[start:]
    return [part.strip() for part in parts if part.strip()]


@STEPS
async def snowflake_login(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = SITE, settings_file: str = SNOWFLAKE
) -> None:
    """Signs in with the account, and puts away what is shown to newcomers."""
    settings = evaluation.accounts.load(settings_file)
    async with browser(evaluation, listening_port) as context:
        page = await page_at(context, url)
        await page.locator('input[aria-label="Account identifier"]').fill(settings["account"], timeout=PATIENCE)
        await page.locator(f'{_BUTTON}[aria-disabled="false"]', has_text="Sign in").click()
        await page.locator('input[name="username"]').fill(settings["user"], timeout=PATIENCE)
        await page.locator('input[name="password"]').fill(settings["password"])
        await page.locator(f'{_BUTTON}[aria-disabled="false"]', has_text="Sign in").click()
        await page.locator('nav[role="navigation"]').wait_for(timeout=PATIENCE)
        await _maybe_click(page.locator(f'{_BUTTON}[aria-disabled="false"]', has_text="Skip for now"))
        await _maybe_click(page.locator(f'{_BUTTON}[data-testid="feedback-popover-close-button"]'))


@STEPS
async def snowflake_write_sqls_in_new_worksheet(
    evaluation: EvaluationContext, *, sqls: Sequence[str] = (), close: bool = True, listening_port: int = PORT
) -> None:
    """Writes and runs statements one after the other, so that they are in the worksheet's history."""
    async with browser(evaluation, listening_port) as context:
        page = _snowflake_page(context)
        await page.locator('div[data-testid="new-button"]').click(timeout=PATIENCE)
        await page.locator('div[role="listbox"] > div:nth-child(1)').click(timeout=PATIENCE)
        for sql in sqls:
            await page.locator('div[aria-label="worksheet"]').fill(sql, timeout=PATIENCE)
            await page.locator(f'{_BUTTON}[aria-label="Run"]').click(timeout=PATIENCE)
            with suppress(need("playwright.async_api").Error):
                await page.locator('xpath=//span[text()="Query results"][count(*)=0]').first.wait_for(timeout=10_000)
        await _maybe_click(page.locator(f'div[role="dialog"][aria-label="tutorial"] {_BUTTON}[aria-label="close"]'))
        await _maybe_click(page.locator(_BUTTON, has_text="Got it!"))
        if close:
            await page.locator('a[role="link"][aria-label="Projects"]').click()


@STEPS
async def snowflake_delete_folder(evaluation: EvaluationContext, *, folder_name: str, listening_port: int = PORT) -> None:
    """A folder of worksheets, if it is there."""
    async with browser(evaluation, listening_port) as context:
        page = _snowflake_page(context)
        await page.locator('div[role="rowgroup"]').wait_for(timeout=PATIENCE)
        folder = page.locator(f'{LINKS}[aria-label="{folder_name}"]')
        if await folder.count():
            await folder.first.click()
            await page.locator('h1[role="heading"]').first.click(timeout=PATIENCE)
            await page.locator('div[data-action-name="Delete Folder"]').click(timeout=PATIENCE)
            confirm = "div.js-modal-overlay > div:nth-child(1) > div:nth-child(3) > div:nth-child(3)"
            await page.locator(confirm).click(timeout=PATIENCE)


@STEPS
async def snowflake_delete_filter(
    evaluation: EvaluationContext, *, filter_name: str = ":title_keyword", listening_port: int = PORT
) -> None:
    """A filter of worksheets, if it is there."""
    async with browser(evaluation, listening_port) as context:
        page = _snowflake_page(context)
        await page.locator(f'{_BUTTON}[data-testid="new-button"]').click()
        await page.locator('div[role="option"]', has_text="SQL Worksheet").click()
        await _maybe_click(page.locator(f'{_BUTTON}[aria-label="close"]'))
        await _maybe_click(page.locator(_BUTTON, has_text="Got it!"))
        await page.locator(f'{_BUTTON}[aria-label="show or hide filter"]').click()
        await page.locator(_BUTTON, has_text="Manage Filters").click()
        row = page.locator('div[role="cell"]', has_text=filter_name)
        if await row.count():
            await row.first.hover()
            await page.locator('div[role="cell"]', has_text="Edit").click()
            await page.locator(_BUTTON, has_text="Delete").first.click()
            await page.locator(_BUTTON, has_text="Delete").last.click()
        await page.locator(_BUTTON, has_text="Done").click()


@STEPS
async def hasura_login(
    evaluation: EvaluationContext,
    *,
    listening_port: int = PORT,
    url: str = "https://cloud.hasura.io/signup/email",
    settings_file: str = HASURA,
) -> None:
    settings = evaluation.accounts.load(settings_file)
    async with browser(evaluation, listening_port) as context:
        page = await page_at(context, url)
        await page.locator('form >> [type="email"]').fill(settings["email"], timeout=PATIENCE)
        await page.locator('form >> [type="password"]').fill(settings["password"])
        await page.get_by_role("button", name="Continue").click()


def _snowflake_page(context: Any) -> Any:
    page = find_page(context, SITE)
    if page is None:
        raise RuntimeError("Snowflake is not open in the guest's browser")
    return page


async def _maybe_click(element: Any) -> None:
    with suppress(need("playwright.async_api").Error):
        await element.first.click(timeout=SHORT)


def _executed(cursor: Any, sql: str) -> str:
    cursor.execute(sql)
    return str(cursor.sfqid)


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or [])


def _all(cursor: Any, sql: str, column: int, kept: Sequence[str]) -> list[str]:
    """Names as the account spells them: without quotes, those in lower case would mean others."""
    return [identifier(row[column], exact=True) for row in cursor.execute(sql).fetchall() if row[column] not in kept]


def _others(cursor: Any) -> list[str]:
    own = cursor.execute("SELECT CURRENT_USER()").fetchone()[0]
    return _all(cursor, "SHOW USERS", 0, ("SNOWFLAKE", own))


def _script(evaluation: EvaluationContext, action: dict[str, Any]) -> list[str]:
    if "sql_script" not in action:
        return _texts(action["sql_command"])
    return split_script(evaluation.dataset.file(action["sql_script"], "script").read_text())
