"""Archives from strangers: unpacked into an empty folder, with nothing outside it touched and no more written than allowed.

Only files and folders come out. A member with an absolute name, a name that climbs (`..`), a link, a device, a password or a
name that occurs twice makes the whole archive refused, as does one that grows beyond the limits: what it says of its own size
is not believed, the bytes are counted as they come. A damaged one is refused too: it is read to its end, checksum included.
"""

from __future__ import annotations

import lzma
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from errno import EINVAL
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from tarfile import HeaderError, ReadError
from typing import IO, Self

from ..errors import TouchstoneError

CHUNK = 1 << 20
LONGEST_TAIL = 64 * CHUNK
"""What may follow the end of a tar archive: tapes were written in blocks."""
_JUNK = ("__MACOSX/", ".DS_Store")
_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
)


class UnsafeArchive(TouchstoneError):
    """An archive that must not be unpacked, in one line."""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Well above any dataset there is, well below what fills a disk by surprise."""

    bytes: int = 64 * 2**30
    files: int = 500_000
    ratio: int = 200
    """Unpacked over packed, once more than `free` came out."""
    free: int = 256 * 2**20


_BOUNDS = Bounds()


@dataclass(frozen=True)
class _Member:
    name: str
    open: Callable[[], IO[bytes]]


def unpack(archive: Path, target: Path, *, only: tuple[str, ...] = (), bounds: Bounds = _BOUNDS) -> int:
    """How many files were written. Raises UnsafeArchive; `target` may then hold some of them."""
    room = most = min(bounds.bytes, max(bounds.free, bounds.ratio * archive.stat().st_size))
    target.mkdir(parents=True, exist_ok=True)
    seen: set[PurePosixPath] = set()
    try:
        for member in _members(archive):
            name = _safe(archive, member.name)
            if any(junk in member.name for junk in _JUNK) or (only and not any(fnmatchcase(str(name), each) for each in only)):
                continue
            if name in seen:
                raise UnsafeArchive(f"{archive.name}: the name {name} occurs twice")
            seen.add(name)
            if len(seen) > bounds.files:
                raise UnsafeArchive(f"{archive.name}: it holds more than {bounds.files:,} files")
            with member.open() as source:
                room -= _copy(source, target / name, room)
            if room < 0:
                raise UnsafeArchive(f"{archive.name}: it unpacks to more than {most:,} bytes, far more than expected")
    except _DAMAGED as error:
        raise UnsafeArchive(f"{archive.name}: cannot be unpacked: {str(error) or type(error).__name__}") from None
    except (NotADirectoryError, IsADirectoryError, FileExistsError) as error:
        raise UnsafeArchive(f"{archive.name}: one name is a file and a folder: {error.filename}") from None
    except OSError as error:
        if error.errno not in (None, EINVAL):  # EINVAL: the archive names a place in itself that cannot be
            raise  # the disk's fault, not the archive's
        raise UnsafeArchive(f"{archive.name}: cannot be unpacked: {error}") from None
    if not seen:
        raise UnsafeArchive(f"{archive.name}: nothing in it is wanted" if only else f"{archive.name}: it is empty")
    return len(seen)


def _copy(source: IO[bytes], target: Path, room: int) -> int:
    """How many bytes; one more than there is room for, if there are more."""
    written = 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        while written <= room and (piece := source.read(min(CHUNK, room - written + 1))):
            written += len(piece)
            file.write(piece)
    return written


def _members(archive: Path) -> Iterator[_Member]:
    if zipfile.is_zipfile(archive):
        return _of_zip(archive)
    if tarfile.is_tarfile(archive):
        return _of_tar(archive)
    raise UnsafeArchive(f"{archive.name}: neither a zip nor a tar archive")


def _of_zip(archive: Path) -> Iterator[_Member]:
    with zipfile.ZipFile(archive) as opened:
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16)
            if info.filename.endswith("/"):
                _safe(archive, info.filename, folder=True)
                continue
            if kind not in (0, stat.S_IFREG):
                raise UnsafeArchive(f"{archive.name}: {info.filename} is a link or a device")
            if info.flag_bits & 0x1:
                raise UnsafeArchive(f"{archive.name}: {info.filename} is locked with a password")
            yield _Member(info.filename, lambda info=info: opened.open(info))


class _Header(tarfile.TarInfo):
    """tarfile takes a header that is damaged for the end of the archive; only what is marked as the end is."""

    @classmethod
    def fromtarfile(cls, tarfile: tarfile.TarFile) -> Self:
        try:
            return super().fromtarfile(tarfile)
        except HeaderError as error:
            if tarfile.offset == 0 or type(error).__name__ == "EOFHeaderError":
                raise
            raise ReadError(f"damaged at byte {tarfile.offset:,}: {error}") from None


def _of_tar(archive: Path) -> Iterator[_Member]:
    with tarfile.open(archive, "r:*", tarinfo=_Header) as opened:
        for info in opened:
            if info.isdir():
                _safe(archive, info.name, folder=True)
                continue
            if not info.isreg():
                raise UnsafeArchive(f"{archive.name}: {info.name} is a link or a device")
            yield _Member(info.name, lambda info=info: _content(opened, info))
        _read_to_the_end(archive, opened)


def _read_to_the_end(archive: Path, opened: tarfile.TarFile) -> None:
    """Where a compressed file has its checksum."""
    file = opened.fileobj
    assert file is not None  # it was opened by its name
    tail = 0
    while piece := file.read(CHUNK):
        tail += len(piece)
        if tail > LONGEST_TAIL:
            raise UnsafeArchive(f"{archive.name}: there is data after its end")


def _content(opened: tarfile.TarFile, info: tarfile.TarInfo) -> IO[bytes]:
    file = opened.extractfile(info)
    assert file is not None  # it is a regular file
    return file


def _safe(archive: Path, name: str, *, folder: bool = False) -> PurePosixPath:
    """A folder may be the place itself, `./`; a file must have a name."""
    path = PurePosixPath(name)
    odd = "\\" in name or "\0" in name or len(name.encode("utf-8", "replace")) > 1000 or not (path.parts or folder)
    if odd or path.is_absolute() or ".." in path.parts or ":" in (path.parts or [""])[0]:
        raise UnsafeArchive(f"{archive.name}: {name!r} would be written outside the folder")
    return path
