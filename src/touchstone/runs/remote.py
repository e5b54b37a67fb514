"""Runs at an address: anything that fsspec knows, such as s3://bucket/folder.

A run is always written to a local directory, which is the authority; `Mirror` copies it to the address: config.json first, then
runs.jsonl as a whole now and then (an object store cannot append), and everything at the end. `fetched` brings a run back to go
on with it. If this machine has a part of the same run already, the records of both are kept.

Pictures and other files of episodes are copied once they are there. A run that is fetched leaves them where they are: only
their folders are made, so that no later attempt takes the name of an earlier one. The viewer fetches those that it shows.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO, Any

import msgspec

from ..addresses import address_of, file_name_of, without_secrets
from ..distribution import pip_install
from ..errors import InputError, RunStopped, os_errors_as
from ..files import replace_file
from . import seal

EPISODES = "episodes"
"""Where the files of episodes are in a run directory."""
_FILES = ("config.json", "config.toml", "runs.jsonl", "overall.json", "summary.txt", seal.FILE, "labels.json")
_WITH_FOLDERS = ("file", "local", "memory", "sftp", "ssh", "ftp", "smb", "hdfs", "webhdfs", "arrow_hdfs", "dbfs")
"""Elsewhere a folder is a part of a name, and making one could make a bucket."""
_SECONDS_BETWEEN_COPIES = 30.0
_SHARE_OF_TIME = 0.1
"""Of the time at most this share goes into copying, however large the run gets."""
_PIECE = 2**20


def local_base(address: str) -> Path:
    """Where the runs of an address are on this machine."""
    return Path("results", file_name_of(address))


def refuse_unknown(address: str) -> None:
    """Raises InputError if this machine cannot deal with such an address."""
    _opened(address)


@contextmanager
def open_to_read(path: Path) -> Generator[IO[bytes]]:
    """A file, here or at an address. Raises OSError, as files do."""
    if (address := address_of(path)) is None:
        with path.open("rb") as file:
            yield file
        return
    system, inner = _opened(address)
    with _as_os_error(), system.open(inner, "rb") as file:
        yield file


class Mirror:
    """Copies a run directory to an address while it grows."""

    def __init__(self, directory: Path, address: str, say: Callable[[str], None]) -> None:
        self._directory = directory
        self._say = say
        self.address = without_secrets(address)
        self._system, self._place = _opened(address)
        self._has_folders = address.partition(":")[0] in _WITH_FOLDERS
        self._copied = 0
        self._copied_files: dict[str, tuple[int, int]] = {}
        """Of episodes: size and time."""
        self._copying: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()

    async def start(self) -> None:
        """Raises InputError if nothing can be written there, before anything runs."""
        with os_errors_as(InputError, f"{self.address}: cannot be written to"):
            await asyncio.to_thread(self._put, "config.json")
            await asyncio.to_thread(self._remove, seal.FILE)  # a run that goes on is not closed there either
        self._copying = asyncio.create_task(self._copy_now_and_then())

    async def stop(self) -> None:
        """When a copy under way has ended. If nothing was recorded, nothing stays behind there either."""
        if self._copying is not None:
            self._stopping.set()
            await asyncio.gather(self._copying, return_exceptions=True)
            if not self._directory.exists():
                await asyncio.to_thread(self._remove_all)

    async def finish(self) -> None:
        """The last copy, of everything. Raises RunStopped if it fails: the run is complete here, but not there."""
        try:
            await asyncio.to_thread(self._put_all)
        except OSError as error:
            again = f"--resume {self._directory} copies it again"
            raise RunStopped(f"the run could not be copied to {self.address}: {error}; {again}") from None

    def _put_all(self) -> None:
        for name in _FILES:
            if (self._directory / name).exists():
                self._put(name)
        self._put_files()

    def _put_files(self) -> None:
        for path in sorted((self._directory / EPISODES).rglob("*")):
            about, name = path.stat(), path.relative_to(self._directory).as_posix()
            state = about.st_size, about.st_mtime_ns
            if path.is_file() and self._copied_files.get(name) != state:
                self._put(name)
                self._copied_files[name] = state

    def _remove_all(self) -> None:
        for name in (*_FILES, *self._copied_files):
            with suppress(OSError):
                self._remove(name)

    def _remove(self, name: str) -> None:
        with _as_os_error():
            if self._system.exists(f"{self._place}/{name}"):
                self._system.rm_file(f"{self._place}/{name}")

    async def _copy_now_and_then(self) -> None:
        """A failure is said, and the next time may be better: what counts is on this machine."""
        pause = seconds_between_copies()
        while not await self._stopped_within(pause):
            began = time.monotonic()
            try:
                await asyncio.to_thread(self._put_if_grown)
            except OSError as error:
                self._say(f"the run could not be copied to {self.address} this time: {error}")
            pause = max(seconds_between_copies(), (time.monotonic() - began) / _SHARE_OF_TIME)

    async def _stopped_within(self, seconds: float) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)
        return self._stopping.is_set()

    def _put_if_grown(self) -> None:
        size = (self._directory / "runs.jsonl").stat().st_size
        if size != self._copied:
            self._put_files()  # before the records that name them
            if (self._directory / EPISODES).exists():
                self._put_records(size)
            else:
                self._put("runs.jsonl")
            self._copied = size

    def _put_records(self, size: int) -> None:
        """Without those that were written while the files were copied: theirs may not be there."""
        with TemporaryDirectory(prefix="touchstone-mirror-") as folder:
            with (self._directory / "runs.jsonl").open("rb") as records, Path(folder, "runs.jsonl").open("wb") as copy:
                while piece := records.read(min(_PIECE, size - records.tell())):
                    copy.write(piece)
            self._put("runs.jsonl", Path(folder))

    def _put(self, name: str, folder: Path | None = None) -> None:
        with _as_os_error():
            target = f"{self._place}/{name}"
            if self._has_folders:
                self._system.makedirs(target.rpartition("/")[0], exist_ok=True)
            self._system.put_file(str((folder or self._directory) / name), target)


def fetched(address: str) -> Path:
    """The run at an address as a directory on this machine. Records that only one of the two has are all kept."""
    system, path = _opened(address)
    base, _, name = address.rpartition("/")
    here = local_base(base) / name
    try:
        with _as_os_error():
            config = system.cat_file(f"{path}/config.json")
            if not (here / "config.json").exists():
                here.mkdir(parents=True, exist_ok=True)
                for part in ("runs.jsonl", "config.json"):
                    _get(system, f"{path}/{part}", here / part)
            elif _same_run(here, config):
                _get(system, f"{path}/runs.jsonl", here / ".runs.jsonl.fetched")
            else:
                raise InputError(f"{here}: not the run at {without_secrets(address)} but another; move it away first")
            _claim_folders(system, path, here)
    except FileNotFoundError:
        raise InputError(f"{without_secrets(address)}: not a run directory (it has no config.json)") from None
    except OSError as error:
        raise InputError(f"{without_secrets(address)}: cannot be fetched: {error}") from None
    return here


def _claim_folders(system: Any, path: str, here: Path) -> None:
    with suppress(FileNotFoundError):
        for name in system.ls(f"{path}/{EPISODES}", detail=False):
            if (folder := PurePosixPath(name).name) not in ("", EPISODES, ".."):
                (here / EPISODES / folder).mkdir(parents=True, exist_ok=True)


class Copies:
    """The runs below an address as directories on this machine, to be looked at: their configurations, records and labels."""

    _NAMES = ("config.json", "runs.jsonl", "overall.json", "labels.json")

    def __init__(self, address: str, folder: Path, levels: int) -> None:
        """Below `folder`, in one of its own. Runs are looked for up to so many levels below the address."""
        self.address = without_secrets(address)
        self._system, self._place = _opened(address)
        self._levels = levels
        self.path = folder.joinpath(
            file_name_of(address), *[part for part in self._place.split("/")[-2:] if part not in ("", "..")]
        )
        self._known: dict[str, object] = {}

    def refresh(self) -> None:
        """Fetches what is new or has changed, file by file as a whole. Raises InputError if that cannot be done."""
        try:
            with _as_os_error():
                self._system.invalidate_cache()
                there: dict[str, dict[str, Any]] = self._system.find(self._place, maxdepth=self._levels + 1, detail=True)
                for name in sorted(there, reverse=True):  # records before configurations, by which a run is known
                    self._take(name, there[name])
        except FileNotFoundError:
            raise InputError(f"{self.address}: nothing is there") from None
        except OSError as error:
            raise InputError(f"{self.address}: cannot be read: {error}") from None
        self.path.mkdir(parents=True, exist_ok=True)

    def fetch(self, run: Path, name: str) -> None:
        """A file of an episode, if the run is one of ours and has it. Raises OSError if that cannot be found out."""
        path, here = run / name, self.path.resolve()
        if not run.is_relative_to(here) or not name.startswith(f"{EPISODES}/") or ".." in path.parts or path.exists():
            return
        there = f"{self._place}/{path.relative_to(here).as_posix()}"
        with _as_os_error():
            if self._system.isfile(there):
                path.parent.mkdir(parents=True, exist_ok=True)
                _get(self._system, there, path)

    def _take(self, name: str, about: Mapping[str, Any]) -> None:
        parts = PurePosixPath(name.removeprefix(self._place).lstrip("/")).parts
        state = [about.get(key) for key in ("size", "ETag", "etag", "LastModified", "mtime")]
        if not parts or parts[-1] not in self._NAMES or ".." in parts or self._known.get(name) == state:
            return
        target = self.path.joinpath(*parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        _get(self._system, name, target)
        self._known[name] = state


def _same_run(here: Path, config: bytes) -> bool:
    """One of the two may have been made larger by a resume; that one counts."""
    ours = (here / "config.json").read_bytes()
    if ours == config:
        return True
    try:
        mine, other = (msgspec.json.decode(text, type=dict[str, Any]) for text in (ours, config))
    except msgspec.DecodeError:
        return False
    names = ("format", "command", "identity", "versions")
    if any(mine.get(name) != other.get(name) for name in names):
        return False
    if other.get("planned", 0) > mine.get("planned", 0):
        replace_file(here / "config.json", config)
    return True


def seconds_between_copies() -> float:
    """TOUCHSTONE_MIRROR_SECONDS, if it is set."""
    try:
        return float(os.environ.get("TOUCHSTONE_MIRROR_SECONDS", _SECONDS_BETWEEN_COPIES))
    except ValueError:
        raise InputError("TOUCHSTONE_MIRROR_SECONDS: expected a number") from None


def _get(system: Any, source: str, target: Path) -> None:
    """The whole file or none; an absent one is empty."""
    temporary = target.with_name(f".{target.name}.new")
    try:
        system.get_file(source, str(temporary))
        temporary.replace(target)
    except FileNotFoundError:
        target.touch()
    finally:
        temporary.unlink(missing_ok=True)


def _opened(address: str) -> tuple[Any, str]:
    """The file system and the place in it. Raises InputError if there is none for such an address."""
    shown = without_secrets(address)
    try:
        core: Any = import_module("fsspec.core")
    except ImportError:
        raise InputError(f"{shown}: addresses need {pip_install('remote')}") from None
    try:
        system, path = core.url_to_fs(address)
    except ImportError as error:
        raise InputError(f"{shown}: {error}") from None
    except ValueError as error:
        raise InputError(f"{shown}: {str(error).partition('.')[0]}") from None
    return system, str(path).rstrip("/")


@contextmanager
def _as_os_error() -> Generator[None]:
    """Libraries of file systems raise errors of their own; a file that is not there stays what it is."""
    try:
        yield
    except (OSError, InputError):
        raise
    except Exception as error:
        raise OSError(f"{type(error).__name__}: {error}") from None
