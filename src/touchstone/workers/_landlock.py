"""Landlock: a process gives up, for good, the right to touch files that it does not name.

What an older kernel does not know (truncating, TCP, signals, abstract sockets) is left out there; the filter for system
calls refuses most of it once more.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ._libc import libc

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same on all architectures
_VERSION = 1
_PATH_BENEATH = 1

_EXECUTE, _READ_FILE, _READ_DIR, _WRITE_FILE = 1 << 0, 1 << 2, 1 << 3, 1 << 1
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | 1 << 14 | 1 << 15  # truncate, ioctl: the rest is for directories alone
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
"""How many kinds of access to files each version knows."""
_BIND_AND_CONNECT, _SOCKETS_AND_SIGNALS = 3, 3


@cache
def version() -> int:
    """0: there is no Landlock here."""
    return max(0, libc().syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION))


def ruleset(readable: Iterable[Path], writable: Iterable[Path]) -> int:
    """A descriptor of rules by which only these, and what is below them, can be opened."""
    reading = _READ_FILE | _READ_DIR
    return _rules({path: reading for path in readable} | {path: reading | _WRITE_FILE for path in writable}, network=False)


def program_rules(visible: Iterable[Path], private: Iterable[Path], devices: Iterable[Path]) -> int:
    """A descriptor of rules for a program: it reads and executes what is visible, does what it likes with what is private,
    and has the network."""
    seen = {path: _EXECUTE | _READ_FILE | _READ_DIR for path in visible}
    used = {path: _READ_FILE | _READ_DIR | _WRITE_FILE | 1 << 15 for path in devices}
    return _rules(seen | used | {path: _rights() for path in private}, network=True)


def _rights() -> int:
    return (1 << _FILE_RIGHTS.get(version(), 16)) - 1


def _rules(allowed: Mapping[Path, int], *, network: bool) -> int:
    closed = _BIND_AND_CONNECT if version() >= 4 and not network else 0
    scope = _SOCKETS_AND_SIGNALS if version() >= 6 else 0
    size = 24 if version() >= 6 else 16 if version() >= 4 else 8
    attributes = struct.pack("QQQ", _rights(), closed, scope)
    rules = _checked(libc().syscall(_CREATE, ctypes.c_char_p(attributes), ctypes.c_size_t(size), 0))
    try:
        for path, rights in allowed.items():
            _allow(rules, path, rights & _rights())
    except BaseException:
        os.close(rules)
        raise
    return rules


def restrict(rules: int) -> None:
    """Sets the rules for this process. Needs no_new_privs."""
    _checked(libc().syscall(_RESTRICT, rules, 0))


def _allow(rules: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # what is not there needs no right
    try:
        rule = struct.pack("=Qi", rights if path.is_dir() else rights & _OF_FILES, place)
        _checked(libc().syscall(_ADD_RULE, rules, _PATH_BENEATH, ctypes.c_char_p(rule), 0))
    finally:
        os.close(place)


def _checked(result: int) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
