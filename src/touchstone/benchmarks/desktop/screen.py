"""Looking at a desktop: what the agent is shown of it, and the files that are kept."""

from __future__ import annotations

import asyncio
import struct
from dataclasses import dataclass, field
from typing import Any

from ...failures import WorkerFailure
from ...values import ON_SCREEN
from . import marks, observations
from .artefacts import Artefacts
from .guests import Desktop
from .observations import PICTURE_SPACES, TREE_SPACES, Node
from .settings import Settings

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_POLL = 0.5
_REST = 3
"""So many looks in a row without a change."""


@dataclass(frozen=True)
class Sight:
    """One look."""

    text: str = ""
    pictures: tuple[bytes, ...] = ()
    details: dict[str, Any] = field(default_factory=dict[str, Any])


class Screen:
    """The screen of one episode."""

    def __init__(self, desktop: Desktop, settings: Settings, artefacts: Artefacts) -> None:
        self._desktop = desktop
        self._settings = settings
        self._artefacts = artefacts
        self._looks = 0
        self._last: str | None = None
        self.size = (0, 0)
        self.boxed: list[Node] = []
        """What the numbers of the last look stand for."""

    async def open(self) -> None:
        """The first picture: when the screen has been at rest for a while, or does not come to rest in the time given."""
        picture = await self._desktop.screenshot()
        resting = 0
        for _ in range(round(self._settings.settle / _POLL)):
            await asyncio.sleep(_POLL)
            before, picture = picture, await self._desktop.screenshot()
            resting = resting + 1 if picture == before else 0
            if resting == _REST:
                break
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
            return Sight(details=_given(details))
        pictures, text = (picture,), ""
        if self._settings.observation in TREE_SPACES:
            tree = await self._desktop.accessibility()
            details["accessibility"] = self._artefacts.keep(tree.encode("utf-8", "replace"), f"{name}.xml")
            shown, text = await asyncio.to_thread(self._read, picture, tree)
            if shown is not picture:
                details["marked"] = self._artefacts.keep(shown, f"{name}-marked.png")
                pictures = (shown,)
        seen = pictures if self._settings.observation in PICTURE_SPACES else ()
        return Sight(ON_SCREEN + text if text else "", seen, _given(details))

    def _read(self, picture: bytes, tree: str) -> tuple[bytes, str]:
        """The picture, marked if that is wanted, and the table."""
        found = observations.nodes(tree)
        numbered = self._settings.observation == "som"
        if numbered:
            picture, self.boxed = marks.marked(picture, found or ())
            found = None if found is None else self.boxed
        return picture, observations.table(found, self._settings.a11y_max_tokens, indexed=numbered)


def size_of(picture: bytes) -> tuple[int, int]:
    """Width and height, from the head of a PNG file."""
    if len(picture) < 24 or not picture.startswith(_SIGNATURE):
        raise WorkerFailure("the desktop gave no picture of its screen")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def _given(details: dict[str, str | None]) -> dict[str, Any]:
    return {name: value for name, value in details.items() if value is not None}
