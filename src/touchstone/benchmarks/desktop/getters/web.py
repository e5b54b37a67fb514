"""What is seen in the guest's browser."""

from __future__ import annotations

from asyncio import sleep, to_thread
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

from ....errors import Skipped
from ..browser import PORT, active_address, browser, find_page
from ..clouds import SERVICENOW, WorkArena
from ..controller.time_limit import FairTimeLimit
from ..evaluation_context import EvaluationContext
from ..extras import need
from ..registry import RESULTS
from .files import run_script, vm_file

METABASE = "http://localhost:3000"
VISIBLE, LOADED = 5_000, 120_000
"""Milliseconds: for an element, as published, once the page has loaded and got what it asks its server for."""


@RESULTS
async def active_url_from_accessTree(
    evaluation: EvaluationContext, *, goto_prefix: str = "https://", config: dict[str, str] | None = None
) -> str | None:
    """The address in the address bar. Some tasks put the prefix into a `config`, where the original does not look."""
    return await active_address(evaluation, goto_prefix)


@RESULTS
async def active_tab_info(evaluation: EvaluationContext, *, goto_prefix: str = "https://") -> dict[str, str] | None:
    """Title, address and content of the page at that address, opened in a new tab."""
    address = await active_address(evaluation, goto_prefix)
    if address is None:
        return None
    async with _at(evaluation, address) as page:
        if page is None:
            return None
        url = page.url
        title, content = await _settled(page)
        return {"title": title, "url": url, "content": content}


@RESULTS
async def validate_correct_url(
    evaluation: EvaluationContext, *, src: str, dest: str, goto_prefix: str = "https://"
) -> str | None:
    """A script prints pieces with commas between them; each must be in the address."""
    pieces = (await run_script(evaluation, src, dest)).output.split(",")
    address = await active_address(evaluation, goto_prefix)
    return None if address is None else pieces_found(pieces, address)


def pieces_found(pieces: Sequence[str], address: str) -> str:
    """One "check succeed" or "check failed" per piece."""
    pieces_there = [(piece.strip(), piece.strip().replace(":", "%3A").replace("+", "%2B") in address) for piece in pieces]
    return "; ".join(f"{piece} check {'succeed' if found else 'failed'}" for piece, found in pieces_there)


@RESULTS
async def html_check(evaluation: EvaluationContext, *, src: str, dest: str, css_paths: Sequence[str]) -> str:
    """A script prints an address; all elements must be visible there within five seconds each."""
    address = (await run_script(evaluation, src, dest)).output.strip()
    async with _at(evaluation, address) as page:
        if page is None:
            return f"{address} check failed"
        findings = [f"{path} check {'succeed' if await _visible(page, path) else 'failed'}" for path in css_paths]
    return "; ".join(findings)


@RESULTS
async def airbyte_localhost_page(
    evaluation: EvaluationContext, *, url: str = "http://localhost:8000", title: str = "airbyte"
) -> str:
    """Whether Airbyte's page is open in some tab."""
    return await _page_open(evaluation, "airbyte", url, title, 'a[aria-label="Homepage"], input[name="email"]')


@RESULTS
async def superset_localhost_page(
    evaluation: EvaluationContext, *, url: str = "http://localhost:8088", title: str = "superset"
) -> str:
    """Whether Superset's page is open in some tab."""
    return await _page_open(evaluation, "superset", url, title, 'a[href="/superset/welcome/"]')


@RESULTS
async def metabase_question_sql(evaluation: EvaluationContext, *, listening_port: int = PORT) -> str | None:
    """The SQL of the question that is open in Metabase: in lower case, single spaces."""
    async with _open_browser(evaluation, listening_port) as context:
        page = None if context is None else find_page(context, METABASE)
        if page is None:
            return None
        await page.locator('button[aria-label="View the SQL"]').click(timeout=60_000)
        panel = page.locator('div[role="dialog"] > div:nth-child(1) > div:nth-child(2)')
        await need("playwright.async_api").expect(panel).not_to_be_empty(timeout=10_000)
        return " ".join((await panel.inner_text()).lower().split())


@asynccontextmanager
async def _open_browser(evaluation: EvaluationContext, port: int = PORT) -> AsyncGenerator[Any]:
    """The browser's context, or None: it answered when the agent was let in, so whoever closed it has nothing to show."""
    async with AsyncExitStack() as stack:
        try:
            context = await stack.enter_async_context(browser(evaluation, port))
        except Skipped:
            if evaluation.desktop is None:
                raise
            context = None
        yield context


@asynccontextmanager
async def _at(evaluation: EvaluationContext, address: str) -> AsyncGenerator[Any]:
    """A new page at an address, or None if it cannot be loaded, as one cannot that is not on this desktop."""
    async with _open_browser(evaluation) as context:
        if context is None:
            yield None
            return
        page = await context.new_page()
        try:
            await page.goto(address, wait_until="load", timeout=LOADED)
            loaded = True
        except need("playwright.async_api").Error:
            loaded = False
        yield page if loaded else None
        await page.close()


async def _settled(page: Any) -> tuple[str, str]:
    """Title and content. A page that goes on to another by itself, as JupyterLab in a second tab, has neither meanwhile."""
    limit = FairTimeLimit(LOADED / 1_000)
    while True:
        try:
            return await page.title(), await page.content()
        except need("playwright.async_api").Error:
            if not limit.left():
                raise
            await sleep(0.2)


async def _page_open(evaluation: EvaluationContext, name: str, url: str, title: str, element: str) -> str:
    wanted = url.replace("127.0.0.1", "localhost")
    async with _open_browser(evaluation) as context:
        for page in () if context is None else context.pages:
            here = page.url.replace("127.0.0.1", "localhost")
            titled = here.startswith(wanted) and title.lower() in (await page.title()).lower()
            if titled and await _visible(page, element):
                return f"Find {name} home page succeed"
    return f"Find {name} home page failed"


async def _visible(page: Any, element: str) -> bool:
    missing = need("playwright.async_api").Error
    with suppress(missing):
        await page.wait_for_load_state("networkidle", timeout=LOADED)
    try:
        await page.locator(element).first.wait_for(state="visible", timeout=VISIBLE)
    except missing:
        return False
    return True


# What WorkArena's own validation says about the task that a set-up step began.


@RESULTS
async def workarena_task_result(
    evaluation: EvaluationContext, *, settings_file: str = SERVICENOW, path: str = "", dest: str = "", close: bool = True
) -> str:
    """ "succeed" or "failed". For a question, the answer is a file of the guest."""
    evaluation.accounts.load(settings_file)
    arena: WorkArena | None = evaluation.memory.get("workarena")
    if arena is None:
        raise Skipped("needs the WorkArena task that the set-up step workarena_task_init begins", kind="guest")
    answer = await vm_file(evaluation, path=path, dest=dest) if path else None
    address = await active_address(evaluation, "https://")
    try:
        passed = await to_thread(arena.validate, address, answer.read_text(errors="replace") if answer else None)
    finally:
        if close:
            await to_thread(arena.close)
    return "succeed" if passed else "failed"
