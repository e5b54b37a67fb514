"""What is seen in the guest's browser."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..browser import PORT, active_address, browser, find_page
from ..extras import need
from ..scene import Scene
from .files import run_script
from .registry import RESULTS

METABASE = "http://localhost:3000"


@RESULTS
async def active_url_from_accessTree(
    scene: Scene, *, goto_prefix: str = "https://", config: dict[str, str] | None = None
) -> str | None:
    """The address in the address bar. Some tasks put the prefix into a `config`, where the original does not look."""
    return await active_address(scene, goto_prefix)


@RESULTS
async def active_tab_info(scene: Scene, *, goto_prefix: str = "https://") -> dict[str, str] | None:
    """Title, address and content of the page at that address, opened in a new tab."""
    address = await active_address(scene, goto_prefix)
    if address is None:
        return None
    async with browser(scene) as context:
        page = await context.new_page()
        await page.goto(address, wait_until="load")
        found = {"title": await page.title(), "url": page.url, "content": await page.content()}
        await page.close()
        return found


@RESULTS
async def validate_correct_url(scene: Scene, *, src: str, dest: str, goto_prefix: str = "https://") -> str | None:
    """A script prints pieces with commas between them; each must be in the address."""
    pieces = (await run_script(scene, src, dest)).output.split(",")
    address = await active_address(scene, goto_prefix)
    return None if address is None else pieces_found(pieces, address)


def pieces_found(pieces: Sequence[str], address: str) -> str:
    """One "check succeed" or "check failed" per piece."""
    said = [(piece.strip(), piece.strip().replace(":", "%3A").replace("+", "%2B") in address) for piece in pieces]
    return "; ".join(f"{piece} check {'succeed' if found else 'failed'}" for piece, found in said)


@RESULTS
async def html_check(scene: Scene, *, src: str, dest: str, css_paths: Sequence[str]) -> str:
    """A script prints an address; all elements must be visible there within five seconds each."""
    address = (await run_script(scene, src, dest)).output.strip()
    async with browser(scene) as context:
        page = await context.new_page()
        await page.goto(address, wait_until="load")
        said = [f"{path} check {'succeed' if await _visible(page, path) else 'failed'}" for path in css_paths]
        await page.close()
    return "; ".join(said)


@RESULTS
async def airbyte_localhost_page(scene: Scene, *, url: str = "http://localhost:8000", title: str = "airbyte") -> str:
    """Whether Airbyte's page is open in some tab."""
    return await _page_open(scene, "airbyte", url, title, 'a[aria-label="Homepage"], input[name="email"]')


@RESULTS
async def superset_localhost_page(scene: Scene, *, url: str = "http://localhost:8088", title: str = "superset") -> str:
    """Whether Superset's page is open in some tab."""
    return await _page_open(scene, "superset", url, title, 'a[href="/superset/welcome/"]')


@RESULTS
async def metabase_question_sql(scene: Scene, *, listening_port: int = PORT) -> str | None:
    """The SQL of the question that is open in Metabase: in lower case, single spaces."""
    async with browser(scene, listening_port) as context:
        page = find_page(context, METABASE)
        if page is None:
            return None
        await page.locator('button[aria-label="View the SQL"]').click(timeout=60_000)
        panel = page.locator('div[role="dialog"] > div:nth-child(1) > div:nth-child(2)')
        await need("playwright.async_api").expect(panel).not_to_be_empty(timeout=10_000)
        return " ".join((await panel.inner_text()).lower().split())


async def _page_open(scene: Scene, name: str, url: str, title: str, element: str) -> str:
    wanted = url.replace("127.0.0.1", "localhost")
    async with browser(scene) as context:
        for page in context.pages:
            here = page.url.replace("127.0.0.1", "localhost")
            titled = here.startswith(wanted) and title.lower() in (await page.title()).lower()
            if titled and await _visible(page, element):
                return f"Find {name} home page succeed"
    return f"Find {name} home page failed"


async def _visible(page: Any, element: str) -> bool:
    try:
        await page.locator(element).first.wait_for(state="visible", timeout=5_000)
    except need("playwright.async_api").Error:
        return False
    return True
