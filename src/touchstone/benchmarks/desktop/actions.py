"""The 13 published kinds of action of `computer_13`, checked, and turned into pyautogui code.

An action is an object with `action_type` and the parameters of that kind, either beside it or in an object `parameters`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

Kind = Literal[
    "MOVE_TO",
    "CLICK",
    "MOUSE_DOWN",
    "MOUSE_UP",
    "RIGHT_CLICK",
    "DOUBLE_CLICK",
    "DRAG_TO",
    "SCROLL",
    "TYPING",
    "PRESS",
    "KEY_DOWN",
    "KEY_UP",
    "HOTKEY",
]
Button = Literal["left", "right", "middle"]
_NAMED_KEYS = (
    frozenset(
        """
    accept add alt altleft altright apps backspace browserback browserfavorites browserforward browserhome browserrefresh
    browsersearch browserstop capslock clear convert ctrl ctrlleft ctrlright decimal del delete divide down end enter esc escape
    execute final fn hanguel hangul hanja help home insert junja kana kanji launchapp1 launchapp2 launchmail launchmediaselect
    left modechange multiply nexttrack nonconvert numlock pagedown pageup pause pgdn pgup playpause prevtrack print printscreen
    prntscrn prtsc prtscr return right scrolllock select separator shift shiftleft shiftright sleep space stop subtract tab up
    volumedown volumemute volumeup win winleft winright yen command option optionleft optionright
    """.split()
    )
    | {f"f{number}" for number in range(1, 25)}
    | {f"num{number}" for number in range(10)}
)


class Act(Struct, frozen=True, omit_defaults=True):
    """One action of the mouse or the keyboard."""

    action_type: Kind
    x: Annotated[float | None, Meta(description="MOVE_TO, CLICK, RIGHT_CLICK, DOUBLE_CLICK, DRAG_TO: pixels from the left")] = (
        None
    )
    y: Annotated[float | None, Meta(description="the same, from the top")] = None
    button: Annotated[Button | None, Meta(description="CLICK, MOUSE_DOWN, MOUSE_UP; left if not given")] = None
    num_clicks: Annotated[int | None, Meta(description="CLICK: 1 to 3")] = None
    dx: Annotated[int | None, Meta(description="SCROLL: to the right, or to the left if negative")] = None
    dy: Annotated[int | None, Meta(description="SCROLL: up, or down if negative")] = None
    text: Annotated[str | None, Meta(description="TYPING")] = None
    key: Annotated[str | None, Meta(description="PRESS, KEY_DOWN, KEY_UP: as pyautogui names it")] = None
    keys: Annotated[list[str] | None, Meta(description="HOTKEY: pressed in this order, released in the opposite one")] = None
    parameters: Annotated[dict[str, Any], Meta(description="all of these, as the published form has them")] = {}


class BadAction(Exception):
    """What is wrong with an action, for the agent to read."""


class _Rule(Struct, frozen=True):
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    code: Callable[[Mapping[str, Any]], str]


def code_of(action: Act, screen: tuple[int, int]) -> str:
    """The pyautogui code of an action. Raises BadAction."""
    rule = _RULES[action.action_type]
    parameters = _parameters(action)
    for name in rule.needed:
        if name not in parameters:
            raise BadAction(f"{action.action_type} needs the parameter '{name}'.")
    for name in parameters:
        if name not in (*rule.needed, *rule.optional):
            known = ", ".join((*rule.needed, *rule.optional)) or "none"
            raise BadAction(f"{action.action_type} has no parameter '{name}' (it has: {known}).")
    _check(action.action_type, parameters, screen)
    return rule.code(parameters)


def _parameters(action: Act) -> dict[str, Any]:
    """Of both forms together; types are those of `Act`."""
    flat = {name: value for name, value in msgspec.structs.asdict(action).items() if value is not None}
    merged = {**flat, **action.parameters, "action_type": action.action_type}
    try:
        checked = msgspec.convert({**merged, "parameters": {}}, Act)
    except msgspec.ValidationError as error:
        raise BadAction(f"{action.action_type}: {str(error).replace('`', chr(39))}.") from None
    unknown = [name for name in action.parameters if name not in Act.__struct_fields__]
    if unknown:
        raise BadAction(f"{action.action_type} has no parameter '{unknown[0]}'.")
    values = msgspec.structs.asdict(checked)
    return {name: value for name, value in values.items() if value is not None and name not in ("action_type", "parameters")}


def _check(kind: str, parameters: Mapping[str, Any], screen: tuple[int, int]) -> None:
    for name, size in zip("xy", screen, strict=True):
        if name in parameters and not (math.isfinite(parameters[name]) and 0 <= parameters[name] < size):
            raise BadAction(f"{kind}: {name} = {parameters[name]:g} is not on the screen, which is {screen[0]} x {screen[1]}.")
    if ("x" in parameters) != ("y" in parameters):
        raise BadAction(f"{kind} needs both x and y, or neither.")
    if not 1 <= parameters.get("num_clicks", 1) <= 3:
        raise BadAction(f"{kind}: num_clicks must be 1, 2 or 3.")
    if kind == "SCROLL" and not ("dx" in parameters or "dy" in parameters):
        raise BadAction("SCROLL needs dx, dy or both.")
    for key in [*([parameters["key"]] if "key" in parameters else []), *parameters.get("keys", ())]:
        if not (key in _NAMED_KEYS or (len(key) == 1 and key.isprintable())):
            raise BadAction(f"{kind}: there is no key '{key}'.")
    if odd := sorted({char for char in parameters.get("text", "") if not (char.isprintable() or char in "\n\t")}):
        raise BadAction(f"{kind}: these are no characters of a keyboard: {' '.join(map(repr, odd[:10]))}.")


def _call(function: str, *arguments: Any, **named: Any) -> str:
    words = [*map(repr, arguments), *(f"{name}={value!r}" for name, value in named.items())]
    return f"pyautogui.{function}({', '.join(words)})"


def _at(function: str, **always: Any) -> Callable[[Mapping[str, Any]], str]:
    """With what was given of the place."""
    return lambda parameters: _call(function, **{name: parameters[name] for name in ("x", "y") if name in parameters}, **always)


def _click(parameters: Mapping[str, Any]) -> str:
    position = {name: parameters[name] for name in ("x", "y") if name in parameters}
    return _call(
        "click", **position, button=parameters.get("button", "left"), clicks=parameters.get("num_clicks", 1), interval=0.1
    )


def _scroll(parameters: Mapping[str, Any]) -> str:
    wheels = (("hscroll", "dx"), ("vscroll", "dy"))
    return "\n".join(_call(function, parameters[name]) for function, name in wheels if name in parameters)


def _with_button(function: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda parameters: _call(function, button=parameters.get("button", "left"))


def _with_key(function: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda parameters: _call(function, parameters["key"])


_RULES: dict[str, _Rule] = {
    "MOVE_TO": _Rule(("x", "y"), (), _at("moveTo")),
    "CLICK": _Rule((), ("button", "x", "y", "num_clicks"), _click),
    "MOUSE_DOWN": _Rule((), ("button",), _with_button("mouseDown")),
    "MOUSE_UP": _Rule((), ("button",), _with_button("mouseUp")),
    "RIGHT_CLICK": _Rule((), ("x", "y"), _at("rightClick")),
    "DOUBLE_CLICK": _Rule((), ("x", "y"), _at("doubleClick", interval=0.1)),
    "DRAG_TO": _Rule(("x", "y"), (), _at("dragTo", duration=1.0, button="left", mouseDownUp=True)),
    "SCROLL": _Rule((), ("dx", "dy"), _scroll),
    "TYPING": _Rule(("text",), (), lambda given: _call("write", given["text"])),
    "PRESS": _Rule(("key",), (), _with_key("press")),
    "KEY_DOWN": _Rule(("key",), (), _with_key("keyDown")),
    "KEY_UP": _Rule(("key",), (), _with_key("keyUp")),
    "HOTKEY": _Rule(("keys",), (), lambda given: _call("hotkey", *given["keys"])),
}
