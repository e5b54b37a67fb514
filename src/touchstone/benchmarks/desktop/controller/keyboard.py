"""Keys by name and characters of any language, through the X server's own keyboard table.

pyautogui guesses on which key a character is and whether Shift is needed, from the layout of a US keyboard: `<` becomes `>` and
what is on no key is dropped. Here the table is read. A character that is on no key is put on one that has none; such keys are
given out anew only when all are taken, since programs read the table when they hear of a change, which may be a moment later.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

# The window manager, asked something that it answers in its turn: when it has, all that came before is dealt with.
#
# It gives windows the keyboard after a click, and reads the whole keyboard table again for each change of it. On a busy
# machine it may be behind; keys that are pressed meanwhile would go to the wrong window or to none.


PATIENCE = 3.0
_PAUSE = 0.002
_SUBSTRUCTURE = 0x180000


class Manager:
    """Whoever manages the windows; nothing is waited for if nobody does."""

    def __init__(self, display: Any) -> None:
        self._display, self._root = display, display.screen().root
        self._question = display.intern_atom("_NET_REQUEST_FRAME_EXTENTS")
        self._answer = display.intern_atom("_NET_FRAME_EXTENTS")
        self._present = self._root.get_full_property(display.intern_atom("_NET_SUPPORTING_WM_CHECK"), 0) is not None

    def settle(self) -> None:
        """Asks how wide the frame of a window would be, which is never shown."""
        if not self._present:
            return
        window = self._root.create_window(0, 0, 1, 1, 0, self._display.screen().root_depth)
        message: Any = import_module("Xlib.protocol.event").ClientMessage
        question = message(window=window, client_type=self._question, data=(32, [0] * 5))
        self._root.send_event(question, event_mask=_SUBSTRUCTURE)
        self._present = self._answered(window)
        window.destroy()
        self._display.sync()

    def _answered(self, window: Any) -> bool:
        limit = time.monotonic() + PATIENCE
        while window.get_full_property(self._answer, 0) is None:
            if time.monotonic() > limit:
                return False
            time.sleep(_PAUSE)
        return True


SETTLE = 0.03
"""How long programs get to hear of a key that was free before."""
RECYCLE = 0.4
"""How long they get to finish with a key before it means something else."""
_PRESS, _RELEASE = 2, 3
_FREE, _CARDINAL = "_TOUCHSTONE_FREE_KEYS", 6
_SHIFTS = ("shift", "shiftleft", "shiftright")


def keysym(character: str) -> int:
    """X's number of a character: Latin-1 as it is, all others by their code point."""
    code = ord(character)
    return code if 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xFF else 0x1000000 + code


def free_keys(display: Any) -> list[int]:
    """Keys that had no meaning when this was first asked on this screen, which is remembered there."""
    root, name = display.screen().root, display.intern_atom(_FREE)
    kept = root.get_full_property(name, _CARDINAL)
    if kept is not None:
        return list(kept.value)
    modifiers = {code for row in display.get_modifier_mapping() for code in row}
    free = [code for code, row in _rows(display) if not any(row) and code not in modifiers]
    root.change_property(name, _CARDINAL, 32, free)
    display.sync()
    return free


class Keyboard:
    """One keyboard on one connection."""

    def __init__(self, display: Any, fake_input: Any, names: Mapping[str, int | None], free: Sequence[int]) -> None:
        self._display, self._fake_input, self._names = display, fake_input, names
        self._manager = Manager(display)
        self._clicked = False
        self._free = list(free)
        self._held: set[str] = set()
        self._pressed: dict[str, int] = {}
        self._read()

    def clicked(self) -> None:
        """The next key waits until the window that was clicked has the keyboard."""
        self._clicked = True

    def down(self, key: str) -> None:
        if self._clicked:
            self._clicked = False
            self._manager.settle()
        code, shifted = self._find(key)
        if code is None:
            print(f"there is no key {key!r}", file=sys.stderr)
            return
        if key in _SHIFTS:
            self._held.add(key)
        shift = self._names["shift"] if shifted and not self._held else None
        for event, which in ((_PRESS, shift), (_PRESS, code), (_RELEASE, shift)):
            if which is not None:
                self._fake_input(self._display, event, which)
        self._pressed[key] = code
        self._display.sync()

    def up(self, key: str) -> None:
        self._held.discard(key)
        code = self._pressed.pop(key, None) or self._find(key)[0]
        if code is not None:
            self._fake_input(self._display, _RELEASE, code)
            self._display.sync()

    def pieces(self, message: str | Sequence[str]) -> Iterator[Sequence[str]]:
        """The message in parts for each of which there are keys enough, which they then have."""
        part: list[str] = []
        new: set[str] = set()
        for key in message:
            if _is_character(key) and keysym(key) not in self._places and key not in new:
                if self._free and len(new) == len(self._free):
                    yield self._prepared(part, new)
                    part, new = [], set()
                new.add(key)
            part.append(key)
        yield self._prepared(part, new)

    def _prepared(self, part: list[str], new: set[str]) -> list[str]:
        if new and self._free:
            self._give(sorted(new), keep={keysym(key) for key in part if _is_character(key)})
        return part

    def _find(self, key: str) -> tuple[int | None, bool]:
        """The key and whether Shift goes with it. Control characters are keys with names."""
        if not _is_character(key):
            return self._names.get(key) or None, False
        if keysym(key) not in self._places and self._free:
            self._give([key], keep=set())
        return self._places.get(keysym(key), (None, False))

    def _give(self, characters: list[str], keep: set[int]) -> None:
        """Keys that are free, or else those whose characters are not needed now."""
        taken = {code: symbol for symbol, (code, _) in self._places.items()}
        free = [code for code in self._free if code not in taken]
        if len(free) < len(characters):
            time.sleep(RECYCLE)
            free += [code for code in self._free if code in taken and taken[code] not in keep]
        for code, character in zip(free, characters, strict=False):
            self._display.change_keyboard_mapping(code, [(keysym(character), keysym(character))])
        self._display.sync()
        time.sleep(SETTLE)
        self._manager.settle()
        self._read()

    def _read(self) -> None:
        self._places: dict[int, tuple[int, bool]] = {}
        for code, row in _rows(self._display):
            for level, symbol in enumerate(row[:2]):
                if symbol:
                    self._places.setdefault(symbol, (code, level == 1))


def _rows(display: Any) -> list[tuple[int, Sequence[int]]]:
    first, last = display.display.info.min_keycode, display.display.info.max_keycode
    rows: Sequence[Sequence[int]] = display.get_keyboard_mapping(first, last - first + 1)
    return list(enumerate(rows, first))


def _is_character(key: str) -> bool:
    return len(key) == 1 and (key.isprintable() or ord(key) >= 0xA0)
