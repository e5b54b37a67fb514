"""What desktops that are started on this machine have in common: an image, a session, two sockets, a token."""

from __future__ import annotations

import os
import secrets
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ....errors import InputError, Skipped, WorkerFailure
from ..image import Image, find, layers_for, not_given, standins
from . import ProviderSettings
from .controlled import ControlledGuest, at_socket
from .namespaces import Bind
from .network import Forwarder

PLACE = "/run/touchstone"
"""Where its sockets, its token and the logs of its session are, inside."""
SESSION = ("/bin/bash", "/opt/touchstone/session.sh")
_HERE = Path(__file__).parent.parent
BINDS = (
    Bind(_HERE / "controller", "/opt/touchstone/controller"),
    Bind(_HERE / "image" / "session.sh", "/opt/touchstone/session.sh"),
)
SECONDS_TO_START = 120.0
"""It takes three on an idle machine. A session that has ended is noticed at once; this is for one that hangs."""
_SERVERS = {"postgresql", "mysql"}
"""Layers whose servers run when a desktop starts."""
_BOOTED = "until [ -e /run/touchstone-booted ]; do sleep 0.1; done"
_LOGS = ("controller.log", "xvfb.log")


class LocalDesktop(ControlledGuest, ABC):
    """Making it clean again is ending it and starting another."""

    provider: str

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__()
        self.settings = settings
        self._image: Image | None = None
        self._forwarder: Forwarder | None = None
        self._held: list[int] = []

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
    def output(self) -> str:
        """What starting it printed."""

    async def start(self, apps: Sequence[str] = ()) -> None:
        self._image, token = _image_for(apps), secrets.token_hex(16)
        try:
            await self.begin(self._image, token)
            await self.connect(at_socket(self.inside("controller.sock"), token))
            await self._until_ready()
            await self.connect(at_socket(self._pinned("controller.sock"), token))
            self._forwarder = Forwarder(self._pinned("tunnel.sock"), token)
            await self._until_booted(apps)
        except BaseException:
            await self.stop()
            raise

    async def reset(self, apps: Sequence[str] = ()) -> None:
        await self.stop()
        await self.start(apps)

    async def stop(self) -> None:
        await self.disconnect()
        if self._forwarder:
            await self._forwarder.close()
        self._forwarder = None
        while self._held:
            os.close(self._held.pop())
        await self.end()

    async def endpoint(self, port: int) -> str:
        if self._forwarder is None:
            raise WorkerFailure("the desktop is not running", kind="desktop")
        return await self._forwarder.address(port)

    def description(self) -> Mapping[str, Any]:
        """Before it has been started, with the layers that every desktop has. Raises InputError if there are none."""
        width, height = self.settings.screen
        return {
            "provider": self.provider,
            "image": (self._image or find(())).names,
            "stand-ins": standins(),
            "network": self.settings.network,
            **({"offline-web": True} if self.settings.offline_web else {}),
            "screen": f"{width}x{height}",
        }

    async def _until_booted(self, apps: Sequence[str]) -> None:
        """Set-up scripts take it that database servers run."""
        if set(layers_for(apps)) & _SERVERS:
            await self.execute(["sh", "-c", _BOOTED], seconds=SECONDS_TO_START)

    async def _until_ready(self) -> None:
        try:
            await self.until_ready(SECONDS_TO_START, self.running)
        except WorkerFailure as failure:
            raise WorkerFailure(f"{failure}: {self._last_words()}", kind=failure.kind) from None

    def _pinned(self, name: str) -> Path:
        """The socket as it is before an agent has been there, who could put a link to one of the host's in its place."""
        self._held.append(os.open(self.inside(name), os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC))
        return Path(f"/proc/self/fd/{self._held[-1]}")

    def _last_words(self) -> str:
        texts = [self.output()]
        for log in _LOGS:
            try:
                texts.append(self.inside(log).read_text(errors="replace"))
            except OSError:
                continue  # it is gone already, or never began
        return " ".join(" ".join(texts).split())[-400:] or "it says nothing"


def _image_for(apps: Sequence[str]) -> Image:
    for app, why in not_given(apps).items():
        raise Skipped(f"{app}: {why}", kind="app")
    try:
        return find(layers_for(apps))
    except InputError as error:
        raise Skipped(str(error), kind="image") from None
