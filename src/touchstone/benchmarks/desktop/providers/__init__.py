"""Where a desktop comes from: `sandbox`, `docker` or `remote`, each a maker of `desktop.Desktop`."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from ....errors import InputError
from ..desktop import Desktop

__all__ = ["NAMES", "ProviderSettings", "provider"]

NAMES = ("sandbox", "docker", "remote")


class ProviderSettings(Struct, frozen=True, kw_only=True):
    address: str | None = None
    """Of a running controller, for the remote provider."""
    reset_command: str | None = None
    """Makes a remote desktop clean again; run here, by a shell."""
    network: bool = False
    """Let the guest reach the network of this machine."""
    offline_web: bool = False
    """Without a network: stand-ins for the public addresses in image/standins/web.py."""
    screen: tuple[int, int] = (1920, 1080)


def provider(name: str, settings: ProviderSettings) -> Callable[[], Desktop]:
    """Makes desktops that are not started yet. Raises InputError if this kind cannot be had here."""
    match name:
        case "sandbox":
            from .sandbox import SandboxDesktop

            return lambda: SandboxDesktop(settings)
        case "docker":
            from .docker import DockerDesktop

            return lambda: DockerDesktop(settings)
        case "remote":
            from .remote import RemoteDesktop

            return lambda: RemoteDesktop(settings)
        case _:
            raise InputError(f"--provider {name}: expected one of {', '.join(NAMES)}")
