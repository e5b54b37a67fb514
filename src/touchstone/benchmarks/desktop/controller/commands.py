"""Commands of the desktop: run to their end within a time limit, or started and left alone."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

from .captures import LATE, Capture, Done
from .sessions import end_session

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
    message = ""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        message = _end(process, seconds)
    return Done(output.text(), error.text(), LATE if message else process.returncode, message)


def launch(command: Command, shell: bool) -> None:
    """Somebody has to wait for it, or it stays as a zombie."""
    process = _start(command, shell, subprocess.DEVNULL, subprocess.DEVNULL)
    Thread(target=process.wait, daemon=True).start()


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
