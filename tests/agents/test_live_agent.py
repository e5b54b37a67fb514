"""A person plays in the browser: what the page may ask, who may ask it, and a task solved with mouse and keyboard."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.benchmarks.desktop.playing import World
from touchstone.agents.live import Click, Drag, Keys, LiveAgent, Scroll, Typed, code, read
from touchstone.errors import InputError
from touchstone.types import Outcome, Record, ToolStep

CHROMIUM = Path("/usr/bin/chromium")


class Playing:
    """A task that is being played, and the address of its page."""

    def __init__(self, directory: Path, **settings: Any) -> None:
        self.world = World(directory, **settings)
        self.said: asyncio.Queue[str] = asyncio.Queue()
        self.agent = LiveAgent(self.said.put_nowait)
        self.record: asyncio.Task[Record] | None = None
        self.url = ""

    async def begin(self, task: int = 0) -> None:
        self.record = asyncio.create_task(self.world.play(self.agent, task))
        if not self.url:
            told = asyncio.create_task(self.said.get())
            await asyncio.wait([told, self.record], return_when=asyncio.FIRST_COMPLETED)
            self.url = told.result().rpartition(" ")[2]

    async def do(self, event: dict[str, Any]) -> httpx.Response:
        async with httpx.AsyncClient(timeout=30) as client:
            return await client.post(f"{self.url}do", json=event)

    async def get(self, path: str, **headers: str) -> httpx.Response:
        async with httpx.AsyncClient(timeout=30) as client:
            return await client.get(f"{self.url}{path}", headers=headers)

    async def end(self) -> Record:
        assert self.record is not None
        return await asyncio.wait_for(self.record, 60)

    async def close(self) -> None:
        await self.agent.close()
        await self.world.benchmark.close()


@pytest_asyncio.fixture
async def playing(tmp_path: Path) -> AsyncIterator[Playing]:
    made = Playing(tmp_path)
    yield made
    await made.close()


async def test_a_task_is_played_by_requests(playing: Playing) -> None:
    await playing.begin()
    state = (await playing.get("state")).json()
    assert (state["playing"], state["number"], state["request"]) == (True, 1, "Do it.")
    before = (await playing.get("screen.png")).content
    assert before.startswith(b"\x89PNG")
    assert (await playing.do({"type": "type", "text": "a,b\n1,2\n"})).json() == {"told": "", "error": False}
    assert (await playing.get("screen.png")).content != before
    await playing.do({"type": "click", "at": [60, 135]})
    wrong = (await playing.do({"type": "keys", "keys": ["no'key", 5]})).status_code
    assert wrong == 400
    await playing.do({"type": "say", "word": "done"})
    record = await playing.end()
    assert (record.outcome, record.evidence["ended"]) == (Outcome.passed, "done")
    steps = [step for step in record.steps if isinstance(step, ToolStep)]
    assert [step.call.name for step in steps] == ["pyautogui", "pyautogui", "done"]
    assert json.loads(steps[1].call.arguments)["code"] == "pyautogui.click(60, 135, clicks=1, interval=0.1, button='left')"
    assert (await playing.get("state")).json()["playing"] is False
    assert (await playing.get("screen.png")).status_code == 404
    assert (await playing.do({"type": "say", "word": "done"})).status_code == 409


async def test_one_page_serves_one_task_after_the_other(playing: Playing) -> None:
    await playing.begin()
    await playing.do({"type": "say", "word": "fail"})
    assert (await playing.end()).evidence["ended"] == "fail"
    await playing.begin(1)
    while (await playing.do({"type": "say", "word": "done"})).status_code == 409:  # not begun yet
        assert (await playing.get("state")).json()["playing"] is False
    assert (await playing.end()).evidence["ended"] == "done"


async def test_only_who_has_the_address_gets_in(playing: Playing) -> None:
    await playing.begin()
    root = playing.url.rpartition("/")[0].rpartition("/")[0]
    async with httpx.AsyncClient() as client:
        for path in ("/", "/state", "/x/state", playing.url.removeprefix(root).rstrip("/")):
            assert (await client.get(root + path)).status_code == 404
        other = await client.get(f"{playing.url}state", headers={"Host": "elsewhere.example"})
        form = await client.post(
            f"{playing.url}do", content=b'{"type":"say","word":"done"}', headers={"Content-Type": "text/plain"}
        )
    assert other.status_code == 421
    assert form.status_code == 400
    page = await playing.get("")
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "http" not in page.text
    assert playing.url.startswith("http://127.0.0.1:")
    await playing.do({"type": "say", "word": "done"})
    await playing.end()


async def test_a_desktop_that_is_gone_ends_the_task(playing: Playing) -> None:
    await playing.begin()
    playing.world.desktops[0].lost = True
    assert (await playing.get("screen.png")).status_code == 404
    assert "the desktop is gone" in (await playing.do({"type": "type", "text": "x"})).json()["told"]
    assert (await playing.end()).outcome is Outcome.error


async def test_time_runs_out_for_people_too(tmp_path: Path) -> None:
    playing = Playing(tmp_path, task_timeout=0.3)
    await playing.begin()
    assert (await playing.end()).outcome is Outcome.limit
    await playing.close()


async def test_it_needs_code(tmp_path: Path) -> None:
    playing = Playing(tmp_path, action_space="computer_13")
    with pytest.raises(InputError, match="--action-space pyautogui"):
        await playing.world.play(playing.agent)
    await playing.close()


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (Click((1, 2), "right", 2), "pyautogui.click(1, 2, clicks=2, interval=0.1, button='right')"),
        (Drag((1, 2), (3, 4)), "pyautogui.moveTo(1, 2)\npyautogui.dragTo(3, 4, duration=0.5, button='left')"),
        (Scroll((1, 2), -3), "pyautogui.moveTo(1, 2)\npyautogui.scroll(-3)"),
        (Typed("it's\n'); import os #"), "pyautogui.write(\"it's\\n'); import os #\")"),
        (Keys(["enter"]), "pyautogui.press('enter')"),
        (Keys(["ctrl", "s"]), "pyautogui.hotkey('ctrl', 's')"),
    ],
)
def test_events_as_code(event: Any, expected: str) -> None:
    assert code(event) == expected


@pytest.mark.parametrize("body", [b"", b"{}", b'{"type": "click", "at": ["os.system", 1]}', b'{"type": "say", "word": "win"}'])
def test_nonsense_is_no_event(body: bytes) -> None:
    with pytest.raises(ValueError, match="not an event"):
        read(body)


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM.exists(), reason="there is no /usr/bin/chromium")
async def test_mouse_and_keyboard_in_a_real_browser(playing: Playing) -> None:
    api = pytest.importorskip("playwright.async_api", reason="playwright is not installed")
    await playing.begin()
    async with api.async_playwright() as driver:
        browser = await driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = await browser.new_page(viewport={"width": 1280, "height": 720})
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.accept()))
        await page.goto(playing.url)
        screen = page.locator("#screen")
        await screen.wait_for(timeout=30_000)
        assert await page.locator("#request").text_content() == "Do it."
        box = await screen.bounding_box()
        desktop = playing.world.desktops[0]

        def at(x: float, y: float) -> tuple[float, float]:
            """The middle of a pixel of the desktop, on the page."""
            return box["x"] + (x + 0.5) * box["width"] / 640, box["y"] + (y + 0.5) * box["height"] / 400

        async def until(name: str, value: Any) -> None:
            for _ in range(600):
                if desktop.state.get(name) == value:
                    return
                await asyncio.sleep(0.05)
            raise AssertionError(f"{name} is {desktop.state.get(name)!r}")

        await page.mouse.click(*at(200, 80))
        await until("pointer", [200, 80])
        await page.keyboard.type("a,b")
        await page.keyboard.press("Enter")
        await page.keyboard.type("1,2")
        await page.keyboard.press("Enter")
        await until("text", "a,b\n1,2\n")
        await page.keyboard.press("Control+s")
        await until("keys", ["enter", "enter", "ctrl+s"])
        await page.mouse.dblclick(*at(300, 300), button="right")
        await until("clicks", [[200, 80, "left", 1], [300, 300, "right", 2]])
        await page.mouse.move(*at(100, 200))
        await page.mouse.down()
        await page.mouse.move(*at(150, 260))
        await page.mouse.up()
        await until("dragged", [150, 260])
        await page.mouse.wheel(0, 120)
        await until("scrolled", -1)
        await page.mouse.click(*at(60, 135))
        await until("saved", True)
        await page.click("#done")
        record = await playing.end()
        await page.wait_for_selector("text=Preparing the next task", timeout=30_000)
        await browser.close()
    assert record.outcome is Outcome.passed
    assert not faults
