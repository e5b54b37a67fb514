"""Where set-up steps and getters work: a dataset, accounts, and a guest or files that were given instead of one."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...errors import InputError, Skipped
from .accounts import Accounts
from .desktop import HOME, SECONDS, Guest
from .setup import SetupLog
from .tasks import Dataset
from .untrusted import read_json, read_text

ABSENT = object()


class LeftFiles:
    """A folder of results: files as they lie in the guest, and `result_<n>.txt` or `.json` for what is not a file."""

    def __init__(self, directory: Path) -> None:
        if not directory.is_dir():
            raise InputError(f"--result {directory}: no such directory")
        self.directory = directory

    def file(self, path: str, dest: str = "", *, by_name: bool = False) -> Path | None:
        """A guest's file: below its root, below its home, under the name it is fetched to, or (results only) by its name."""
        inner = path.lstrip("/")
        names = [inner, path.removeprefix(HOME + "/").lstrip("/"), dest, inner.rpartition("/")[2] if by_name else ""]
        return next((file for name in names if name and (file := self._inside(name)) is not None), None)

    def recorded(self, position: int, count: int) -> Any:
        """What the getter of the n-th metric (from 0) would give, or ABSENT."""
        for stem in (f"result_{position}", *(["result"] if count == 1 else [])):
            if (path := self._inside(f"{stem}.json")) is not None:
                return read_json(path)
            if (path := self._inside(f"{stem}.txt")) is not None:
                return read_text(path)
        return ABSENT

    def _inside(self, name: str) -> Path | None:
        """Never by a link that leads out: gold files must not be reachable through the agent's folder."""
        path = self.directory / name
        inside = path.exists() and path.resolve().is_relative_to(self.directory.resolve())
        return path if inside else None


@dataclass(frozen=True)
class EvaluationContext:
    dataset: Dataset
    accounts: Accounts
    cache: Path
    """A private directory of this episode, for files that are fetched or made."""
    desktop: Guest | None = None
    left: LeftFiles | None = None
    memory: dict[str, Any] = field(default_factory=dict[str, Any])
    """What a set-up step leaves for later ones and for the evaluator."""
    log: SetupLog = field(default_factory=SetupLog)
    seconds: float = SECONDS
    """How long a script or command of the set-up or of the evaluation may take."""

    @property
    def guest(self) -> Guest:
        if self.desktop is None:
            raise Skipped("needs a running desktop, and there is none", kind="guest")
        return self.desktop

    def cached(self, name: str) -> Path:
        """A file of the cache. Names come from task files and may not lead out of it."""
        path = self.cache / name
        if not path.resolve().is_relative_to(self.cache.resolve()):
            raise InputError(f"{name}: this name leads out of the cache")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path
