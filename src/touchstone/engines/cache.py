"""Results remembered by content, across runs: one SQLite file of keys and values.

A key is the hash of everything that a value depends on (database digest, SQL, SQLite's version, limits, code), so an entry can
be missing but never wrong, and nothing needs to be invalidated. An entry also keeps what it was made from, so that it can be
made again and compared (`replay`). The cache is a convenience: if its file cannot be opened, read or written, everything works
without it, only slower. It is bounded; when it has grown too large it starts afresh.

Whoever puts many entries may gather them for a moment and write them together: a transaction costs more than what is in it.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from pathlib import Path

import msgspec
from msgspec import Struct

from ..types import Limits

LARGEST_FILE = 2 * 2**30
LARGEST_ENTRY = 8 * 2**20
MOST_GATHERED = 4 * 2**20
"""Bytes."""

_FORMAT = 2
_MOST_KEYS = 100_000
_SECONDS_FOR_A_LOCK = 5.0
_BROKEN = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)
_encode = msgspec.msgpack.Encoder().encode


def default_path() -> Path:
    """Where the cache lives: TOUCHSTONE_CACHE, else the user's cache directory."""
    own = os.environ.get("TOUCHSTONE_CACHE")
    if own:
        return Path(own, f"results-{_FORMAT}.sqlite")
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home, "touchstone", f"results-{_FORMAT}.sqlite")


def key(*parts: object) -> bytes:
    """A hash of any plain values."""
    return hashlib.blake2b(_encode(parts), digest_size=20).digest()


class Origin(Struct, frozen=True):
    """What an entry was made from: a function beside the data, by name, and its encoded request."""

    function: str
    request: bytes
    database: str
    """Where it was; the digest says whether it still is."""
    digest: str
    limits: Limits
    code: str
    """Touchstone's own."""
    function_code: str
    """Together with that of the plug-in which the function is from."""


class Cache:
    """Get and put; every failure counts as a miss."""

    def __init__(self, path: Path | None, *, gather: float = 0.0) -> None:
        """`gather`: what is put within so many seconds of a write waits for the next one, for `flush` or for `close`."""
        self.path = path
        self._own: set[bytes] | None = set() if path is None or not path.exists() else None
        """The keys of a new file, so long as they are few: what is not among them need not be looked for. (Another process may
        have put it there meanwhile; then it is made again.)"""
        self._connection = self._open(path) if path is not None else None
        self._gather = gather
        self._gathered: dict[bytes, tuple[bytes, bytes, str | None, bytes | None]] = {}
        self._size = 0
        self._next_write = 0.0

    def get(self, key: bytes) -> bytes | None:
        if self._connection is None or (self._own is not None and key not in self._own):
            return None
        if key in self._gathered:
            return self._gathered[key][1]
        try:
            row = self._connection.execute("SELECT value FROM entries WHERE key = ?", (key,)).fetchone()
        except sqlite3.Error:
            return None
        return row[0] if row else None

    def put(self, key: bytes, value: bytes, origin: Origin | None = None) -> None:
        if self._connection is None or len(value) > LARGEST_ENTRY:
            return
        if self._own is not None:
            self._own.add(key)
            if len(self._own) > _MOST_KEYS:
                self._own = None
        code, made_from = (origin.code, _encode(origin)) if origin else (None, None)
        self._gathered[key] = (key, value, code, made_from)
        self._size += len(value)
        if self._size > MOST_GATHERED or time.monotonic() >= self._next_write:
            self.flush()

    def flush(self) -> None:
        """Writes what was gathered, now."""
        if self._gathered and self._connection is not None:
            self._write(self._connection)

    def _write(self, connection: sqlite3.Connection) -> None:
        entries, self._gathered, self._size = list(self._gathered.values()), {}, 0
        with contextlib.suppress(sqlite3.Error), connection:  # which ends a transaction either way
            if len(entries) > 1:
                connection.execute("BEGIN IMMEDIATE")
            connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", entries)
        self._next_write = time.monotonic() + self._gather

    def count(self, code: str) -> tuple[int, int]:
        """How many results this code has remembered, and how many other code has."""
        if self._connection is None:
            return 0, 0
        query = "SELECT count(*) FILTER (WHERE code = ?), count(*) FROM entries WHERE code IS NOT NULL"
        own, total = self._connection.execute(query, (code,)).fetchone()
        return own, total - own

    def made_by(self, code: str) -> list[bytes]:
        """The keys of all that this code has remembered."""
        if self._connection is None:
            return []
        return [row[0] for row in self._connection.execute("SELECT key FROM entries WHERE code = ? ORDER BY key", (code,))]

    def origin(self, key: bytes) -> tuple[Origin, bytes] | None:
        """What an entry was made from, and its value."""
        if self._connection is None:
            return None
        query = "SELECT origin, value FROM entries WHERE key = ? AND origin IS NOT NULL"
        row = self._connection.execute(query, (key,)).fetchone()
        return (msgspec.msgpack.decode(row[0], type=Origin), row[1]) if row else None

    def close(self) -> None:
        if self._connection is not None:
            self.flush()
            self._connection.close()
            self._connection = None

    def _open(self, path: Path) -> sqlite3.Connection | None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.exists() and path.stat().st_size > LARGEST_FILE:
                _remove(path)
            return _connect(path)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", None) in _BROKEN:
                with contextlib.suppress(OSError, sqlite3.Error):
                    _remove(path)
                    return _connect(path)
        except OSError:
            pass
        return None


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, timeout=_SECONDS_FOR_A_LOCK)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")  # a lost entry is only a miss
    columns = "key BLOB PRIMARY KEY, value BLOB NOT NULL, code TEXT, origin BLOB"
    connection.execute(f"CREATE TABLE IF NOT EXISTS entries ({columns})")  # keys are random: rows go to the end
    connection.execute("CREATE INDEX IF NOT EXISTS by_code ON entries (code)")
    return connection


def _remove(path: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
