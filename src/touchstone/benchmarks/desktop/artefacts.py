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

from pathlib import Path

FOLDER = "episodes"
VIDEO = "video.mp4"
SETUP = "setup.json"


class Artefacts:
    """Of one episode. Without a run directory nothing is kept."""

    def __init__(self, run: Path | None, key: str) -> None:
        self._run = run
        self.folder = None if run is None else _new_folder(run / FOLDER, key)

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


def _new_folder(base: Path, key: str) -> Path:
    """Another attempt at the same task has a folder of its own."""
    base.mkdir(exist_ok=True)
    for number in range(1, 100_000):
        folder = base / (key if number == 1 else f"{key}-{number}")
        try:
            folder.mkdir()
        except FileExistsError:
            continue
        return folder
    raise OSError(f"{base}: too many folders of {key}")
