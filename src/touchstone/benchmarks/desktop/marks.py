"""Set of marks: boxes around what can be used, each with its number, drawn into a picture of the screen.

A box is one red pixel wide; its number is white on black at its lower left corner. What is a single colour on the screen is
nothing to see, and gets no box. In code, `index_N` is bound to the centre of box N by assignments before the code: texts and
longer names that hold the same letters stay as they are.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from .extras import need
from .observations import Node

_INDEX = re.compile(r"index_(\d{1,6})")
_RED, _BLACK, _WHITE = (255, 0, 0), (0, 0, 0), (255, 255, 255)


class NoSuchBox(Exception):
    """Code names a box that is not on the screen."""


def marked(screenshot: bytes, found: Sequence[Node]) -> tuple[bytes, list[Node]]:
    """The picture with its boxes, and the things that have one, in the order of their numbers."""
    pictures = need("PIL.Image")
    with pictures.open(BytesIO(screenshot)) as opened:
        picture = opened.convert("RGB")
    boxed = [node for node in found if _is_seen(picture, node)]
    _draw(picture, boxed)
    target = BytesIO()
    picture.save(target, "PNG")
    return target.getvalue(), boxed


def bound(code: str, boxed: Sequence[Node]) -> str:
    """The code with the boxes that it names bound to their centres. Raises NoSuchBox."""
    named = sorted(_named(code))
    for number in named:
        if number >= len(boxed):
            there = f"the boxes are 0 to {len(boxed) - 1}" if boxed else "there are no boxes"
            raise NoSuchBox(f"There is no box {number} on the screen you last saw: {there}.")
    return "".join(f"index_{number} = {boxed[number].centre}\n" for number in named) + code


def _named(code: str) -> set[int]:
    """Code that is no Python fails by itself; names that the code binds are its own."""
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    own = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    return {int(found[1]) for node in names if node.id not in own and (found := _INDEX.fullmatch(node.id))}


def _is_seen(picture: Any, node: Node) -> bool:
    """Inside the picture, and not of a single colour."""
    right, lower = min(node.x + node.width, picture.width), min(node.y + node.height, picture.height)
    if node.x >= right or node.y >= lower:
        return False
    extremes = picture.crop((node.x, node.y, right, lower)).getextrema()
    return any(low != high for low, high in extremes)


def _draw(picture: Any, boxed: Sequence[Node]) -> None:
    drawing = need("PIL.ImageDraw").Draw(picture)
    font = need("PIL.ImageFont").load_default(12)
    for number, node in enumerate(boxed):
        right, lower = node.x + node.width - 1, node.y + node.height - 1
        drawing.rectangle((node.x, node.y, right, lower), outline=_RED, width=1)
        label = drawing.textbbox((node.x, lower), str(number), font=font, anchor="lb")
        drawing.rectangle(label, fill=_BLACK)
        drawing.text((node.x, lower), str(number), font=font, anchor="lb", fill=_WHITE)
