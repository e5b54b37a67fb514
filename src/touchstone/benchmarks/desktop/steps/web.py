"""Steps in the web interfaces of applications that run in the guest: signing in, first-run forms, dialogs."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import Any

from ....errors import InputError
from ..browser import PORT, browser, find_page, until_open
from ..clouds import SERVICENOW, WorkArena
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import STEPS
from ..setup import address

Actions = Sequence[dict[str, Any]]
Acting = Callable[..., Awaitable[None]]
SHORT, POPUP, LONG = 5_000, 30_000, 120_000
"""Milliseconds, for what may not come at all, and for what must come, however busy the machine is."""


@STEPS
async def airbyte_webui_init(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = "http://localhost:8000", actions: Actions = ()
) -> None:
    """Waits for Airbyte and fills in its first form."""
    async with browser(evaluation, listening_port) as context:
        page = await until_open(context, url)
        await _act(page, actions, {"login": _airbyte_login})


@STEPS
async def astro_webui_init(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = "http://localhost:8080", actions: Actions = ()
) -> None:
    """Waits for Airflow, signs in, and closes the first tab."""
    async with browser(evaluation, listening_port) as context:
        page = await until_open(context, url, "input#username")
        await _act(page, actions, {"login": _airflow_login})
        await context.pages[0].close()


@STEPS
async def astro_refresh_page(evaluation: EvaluationContext, *, listening_port: int = PORT) -> None:
    async with browser(evaluation, listening_port) as context:
        await context.pages[0].reload()


@STEPS
async def superset_webui_init(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = "http://localhost:8088"
) -> None:
    """Signs in to Superset, unless it is open already."""
    async with browser(evaluation, listening_port) as context:
        if find_page(context, url) is None:
            page = await until_open(context, url, "input#username")
            await _sign_in(page, "admin", "admin", 'a[href="/superset/welcome/"]')


@STEPS
async def dagster_webui_init(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = "http://localhost:3000", actions: Actions = ()
) -> None:
    """Opens Dagster, closes its dialogs, makes assets."""
    async with browser(evaluation, listening_port) as context:
        page = find_page(context, url) or await until_open(context, url)
        await _act(page, actions, {"close_popups": _close_popups, "materialize_assets": _materialize})


@STEPS
async def metabase_webui_init(
    evaluation: EvaluationContext, *, listening_port: int = PORT, url: str = "http://localhost:3000", actions: Actions = ()
) -> None:
    """Waits for Metabase's first-run wizard and completes it."""
    async with browser(evaluation, listening_port) as context:
        started = 'button:has-text("Let\'s get started")'
        page = find_page(context, url) or await until_open(context, url, started, seconds=300.0)
        await _act(page, actions, {"setup": _metabase_setup, "delete_database": _metabase_delete})


async def _act(page: Any, actions: Actions, known: dict[str, Acting]) -> None:
    for action in actions:
        kind = str(action.get("type"))
        if kind not in known:
            raise InputError(f"unknown action '{kind}'; expected one of {', '.join(known)}")
        await known[kind](page, **{key: value for key, value in action.items() if key != "type"})


async def _sign_in(page: Any, username: str, password: str, then: str) -> None:
    await page.locator("input#username").fill(username)
    await page.locator("input#password").fill(password)
    await page.locator('input[type="submit"][value="Sign In"i]').click()
    await page.locator(then).first.wait_for(state="visible", timeout=LONG)


async def _airflow_login(page: Any, *, username: str = "admin", password: str = "admin") -> None:
    await _sign_in(page, username, password, 'a[rel="home"]')


async def _airbyte_login(page: Any, *, email: str = "anonym@gmail.com", company: str = "ANONYM") -> None:
    """An Airbyte that was used before shows no form."""
    form = page.locator('input[name="email"]')
    await page.locator('input[name="email"], a[aria-label="Homepage"]').first.wait_for(timeout=LONG)
    if await form.count():
        await form.fill(email)
        await page.locator('input[name="organizationName"]').fill(company)
        await page.locator('button[type="submit"]').click()
    await page.locator('a[aria-label="Homepage"]').wait_for(timeout=LONG)


async def _close_popups(page: Any) -> None:
    """Each may be there or not. They come together, seconds after the page has got its first answers."""
    missing = need("playwright.async_api").Error
    popups = [page.locator("button", has_text=text) for text in ("Skip", "Dismiss", "Close")]
    with suppress(missing):
        await page.wait_for_load_state("networkidle", timeout=LONG)
        await popups[0].or_(popups[1]).first.wait_for(timeout=POPUP)
    for popup in popups:
        with suppress(missing):
            await popup.first.click(timeout=SHORT)


async def _materialize(page: Any, *, timeout: int = 60_000) -> None:  # noqa: ASYNC109 - the published name
    """All assets, and waits until they are made. The published time is one of the published machine: ours may be busier."""
    expect, timeout = need("playwright.async_api").expect, max(timeout, LONG)
    page.set_default_timeout(LONG)
    await page.locator('a[href="/assets"]', has_text="Assets").click()
    reload_button = page.locator("button", has_text="Reload definitions")
    await reload_button.click()
    await expect(reload_button).to_be_enabled(timeout=timeout)
    chosen = page.locator('label[for="checkbox-1"]').first
    await chosen.check()
    await page.locator("button", has_text="Materialize selected").click()
    count = await page.locator('input[type="checkbox"]').count() - 1
    made = page.locator("xpath=//span[text() and not(child::*)]").filter(has_text="Materialized")
    await expect(made).to_have_count(count, timeout=timeout)
    await chosen.uncheck()


_PROFILE = {"first_name": "John", "last_name": "Wilson", "email": "johnwilson@gmail.com"}
_SOURCE = {"name": "display_name", "host": "host", "port": "port", "dbname": "db_name", "user": "db_user"} | {
    "password": "db_password"
}


