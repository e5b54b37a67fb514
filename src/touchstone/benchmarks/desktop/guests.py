"""What a desktop must offer to set-up steps and evaluators: five calls, whatever it runs on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from msgspec import Struct

HOME = "/home/user"
CONTROLLER_PORT = 5000
"""Where the guest's controller listens: screenshots, the accessibility tree."""
SECONDS = 300.0
"""How long a command may take, as in the original."""


class Execution(Struct, frozen=True):
    """What a command did."""

    output: str
    error: str
    returncode: int


class Guest(Protocol):
    """A running desktop. Paths are the guest's own."""

    async def execute(self, command: Sequence[str] | str, *, shell: bool = False, seconds: float = SECONDS) -> Execution:
        """Runs a command to its end."""
        ...

    async def launch(self, command: Sequence[str] | str, *, shell: bool = False) -> None:
        """Starts a command and does not wait for it."""
        ...

    async def put(self, source: Path, destination: str) -> None:
        """Copies a file from here into the guest; folders are made."""
        ...

    async def get(self, path: str, destination: Path) -> bool:
        """Copies a file out of the guest; False if there is none."""
        ...

    async def endpoint(self, port: int) -> str:
        """The address, as http://host:port, at which a port of the guest is reached from here."""
        ...
