"""Folders for temporary files that nobody else can have prepared, and that do not outlive who made them for long.

    private_folder()   <tmp>/touchstone-<user>: shared by all runs of this user, for what may be used again
    claim(…)           <tmp>/touchstone-run-xxxxxxxx: of one process, locked while it lives; the next one removes what it left

Where the first is somebody else's, or others may write there, a folder of this process alone is made instead.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import stat
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..files import lock_file
from ..foreign import remove_tree

_PREFIX = "touchstone-run-"
_LOCK = ".lock"
_SECONDS_TO_LOCK = 60.0


@cache
def private_folder() -> Path:
    folder = Path(tempfile.gettempdir(), f"touchstone-{_user()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700)
    if _is_ours_alone(folder):
        return folder
    other = Path(tempfile.mkdtemp(prefix=f"{folder.name}-"))
    atexit.register(shutil.rmtree, other, ignore_errors=True)
    return other


def scratch_folder() -> Path:
    """For files that SQL workers may write."""
    folder = private_folder() / "scratch"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@dataclass(frozen=True)
class Claim:
    """A folder, until it is given back."""

    folder: Path
    _lock: int

    def close(self) -> None:
        remove_tree(self.folder)
        os.close(self._lock)


def claim() -> Claim:
    """A new folder. What processes that were killed have left is removed first."""
    base = Path(tempfile.gettempdir())
    for folder in base.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            _sweep(folder)
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=base))
        lock = os.open(folder / _LOCK, os.O_CREAT | os.O_RDWR, 0o600)
        with contextlib.suppress(BlockingIOError):
            lock_file(lock)
            if (folder / _LOCK).exists():
                return Claim(folder, lock)
        os.close(lock)  # another's sweep was quicker than our lock, and removes the folder


def _sweep(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != _user():
        return
    try:
        lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        if time.time() - status.st_mtime > _SECONDS_TO_LOCK:  # else it is just being made
            remove_tree(folder)
        return
    try:
        lock_file(lock)  # in use: BlockingIOError, which is an OSError
        remove_tree(folder)
    finally:
        os.close(lock)


def _is_ours_alone(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not hasattr(os, "geteuid"):  # Windows: temporary files are each user's own
        return stat.S_ISDIR(status.st_mode)
    return stat.S_ISDIR(status.st_mode) and status.st_uid == _user() and not status.st_mode & 0o077


def _user() -> int:
    """0 on Windows, as every file says there."""
    return os.geteuid() if hasattr(os, "geteuid") else 0
