"""Landlock: a process gives up, for good, the right to touch files that it does not name.

What an older kernel does not know (truncating, TCP, signals, abstract sockets) is left out there; the filter for system
calls refuses most of it once more.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

# The C library, for calls that Python does not have.


@cache
def libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def checked(result: int, what: str) -> int:
    """The result of a call that gives a negative number when it fails. Raises OSError: "cannot <what>: <why>"."""
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot {what}: {os.strerror(number)}")
    return result


_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on all architectures
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL  # the rest is for directories alone
_ALL = -1
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many kinds of access to files each version knows."""
_BIND_AND_CONNECT, _SOCKETS_AND_SIGNALS = 3, 3


@cache
def version() -> int:
    """0: there is no Landlock here."""
    if sys.platform != "linux":
        return 0
    return max(0, libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION))


def scopes() -> bool:
    """Whether signals and abstract sockets can be kept to a sandbox's own processes (Linux 6.12)."""
    return version() >= 6


def ruleset(
    *,
    read: Iterable[Path] = (),
    execute: Iterable[Path] = (),
    use: Iterable[Path] = (),
    own: Iterable[Path] = (),
    network: bool = False,
) -> int:
    """A descriptor of rules by which only these, and what is below them, can be opened: to be read, to be read and executed,
    to be read and written (a device), or for whatever one likes. Without `network`, TCP is refused too."""
    looking = _READ_FILE | _READ_DIR
    rights = {path: looking for path in read} | {path: looking | _EXECUTE for path in execute}
    rights |= {path: looking | _WRITE_FILE | _IOCTL for path in use} | {path: _ALL for path in own}
    return _create(rights, files=_file_rights(), closed=0 if network or version() < 4 else _BIND_AND_CONNECT)


def scope() -> int | None:
    """Rules for where the files are kept by other means: no signals and no abstract sockets but one's own."""
    return _create({}, files=0, closed=0) if scopes() else None


def restrict(rules: int) -> None:
    """Sets the rules for this process. Needs no_new_privs."""
    checked(libc().syscall(_RESTRICT, rules, 0), "set the rules of Landlock")


def _file_rights() -> int:
    return (1 << _FILE_RIGHTS.get(version(), 16)) - 1


def _create(allowed: Mapping[Path, int], *, files: int, closed: int) -> int:
    size = 24 if scopes() else 16 if version() >= 4 else 8
    attributes = struct.pack("QQQ", files, closed, _SOCKETS_AND_SIGNALS if scopes() else 0)
    made = libc().syscall(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0)
    rules = checked(made, "make rules of Landlock")
    try:
        for path, rights in allowed.items():
            _allow(rules, path, rights & files)
    except BaseException:
        os.close(rules)
        raise
    return rules


def _allow(rules: int, path: Path, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no right
    try:
        rule = struct.pack("=Qi", rights if path.is_dir() else rights & _OF_FILES, descriptor)
        added = libc().syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.c_char_p(rule), 0)
        checked(added, f"make a rule of Landlock for {path}")
    finally:
        os.close(descriptor)
