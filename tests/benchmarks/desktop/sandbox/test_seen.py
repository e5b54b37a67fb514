"""What is on the screen can be seen: as a picture, as an accessibility tree, as the text of a terminal."""

from __future__ import annotations

import asyncio
import io
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from touchstone.benchmarks.desktop.guests import Desktop
from touchstone.datasets import desktop_demo

pytestmark = [pytest.mark.desktop, pytest.mark.asyncio(loop_scope="module")]
BOOK = next((desktop_demo() / "evaluation_examples" / "examples" / "excel").glob("*/Takings.xlsx"))
TRIES = 80


async def tree_with(desktop: Desktop, *words: str) -> str:
    """The tree once it has these words."""
    missing: list[str] = []
    for _ in range(TRIES):
        tree = await desktop.accessibility()
        missing = [word for word in words if word not in tree]
        if not missing:
            return tree
        await asyncio.sleep(0.5)
    raise AssertionError(missing)


def picture(data: bytes) -> Any:
    pillow: Any = pytest.importorskip("PIL.Image")
    return pillow.open(io.BytesIO(data)).convert("RGB")


async def test_the_screen_is_a_picture_with_the_pointer(desktop: Desktop) -> None:
    await desktop.act("pyautogui.moveTo(300, 300)")
    here = picture(await desktop.screenshot())
    await desktop.act("pyautogui.moveTo(900, 700)")
    there = picture(await desktop.screenshot())
    assert here.size == there.size == (1920, 1080)
    around = (295, 295, 330, 330)
    assert here.crop(around).tobytes() != there.crop(around).tobytes()
    assert len(there.crop(around).getcolors()) == 1


async def test_a_terminal_says_what_was_typed(desktop: Desktop) -> None:
    await desktop.launch(["gnome-terminal", "--maximize"])
    await tree_with(desktop, 'name="gnome-terminal-server"')
    before = await desktop.screenshot()
    await asyncio.sleep(1)
    await desktop.act(r"pyautogui.click(960, 600); pyautogui.write('echo \"a < b; $((6*7))\" | cat\n')")
    tree = await tree_with(desktop, "a &lt; b; 42")
    assert [node for node in ElementTree.fromstring(tree).iter("terminal") if "a < b; 42" in (node.text or "")]
    assert "a < b; 42" in (await desktop.terminal() or "")
    assert await desktop.screenshot() != before


async def test_calc_shows_its_cells(desktop: Desktop) -> None:
    await desktop.reset(["excel"])
    await desktop.put(BOOK, "/home/user/Takings.xlsx")
    await desktop.launch(["xdg-open", "/home/user/Takings.xlsx"])
    tree = ElementTree.fromstring(await tree_with(desktop, "Alder Point", "Heron Quay", "Passengers"))
    cells = {node.get("name"): node.text for node in tree.iter("table-cell")}
    assert (cells["A1"], cells["A2"], cells["A9"], cells["D1"]) == ("Route", "Alder Point", "Heron Quay", "Fare")
    assert await desktop.terminal() is None


async def test_chromium_shows_a_page_and_its_address(desktop: Desktop, tmp_path: Path) -> None:
    await desktop.reset(["chromium"])
    page = tmp_path / "page.html"
    page.write_text("<title>Tide table</title><h1>High water</h1><button>Print it</button>")
    await desktop.put(page, "/home/user/page.html")
    await desktop.launch(["google-chrome", "file:///home/user/page.html"])
    tree = await tree_with(desktop, "High water", "Print it", "/home/user/page.html")
    names = {(node.tag, node.get("name")) for node in ElementTree.fromstring(tree).iter()}
    assert {("heading", "High water"), ("push-button", "Print it")} <= names
    assert ("entry", "Address and search bar") in names


async def test_a_recording_is_a_video(desktop: Desktop, tmp_path: Path) -> None:
    await desktop.start_recording()
    await desktop.act("pyautogui.moveTo(100, 100, duration=1)")
    assert await desktop.stop_recording(tmp_path / "video.mp4")
    assert (tmp_path / "video.mp4").read_bytes()[4:8] == b"ftyp"
