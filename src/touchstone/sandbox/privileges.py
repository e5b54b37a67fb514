"""What a process gives up before it runs something foreign. Everything foreign goes through here; none of it can be had back.

From root it becomes somebody without rights. One power of root's may remain where other rules limit what it is good for: to
read files whoever they belong to, without which nobody can start a program that is installed in somebody's home.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import struct
from collections.abc import Iterable
from pathlib import Path

from . import landlock, seccomp
from .landlock import checked, libc

NOBODY = 65534
Limits = Iterable[tuple[int, int]]
"""Resources and how much of each, see `resource.setrlimit`."""

DAC_OVERRIDE, READ_SEARCH, KILL, SETGID, SETUID = 1, 2, 5, 6, 7
"""Numbers of root's powers."""
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_KEEPCAPS, _PR_SET_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 1, 4, 8, 38, 47
_AMBIENT_RAISE = 2
_CAPABILITY_VERSION = 0x20080522
_CLOSE_RANGE = 436
_JOIN_SESSION_KEYRING = 1


def give_up(*, limits: Limits, rules: int | None, calls: bytes, user: int | None = None, may_read: bool = False) -> None:
    """Leaves the keys of whoever started it, sets these limits, the rules of Landlock and the filter for system calls, and dies
    with its parent. With `user`, which takes root, it becomes this user and group, with no power but perhaps to read all."""
    import resource  # not on Windows, where nothing here is called; before another user may not read it

    leave_keys()
    if user is not None:
        become(user, may_read=may_read)
    die_with_parent()  # a change of user would undo it
    for what, limit in limits:
        hard = resource.getrlimit(what)[1]
        limit = limit if hard < 0 else min(limit, hard)  # a limit that is stricter already cannot be lifted
        resource.setrlimit(what, (limit, limit))
    checked(libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs")
    if rules is not None:
        landlock.restrict(rules)
        os.close(rules)
    if calls:
        seccomp.restrict(calls)


def leave_keys() -> None:
    if keyctl := seccomp.number("keyctl"):
        libc().syscall(keyctl, _JOIN_SESSION_KEYRING, None)  # where that is refused, an outer sandbox has refused all keys


def die_with_parent() -> None:
    libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def hide_memory() -> None:
    """No other process of this user's may debug this one, or look into what it has open."""
    libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def be_first_to_go() -> None:
    """When the machine runs out of memory, this process and its children are killed before any other."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")


def become(user: int, *, may_read: bool, starts: bool = False) -> None:
    """With `starts`, the program that it starts may be one that only its owner may execute: that power ends with the start."""
    libc().prctl(_PR_SET_KEEPCAPS, int(may_read), 0, 0, 0)
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    if may_read:
        keep_powers(READ_SEARCH, once=(DAC_OVERRIDE,) if starts else ())
        libc().prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, READ_SEARCH, 0, 0)  # a program that it starts has it too


def keep_powers(*powers: int, once: tuple[int, ...] = ()) -> None:
    """Gives up all of root's other powers; those for `once` no program inherits. In a container there may be none of these."""
    header, current = struct.pack("Ii", _CAPABILITY_VERSION, 0), ctypes.create_string_buffer(24)
    checked(libc().capget(header, current), "look at root's powers")
    permitted = struct.unpack("IIIIII", current.raw)[1]
    passed_on = sum(1 << power for power in powers) & permitted
    kept = passed_on | sum(1 << power for power in once) & permitted
    checked(libc().capset(header, struct.pack("IIIIII", kept, kept, passed_on, 0, 0, 0)), "give up root's powers")


def close_all_but(kept: set[int]) -> None:
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
