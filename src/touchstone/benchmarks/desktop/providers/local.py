"""What desktops that are started on this machine have in common: an image, a session, two sockets, a token."""

from __future__ import annotations

import asyncio
import secrets
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from ....failures import InputError, Skipped, WorkerFailure
from ..image import Image, find, layers_for, standins
from .controlled import ControlledGuest
from .forwarding import Forwarder
from .namespaces import Bind
from .settings import ProviderSettings

PLACE = "/run/touchstone"
"""Where its sockets, its token and the logs of its session are, inside."""
SESSION = ("/bin/bash", "/opt/touchstone/session.sh")
_HERE = Path(__file__).parent.parent
BINDS = (
    Bind(_HERE / "controller", "/opt/touchstone/controller"),
    Bind(_HERE / "image" / "session.sh", "/opt/touchstone/session.sh"),
)
SECONDS_TO_START, PAUSE = 60.0, 0.02
_LOGS = ("controller.log", "xvfb.log")


class LocalDesktop(ControlledGuest, ABC):
    """Making it clean again is ending it and starting another."""

    provider: str

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__()
        self.settings = settings
        self._image: Image | None = None
        self._token = ""
        self._forwarders: dict[int, Forwarder] = {}

    @abstractmethod
    async def begin(self, image: Image, token: str) -> None:
        """Starts the session."""

    @abstractmethod
    async def end(self) -> None:
        """Ends it, if it has been started."""

    @abstractmethod
    def running(self) -> bool: ...

    @abstractmethod
    def inside(self, name: str) -> Path:
        """A file below PLACE, as the host reaches it."""

    @abstractmethod
    def said(self) -> str:
        """What starting it printed."""

    async def start(self, apps: Sequence[str] = ()) -> None:
        self._image, self._token = _image_for(apps), secrets.token_hex(16)
        try:
            await self.begin(self._image, self._token)
            self.attach(httpx.AsyncHTTPTransport(uds=str(self.inside("controller.sock"))), "http://desktop", self._token)
            await self._until_ready()
        except BaseException:
            await self.stop()
            raise

    async def reset(self, apps: Sequence[str] = ()) -> None:
        await self.stop()
        await self.start(apps)

    async def stop(self) -> None:
        await self.detach()
        for forwarder in self._forwarders.values():
            await forwarder.close()
        self._forwarders.clear()
        await self.end()

    async def endpoint(self, port: int) -> str:
        if not self.running():
            raise WorkerFailure("the desktop is not running", kind="desktop")
        if port not in self._forwarders:
            self._forwarders[port] = await Forwarder.open(self.inside("tunnel.sock"), self._token, port)
        return self._forwarders[port].address

    def description(self) -> Mapping[str, Any]:
        width, height = self.settings.screen
        return {
            "provider": self.provider,
            "image": self._image.names if self._image else [],
            "stand-ins": standins(),
            "network": self.settings.network,
            "screen": f"{width}x{height}",
        }

    async def _until_ready(self) -> None:
        deadline = time.monotonic() + SECONDS_TO_START
        while not await self.ready():
            if not self.running() or time.monotonic() > deadline:
                what = f"is not ready after {SECONDS_TO_START:g} s" if self.running() else "ended"
                raise WorkerFailure(f"the desktop's session {what}: {self._last_words()}", kind="desktop")
            await asyncio.sleep(PAUSE)

    def _last_words(self) -> str:
        texts = [self.said()]
        for log in _LOGS:
            try:
                texts.append(self.inside(log).read_text(errors="replace"))
            except OSError:
                continue  # it is gone already, or never began
        return " ".join(" ".join(texts).split())[-400:] or "it says nothing"


def _image_for(apps: Sequence[str]) -> Image:
    try:
        return find(layers_for(apps))
    except InputError as error:
        raise Skipped(str(error), kind="image") from None
