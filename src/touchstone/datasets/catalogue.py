"""Which datasets there are: where each comes from, its licence, its size, its checksums as far as they are known."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Struct

from ..errors import InputError

FILE = Path(__file__).with_name("catalogue.toml")


class Remote(Struct, frozen=True, forbid_unknown_fields=True):
    """One file to fetch."""

    url: str
    name: str = ""
    """What it is called here; by default as in the address."""
    sha256: str | None = None
    size: int | None = None
    largest: int = 64 * 2**30
    """In bytes: well above what is published, well below what fills a disk."""
    moving: bool = False
    """The address always has the newest version, so nobody can say beforehand what comes."""
    unpack: bool = False
    only: tuple[str, ...] = ()
    """Of an archive: the members to keep, as patterns; all by default."""
    nested: tuple[str, ...] = ()
    """Archives in the archive that are unpacked where they are."""

    @property
    def file_name(self) -> str:
        return self.name or unquote(urlsplit(self.url).path.rpartition("/")[2]) or "download"


class KnownFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A file that Touchstone was tested with."""

    name: str
    sha256: str


class Dataset(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    title: str
    home: str
    licence: str
    layout: str
    """The name of the benchmark that plays it."""
    task_file: str
    tasks: int
    databases: int | None = None
    edition: str = ""
    """Which of several published versions of one dataset it is."""
    database_folder: str = "dev_databases"
    """For the layout bird: beside the task file."""
    size: str
    use: str
    """The command that plays it, with places to fill in."""
    files: tuple[Remote, ...] = ()
    by_hand: tuple[str, ...] = ()
    """What no program can fetch, step by step."""
    tested: tuple[KnownFile, ...] = ()


@cache
def catalogue() -> dict[str, Dataset]:
    """By name, in the order of the file."""
    return msgspec.convert(tomllib.loads(FILE.read_text()), dict[str, Dataset])


def dataset(name: str) -> Dataset:
    known = catalogue()
    if name not in known:
        raise InputError(f"there is no dataset named '{name}'; there are: {', '.join(known)}")
    return known[name]


def find_file(directory: Path, name: str) -> Path | None:
    """The file of this name nearest to the top: archives put it into folders of their own."""
    for level in range(4):
        paths = sorted(path for path in directory.glob("/".join(["*"] * level + [name])) if path.is_file())
        if paths:
            return paths[0]
    return None
