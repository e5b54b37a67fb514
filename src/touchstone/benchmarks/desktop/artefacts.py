"""What an episode leaves beside its record: pictures of the screen, accessibility trees, a video.

    <run>/episodes/<task>[-2…]/
      000.png            the screen before the first step
      001.png, 001.xml   the screen and the tree after the first step
      001-marked.png     the picture with its boxes, as the agent saw it (som)
      video.mp4
      setup.json         every step and command of the set-up with its exit code and time, and the probes

Records name these files by paths relative to the run directory.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Generator
from pathlib import Path

from ...files import new_folder

FOLDER = "episodes"
VIDEO = "video.mp4"
SETUP = "setup.json"


class Artefacts:
    """Of one episode. Without a run directory nothing is kept."""

    def __init__(self, run: Path | None, key: str) -> None:
        self._run = run
        self.folder = None if run is None else new_folder(run / FOLDER / key)

    def keep(self, data: bytes, name: str) -> str | None:
        """Writes a file, and gives the name that a record has for it."""
        if self.folder is None:
            return None
        (self.folder / name).write_bytes(data)
        return self.named(name)

    def named(self, name: str = "") -> str | None:
        if self.folder is None or self._run is None:
            return None
        return (self.folder / name).relative_to(self._run).as_posix()


# A folder for what one episode fetches and makes, gone with it; one whose owner was killed is removed by the next.
#
# Its owner holds a lock on it, which ends with the owner however that ends.


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
