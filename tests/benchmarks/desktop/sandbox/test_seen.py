"""What is on the screen can be seen: as a picture, as an accessibility tree, as the text of a terminal."""

from __future__ import annotations

import asyncio
import io
from ast import literal_eval
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from touchstone.benchmarks.desktop.controller.nodes import NAMESPACES
from touchstone.benchmarks.desktop.desktop import Desktop
from touchstone.benchmarks.desktop.tasks import demo

pytestmark = [pytest.mark.desktop, pytest.mark.asyncio(loop_scope="module")]
BOOK = next((demo() / "evaluation_examples" / "examples" / "excel").glob("*/Takings.xlsx"))
TRIES = 80
ST, CP = (f"{{{NAMESPACES[prefix]}}}" for prefix in ("st", "cp"))


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


async def with_book(desktop: Desktop) -> str:
    """The tree with the workbook, which is opened unless a test before has left it open."""
    cells = ("Alder Point", "Heron Quay", "Passengers")
    tree = await desktop.accessibility()
    if all(cell in tree for cell in cells):
        return tree
    await desktop.reset(["excel"])
    await desktop.put(BOOK, "/home/user/Takings.xlsx")
    await desktop.launch(["xdg-open", "/home/user/Takings.xlsx"])
    return await tree_with(desktop, *cells)


async def test_calc_shows_its_cells(desktop: Desktop) -> None:
    tree = ElementTree.fromstring(await with_book(desktop))
    cells = {node.get("name"): node.text for node in tree.iter("table-cell")}
    assert (cells["A1"], cells["A2"], cells["A9"], cells["D1"]) == ("Route", "Alder Point", "Heron Quay", "Fare")
    assert await desktop.terminal() is None


def node(tree: str, tag: str, name: str) -> ElementTree.Element:
    return next(found for found in ElementTree.fromstring(tree).iter(tag) if found.get("name") == name)


def middle(found: ElementTree.Element) -> tuple[int, int]:
    (left, top), (width, height) = (literal_eval(found.attrib[f"{CP}{what}"]) for what in ("screencoord", "size"))
    return left + width // 2, top + height // 2


async def click(desktop: Desktop, tag: str, name: str) -> None:
    """Where the tree says that it is."""
    x, y = middle(node(await desktop.accessibility(), tag, name))
    await desktop.act(f"pyautogui.click({x}, {y})")


async def until(desktop: Desktop, tag: str, name: str, state: str, wanted: bool = True) -> None:
    for _ in range(TRIES):
        if (f"{ST}{state}" in node(await desktop.accessibility(), tag, name).attrib) == wanted:
            return
        await asyncio.sleep(0.5)
    raise AssertionError(f"{name} is {'not ' * wanted}{state}")


@pytest.mark.parametrize("size", ["add", "remove"], ids=["maximised", "smaller"])
async def test_clicks_hit_what_the_tree_of_calc_says(desktop: Desktop, size: str) -> None:
    await with_book(desktop)
    await desktop.execute(["wmctrl", "-r", "Takings", "-b", f"{size},maximized_vert,maximized_horz"])
    if size == "remove":
        await desktop.execute(["wmctrl", "-r", "Takings", "-e", "0,240,150,1300,700"])
    await asyncio.sleep(2)
    for cell in ("C5", "B9", "A1"):
        await click(desktop, "table-cell", cell)
        await until(desktop, "table-cell", cell, "focused")
    await until(desktop, "toggle-button", "Bold", "checked")  # as A1 is; the toolbar hears of it a moment later
    for checked in (False, True):
        await click(desktop, "toggle-button", "Bold")
        await until(desktop, "toggle-button", "Bold", "checked", checked)


async def test_calc_outlives_a_chooser_that_was_read_while_it_was_open(desktop: Desktop) -> None:
    x, y = middle(node(await with_book(desktop), "push-button", "Font Color"))
    await desktop.act(f"pyautogui.click({x + 14}, {y})")
    await tree_with(desktop, "Custom Color")
    await desktop.act("pyautogui.press('escape')")
    for _ in range(3):
        await asyncio.sleep(1)
        assert "Alder Point" in await desktop.accessibility()


async def test_a_click_adds_a_sheet(desktop: Desktop) -> None:
    """The button left of the first tab does nothing unless it is held for a moment; the tree does not have it."""
    await with_book(desktop)
    await desktop.execute(["wmctrl", "-r", "Takings", "-b", "add,maximized_vert,maximized_horz"])
    await asyncio.sleep(2)
    for number in (2, 3, 4):
        left, top = literal_eval(node(await desktop.accessibility(), "page-tab", "Sheet1").attrib[f"{CP}screencoord"])
        await desktop.act(f"pyautogui.click({left - 17}, {top + 10})")
        await tree_with(desktop, f'name="Sheet{number}"')


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


async def test_chromium_outlives_a_reading_of_an_empty_number_field(desktop: Desktop, tmp_path: Path) -> None:
    """Asked for all numbers of a field that has none, its accessibility library wrote a broken answer and was aborted."""
    page = tmp_path / "numbers.html"
    page.write_text("<title>Numbers</title><input type=number aria-label=Port><input type=range min=2 max=9 value=4>")
    await desktop.put(page, "/home/user/numbers.html")
    await desktop.launch(["google-chrome", "file:///home/user/numbers.html"])
    tree = await tree_with(desktop, 'name="Port"')
    assert 'val:value="4.0"' in tree
    assert 'name="Port"' in await desktop.accessibility()


async def test_a_recording_is_a_video(desktop: Desktop, tmp_path: Path) -> None:
    await desktop.start_recording()
    await desktop.act("pyautogui.moveTo(100, 100, duration=1)")
    assert await desktop.stop_recording(tmp_path / "video.mp4")
    assert (tmp_path / "video.mp4").read_bytes()[4:8] == b"ftyp"
