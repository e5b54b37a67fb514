"""Steps in the guest's browser."""

from __future__ import annotations

from collections.abc import Sequence

from ..browser import PORT, browser, find_page
from ..scene import Scene
from ..setup import address
from .registry import STEPS

DEBUGGING_PORT = 1337
OPENING = 60_000


@STEPS
async def google_chrome_browser(
    scene: Scene,
    *,
    debugging_port: int = DEBUGGING_PORT,
    listening_port: int = PORT,
    urls: Sequence[str] = (),
    full_screen: bool = False,
    incognito: bool = False,
) -> None:
    """The browser with a debugging port, a forwarder that makes it reachable from outside, and a tab per address."""
    scene.log.expect(address(listening_port, "json/version"))
    flags = ["--start-maximized"] * full_screen + ["--incognito"] * incognito
    await scene.guest.launch(["google-chrome", f"--remote-debugging-port={debugging_port}", *flags])
    await scene.guest.launch(["socat", f"tcp-listen:{listening_port},fork", f"tcp:localhost:{debugging_port}"])
    if urls:
        await _open_tabs(scene, urls, listening_port, replace_blank=True)


@STEPS
async def chrome_open_tabs(scene: Scene, *, urls_to_open: Sequence[str], listening_port: int = PORT) -> None:
    await _open_tabs(scene, urls_to_open, listening_port)


@STEPS
async def chrome_close_tabs(scene: Scene, *, urls_to_close: Sequence[str], listening_port: int = PORT) -> None:
    async with browser(scene, listening_port) as context:
        for url in urls_to_close:
            if (page := find_page(context, url)) is not None:
                await page.close()


async def _open_tabs(scene: Scene, urls: Sequence[str], port: int, *, replace_blank: bool = False) -> None:
    """A page that does not load stays open: without the network a task may still be worth playing."""
    async with browser(scene, port) as context:
        blank = context.pages[0] if replace_blank and urls and context.pages else None
        for url in urls:
            page = await context.new_page()
            try:
                await page.goto(url, timeout=OPENING)
            except Exception as error:
                scene.log.note(f"open {url}: {str(error).splitlines()[0]}")
        if blank is not None:
            await blank.close()