async def _metabase_setup(page: Any, *, config: dict[str, Any] | None = None) -> None:
    """The wizard: language, administrator, reason, an optional PostgreSQL source, no usage data."""
    config = config or {}
    profile = {**_PROFILE, "company": "Metabase", "password": "Spider2.0", **config.get("profile", {})}
    await page.locator("button", has_text="Let's get started").click()
    await page.locator(f'input[type="radio"][value="{config.get("language", "en")}"]').check()
    await _next(page)
    named = {**{key: profile[key] for key in _PROFILE}, "site_name": profile["company"]}
    for name, value in {**named, "password": profile["password"], "password_confirm": profile["password"]}.items():
        await page.locator(f"input[name='{name}']").fill(value)
    await _next(page)
    await page.locator('input[type="radio"][value="not-sure"][name="usage-reason"]').check()
    await _next(page)
    await _metabase_source(page, config.get("add_data", {}))
    usage = 'input[type="checkbox"][role="switch"][aria-labelledby="anonymous-usage-events-label"]'
    await page.locator(usage).uncheck()
    await page.locator("button", has_text="Finish").click()
    await page.locator('a[href="/"]').click()
    await page.locator('button[data-testid="sidebar-toggle"]').wait_for(state="visible")


async def _metabase_source(page: Any, data: dict[str, str]) -> None:
    if not data:
        await page.locator("button", has_text="I'll add my data later").click()
        return
    await page.locator('li[role="option"]', has_text=data["type"]).click()
    for field, key in _SOURCE.items():
        name = field if field == "name" else f"details.{field}"
        await page.locator(f'input[name="{name}"]').fill(data[key])
    await page.locator('button[title="Connect database"]').click()


async def _metabase_delete(
    page: Any, *, database_url: str = "http://localhost:3000/admin/databases/1", database_name: str = "Sample Database"
) -> None:
    """Metabase asks for the name of what is to be deleted."""
    await page.goto(database_url, wait_until="load")
    await page.locator("button", has_text="Remove this database").click()
    await page.locator("input[placeholder='Are you completely sure?']").fill(database_name)
    await page.locator("button", has_text="Delete").click()
    await page.locator('a[data-testid="exit-admin"][href="/"]').click()


async def _next(page: Any) -> None:
    await page.locator("button", has_text="Next").click()


# Steps in the guest's browser.


DEBUGGING_PORT = 1337
OPENING = 60_000


@STEPS
async def google_chrome_browser(
    evaluation: EvaluationContext,
    *,
    debugging_port: int = DEBUGGING_PORT,
    listening_port: int = PORT,
    urls: Sequence[str] = (),
    full_screen: bool = False,
    incognito: bool = False,
) -> None:
    """The browser with a debugging port, a forwarder that makes it reachable from outside, and a tab per address."""
    evaluation.log.expect(address(listening_port, "json/version"))
    flags = ["--start-maximized"] * full_screen + ["--incognito"] * incognito
    await evaluation.guest.launch(["google-chrome", f"--remote-debugging-port={debugging_port}", *flags])
    await evaluation.guest.launch(["socat", f"tcp-listen:{listening_port},fork", f"tcp:localhost:{debugging_port}"])
    if urls:
        await _open_tabs(evaluation, urls, listening_port, replace_blank=True)


@STEPS
async def chrome_open_tabs(evaluation: EvaluationContext, *, urls_to_open: Sequence[str], listening_port: int = PORT) -> None:
    await _open_tabs(evaluation, urls_to_open, listening_port)


@STEPS
async def chrome_close_tabs(evaluation: EvaluationContext, *, urls_to_close: Sequence[str], listening_port: int = PORT) -> None:
    async with browser(evaluation, listening_port) as context:
        for url in urls_to_close:
            if (page := find_page(context, url)) is not None:
                await page.close()


async def _open_tabs(evaluation: EvaluationContext, urls: Sequence[str], port: int, *, replace_blank: bool = False) -> None:
    """A page that does not load stays open: without the network a task may still be worth playing."""
    async with browser(evaluation, port) as context:
        blank = context.pages[0] if replace_blank and urls and context.pages else None
        for url in urls:
            page = await context.new_page()
            try:
                await page.goto(url, timeout=OPENING)
            except Exception as error:
                evaluation.log.note(f"open {url}: {str(error).splitlines()[0]}")
        if blank is not None:
            await blank.close()


# Steps that begin a WorkArena task in the guest's browser.


@STEPS
async def workarena_task_init(
    evaluation: EvaluationContext,
    *,
    task_name: str,
    task_kwargs: dict[str, Any] | None = None,
    listening_port: int = PORT,
    settings_file: str = SERVICENOW,
) -> None:
    """The task stays in the evaluation, for its unique fields and for its validation."""
    settings = evaluation.accounts.load(settings_file)
    address = await evaluation.guest.endpoint(listening_port)
    evaluation.memory["workarena"] = await to_thread(WorkArena, task_name, task_kwargs or {}, settings, address)


@STEPS
async def workarena_unique_fields(
    evaluation: EvaluationContext, *, field_mappings: dict[str, str], path: str = "/home/user/Desktop/unique_fields.txt"
) -> None:
    """Values that the task made up, one "label: value" per line, in a file of the guest."""
    arena: WorkArena | None = evaluation.memory.get("workarena")
    if arena is None:
        raise RuntimeError("workarena_task_init must come first")
    lines = [f"{label}: {await to_thread(arena.field, name)}\n" for name, label in field_mappings.items()]
    copy = evaluation.cached("unique_fields.txt")
    copy.write_text("".join(lines))
    await evaluation.guest.put(copy, path)
