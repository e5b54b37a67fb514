"""A desktop in a container on this machine: the default.

Its file system is the layers of the image that the task's applications need, under a layer of memory that takes all writes.
Nothing of it lies on the host: the sockets of its controller are reached through /proc, so that after its last process,
however that ended, nothing is left.
"""

from __future__ import annotations

from pathlib import Path

from ....errors import WorkerFailure
from ..desktop import HOME
from ..image import Image
from . import ProviderSettings
from .local import BINDS, PLACE, SESSION, LocalDesktop
from .namespaces import Container, ContainerPlan, File, host_ids
from .network import RESOLVER, Way, refuse_missing

USER = 1000


class SandboxDesktop(LocalDesktop):
    """One desktop. Raises InputError at once if this machine cannot have any."""

    provider = "sandbox"

    def __init__(self, settings: ProviderSettings) -> None:
        super().__init__(settings)
        host_ids()
        if settings.network:
            refuse_missing()
        self._container: Container | None = None
        self._way: Way | None = None

    async def begin(self, image: Image, token: str) -> None:
        self._container = Container(_plan(image, self.settings, token))
        await self._container.start()
        if self.settings.network:
            self._way = await Way.open(self._container.first)

    async def end(self) -> None:
        if self._way:
            await self._way.close()
        if self._container:
            await self._container.end()
        self._way = self._container = None

    def running(self) -> bool:
        return self._container is not None and self._container.running

    def inside(self, name: str) -> Path:
        if self._container is None:
            raise WorkerFailure("the desktop has not been started", kind="desktop")
        return Path(f"/proc/{self._container.first}/root{PLACE}/{name}")

    def output(self) -> str:
        return self._container.output.text if self._container else ""


def _plan(image: Image, settings: ProviderSettings, token: str) -> ContainerPlan:
    width, height = settings.screen
    files = [File(f"{PLACE}/token", token, USER)]
    if settings.network:
        files.append(File("/etc/resolv.conf", RESOLVER))
    web = "" if settings.network else "offline" if settings.offline_web else "index"
    return ContainerPlan(
        program=SESSION,
        layers=image.paths,
        binds=BINDS,
        files=files,
        user=USER,
        variables={"HOME": HOME, "TOUCHSTONE_SCREEN": f"{width}x{height}x24", "TOUCHSTONE_WEB": web},
    )
