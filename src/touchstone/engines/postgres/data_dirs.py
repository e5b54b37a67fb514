"""The directories that private servers live in: made, locked, swept, removed. Standard library only.

    <base>/touchstone-pg-xxxxxxxx/      only its user can enter
        lock                            locked by the supervisor for as long as it lives
        data/                           the cluster
        s/                              the socket; a link to a directory with a short name where this one's is too long
        log                             what the server has to say

A directory whose lock can be taken has lost its supervisor, and is removed by the next one.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

PREFIX = "touchstone-pg-"
PORT = 5432

SECONDS_TO_STOP = 8.0
"""After an immediate stop a server itself kills what is left of it after 5 seconds."""

_LONGEST_SOCKET = 107 - len(f"/.s.PGSQL.{PORT}")
_SECONDS_TO_LOCK = 60.0
_IPC_RMID = 0
_FICLONE = 0x40049409


class Trouble(Exception):
    """Why there is no server, in one sentence."""


@contextlib.contextmanager
def home(base: Path) -> Generator[Path]:
    """A locked directory of our own; removed in the end."""
    base.mkdir(parents=True, exist_ok=True)
    directory, lock = _claim(base)
    try:
        _make_sockets(directory / "s")
        yield directory
    finally:
        _remove(directory)
        os.close(lock)


def _claim(base: Path) -> tuple[Path, int]:
    """A new directory and the descriptor that holds its lock."""
    while True:
        directory = Path(tempfile.mkdtemp(prefix=PREFIX, dir=base))
        lock = os.open(directory / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        with contextlib.suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if (directory / "lock").exists():
                return directory, lock
        os.close(lock)  # somebody's sweep was quicker than our lock, and removes the directory


def _make_sockets(sockets: Path) -> None:
    name = os.fsencode(sockets)
    if len(name) <= _LONGEST_SOCKET and b"," not in name:  # libpq takes a comma for the end of a name
        sockets.mkdir(mode=0o700)
        return
    for base in ("/tmp", "/dev/shm", "/var/tmp"):
        with contextlib.suppress(OSError):
            sockets.symlink_to(tempfile.mkdtemp(prefix="touchstone-s-", dir=base))
            return
    raise Trouble("no directory with a short name can be made for the server's socket: tried /tmp, /dev/shm and /var/tmp")


def _remove(directory: Path) -> None:
    """Everything; the lock goes last, so that a removal that is cut short is taken up again."""
    sockets = directory / "s"
    if sockets.is_symlink():
        shutil.rmtree(sockets.readlink(), ignore_errors=True)
    for name in ("data", "s"):
        shutil.rmtree(directory / name, ignore_errors=True)
    shutil.rmtree(directory, ignore_errors=True)


def sweep(base: Path) -> None:
    """Removes what killed keepers have left behind, and ends a server that still runs in it."""
    for directory in base.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            status = directory.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                _sweep_one(directory, age=time.time() - status.st_mtime)


def _sweep_one(directory: Path, age: float) -> None:
    try:
        lock = os.open(directory / "lock", os.O_RDWR | os.O_NOFOLLOW)
    except FileNotFoundError:
        if age > _SECONDS_TO_LOCK:  # else it is just being made
            directory.rmdir()
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _end_orphan(directory / "data")
        _remove(directory)
    except BlockingIOError:
        pass  # in use
    finally:
        os.close(lock)


def _end_orphan(data: Path) -> None:
    pid = _postmaster(data)
    if pid is not None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGQUIT)
            os.kill(pid, signal.SIGCONT)
            deadline = time.monotonic() + SECONDS_TO_STOP
            while _postmaster(data) == pid and time.monotonic() < deadline:
                time.sleep(0.02)
            if _postmaster(data) == pid:
                os.kill(pid, signal.SIGKILL)
    release_memory(data)


def _postmaster(data: Path) -> int | None:
    """The process that runs on a cluster, if it really does: a number in a file may long belong to somebody else."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        pid = int(status(data)[0])
        if os.fsencode(data) in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0"):
            return pid
    return None


def status(data: Path) -> list[str]:
    """What a server writes about itself: process, directory, …, memory segment, and whether it is ready."""
    return (data / "postmaster.pid").read_text().splitlines()


def release_memory(data: Path) -> None:
    """A killed server leaves the small memory segment by which it would have known a second one."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        ctypes.CDLL(None).shmctl(int(status(data)[6].split()[1]), _IPC_RMID, None)


def copy_cluster(source: Path, target: Path) -> None:
    """Copies a cleanly stopped cluster, by reference where the file system can."""
    if not (source / "PG_VERSION").is_file():
        raise Trouble(f"{source} is not a PostgreSQL cluster")
    if (source / "postmaster.pid").exists():
        raise Trouble(f"the cluster {source} was not stopped cleanly")
    target.mkdir(mode=0o700)
    shutil.copytree(source, target, symlinks=True, copy_function=copy_file, dirs_exist_ok=True)


def copy_file(source: str, target: str) -> None:
    with Path(source).open("rb") as old, Path(target).open("wb") as new:
        try:
            fcntl.ioctl(new, _FICLONE, old.fileno())
        except OSError:
            left = os.fstat(old.fileno()).st_size
            while left > 0:
                left -= os.sendfile(new.fileno(), old.fileno(), None, left)
