"""The accessibility tree: its published form, and its limits."""

from __future__ import annotations

import time
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller.nodes import NAMESPACES
from touchstone.benchmarks.desktop.controller.tables import address_of
from touchstone.benchmarks.desktop.controller.tree import DEPTH, WIDTH, Walk

from .programs import Sheet, Shown

SCREEN = (0, 0, 1920, 1080)
ST, CP, ATTR = (f"{{{NAMESPACES[prefix]}}}" for prefix in ("st", "cp", "attr"))


def tree(*programs: Shown, seconds: float = 60, dead: tuple[Shown, ...] = ()) -> ElementTree.Element:
    desktop = Shown("desktop frame", "main", box=SCREEN, children=programs)
    walk = Walk(time.monotonic() + seconds)
    return ElementTree.fromstring(walk.desktop(desktop, [(program, program not in dead) for program in programs]))


def program(*windows: Shown) -> Shown:
    return Shown("application", "Editor", box=SCREEN, children=windows)


def test_the_published_form() -> None:
    button = Shown(
        "push button", "Save", box=(30, 40, 20, 10), attributes={"toolkit": "gtk"}, states=("showing", "visible", "multi-line")
    )
    entry = Shown("entry", "Address", "exa\ufffcmple.com", box=(15, 25, 5, 5))
    root = tree(program(Shown("frame", "Window", box=(10, 20, 200, 100), children=[button, entry])))
    assert (root.tag, root.get("name"), root.get("cut")) == ("desktop-frame", "main", None)
    saved = root.find("application/frame/push-button")
    assert saved is not None
    assert saved.attrib == {
        "name": "Save",
        f"{ST}showing": "true",
        f"{ST}visible": "true",
        f"{ST}multi_line": "true",
        f"{ATTR}toolkit": "gtk",
        f"{CP}screencoord": "(30, 40)",
        f"{CP}windowcoord": "(20, 20)",
        f"{CP}parentcoord": "(20, 20)",
        f"{CP}size": "(20, 10)",
    }
    assert root.findtext("application/frame/entry") == "example.com"


def test_what_is_hidden_has_a_name_and_a_text_but_no_place() -> None:
    root = tree(program(Shown("menu item", "Open", "Open", states=("enabled",), attributes={"a": "b"})))
    assert [(node.attrib, node.text) for node in root.iter("menu-item")] == [({"name": "Open", f"{ST}enabled": "true"}, "Open")]


def test_no_deeper_than_the_limit() -> None:
    node = Shown("label", "deepest")
    for _ in range(DEPTH + 10):
        node = Shown(children=[node])
    root = tree(program(node))
    assert len(list(root.iter("panel"))) == DEPTH - 1
    assert [node.get("cut") for node in root.iter("panel") if node.get("cut")] == ["depth"]


def test_no_wider_than_the_limit() -> None:
    many = Shown("list", children=[Shown("list item", "x")], count=5_000_000)
    root = tree(program(many))
    assert len(list(root.iter("list-item"))) == WIDTH
    assert [node.get("cut") for node in root.iter("list")] == ["width"]


def test_when_the_time_is_over_the_rest_is_left_and_it_is_said() -> None:
    late = Shown("list", children=[Shown("list item", "x") for _ in range(10)])
    root = tree(program(late), seconds=-1)
    assert root.get("cut") == "time"
    assert [node.get("cut") for node in root.iter("list")] == ["time"]
    assert len(list(root.iter("list-item"))) == 1


def test_programs_that_do_not_answer() -> None:
    hung, gone, fine = program(), program(Shown("frame", silent=True)), program(Shown("frame", "fine"))
    root = tree(hung, gone, fine, dead=(hung,))
    assert [node.get("cut") for node in root] == ["silent", None, None]
    assert [node.get("name") for node in root.iter("frame")] == ["fine"]
    assert hung.asked == 0


