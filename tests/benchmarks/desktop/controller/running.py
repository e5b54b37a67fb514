"""The real controller as a process of this machine, without a screen."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from touchstone.benchmarks.desktop import controller
from touchstone.benchmarks.desktop.providers.controlled import ControlledGuest, at_socket

FOLDER = Path(controller.__file__).parent
TOKEN = "correct horse"


@dataclass(frozen=True)
class Running:
    home: Path
    socket: Path
    tunnel: Path
    process: subprocess.Popen[bytes]

    def ask(self, method: str, path: str, token: str | None = TOKEN, **content: object) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        with httpx.Client(transport=httpx.HTTPTransport(uds=str(self.socket)), base_url="http://desktop") as client:
            return client.request(method, path, headers=headers, timeout=20, **content)  # type: ignore[arg-type]

    async def guest(self) -> ControlledGuest:
        guest = ControlledGuest()
        await guest.connect(at_socket(self.socket, TOKEN))
        return guest


@contextmanager
def running(directory: Path) -> Iterator[Running]:
    """Until it answers, and until it has ended."""
    home, socket, tunnel = directory / "home", directory / "s", directory / "t"
    home.mkdir()
    (directory / "token").write_text(f"{TOKEN}\n")
    words = [sys.executable, str(FOLDER), "--socket", str(socket), "--tunnel", str(tunnel)]
    environment = {**os.environ, "HOME": str(home)}
    environment.pop("DISPLAY", None)
    process = subprocess.Popen([*words, "--token-file", str(directory / "token")], env=environment)
    try:
        _await(socket, process)
        yield Running(home, socket, tunnel, process)
    finally:
        process.kill()
        process.wait()


def _await(socket: Path, process: subprocess.Popen[bytes]) -> None:
    for _ in range(400):
        if socket.exists():
            return
        assert process.poll() is None, "the controller ended at once"
        time.sleep(0.05)
    raise AssertionError("the controller does not start")
