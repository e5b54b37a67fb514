"""Files that are written as a whole, folders that are new, and locks on files, on every system."""

from __future__ import annotations

import importlib
import os
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

ONLY_ON_LINUX = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty")
"""Modules of the standard library that Windows does not have."""


def module_or_none(name: str) -> Any:
    """A module of the standard library that only some systems have, such as `resource`."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def cache_folder() -> Path:
    """TOUCHSTONE_CACHE, else ours in the user's cache directory."""
    if own := os.environ.get("TOUCHSTONE_CACHE"):
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "touchstone")


_fcntl, _msvcrt = module_or_none("fcntl"), module_or_none("msvcrt")


def lock_file(descriptor: int, *, shared: bool = False) -> None:
    """Until it is closed. Raises BlockingIOError if somebody else has it. A system without such locks locks nothing."""
    if _fcntl is not None:
        _fcntl.flock(descriptor, (_fcntl.LOCK_SH if shared else _fcntl.LOCK_EX) | _fcntl.LOCK_NB)
    elif _msvcrt is not None and not shared:
        try:
            _msvcrt.locking(descriptor, _msvcrt.LK_NBLCK, 1)
        except OSError as error:
            raise BlockingIOError(error.errno, "the file is locked") from None


def replace_file(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Writes the whole file or leaves the old one, whoever else writes it at once. `durable`: then it is on the disk."""
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def new_folder(wanted: Path) -> Path:
    """Of this name, or of one with a number behind it if that is taken, whoever else makes one at once."""
    wanted.parent.mkdir(parents=True, exist_ok=True)
    for number in count(1):
        folder = wanted if number == 1 else wanted.with_name(f"{wanted.name}-{number}")
        with suppress(FileExistsError):
            folder.mkdir()
            return folder
    raise AssertionError
