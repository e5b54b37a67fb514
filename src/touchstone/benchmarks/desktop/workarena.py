"""One WorkArena (ServiceNow) task in the guest's browser.

WorkArena is written for Playwright's blocking interface, which belongs to the thread that started it. So all calls go
through one thread of their own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ...failures import Unscorable
from .extras import need

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
