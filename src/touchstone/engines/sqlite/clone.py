"""Writable private copies of a SQLite file.

The quick way costs the same for 1 MB and 1 GB: the file is mapped MAP_PRIVATE, so the kernel copies a page when it is first
written, and the mapping is handed to SQLite as an in-memory database with room to grow behind it. The file itself is only
ever read. A WAL-mode file is marked as an ordinary one in the private mapping alone. Where Python's SQLite cannot be reached
this way, or the file is too large for a mapping, the file is copied into a temporary directory.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

from .library import library, pointer

HEADROOM = 256 * 2**20
"""How much a private copy may grow. Only pages that are written take memory."""

_PAGE = mmap.PAGESIZE
_MAP_FIXED = 0x10  # Linux's numbers; Python names the second only from 3.13 on
_MAP_NORESERVE = 0x4000
_MAP_FAILED = ctypes.c_void_p(-1).value
_VERSION_BYTES = 18
_WAL_VERSION = 2


def clone(path: Path) -> tuple[sqlite3.Connection, Callable[[], None]]:
    """A connection to a private copy, and the function that ends it and frees its memory."""
    if _can_map():
        with suppress(MemoryError):
            return _mapped(path)
    return _copied(path)


@cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
    return libc


def _can_map() -> bool:
    return library() is not None and sys.platform == "linux"


def _mapped(path: Path) -> tuple[sqlite3.Connection, Callable[[], None]]:
    handle = library()
    assert handle is not None
    size = path.stat().st_size
    total = -(-(size + HEADROOM) // _PAGE) * _PAGE
    address = _map_with_headroom(path, size, total)
    versions = (ctypes.c_ubyte * 2).from_address(address + _VERSION_BYTES)
    if versions[0] == _WAL_VERSION:
        versions[0] = versions[1] = 1
    connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=0)
    if handle.sqlite3_deserialize(pointer(connection), b"main", address, size, total, 0) != 0:
        connection.close()
        _libc().munmap(address, total)
        return _copied(path)

    def close() -> None:
        connection.close()
        _libc().munmap(address, total)

    return connection, close


def _map_with_headroom(path: Path, size: int, total: int) -> int:
    protection = mmap.PROT_READ | mmap.PROT_WRITE
    private = mmap.MAP_PRIVATE | _MAP_NORESERVE
    address = _libc().mmap(None, total, protection, private | mmap.MAP_ANONYMOUS, -1, 0)
    if address in (None, _MAP_FAILED):
        raise MemoryError(os.strerror(ctypes.get_errno()))
    file = os.open(path, os.O_RDONLY)
    try:
        if _libc().mmap(address, size, protection, private | _MAP_FIXED, file, 0) != address:
            error = os.strerror(ctypes.get_errno())
            _libc().munmap(address, total)
            raise MemoryError(error)
    finally:
        os.close(file)
    return address


def _copied(path: Path) -> tuple[sqlite3.Connection, Callable[[], None]]:
    with tempfile.TemporaryDirectory(prefix="touchstone-") as directory:
        copy = Path(directory, "copy.sqlite")
        shutil.copyfile(path, copy)
        connection = sqlite3.connect(copy, isolation_level=None, cached_statements=0)
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("PRAGMA synchronous = OFF")
        page_size = connection.execute("PRAGMA page_size").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {(path.stat().st_size + HEADROOM) // page_size}")
    # The file lives on without a name until the connection ends, so nothing is left behind even if the process is killed.
    return connection, connection.close
