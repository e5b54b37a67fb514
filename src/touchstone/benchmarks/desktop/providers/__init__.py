"""Where a desktop comes from: `sandbox`, `docker` or `remote`, each a maker of `guests.Desktop`."""

from __future__ import annotations

from collections.abc import Callable

from ....errors import InputError
from ..desktop import Desktop
from .settings import ProviderSettings

__all__ = ["NAMES", "ProviderSettings", "provider"]

NAMES = ("sandbox", "docker", "remote")


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