@pytest.mark.parametrize("first", [(0, 0), (41, 3), (300_000, 0)])
def test_only_what_is_seen_of_a_sheet(first: tuple[int, int]) -> None:
    sheet = Sheet(first)
    root = tree(program(Shown("document spreadsheet", box=(100, 100, 300, 150), children=[sheet])))
    cells = [(node.text, node.get(f"{CP}screencoord")) for node in root.iter("table-cell")]
    rows, columns = range(first[0], first[0] + 8), range(first[1], first[1] + 6)
    assert cells == [
        (f"{row},{column}", str((100 + 50 * (column - first[1]), 100 + 20 * (row - first[0]))))
        for row in rows
        for column in columns
    ]
    assert [node.get("cut") for node in root.iter("table")] == ["block"]


def test_a_program_that_is_starting_tells_nothing_of_its_nodes() -> None:
    starting = Shown("frame", "New", attributes=None)
    assert [node.get("name") for node in tree(program(starting)).iter("frame")] == ["New"]


def test_what_libreoffice_draws_is_where_its_widget_is() -> None:
    gtk = {"toolkit": "gtk"}
    entry = Shown("text", "Name Box", "A1", box=(110, 70, 40, 20), attributes=gtk)
    cells = Shown("document spreadsheet", box=(100, 100, 300, 150), children=[Sheet((0, 0))])
    bar = Shown(
        "tool bar", "Standard", box=(110, 45, 200, 20), children=[Shown("panel", box=(110, 45, 40, 20), children=[entry])]
    )
    drawn = Shown("root pane", "Book", box=(100, 40, 400, 300), children=[bar, cells])
    widget = Shown("panel", box=(100, 65, 400, 300), attributes=gtk, children=[drawn])
    root = tree(program(Shown("frame", "Book", box=(100, 20, 400, 345), attributes=gtk, children=[widget])))
    places = {
        tag: next(root.iter(tag)).get(f"{CP}screencoord") for tag in ("root-pane", "tool-bar", "text", "table", "table-cell")
    }
    assert places == {
        "root-pane": "(100, 65)",
        "tool-bar": "(110, 70)",
        "text": "(110, 70)",
        "table": "(100, 125)",
        "table-cell": "(100, 125)",
    }
    cell = next(root.iter("table-cell"))
    assert (cell.get(f"{CP}windowcoord"), cell.get(f"{CP}parentcoord")) == ("(0, 105)", "(0, 0)")


def test_a_window_without_its_widgets_is_drawn_down_to_its_lower_edge() -> None:
    drawn = Shown("root pane", box=(100, 20, 400, 300), children=[Shown("push button", "Bold", box=(110, 30, 20, 20))])
    frame = Shown("frame", "Book", box=(100, 20, 400, 345), attributes={"toolkit": "gtk"}, children=[drawn])
    assert next(tree(program(frame)).iter("push-button")).get(f"{CP}screencoord") == "(110, 75)"


def test_a_sheet_right_below_the_menu_bar_is_read_from_its_first_row() -> None:
    sheet = Sheet((0, 0))
    drawn = Shown("root pane", box=(100, 100, 500, 200), children=[sheet])
    widget = Shown("panel", box=(100, 130, 500, 200), attributes={"toolkit": "gtk"}, children=[drawn])
    cells = [node.get(f"{CP}screencoord") for node in tree(program(widget)).iter("table-cell")]
    assert (cells[0], cells[-1]) == ("(100, 130)", "(550, 310)")


def test_menus_of_a_bar_without_height_are_left_out() -> None:
    flat = Shown("menu bar", box=(0, 0, 100, 0), children=[Shown("menu", "File")])
    high = Shown("menu bar", box=(0, 0, 100, 25), children=[Shown("menu", "Edit")])
    root = tree(program(flat, high))
    assert [node.get("cut") for node in root.iter("menu-bar")] == ["flat", None]
    assert [node.get("name") for node in root.iter("menu")] == ["Edit"]


def letters(column: int) -> str:
    return (letters(column // 26 - 1) if column >= 26 else "") + chr(ord("A") + column % 26)


@given(row=st.integers(0, 2**20 - 1), column=st.integers(0, 2**14 - 1))
def test_addresses(row: int, column: int) -> None:
    assert address_of(letters(column), str(row + 1)) == (row, column)
