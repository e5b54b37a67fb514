"""A desktop that runs somewhere else: whatever has a controller at an address, such as a published virtual machine.

Only a command of the user's, such as one that reverts a snapshot, makes it clean again. Without one it is used for one task,
and the tasks after it are skipped: what one left behind would change the next one's result.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from ....errors import InputError, Skipped, WorkerFailure
from . import ProviderSettings
from .controlled import ControlledGuest, ControllerAnswer, at_address

TOKEN = "TOUCHSTONE_DESKTOP_TOKEN"
START_SECONDS = 60.0
RESET_SECONDS = 600.0
_CHANGES = ("/execute", "/setup/launch", "/setup/upload", "/act")
"""After one of these the desktop is no longer clean."""


class RemoteDesktop(ControlledGuest):
    """Started by somebody else, and not ended by us."""

    def __init__(self, settings: ProviderSettings, start_seconds: float = START_SECONDS) -> None:
        super().__init__()
        if not settings.address:
            raise InputError("a remote desktop needs its address, such as http://host:5000")
        parts = urlsplit(settings.address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(f"{settings.address}: the address of a desktop looks like http://host:5000")
        self._address = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        self._host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
        self._reset_command, self._start_seconds = settings.reset_command, start_seconds
        self._used = False
        self._screen: tuple[int, int] | None = None

    async def start(self, apps: Sequence[str] = ()) -> None:
        """Which applications it has cannot be asked."""
        await self._connect()

    async def reset(self, apps: Sequence[str] = ()) -> None:
        if self._reset_command:
            await self.disconnect()
            await _run(self._reset_command)
            await self._connect()
        elif self._used:
            raise Skipped(
                "a remote desktop is not clean after its first task; give --reset-command to make it so", kind="guest"
            )

    async def stop(self) -> None:
        await self.disconnect()

    async def endpoint(self, port: int) -> str:
        return f"http://{self._host}:{port}"

    async def _ask(self, method: str, path: str, seconds: float, **content: Any) -> ControllerAnswer:
        self._used = self._used or path in _CHANGES
        return await super()._ask(method, path, seconds, **content)

    def description(self) -> Mapping[str, Any]:
        screen = f"{self._screen[0]}x{self._screen[1]}" if self._screen else None
        return {"provider": "remote", "address": self._address, "screen": screen, "resets": bool(self._reset_command)}

    async def _connect(self) -> None:
        await self.connect(at_address(self._address, os.environ.get(TOKEN, "")))
        await self.until_ready(self._start_seconds)
        self._screen = await self.screen_size()
        self._used = False


async def _run(command: str) -> None:
    """A command of the user's, in a shell."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_shell(
        command, stdout=pipe, stderr=asyncio.subprocess.STDOUT, start_new_session=True
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(), RESET_SECONDS)
    except TimeoutError:
        raise WorkerFailure(f"the reset command took longer than {RESET_SECONDS:g} s", kind="desktop") from None
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if process.returncode:
        last = output.decode("utf-8", "replace").strip()[-300:]
        raise WorkerFailure(f"the reset command ended with {process.returncode}: {last}", kind="desktop")
