"""What a provider is told."""

from __future__ import annotations

from msgspec import Struct


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
