"""Original database files: recognised, hashed, and folded when a write-ahead log still holds part of them."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
import tempfile
from pathlib import Path

from ...errors import Unscorable
from ...sandbox.folders import private_folder
from ..cache import Cache, key

_LONGEST_NAME = 200
_MAGIC = b"SQLite format 3\x00"


def find(directory: Path, name: str) -> Path:
    """The file of a database, as `<name>/<name>.sqlite` or `<name>.sqlite`; the former if there is neither."""
    if name in ("", ".", "..") or "/" in name or "\0" in name or len(name.encode()) > _LONGEST_NAME:
        raise Unscorable(f"not a name of a database: {name!r}")
    nested, flat = directory / name / f"{name}.sqlite", directory / f"{name}.sqlite"
    return flat if flat.is_file() and not nested.is_file() else nested


def check(path: Path) -> None:
    """Raises Unscorable unless the file looks like a SQLite database."""
    try:
        with path.open("rb") as file:
            head = file.read(len(_MAGIC))
    except FileNotFoundError:
        raise Unscorable(f"database missing: {path}", "database") from None
    except OSError as error:
        raise Unscorable(f"database unreadable: {path}: {error.strerror}", "database") from None
    if head != _MAGIC:
        raise Unscorable(f"not a SQLite database: {path}", "database")


def digest(path: Path) -> str:
    """SHA-256 of the file, and of its write-ahead log if that holds anything."""
    digests: list[str] = []
    for part in _parts(path):
        with part.open("rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").hexdigest())
    return digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()


def known_digest(path: Path, cache: Cache) -> str | None:
    """The digest as it was when the file had the same size and times of change, if it is remembered."""
    known = cache.get(_digest_key(path))
    return known.decode() if known else None


def remember_digest(path: Path, cache: Cache, digest: str) -> None:
    cache.put(_digest_key(path), digest.encode())


def _digest_key(path: Path) -> bytes:
    return key("file digest", [_stamp(part) for part in _parts(path)])


def _parts(path: Path) -> list[Path]:
    log = _log_of(path)
    return [path] if log is None else [path, log]


def folded(path: Path) -> Path:
    """The path to read from: the file itself, or a copy with the write-ahead log worked in where there is one.

    The original's directory may be read-only and must not change, so the log cannot be folded in place.
    """
    log = _log_of(path)
    if log is None:
        return path
    target = private_folder() / (key("folded", _stamp(path), _stamp(log)).hex() + ".sqlite")
    if target.exists():
        return target
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        copy = Path(scratch, "copy.sqlite")
        shutil.copyfile(path, copy)
        shutil.copyfile(log, f"{copy}-wal")
        connection = sqlite3.connect(copy)
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.close()
        copy.replace(target)
    return target


def _log_of(path: Path) -> Path | None:
    log = Path(f"{path.resolve()}-wal")
    return log if log.exists() and log.stat().st_size > 0 else None


def _stamp(path: Path) -> tuple[str, int, int, int, int]:
    stat = path.stat()
    return str(path.resolve()), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino
