"""Data for a node: found there, or shipped to it once, by content hash.

The driver lists the files behind every path in the run's arguments (`listed`). A node that has a file of the same inode, size
and time at the same path has the same file: on the same machine, or on a shared file system. Of other files the content is
hashed; what a node has neither at the same path nor in its cache is shipped to it, into a store by hash:

    <cache>/shipped/files/<hash>        the contents, read-only
    <cache>/shipped/trees/<hash>/...    a path as it is on the driver, made of links into the store; its files keep their names

Whatever way the data came, a node plays only if its benchmark then has the same identity as the driver's (see `cluster`).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b, file_digest
from pathlib import Path
from typing import Any, cast

import msgspec
from msgspec import Struct

from ...files import cache_folder
from ...types import Record

PIECE = 32 * 2**20
"""Bytes that travel at a time."""
RECORDED = "recorded:"


class ShippedFile(Struct, frozen=True):
    name: str
    """Relative to the listed path; empty if that is the file itself."""
    size: int
    modified: int
    inode: int


class Listed(Struct, frozen=True):
    """A path of the driver's, and every file behind it."""

    path: str
    files: tuple[ShippedFile, ...]


Hashes = Mapping[str, str]
"""Absolute path on the driver to content hash."""


def listed(path: Path) -> Listed:
    return Listed(str(path), tuple(_file(path, name) for name in sorted(_names(path))))


def at(listing: Listed, file: ShippedFile) -> Path:
    return Path(listing.path, file.name) if file.name else Path(listing.path)


def is_here(listing: Listed) -> bool:
    """Whether this machine sees the very same files at the same path."""
    try:
        return bool(listing.files) and all(_file(Path(listing.path), file.name) == file for file in listing.files)
    except OSError:
        return False


def has_same_content(listing: Listed, hashes: Hashes) -> bool:
    """Whether this machine has, at the same path, files of the same content."""
    try:
        return all(
            (path := at(listing, file)).stat().st_size == file.size and hash_of(path) == hashes[str(path)]
            for file in listing.files
        )
    except OSError:
        return False


def hash_of(path: Path) -> str:
    with path.open("rb") as file:
        return file_digest(file, lambda: blake2b(digest_size=20)).hexdigest()


class Arriving:
    """A file on its way: piece by piece, and kept only if its content is what its name says. Two runs may do so at once."""

    def __init__(self, target: Path) -> None:
        self._target = target
        self._digest = blake2b(digest_size=20)
        self._file = tempfile.NamedTemporaryFile(dir=target.parent, prefix=".new-")  # noqa: SIM115

    def add(self, piece: bytes) -> None:
        self._digest.update(piece)
        self._file.write(piece)

    def keep(self) -> None:
        with self._file as file:
            file.flush()
            if self._digest.hexdigest() != self._target.name:
                raise OSError(f"a file that was shipped as {self._target.name} arrived as {self._digest.hexdigest()}")
            os.fchmod(file.fileno(), 0o444)
            with suppress(FileExistsError):  # another run was quicker
                self._target.hardlink_to(file.name)


class ShippedFiles:
    """A node's shipped files."""

    def __init__(self, root: Path | None = None) -> None:
        root = root or cache_folder() / "shipped"
        self._files = root / "files"
        self._trees = root / "trees"

    def missing(self, hashes: Iterable[str]) -> list[str]:
        return [name for name in sorted(set(hashes)) if not (self._files / name).is_file()]

    def arriving(self, name: str) -> Arriving:
        self._files.mkdir(parents=True, exist_ok=True)
        return Arriving(self._files / name)

    def path_of(self, listing: Listed, hashes: Hashes) -> Path:
        """The listed path as it is on this machine, made of stored files. Its name stays the same."""
        parts = [(file.name, hashes[str(at(listing, file))]) for file in listing.files]
        home = self._trees / blake2b(repr((Path(listing.path).name, parts)).encode(), digest_size=20).hexdigest()
        if not home.is_dir():
            self._make(home, Path(listing.path).name, parts)
        return home / Path(listing.path).name

    def _make(self, home: Path, name: str, parts: Iterable[tuple[str, str]]) -> None:
        home.parent.mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=home.parent, prefix=".new-"))
        try:
            for part, content in parts:
                target = new / name / part if part else new / name
                target.parent.mkdir(parents=True, exist_ok=True)
                _link(self._files / content, target)
            with suppress(OSError):  # another run was quicker
                new.rename(home)
        finally:
            shutil.rmtree(new, ignore_errors=True)


def pieces_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE):
            yield piece


def moved_path(path: Path, places: Mapping[str, str]) -> Path:
    """A driver's path as it is on the node."""
    for there, here in places.items():
        if path.is_relative_to(there):
            return Path(here, path.relative_to(there))
    return path


# What an episode left in a folder of its own comes back to the driver.


def with_folder(record: Record, before: str, now: str) -> Record:
    """The record with the paths of its files as they are now."""
    if before == now:
        return record

    def renamed(value: Any) -> Any:
        if isinstance(value, str):
            return now + value[len(before) :] if value == before or value.startswith(f"{before}/") else value
        if isinstance(value, list):
            return [renamed(item) for item in cast("list[Any]", value)]
        if isinstance(value, Mapping):
            return {name: renamed(item) for name, item in cast("Mapping[str, Any]", value).items()}
        return value

    return msgspec.convert(renamed(msgspec.to_builtins(record)), Record)


def unplaced(value: Any) -> Any:
    """Without the paths of recordings, which may be others on a node."""
    if isinstance(value, Mapping):
        return {name: unplaced(item) for name, item in cast("Mapping[str, Any]", value).items()}
    return RECORDED if isinstance(value, str) and value.startswith(RECORDED) else value


def _names(path: Path) -> Iterator[str]:
    if path.is_file():
        yield ""
    for folder, _, files in os.walk(path, followlinks=True):
        for name in files:
            if (file := Path(folder, name)).is_file():
                yield str(file.relative_to(path))


def _file(path: Path, name: str) -> ShippedFile:
    status = (path / name if name else path).stat()
    return ShippedFile(name, status.st_size, status.st_mtime_ns, status.st_ino)


def _link(content: Path, target: Path) -> None:
    try:
        target.hardlink_to(content)
    except OSError:  # a file system without links
        shutil.copyfile(content, target)
