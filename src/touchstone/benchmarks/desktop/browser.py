"""The guest's browser: over its debugging port, and by the address bar in the accessibility tree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from ...errors import Skipped
from .controller.time_limit import FairTimeLimit
from .evaluation_context import EvaluationContext
from .extras import need
from .untrusted import parse_tree

PORT = 9222
ATTACHING = 45.0
"""Seconds that the browser may take to start."""
STARTING = 180.0
"""Seconds that a server may take to start. Tries say nothing: a connection is refused at once, however busy the machine is."""
BROWSERS = ("Google Chrome", "Chromium")
ADDRESS_BAR = "Address and search bar"


async def _retried(work: Callable[[], Awaitable[Any]], seconds: float, pause: float) -> Any:
    """Something that takes its time to start is tried again; the last failure counts."""
    limit = FairTimeLimit(seconds)
    while limit.left():
        with suppress(Exception):
            return await work()
        await asyncio.sleep(pause)
    return await work()


@asynccontextmanager
async def browser(evaluation: EvaluationContext, port: int = PORT) -> AsyncGenerator[Any]:
    """The first context of the guest's browser, attached over CDP."""
    address = await evaluation.guest.endpoint(port)
    async with need("playwright.async_api").async_playwright() as playwright:
        try:
            attached = await _retried(lambda: playwright.chromium.connect_over_cdp(address), ATTACHING, 3.0)
        except Exception as error:
            raise Skipped(f"the guest's browser does not answer at {address}: {error}", kind="guest") from None
        yield attached.contexts[0]


def find_page(context: Any, prefix: str) -> Any | None:
    """The first tab whose address begins so."""
    return next((page for page in context.pages if page.url.startswith(prefix)), None)


async def page_at(context: Any, url: str) -> Any:
    """A tab at an address, opened if there is none."""
    page = find_page(context, url)
    if page is None:
        page = await context.new_page()
        await page.goto(url, wait_until="load", timeout=60_000)
    return page


async def until_open(context: Any, url: str, element: str = "", seconds: float = STARTING) -> Any:
    """A new tab at the address of a server that may still be starting; open when it has loaded, and the element is seen."""
    page = await context.new_page()

    async def load() -> Any:
        await page.goto(url, wait_until="load")
        if element:
            await page.locator(element).first.wait_for(state="visible", timeout=10_000)
        return page

    return await _retried(load, seconds, 1.0)


def address_in(tree: str) -> str | None:
    """The text in the address bar, of the focused browser window if one is; without the scheme, as browsers show it."""
    if (root := parse_tree(tree)) is None:
        return None
    bars: list[tuple[bool, str]] = []
    for application in root.iter("application"):
        if application.get("name") in BROWSERS:
            for window in application:
                active = any(key.endswith("}active") and value == "true" for key, value in window.attrib.items())
                bars += [(active, bar.text or "") for bar in window.iter("entry") if bar.get("name") == ADDRESS_BAR]
    bars.sort(key=lambda bar: not bar[0])
    return next((text for _, text in bars if text), None)


async def active_address(evaluation: EvaluationContext, prefix: str) -> str | None:
    """The address in the guest's browser, with the scheme put back."""
    text = address_in(await evaluation.guest.accessibility())
    return None if text is None else f"{prefix}{text}"
