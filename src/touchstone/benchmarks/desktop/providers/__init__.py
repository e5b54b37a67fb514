"""Where a desktop comes from: `sandbox`, `docker` or `remote`, each a maker of `desktop.Desktop`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib import import_module

from msgspec import Struct

from ....errors import InputError
from ..desktop import Desktop

__all__ = ["NAMES", "ProviderSettings", "provider"]

NAMES = {"sandbox": ".sandbox:SandboxDesktop", "docker": ".docker:DockerDesktop", "remote": ".remote:RemoteDesktop"}


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
    if name not in NAMES:
        raise InputError(f"--provider {name}: expected one of {', '.join(NAMES)}")
    module, _, kind = NAMES[name].partition(":")
    return partial(getattr(import_module(module, __package__), kind), settings)
