"""Writable private copies of a SQLite file.

The quick way costs the same for 1 MB and 1 GB: the file is mapped MAP_PRIVATE, so the kernel copies a page when it is first
written, and the mapping is handed to SQLite as an in-memory database with room to grow behind it. The file itself is only
ever read. A WAL-mode file is marked as an ordinary one in the private mapping alone. Where Python's SQLite cannot be reached
this way, or the file is too large for a mapping, the file is copied into a temporary directory.
"""

from __future__ import annotations

import ctypes
import datetime
import mmap
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

# The few functions of SQLite's C library that Python's module does not offer.
#
# They are looked up through the very library that Python's module uses; where that is not possible (a Python with SQLite
# linked in and hidden), `library()` is None and callers fall back to what the module offers.


_VM_STEP = 4  # SQLITE_STMTSTATUS_VM_STEP
_DEFENSIVE = 1010  # SQLITE_DBCONFIG_DEFENSIVE
_MILLISECONDS_BEFORE_1970 = 210_866_760_000_000  # since noon of 24 November 4714 BC, from which SQLite counts
_METHODS = (
    "xOpen xDelete xAccess xFullPathname xDlOpen xDlError xDlSym xDlClose xRandomness xSleep xCurrentTime xGetLastError "
    "xCurrentTimeInt64"
).split()


class _Vfs(ctypes.Structure):
    """SQLite's door to the system, as sqlite3.h has it. From version 2 on it asks `xCurrentTimeInt64` for the time."""

    _fields_ = (
        ("iVersion", ctypes.c_int),
        ("szOsFile", ctypes.c_int),
        ("mxPathname", ctypes.c_int),
        ("pNext", ctypes.c_void_p),
        ("zName", ctypes.c_char_p),
        ("pAppData", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in _METHODS),
    )


_Clock = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64))
_clock: object = None
"""Kept, since SQLite calls it as long as the process lives."""


@cache
def library() -> ctypes.CDLL | None:
    try:
        handle = ctypes.CDLL(getattr(sys.modules["_sqlite3"], "__file__", None))
        handle.sqlite3_libversion.restype = ctypes.c_char_p
        if handle.sqlite3_libversion().decode() != sqlite3.sqlite_version:
            return None
        handle.sqlite3_deserialize.argtypes = [
            ctypes.c_void_p,
            ctypes.c_char_p,
            ctypes.c_void_p,
            ctypes.c_int64,
            ctypes.c_int64,
            ctypes.c_uint,
        ]
        handle.sqlite3_hard_heap_limit64.argtypes = [ctypes.c_int64]
        handle.sqlite3_hard_heap_limit64.restype = ctypes.c_int64
        handle.sqlite3_get_autocommit.argtypes = [ctypes.c_void_p]
        handle.sqlite3_next_stmt.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        handle.sqlite3_next_stmt.restype = ctypes.c_void_p
        handle.sqlite3_stmt_status.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int]
        handle.sqlite3_stmt_status.restype = ctypes.c_uint32
        handle.sqlite3_vfs_find.argtypes = [ctypes.c_char_p]
        handle.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
    except (OSError, AttributeError):
        return None
    return handle if _finds_connections(handle) else None


def pointer(connection: sqlite3.Connection) -> int:
    """The `sqlite3 *` inside a Connection: the first field after Python's own header."""
    return ctypes.c_void_p.from_address(id(connection) + object.__basicsize__).value or 0


def steps_of(connection: sqlite3.Connection) -> int:
    """The steps of all statements that a connection keeps; 0 where the library cannot be asked."""
    handle = library()
    if handle is None:
        return 0
    steps, statement, own = 0, None, pointer(connection)
    while statement := handle.sqlite3_next_stmt(own, statement):
        steps += handle.sqlite3_stmt_status(statement, _VM_STEP, 0)
    return steps


def make_defensive(connection: sqlite3.Connection) -> None:
    """No statement may spoil the file's own structure: shadow tables, the schema, the journal."""
    handle = library()
    if handle is not None:
        handle.sqlite3_db_config(ctypes.c_void_p(pointer(connection)), _DEFENSIVE, 1, None)


def set_clock(moment: datetime.datetime) -> None:
    """From now on it is always this moment for every connection of this process. Needs `library()`."""
    global _clock
    handle = library()
    assert handle is not None
    milliseconds = _MILLISECONDS_BEFORE_1970 + round(1000 * moment.timestamp())

    def tell(_: object, result: ctypes.Array[ctypes.c_int64]) -> int:
        result[0] = milliseconds  # pyright: ignore[reportArgumentType]
        return 0

    _clock = _Clock(tell)
    handle.sqlite3_vfs_find(None).contents.xCurrentTimeInt64 = ctypes.cast(_clock, ctypes.c_void_p)


def limit_memory(size: int) -> None:
    """Limits SQLite's heap in this whole process."""
    handle = library()
    if handle is not None:
        handle.sqlite3_hard_heap_limit64(size)
    else:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.execute(f"PRAGMA hard_heap_limit = {size}")  # which can only lower it


def _finds_connections(handle: ctypes.CDLL) -> bool:
    """Whether `pointer` gives what we think, on this Python: a transaction must be visible through it."""
    probe = sqlite3.connect(":memory:", isolation_level=None)
    try:
        before = handle.sqlite3_get_autocommit(pointer(probe))
        probe.execute("BEGIN")
        return (before, handle.sqlite3_get_autocommit(pointer(probe))) == (1, 0)
    finally:
        probe.close()


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
    import shutil  # here, since every worker would wait for them at its start
    import tempfile

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
