"""HTML from Python calls. Text is escaped unless it is `Html`, which only this module makes."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Union

_ALONE = frozenset({"br", "hr", "img", "input", "link", "meta", "rect", "line", "circle", "polyline"})


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


Child = Union[str, None, Iterable["Child"]]  # noqa: UP007 (an alias that names itself)
Attribute = str | int | float | bool | None

NOTHING = Html("")


def text(value: str) -> Html:
    """Escaped, and without the control characters that HTML cannot hold."""
    if not value.isprintable():
        value = "".join(char if char.isprintable() or char in "\n\t" or char > "\x9f" else _control(char) for char in value)
    return Html(escape(value))


def h(tag: str, *children: Child, **attributes: Attribute) -> Html:
    """An element. `class_` is the attribute class, `data_x` is data-x; None and False leave an attribute out."""
    named = "".join(_attribute(name, value) for name, value in attributes.items() if value is not None and value is not False)
    if tag in _ALONE and not children:
        return Html(f"<{tag}{named}>" if tag in ("br", "hr", "img", "input", "link", "meta") else f"<{tag}{named}/>")
    return Html(f"<{tag}{named}>{join(*children)}</{tag}>")


def join(*children: Child) -> Html:
    return Html("".join(_parts(children)))


def _parts(children: Iterable[Child]) -> Iterable[str]:
    for child in children:
        if isinstance(child, Html):
            yield child
        elif isinstance(child, str):
            yield text(child)
        elif child is not None:
            yield from _parts(child)


def _attribute(name: str, value: Attribute) -> str:
    name = name.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{text(_number(value) if isinstance(value, float) else str(value))}"'


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".")


def _control(char: str) -> str:
    """Shown as the picture of a control character, so that nothing vanishes from what a model wrote."""
    return chr(0x2400 + ord(char)) if char < " " else "\ufffd"
