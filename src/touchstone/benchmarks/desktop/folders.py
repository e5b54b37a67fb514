"""A folder for what one episode fetches and makes, gone with it; one whose owner was killed is removed by the next.

Its owner holds a lock on it, which ends with the owner however that ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

PREFIX = "touchstone-episode-"


@contextlib.contextmanager
def private_folder() -> Generator[Path]:
    _sweep(Path(tempfile.gettempdir()))
    folder, held = _claim()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)


def _claim() -> tuple[Path, int]:
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PREFIX))
        with contextlib.suppress(OSError):
            held = _lock(folder)
            if folder.exists():
                return folder, held
            os.close(held)  # somebody's sweep was quicker than our lock


def _sweep(base: Path) -> None:
    for folder in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):  # in use, somebody else's, or gone by now
            held = _lock(folder)
            shutil.rmtree(folder, ignore_errors=True)
            os.close(held)


def _lock(folder: Path) -> int:
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(held)
        raise
    return held
