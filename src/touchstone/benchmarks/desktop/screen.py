"""Looking at a desktop: what the agent is shown of it, and the files that are kept."""

from __future__ import annotations

import ast
import asyncio
import re
import struct
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

from ...errors import WorkerFailure
from ...types import ON_SCREEN
from . import observations
from .artefacts import Artefacts
from .config import DesktopConfig
from .desktop import Desktop
from .extras import need
from .observations import PICTURE_SPACES, TREE_SPACES, ScreenElement

# Set of marks: boxes around what can be used, each with its number, drawn into a picture of the screen.
#
# A box is one red pixel wide; its number is white on black at its lower left corner. What is a single colour on the screen is
# nothing to see, and gets no box. In code, `index_N` is bound to the centre of box N by assignments before the code: texts
# and longer names that hold the same letters stay as they are.


_INDEX = re.compile(r"index_(\d{1,6})")
_RED, _BLACK, _WHITE = (255, 0, 0), (0, 0, 0), (255, 255, 255)


class NoSuchBox(Exception):
    """Code names a box that is not on the screen."""


def marked(screenshot: bytes, usable: Sequence[ScreenElement]) -> tuple[bytes, list[ScreenElement]]:
    """The picture with its boxes, and the things that have one, in the order of their numbers."""
    pictures = need("PIL.Image")
    with pictures.open(BytesIO(screenshot)) as opened:
        picture = opened.convert("RGB")
    boxed = [node for node in usable if _is_seen(picture, node)]
    _draw(picture, boxed)
    target = BytesIO()
    picture.save(target, "PNG")
    return target.getvalue(), boxed


def bound(code: str, boxed: Sequence[ScreenElement]) -> str:
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
    return {int(match[1]) for node in names if node.id not in own and (match := _INDEX.fullmatch(node.id))}


def _is_seen(picture: Any, node: ScreenElement) -> bool:
    """Inside the picture, and not of a single colour."""
    right, lower = min(node.x + node.width, picture.width), min(node.y + node.height, picture.height)
    if node.x >= right or node.y >= lower:
        return False
    extremes = picture.crop((node.x, node.y, right, lower)).getextrema()
    return any(low != high for low, high in extremes)


def _draw(picture: Any, boxed: Sequence[ScreenElement]) -> None:
    drawing = need("PIL.ImageDraw").Draw(picture)
    font = need("PIL.ImageFont").load_default(12)
    for number, node in enumerate(boxed):
        right, lower = node.x + node.width - 1, node.y + node.height - 1
        drawing.rectangle((node.x, node.y, right, lower), outline=_RED, width=1)
        label = drawing.textbbox((node.x, lower), str(number), font=font, anchor="lb")
        drawing.rectangle(label, fill=_BLACK)
        drawing.text((node.x, lower), str(number), font=font, anchor="lb", fill=_WHITE)


_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_POLL = 0.3
_REST = 4
"""So many looks in a row that showed nothing new."""
_RECENT = 6
"""A blinking cursor makes two pictures, of which each comes back: what was seen among so many looks before is nothing new."""


@dataclass(frozen=True)
class Sight:
    """One look."""

    text: str = ""
    pictures: tuple[bytes, ...] = ()
    details: dict[str, Any] = field(default_factory=dict[str, Any])


async def until_rest(desktop: Desktop, seconds: float) -> None:
    """Until the screen has been at rest for a while, or does not come to rest in the time given."""
    recent: deque[bytes] = deque(maxlen=_RECENT)
    resting = 0
    for _ in range(round(seconds / _POLL)):
        picture = await desktop.screenshot()
        resting = resting + 1 if picture in recent else 0
        if resting == _REST:
            return
        recent.append(picture)
        await asyncio.sleep(_POLL)


class Screen:
    """The screen of one episode."""

    def __init__(self, desktop: Desktop, config: DesktopConfig, artefacts: Artefacts) -> None:
        self._desktop = desktop
        self._config = config
        self._artefacts = artefacts
        self._looks = 0
        self._last: str | None = None
        self.size = (0, 0)
        self.boxed: list[ScreenElement] = []
        """What the numbers of the last look stand for."""

    async def open(self) -> None:
        """The first picture."""
        picture = await self._desktop.screenshot()
        self.size = size_of(picture)
        self._last = self._artefacts.keep(picture, "000.png")

    async def look(self, *, whole: bool = True) -> Sight:
        """What is there now. Not whole: the picture for the record alone."""
        picture = await self._desktop.screenshot()
        self._looks += 1
        name = f"{self._looks:03}"
        details = {"before": self._last, "screenshot": self._artefacts.keep(picture, f"{name}.png")}
        self._last = details["screenshot"]
        if not whole:
            return Sight(details=_known_details(details))
        pictures, text = (picture,), ""
        if self._config.observation in TREE_SPACES:
            tree = await self._desktop.accessibility()
            details["accessibility"] = self._artefacts.keep(tree.encode("utf-8", "replace"), f"{name}.xml")
            shown, text = await asyncio.to_thread(self._read, picture, tree)
            if shown is not picture:
                details["marked"] = self._artefacts.keep(shown, f"{name}-marked.png")
                pictures = (shown,)
        seen = pictures if self._config.observation in PICTURE_SPACES else ()
        return Sight(ON_SCREEN + text if text else "", seen, _known_details(details))

    def _read(self, picture: bytes, tree: str) -> tuple[bytes, str]:
        """The picture, marked if that is wanted, and the table."""
        usable = observations.nodes(tree)
        numbered = self._config.observation == "som"
        if numbered:
            picture, self.boxed = marked(picture, usable or ())
            usable = None if usable is None else self.boxed
        return picture, observations.table(usable, self._config.a11y_max_tokens, indexed=numbered)


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height, from the head of a PNG file."""
    if len(picture) < 24 or not picture.startswith(_SIGNATURE):
        raise WorkerFailure("the desktop gave no picture of its screen")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def _known_details(details: dict[str, str | None]) -> dict[str, Any]:
    return {name: value for name, value in details.items() if value is not None}
