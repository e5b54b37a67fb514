"""What a person did with mouse and keyboard, checked, as pyautogui code."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec import Struct

Button = Literal["left", "middle", "right"]
Place = tuple[int, int]


class Click(Struct, frozen=True, tag="click"):
    at: Place
    button: Button = "left"
    clicks: int = 1


class Drag(Struct, frozen=True, tag="drag"):
    start: Place
    end: Place
    button: Button = "left"


class Scroll(Struct, frozen=True, tag="scroll"):
    at: Place
    amount: int
    """Notches of the wheel, up if positive."""


class Typed(Struct, frozen=True, tag="type"):
    text: str


class Keys(Struct, frozen=True, tag="keys"):
    """One key, or several at once."""

    keys: list[str]


class Said(Struct, frozen=True, tag="say"):
    word: Literal["wait", "done", "fail"]


Event = Click | Drag | Scroll | Typed | Keys | Said

_decoder = msgspec.json.Decoder(Event)


def read(body: bytes) -> Event:
    """Raises ValueError."""
    try:
        return _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"not an event: {error}") from None


def code(event: Click | Drag | Scroll | Typed | Keys) -> str:
    match event:
        case Click(at, button, clicks):
            return f"pyautogui.click({at[0]}, {at[1]}, clicks={clicks}, interval=0.1, button={button!r})"
        case Drag(start, end, button):
            return (
                f"pyautogui.moveTo({start[0]}, {start[1]})\n"
                f"pyautogui.dragTo({end[0]}, {end[1]}, duration=0.5, button={button!r})"
            )
        case Scroll(at, amount):
            return f"pyautogui.moveTo({at[0]}, {at[1]})\npyautogui.scroll({amount})"
        case Typed(text):
            return f"pyautogui.write({text!r})"
        case Keys(keys):
            return f"pyautogui.{'press' if len(keys) == 1 else 'hotkey'}({', '.join(map(repr, keys))})"
