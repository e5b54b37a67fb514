"""The agent's hands: Python code with pyautogui and time at hand, in a child that has both already.

The fail-safe (an exception when the pointer is in a corner) is off, and pauses are short: what needs a pause asks for one.
Programs that the code starts outlive it when it ends by itself.
"""

from __future__ import annotations

import contextlib
import linecache
import os
import sys
import time
import traceback
from collections.abc import Sequence
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

from .fork_server import Perform
from .keyboard import Keyboard, free_keys

PAUSE = 0.02
HOLD = 0.06
"""Seconds that a click holds a button: some of LibreOffice's buttons do nothing for one that is let go within 50 ms."""
_NAME = "<action>"


def prepare() -> Perform:
    """Imports pyautogui, which opens the screen and wants a file with keys to it, if only an empty one."""
    (Path.home() / ".Xauthority").touch()
    pyautogui: Any = import_module("pyautogui")
    x11: Any = import_module("pyautogui._pyautogui_x11")
    pyautogui.FAILSAFE, pyautogui.PAUSE = False, PAUSE
    free = free_keys(x11._display)
    x11._display.close()

    def perform(job: dict[str, Any]) -> int:
        _open_screen(pyautogui, x11, free)
        return run(str(job["code"]), {"pyautogui": pyautogui, "time": time})

    return perform


def run(code: str, names: dict[str, Any]) -> int:
    """As `python -c` would, with its messages: tracebacks show the code's own lines only."""
    _like_a_program(code)
    try:
        exec(compile(code, _NAME, "exec"), {"__name__": "__main__", **names})
    except SystemExit as stop:
        return _stopped(stop.code)
    except BaseException as error:
        own = error.__traceback__.tb_next if error.__traceback__ else None
        traceback.print_exception(type(error), error, own)
        return 1
    return 0


def _like_a_program(code: str) -> None:
    os.chdir(Path.home())
    sys.argv = ["-c"]
    sys.stdin = open(os.devnull)  # noqa: SIM115, PTH123 (for as long as the process lives)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace", closefd=False, buffering=1)
    linecache.cache[_NAME] = (len(code), None, code.splitlines(keepends=True), _NAME)


def _stopped(code: object) -> int:
    if code is None or isinstance(code, int):
        return code or 0
    print(code, file=sys.stderr)
    return 1


def _open_screen(pyautogui: Any, x11: Any, free: Sequence[int]) -> None:
    """A connection of the child's own, and hands on the keyboard table instead of guesses."""
    with contextlib.redirect_stdout(StringIO()):  # it prints a warning when there is no file with keys
        x11._display = x11.Display(os.environ["DISPLAY"])
    keyboard = Keyboard(x11._display, x11.fake_input, x11.keyboardMapping, free)
    x11._keyDown, x11._keyUp = keyboard.down, keyboard.up
    original, press, release = pyautogui.typewrite, x11._mouseDown, x11._mouseUp

    def mouse_down(*arguments: Any) -> None:
        press(*arguments)
        keyboard.clicked()

    def click(x: int | None, y: int | None, button: Any) -> None:
        """pyautogui's, which the wheel uses too, with the button held."""
        mouse_down(x, y, x11.BUTTON_NAME_MAPPING[button])
        time.sleep(HOLD if button in ("left", "middle", "right") else 0)
        release(x, y, x11.BUTTON_NAME_MAPPING[button])

    def write(message: str | Sequence[str], *arguments: Any, **options: Any) -> None:
        """pyautogui's, in pieces for which the keyboard is prepared."""
        for piece in keyboard.pieces(message):
            original(piece, *arguments, **options)

    x11._mouseDown, x11._click = mouse_down, click
    pyautogui.typewrite = pyautogui.write = write
