"""What a forked child gives up before it runs code that is not to be trusted. None of it can be had back.

From root it becomes nobody. One power of root's remains where Landlock limits what it is good for: to read files whoever they
belong to, without which nobody may be unable to import a module from a Python that is installed in somebody's home.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

from . import _landlock, _seccomp
from ._libc import libc

NULL = Path("/dev/null")

_NOBODY = 65534
_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS = 1, 8, 38
_CAPABILITY_VERSION = 0x20080522
_CAP_DAC_READ_SEARCH = 1 << 2
_CLOSE_RANGE = 436


def surrender(kept: set[int], limits: Iterable[tuple[int, int]], rules: list[int]) -> None:
    """Keeps these descriptors, sets these limits and the rules of Landlock, and the filter for system calls."""
    os.setpgid(0, 0)
    null = os.open(NULL, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    # Python's streams may have been replaced by others, which are about to be closed.
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115 - they stay open
    sys.stderr = sys.stdout
    _close_all_but(kept | {0, 1, 2})
    if os.geteuid() == 0:
        _become_nobody(may_read=bool(rules))
    libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # a change of user would undo it
    for what, limit in limits:
        resource.setrlimit(what, (limit, limit))
    if libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError("no_new_privs cannot be set")
    for descriptor in rules:
        _landlock.restrict(descriptor)
        os.close(descriptor)
    if _seccomp.available():
        _seccomp.restrict(files=not rules)


def _become_nobody(*, may_read: bool) -> None:
    libc().prctl(_PR_SET_KEEPCAPS, int(may_read), 0, 0, 0)
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    if may_read and not _keep_only(_CAP_DAC_READ_SEARCH) and not _keep_only(0):
        raise OSError("root's powers cannot be given up")


def _keep_only(power: int) -> bool:
    header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
    powers = struct.pack("IIIIII", power, power, 0, 0, 0, 0)  # effective, permitted, inheritable; the upper halves
    return libc().capset(header, powers) == 0


def _close_all_but(kept: set[int]) -> None:
    start = 0
    for descriptor in (*sorted(kept), 2**31 - 1):
        if start < descriptor and libc().syscall(_CLOSE_RANGE, start, descriptor - 1, 0) != 0:
            _close_one_by_one(kept)  # a kernel older than the call
            return
        start = descriptor + 1


def _close_one_by_one(kept: set[int]) -> None:
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - numbers, not paths
        if int(name) not in kept:
            with contextlib.suppress(OSError):
                os.close(int(name))
