"""Typing on an X server's keyboard, played here: what arrives is what the server's table says at that moment."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller import keyboard
from touchstone.benchmarks.desktop.controller.keyboard import Keyboard, free_keys, keysym

PLAIN, SHIFTED = "`1234567890-=qwertyuiop[]asdfghjkl;'\\zxcvbnm,./ ", '~!@#$%^&*()_+QWERTYUIOP{}ASDFGHJKL:"|ZXCVBNM<>? '
SHIFT, ENTER, FIRST, LESS = 50, 36, 60, 94
CHARACTERS = st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cc", "Cn", "Co"])


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyboard.time, "sleep", lambda _: None)


class Server:
    """A US keyboard with a key for < and > that comes first, as there is on real ones, and three free keys."""

    def __init__(self) -> None:
        self.rows: dict[int, Sequence[int]] = {code: (0, 0) for code in range(8, 256)}
        self.rows |= {FIRST + 60 + i: (ord(a), ord(b)) for i, (a, b) in enumerate(zip(PLAIN, SHIFTED, strict=True))}
        self.rows |= {LESS: (ord("<"), ord(">")), SHIFT: (0xFFE1, 0), ENTER: (0xFF0D, 0)}
        for code in [code for code, row in self.rows.items() if not any(row)][3:]:
            self.rows[code] = (0x1008FF00 + code, 0)
        self.shift = False
        self.typed = ""
        self.changes = 0
        self.properties: dict[str, Any] = {}
        self.display = SimpleNamespace(info=SimpleNamespace(min_keycode=8, max_keycode=255))

    def input(self, display: object, event: int, code: int) -> None:
        if code == SHIFT:
            self.shift = event == 2
        elif event == 2:
            symbol = self.rows[code][self.shift]
            self.typed += "\n" if symbol == 0xFF0D else chr(symbol - 0x1000000 if symbol >= 0x1000000 else symbol)

    def get_keyboard_mapping(self, first: int, count: int) -> list[Sequence[int]]:
        return [self.rows[code] for code in range(first, first + count)]

    def change_keyboard_mapping(self, code: int, rows: list[Sequence[int]]) -> None:
        self.changes += 1
        self.rows[code] = rows[0]

    def get_modifier_mapping(self) -> list[list[int]]:
        return [[SHIFT]]

    def screen(self) -> Any:
        return SimpleNamespace(root=self)

    def intern_atom(self, name: str) -> str:
        return name

    def get_full_property(self, name: str, kind: int) -> Any:
        return self.properties.get(name)

    def change_property(self, name: str, kind: int, form: int, values: list[int]) -> None:
        self.properties[name] = SimpleNamespace(value=values)

    def sync(self) -> None:
        pass


def hands(server: Server) -> Keyboard:
    return Keyboard(server, server.input, {"shift": SHIFT, "enter": ENTER, "\n": ENTER}, free_keys(server))


def type_on(board: Keyboard, text: str) -> None:
    for piece in board.pieces(text):
        for key in piece:
            board.down(key)
            board.up(key)


@given(text=st.text(CHARACTERS | st.just("\n")))
def test_any_text_arrives(text: str) -> None:
    server = Server()
    type_on(hands(server), text)
    assert server.typed == text
    assert not server.shift


def test_what_is_on_the_keyboard_changes_nothing() -> None:
    server = Server()
    type_on(hands(server), PLAIN + SHIFTED)
    assert server.typed == PLAIN + SHIFTED
    assert server.changes == 0


def test_a_character_keeps_its_key_for_the_next_action() -> None:
    server = Server()
    for _ in range(3):
        type_on(hands(server), "é€")
    assert server.typed == "é€" * 3
    assert server.changes == 2


def test_shift_that_is_held_stays_held() -> None:
    server = Server()
    board = hands(server)
    for key in ("shift", "a", "!", "b"):
        board.down(key)
    assert server.typed == "A!B"
    assert server.shift
    board.up("shift")
    board.down("c")
    assert server.typed == "A!Bc"


def test_keys_that_do_not_exist_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    server = Server()
    hands(server).down("anykey")
    assert server.typed == ""
    assert "anykey" in capsys.readouterr().err


def test_symbols() -> None:
    assert [keysym(character) for character in "aé€😀"] == [0x61, 0xE9, 0x10020AC, 0x101F600]
