"""Commands of the desktop: run to their end within a time limit, or started and left alone."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

from .time_limit import FairTimeLimit

# What a program prints: its beginning is kept, the rest is read and counted, never waited for.


LARGEST_OUTPUT = 8 << 20
LATE = 124
"""The return code of what was ended at its time limit, as `timeout` gives it."""
_GRACE = 0.3


@dataclass(frozen=True)
class Done:
    """How a program ended. `message` is set if it did not end by itself."""

    output: str
    error: str
    returncode: int
    message: str = ""


class Capture:
    """Reads one pipe to its end in a thread.

    It goes on after the program's end, because what the program left running would be killed by a closed pipe.
    """

    def __init__(self, descriptor: int, limit: int = LARGEST_OUTPUT) -> None:
        self._descriptor = descriptor
        self._limit = limit
        self._kept = bytearray()
        self._dropped = 0
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def text(self, grace: float = _GRACE) -> str:
        """What has come when the pipe is at its end, or a moment after the program is if others hold it open."""
        self._thread.join(grace)
        kept = bytes(self._kept).decode("utf-8", "replace")
        return f"{kept}\n[cut: {self._dropped} more bytes]" if self._dropped else kept

    def _read(self) -> None:
        with os.fdopen(self._descriptor, "rb", buffering=0) as pipe:
            while part := pipe.read(1 << 16):
                room = self._limit - len(self._kept)
                self._kept += part[:room]
                self._dropped += len(part[room:])


# Ending a program with all that it started: everything in its session.


_ROUNDS = 5


def end_session(leader: int) -> None:
    """Kills every process of a session. Several rounds, because a process may be starting another meanwhile."""
    for _ in range(_ROUNDS):
        members = [pid for pid in _processes() if _session(pid) == leader]
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not members:
            return


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _session(pid: int) -> int | None:
    """The session of a process that is alive."""
    try:
        state, _, _, session = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else int(session)


Command = Sequence[str] | str
_PATIENCE = 2.0
_BROWSERS = ("chromium", "chromium-browser")


def run(command: Command, shell: bool, seconds: float) -> Done:
    """Its whole session is killed at the time limit; what it starts in the background outlives a normal end."""
    reading, writing = zip(*(os.pipe() for _ in range(2)), strict=True)
    try:
        process = _start(command, shell, *writing)
    except BaseException:
        for end in reading:
            os.close(end)
        raise
    finally:
        for end in writing:
            os.close(end)
    output, error = (Capture(end) for end in reading)
    message = "" if _ended(process, seconds) else _end(process, seconds)
    return Done(output.text(), error.text(), LATE if message else process.returncode, message)


def launch(command: Command, shell: bool) -> None:
    """Somebody has to wait for it, or it stays as a zombie."""
    process = _start(command, shell, subprocess.DEVNULL, subprocess.DEVNULL)
    Thread(target=process.wait, daemon=True).start()


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """By itself, within the time limit."""
    limit = FairTimeLimit(seconds)
    while spell := limit.left():
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(spell)
            return True
    return False


def _end(process: subprocess.Popen[bytes], seconds: float) -> str:
    """What runs as another user cannot be killed from here."""
    end_session(process.pid)
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        Thread(target=process.wait, daemon=True).start()
        return f"the command took longer than {seconds:g} s; it runs as another user and could not be ended"
    return f"the command took longer than {seconds:g} s and was ended, with all that it had started"


def _start(command: Command, shell: bool, output: int, error: int) -> subprocess.Popen[bytes]:
    words: Command = _words(command) if not shell else command if isinstance(command, str) else " ".join(command)
    return subprocess.Popen(
        words, shell=shell, cwd=Path.home(), stdin=subprocess.DEVNULL, stdout=output, stderr=error, start_new_session=True
    )


def _words(command: Command) -> list[str]:
    """`~/` means the home folder at the beginning of any word; a browser has one of several names."""
    words = shlex.split(command) if isinstance(command, str) else list(command)
    words = [str(Path.home() / word[2:]) if word.startswith("~/") else word for word in words]
    if words and words[0] == "google-chrome" and shutil.which(words[0]) is None:
        words[0] = next((name for name in _BROWSERS if shutil.which(name)), words[0])
    if not words:
        raise ValueError("the command is empty")
    return words


# LibreOffice is left alone until it has a window.
#
# If it is asked for its nodes before, its window comes without GTK's widgets in the tree: no menus. A reading lasts long enough
# for a LibreOffice to begin during it, so what is about to start one counts too. A few seconds' wait at its start costs less.


_OFFICE, _WITHOUT_SCREEN = "soffice.bin", b"--headless"
_LAUNCHERS = ("xdg-open", "gio", "localc", "soffice", "oosplash")
_PAUSE, _SECONDS = 0.2, 5.0


def await_windows(seconds: float) -> None:
    """At most this long: there are LibreOffices that never get one."""
    deadline = time.monotonic() + seconds
    while (programs := dict(_programs())) and time.monotonic() < deadline:
        offices = {process for process, name in programs.items() if name == _OFFICE}
        listed = run(["wmctrl", "-l", "-p"], False, _SECONDS).output.splitlines()
        if offices and offices <= {int(line.split()[2]) for line in listed}:
            return
        time.sleep(_PAUSE)


def _programs() -> Iterator[tuple[int, str]]:
    """LibreOffices that will have a window, and what starts them: process id and name."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            name = (folder / "comm").read_text().strip()
            if (name == _OFFICE or name in _LAUNCHERS) and _WITHOUT_SCREEN not in (folder / "cmdline").read_bytes():
                yield int(folder.name), name
