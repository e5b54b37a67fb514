"""Which runs there are to look at, and what their configurations say of them.

Run directories are given, or found up to four levels below a directory that is given; the search is made again whenever the
list of runs is asked for, since a run may begin meanwhile. What cannot be read as a run stays in the list with the reason. Runs
at an address (s3://…) are copied to a temporary directory, at first and then now and then; pictures when they are looked at.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from ...addresses import address_of
from ...errors import InputError
from ...files import lock_file
from ...foreign import Unreadable, read_json
from ...runs.config import stored_options
from ...runs.directory import LOCK, read_config
from ...runs.labels import Labels, read_labels
from ...runs.remote import Copies, seconds_between_copies
from .charts import mapping
from .index import RunIndex, digest, safe

DEPTH = 4
_SECONDS_BETWEEN_SEARCHES = 2.0


class Run:
    """A run directory as far as pages show it."""

    def __init__(self, path: Path, label: str, name: str) -> None:
        self.path = path
        self.label = label
        """For people."""
        self.name = name
        """In addresses."""
        self.index = RunIndex(path / "runs.jsonl")
        self.problem: str | None = None
        self.config: Mapping[str, Any] = {}
        self.labels = Labels()

    def refresh(self) -> Run:
        """Looks again at what is on the disk; `problem` says why there is nothing to see."""
        self.problem = None
        try:
            if not self.config:
                self.config = read_config(self.path)
            self.index.refresh()
        except InputError as error:
            self.problem = str(error)
            with suppress(OSError):
                self.index.refresh()
        except OSError as error:
            if isinstance(error, FileNotFoundError) and self.identity:
                return self._labelled()  # it has begun, and recorded nothing yet
            self.problem = f"{self.path / 'runs.jsonl'}: {error.strerror}"
        if self.problem is None and self.index.faults and not self.index.entries:
            self.problem = f"no line of runs.jsonl is a record: {self.index.faults[0]}"
        return self._labelled()

    def _labelled(self) -> Run:
        try:
            self.labels = read_labels(self.path)
        except InputError as error:
            self.labels = Labels(note=str(error))
        return self

    @property
    def identity(self) -> Mapping[str, Any]:
        return mapping(self.config.get("identity"))

    @property
    def title(self) -> str:
        return str(self.config.get("title") or self.label)

    @property
    def versions(self) -> dict[str, str]:
        return {name: str(version) for name, version in mapping(self.config.get("versions")).items()}

    @property
    def benchmark(self) -> str:
        return str(self.identity.get("benchmark") or self.config.get("command") or "–")

    @property
    def agent(self) -> str:
        return str(self.identity.get("agent") or "–")

    @property
    def gold_reachable(self) -> str:
        """Whether the agent could have read the gold."""
        return str(self.identity.get("gold_reachable") or "–")

    @property
    def model(self) -> str:
        """The model, or else what stands for it: the file that was replayed, the service that was asked."""
        if self.identity.get("model"):
            return str(self.identity["model"])
        if url := mapping(self.identity.get("service")).get("url"):
            return str(url)
        predictions = stored_options(self.config).get("predictions") if self.agent == "replay" else None
        return Path(str(predictions)).name if predictions else "–"

    @property
    def system(self) -> str:
        """The agent with its model, or alone if it has none."""
        return f"{self.agent}, {self.model}" if self.model != "–" else self.agent

    @property
    def planned(self) -> int | None:
        """How many episodes the run is to have, where its configuration says so."""
        planned = self.config.get("planned")
        return planned if isinstance(planned, int) and planned >= len(self.index.entries) else None

    @property
    def live(self) -> bool:
        """Whether a process is writing to it. Only a run without a summary of its last records is asked, by a lock that a
        writer holds for as long as it lives."""
        try:
            summed = (self.path / "overall.json").stat().st_mtime_ns
            if summed >= (self.path / "runs.jsonl").stat().st_mtime_ns:
                return False
        except OSError:
            pass
        return _locked(self.path / LOCK)


class Library:
    """The runs below some directories, and lists of suspect golds, which are files."""

    def __init__(self, roots: Sequence[Path], *, absent: bool = False) -> None:
        """Without a run to be found it is empty, and finds those that begin; `absent` directories may be made later too."""
        local = [root for root in roots if address_of(root) is None]
        for root in local:
            if not absent and not root.exists():
                raise InputError(f"{root}: there is no such directory")
        addresses = [address for root in roots if (address := address_of(root))]
        self._copies: list[Copies] = []
        if addresses:
            self._folder = TemporaryDirectory(prefix="touchstone-view-", ignore_cleanup_errors=True)
            self._copies = [Copies(address, Path(self._folder.name), DEPTH) for address in addresses]
        for copies in self._copies:
            copies.refresh()
        self.where = ", ".join([*(copies.address for copies in self._copies), *map(str, local)])
        """For people."""
        self.problem: str | None = None
        """Why what is shown may be old."""
        self.suspects = {_stem(position, path): _read_suspects(path) for position, path in enumerate(local) if path.is_file()}
        """By their names in addresses."""
        self._roots = [*(copies.path for copies in self._copies), *(root for root in local if not root.is_file())]
        self._known: dict[Path, Run] = {}
        self._looked = float("-inf")
        self._search()

    def __len__(self) -> int:
        """How many there are, without a look at them."""
        return len(self._known)

    def runs(self) -> list[Run]:
        """All of them, the newest first, looked at again."""
        if time.monotonic() - self._looked > _SECONDS_BETWEEN_SEARCHES:
            self._search()
        runs = [run.refresh() for run in list(self._known.values())]
        return sorted(runs, key=lambda run: (run.index.began.timestamp() if run.index.began else 0.0, run.label), reverse=True)

    def follow_addresses(self) -> None:
        """Keeps the copies of runs at addresses fresh for as long as this process lives; without an address it does nothing."""
        if self._copies:
            Thread(target=self._fetch_now_and_then, args=(seconds_between_copies(),), daemon=True).start()

    def _fetch_now_and_then(self, pause: float) -> None:
        while True:
            time.sleep(pause)
            try:
                for copies in self._copies:
                    copies.refresh()
                self.problem = None
            except InputError as error:
                self.problem = str(error)

    def fetch(self, run: Run, name: str) -> None:
        """A picture or a video of a run at an address is copied when it is looked at."""
        with suppress(OSError):
            for copies in self._copies:
                copies.fetch(run.path, name)

    def run(self, name: str) -> Run | None:
        named = next((run for run in list(self._known.values()) if run.name == name), None)
        return named.refresh() if named else None

    def _search(self) -> None:
        names = {run.name for run in self._known.values()}
        directories: set[Path] = set()
        for root in self._roots:
            for path in _runs_below(root, DEPTH):
                real = path.resolve()
                directories.add(real)
                if real not in self._known:
                    name = _name(real, names)
                    names.add(name)
                    self._known[real] = Run(real, _label(path, root), name)
        for gone in self._known.keys() - directories:
            del self._known[gone]
        self._looked = time.monotonic()


def _read_suspects(path: Path) -> Mapping[str, Any]:
    """Raises InputError if the file is no such list."""
    try:
        value = read_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except Unreadable as error:
        raise InputError(f"{path}: not valid JSON: {error}") from None
    listed = mapping(value)
    if "suspects" not in listed or "systems" not in listed:
        raise InputError(f"{path}: expected a run directory, or the list that touchstone audit suspects --json writes")
    return listed


def _stem(position: int, path: Path) -> str:
    return f"{safe(path.stem)}-{position + 1}"


def _runs_below(path: Path, depth: int) -> Iterator[Path]:
    """A sweep has a configuration, too, but no records: its runs are below. A run that has just begun has neither."""
    if (path / "runs.jsonl").is_file():
        yield path
        return
    below = list(_runs_in_folders(path, depth - 1)) if depth else []
    if not below and (path / "config.json").is_file():
        yield path
    yield from below


def _runs_in_folders(path: Path, depth: int) -> Iterator[Path]:
    try:
        with os.scandir(path) as entries:
            below = sorted(each.name for each in entries if each.is_dir(follow_symlinks=False) and each.name[0] != ".")
    except OSError:
        return
    for name in below:
        yield from _runs_below(path / name, depth)


def _label(path: Path, root: Path) -> str:
    below = path.relative_to(root)
    return str(below) if below.parts else os.path.join(*path.resolve().parts[-2:])  # noqa: PTH118 (two parts of a path)


def _name(path: Path, taken: set[str]) -> str:
    name = safe(f"{path.parent.name}.{path.name}".lower())
    return name if name not in taken else f"{name[:70]}-{digest(str(path))}"


def _locked(file: Path) -> bool:
    try:
        handle = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        lock_file(handle, shared=True)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks: nobody can tell
        return False
    finally:
        os.close(handle)
    return False
