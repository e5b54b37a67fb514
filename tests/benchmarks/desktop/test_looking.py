"""The accessibility tree as a table, marks in a picture, and the 13 actions."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from touchstone.benchmarks.desktop import screen
from touchstone.benchmarks.desktop.actions import Act, BadAction, code_of
from touchstone.benchmarks.desktop.observations import UNREADABLE, ScreenElement, nodes, table, tokens
from touchstone.benchmarks.desktop.screen import NoSuchBox, bound, marked, until_rest

from .drawn import SAVE, DrawnDesktop, drawn, tree

STATE: dict[str, Any] = {"text": "SELECT 1;\n\tFROM t", "pointer": [300, 300], "events": 0}
SCREEN = (640, 400)


def element(role: str = "push-button", name: str = "Go", text: str = "", **changes: str) -> str:
    facts = {"showing": "true", "visible": "true", "enabled": "true", "screencoord": "(1, 2)", "size": "(3, 4)"} | changes
    attributes = " ".join(f'{key}="{value}"' for key, value in facts.items())
    return f'<root><{role} name="{name}" {attributes}>{text}</{role}></root>'


def test_the_table_has_what_can_be_used() -> None:
    assert table(nodes(tree(STATE)), 5_000).splitlines() == [
        "TAG\tNAME\tPOSITION\tSIZE\tTEXT",
        "entry\tContent\t(20, 60)\t(400, 40)\t'SELECT 1;\\n\\tFROM t'",
        "push-button\tSave\t(20, 120)\t(80, 30)\t''",
        "label\tBlank\t(500, 300)\t(50, 20)\t''",
    ]
    assert table(nodes(tree(STATE)), 5_000, indexed=True).splitlines()[2].startswith("1\tpush-button\tSave")


@pytest.mark.parametrize("role", "menu-item toggle-button document-web table-cell link label terminal text heading".split())
def test_roles_that_are_kept(role: str) -> None:
    assert [node.tag for node in nodes(element(role)) or ()] == [role]


@pytest.mark.parametrize("role", "panel filler frame window separator application scroll-pane".split())
def test_roles_that_are_not(role: str) -> None:
    assert nodes(element(role)) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"showing": "false"},
        {"visible": "false"},
        {"enabled": "false"},
        {"screencoord": "(-1, 2)"},
        {"screencoord": "nowhere"},
        {"size": "(0, 4)"},
        {"name": ""},
    ],
)
def test_what_cannot_be_used_is_left_out(changes: dict[str, str]) -> None:
    name = changes.pop("name", "Go")
    assert nodes(element(name=name, **changes)) == []


def test_what_is_not_enabled_may_be_used_otherwise() -> None:
    assert nodes(element(enabled="false", expandable="true"))
    assert nodes(element("image", name=""))


@pytest.mark.parametrize("text", ["", "<a>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "no tree"])
def test_a_tree_that_cannot_be_read_is_said(text: str) -> None:
    assert table(nodes(text), 100) == UNREADABLE


@given(st.lists(st.tuples(st.text(max_size=30), st.text(max_size=60)), max_size=40), st.integers(20, 400))
def test_a_table_keeps_to_its_limit_and_says_so(things: list[tuple[str, str]], most: int) -> None:
    found = [ScreenElement("label", name, text, 1, 2, 3, 4) for name, text in things]
    whole, cut = table(found, 10**9), table(found, most)
    assert whole.count("\n") == len(found)
    body, mark, _ = cut.partition("\n[…]")
    assert tokens(body) <= most
    assert bool(mark) is (cut != whole)
    assert whole.startswith(body)


def test_marks_leave_out_what_is_not_seen() -> None:
    found = nodes(tree(STATE))
    assert found is not None
    picture, boxed = marked(drawn(STATE), [*found, ScreenElement("label", "outside", "", 900, 10, 5, 5)])
    assert [node.name for node in boxed] == ["Content", "Save"]
    with Image.open(BytesIO(picture)) as opened:
        assert opened.size == SCREEN
        right, lower = SAVE[0] + SAVE[2] - 1, SAVE[1] + SAVE[3] - 1
        assert opened.getpixel((SAVE[0], SAVE[1])) == opened.getpixel((right, SAVE[1] + 10)) == (255, 0, 0)
        corner = [opened.getpixel((x, y)) for x in range(SAVE[0], SAVE[0] + 8) for y in range(lower - 10, lower)]
        assert (0, 0, 0) in corner
        assert (255, 255, 255) in corner


def test_boxes_are_bound_by_assignment() -> None:
    boxed = [ScreenElement("label", "a", "", 10, 20, 30, 40), ScreenElement("label", "b", "", 0, 0, 2, 2)]
    used = "pyautogui.click(index_0); write('index_1'); index_10x = 1"
    assert bound(used, boxed) == f"index_0 = (25, 40)\n{used}"
    assert bound("index_1 = 4; print(index_1)", boxed) == "index_1 = 4; print(index_1)"
    assert bound("click(index_0", boxed) == "click(index_0"
    with pytest.raises(NoSuchBox, match=r"There is no box 2 .* the boxes are 0 to 1"):
        bound("click(index_2)", boxed)


@pytest.mark.parametrize(
    ("action", "code"),
    [
        ({"action_type": "MOVE_TO", "x": 1, "y": 2.5}, "pyautogui.moveTo(x=1.0, y=2.5)"),
        ({"action_type": "CLICK"}, "pyautogui.click(button='left', clicks=1, interval=0.1)"),
        (
            {"action_type": "CLICK", "x": 1, "y": 2, "button": "right", "num_clicks": 2},
            "pyautogui.click(x=1.0, y=2.0, button='right', clicks=2, interval=0.1)",
        ),
        ({"action_type": "MOUSE_DOWN"}, "pyautogui.mouseDown(button='left')"),
        ({"action_type": "MOUSE_UP", "button": "middle"}, "pyautogui.mouseUp(button='middle')"),
        ({"action_type": "RIGHT_CLICK", "parameters": {"x": 3, "y": 4}}, "pyautogui.rightClick(x=3.0, y=4.0)"),
        ({"action_type": "DOUBLE_CLICK"}, "pyautogui.doubleClick(interval=0.1)"),
        (
            {"action_type": "DRAG_TO", "x": 3, "y": 4},
            "pyautogui.dragTo(x=3.0, y=4.0, duration=1.0, button='left', mouseDownUp=True)",
        ),
        ({"action_type": "SCROLL", "dx": 1, "dy": -5}, "pyautogui.hscroll(1)\npyautogui.vscroll(-5)"),
        ({"action_type": "TYPING", "text": 'it\'s; "x"\n'}, "pyautogui.write('it\\'s; \"x\"\\n')"),
        ({"action_type": "PRESS", "key": "enter"}, "pyautogui.press('enter')"),
        ({"action_type": "KEY_DOWN", "key": "shift"}, "pyautogui.keyDown('shift')"),
        ({"action_type": "KEY_UP", "key": "a"}, "pyautogui.keyUp('a')"),
        ({"action_type": "HOTKEY", "keys": ["ctrl", "s"]}, "pyautogui.hotkey('ctrl', 's')"),
    ],
)
def test_the_13_actions(action: dict[str, Any], code: str) -> None:
    assert code_of(_act(action), SCREEN) == code


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        ({"action_type": "MOVE_TO", "x": 1}, "MOVE_TO needs the parameter 'y'."),
        ({"action_type": "CLICK", "x": 1}, "CLICK needs both x and y, or neither."),
        ({"action_type": "CLICK", "num_clicks": 4}, "CLICK: num_clicks must be 1, 2 or 3."),
        ({"action_type": "PRESS", "key": "hyper"}, "PRESS: there is no key 'hyper'."),
        ({"action_type": "HOTKEY", "keys": ["ctrl", "ss"]}, "HOTKEY: there is no key 'ss'."),
        ({"action_type": "TYPING", "text": "a\x07"}, "TYPING: these are no characters of a keyboard: '\\x07'."),
        ({"action_type": "TYPING", "parameters": {"text": 5}}, "TYPING: Expected 'str | null', got 'int' - at '$.text'."),
        ({"action_type": "TYPING", "text": "a", "x": 1, "y": 1}, "TYPING has no parameter 'x' (it has: text)."),
        ({"action_type": "PRESS", "parameters": {"colour": 1}}, "PRESS has no parameter 'colour'."),
        ({"action_type": "SCROLL"}, "SCROLL needs dx, dy or both."),
        ({"action_type": "DRAG_TO", "x": 640, "y": 1}, "DRAG_TO: x = 640 is not on the screen, which is 640 x 400."),
    ],
)
def test_wrong_actions_are_told(action: dict[str, Any], complaint: str) -> None:
    with pytest.raises(BadAction) as told:
        code_of(_act(action), SCREEN)
    assert str(told.value) == complaint


def _act(action: dict[str, Any]) -> Act:
    import msgspec

    return msgspec.convert(action, Act)


class Shown(DrawnDesktop):
    """What its screen shows, one picture after the other; then the last two in turn, as with a cursor that blinks."""

    def __init__(self, pictures: list[bytes]) -> None:
        super().__init__()
        self.pictures, self.looks = pictures, 0

    async def screenshot(self) -> bytes:
        self.looks += 1
        rest = self.looks - len(self.pictures)
        return self.pictures[self.looks - 1] if rest <= 0 else self.pictures[-2 + (rest - 1) % 2]


@pytest.mark.parametrize(
    ("pictures", "looks"),
    [
        ([b"still", b"still"], 5),
        ([b"on", b"off"], 6),
        ([b"starting", b"splash", b"window", b"window"], 7),
        ([str(number).encode() for number in range(50)], 20),
    ],
)
async def test_a_screen_is_at_rest_when_it_shows_nothing_new(
    monkeypatch: pytest.MonkeyPatch, pictures: list[bytes], looks: int
) -> None:
    monkeypatch.setattr(screen, "_POLL", 0.001)
    desktop = Shown(pictures)
    await until_rest(desktop, 0.02)
    assert desktop.looks == looks
