"""A PostgreSQL server for one process: started in about a second, gone with whoever started it.

The server is run by a supervisor, a process in a session of its own (so a Ctrl-C is for the parent to handle). The pipe to the
supervisor is its life line: when this process ends, however it ends, the pipe closes and the supervisor tidies up.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

from ...errors import DatabaseFailure, InputError
from ..today import INSTALL, faketime, server_environment
from . import binaries
from .data_dirs import PORT
from .locale import locale_for
from .messages import PostgresServer
from .supervisor import ADMINISTRATOR

ROOM = 2**30
"""A server in memory needs this much of it, and twice what it begins with."""

_MEMORY = Path("/dev/shm")
_KEPT_VARIABLES = ("HOME", "LD_LIBRARY_PATH", "PATH", "TMPDIR")
_SECONDS_TO_LEAVE = 30.0


@asynccontextmanager
async def embedded_server(store: Path | None = None, *, today: str | None = None) -> AsyncGenerator[PostgresServer]:
    """A server of our own; with a store, a copy of its cluster. `today` is the day it lives on, such as 2025-02-19.

    Raises InputError if none can be started.
    """
    kept = SupervisedServer(store, today=today)
    try:
        yield await asyncio.to_thread(kept.ready)
    finally:
        kept.hang_up()
        await asyncio.shield(asyncio.to_thread(kept.wait))


@contextmanager
def started(store: Path | None = None, *, today: str | None = None, locale: str | None = None) -> Generator[PostgresServer]:
    """The same, for a program without an event loop."""
    kept = SupervisedServer(store, today=today, locale=locale)
    try:
        yield kept.ready()
    finally:
        kept.hang_up()
        kept.wait()


class SupervisedServer:
    """A server and its supervisor, seen from the process that they belong to."""

    def __init__(
        self, store: Path | None = None, *, room: int = 0, today: str | None = None, locale: str | None = None
    ) -> None:
        programs = binaries.find()
        if store is not None:
            room = max(room, 2 * _size(store))
        request = {
            "programs": str(programs.directory),
            "major": programs.major,
            "base": str(_base(room)),
            "store": str(store.absolute()) if store is not None else None,
            "locale": locale_for(locale, programs).options if store is None else [],
            "environment": _clock(today) if today is not None else {},
        }
        self._keeper = _start_keeper(request)

    def ready(self) -> PostgresServer:
        """Waits until connections are accepted."""
        answer = self._answer()
        if "error" in answer:
            raise InputError(f"the PostgreSQL server cannot be started: {answer['error']}")
        return PostgresServer(host=answer["socket"], port=PORT, user=ADMINISTRATOR, private=True)

    def keep(self, target: Path) -> None:
        """Stops the server cleanly and copies its cluster."""
        self._tell(json.dumps({"keep": str(target.absolute())}))
        answer = self._answer()
        if "error" in answer:
            raise DatabaseFailure(f"the PostgreSQL cluster cannot be kept: {answer['error']}")

    def hang_up(self) -> None:
        """Ends the server. A word is sent too, in case a forked child holds a copy of the pipe."""
        self._tell("end")
        assert self._keeper.stdin is not None
        with suppress(BrokenPipeError):
            self._keeper.stdin.close()

    def wait(self) -> None:
        """Until nothing is left."""
        try:
            self._keeper.wait(_SECONDS_TO_LEAVE)
        except subprocess.TimeoutExpired:
            self._keeper.kill()
            self._keeper.wait()
        assert self._keeper.stdout is not None
        self._keeper.stdout.close()

    def _tell(self, line: str) -> None:
        assert self._keeper.stdin is not None
        with suppress(BrokenPipeError):
            self._keeper.stdin.write(f"{line}\n".encode())

    def _answer(self) -> dict[str, Any]:
        assert self._keeper.stdout is not None
        line = self._keeper.stdout.readline()
        return json.loads(line) if line else {"error": "its supervisor ended without a word"}


def _clock(today: str) -> dict[str, str]:
    library = faketime()
    if library is None:
        raise InputError(f"--today needs libfaketime around the PostgreSQL server: {INSTALL}")
    return dict(server_environment(today, library))


def _start_keeper(request: dict[str, Any]) -> subprocess.Popen[bytes]:
    environment = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    environment |= {"LC_ALL": "C", "TZ": "UTC", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    try:
        return subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.supervisor", json.dumps(request)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            env=environment,
            start_new_session=True,
        )
    except OSError as error:
        raise InputError(f"the PostgreSQL server cannot be started: {error}") from error


def _base(room: int) -> Path:
    """Where the server's directory is made: where the user says, in memory if there is room, else where temporary files go."""
    own = os.environ.get("TOUCHSTONE_POSTGRES_DIR")
    if own:
        return Path(own).absolute()
    with suppress(OSError):
        if os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free >= max(ROOM, room):
            return _MEMORY
    return Path(tempfile.gettempdir()).absolute()


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())
