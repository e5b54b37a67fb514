"""What a desktop offers, whatever it runs on: to set-up steps and evaluators a `Guest`, to an episode a `Desktop`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

HOME = "/home/user"
CONTROLLER_PORT = 5000
"""Where the controller of a guest that is reached over a network listens."""
SECONDS = 300.0
"""How long a command may take, as in the original."""
ACTION_SECONDS = 90.0
"""How long the code of one action may take, as in the original."""


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

    async def accessibility(self) -> str:
        """The accessibility tree of the whole desktop, as XML."""
        ...


class Desktop(Guest, Protocol):
    """A desktop that can be seen, used, and made clean again. Raises WorkerFailure when it is gone."""

    async def start(self, apps: Sequence[str] = ()) -> None:
        """Starts it with what these applications need. Raises Skipped if it has not got one of them."""
        ...

    async def reset(self, apps: Sequence[str] = ()) -> None:
        """Clean again, as after `start`; whatever was running or written is gone."""
        ...

    async def stop(self) -> None:
        """Ends it and leaves nothing behind. May be called twice."""
        ...

    async def act(self, code: str, *, seconds: float = ACTION_SECONDS) -> Execution:
        """Runs Python code with pyautogui and time at hand, as the agent's hands."""
        ...

    async def screenshot(self) -> bytes:
        """The screen as PNG, with the mouse pointer."""
        ...

    async def terminal(self) -> str | None:
        """The text of the terminal in front, if one is."""
        ...

    async def start_recording(self) -> None: ...

    async def stop_recording(self, destination: Path) -> bool:
        """Writes the video to a file; False if there is none."""
        ...

    def description(self) -> Mapping[str, Any]:
        """What it is, for records: provider, image with its layers, stand-ins, screen size."""
        ...
