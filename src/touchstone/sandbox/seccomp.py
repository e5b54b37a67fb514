"""Filters for system calls, which a process sets for itself and can never take off again.

Three, from the widest to the narrowest:

    container    a guest with a file system, users and namespaces of its own: nothing that reaches the kernel or the machine
    program      a program: no namespaces, no mounts, no debugging of others, and no kinds of sockets but the usual
    computation  code that computes: no programs, no processes, no sockets, no signals, no attributes of files

Calls are named here; `syscalls` has their numbers. A newer call (from 424 on, where all architectures count alike) seems not to
exist unless it is named in `_HARMLESS`, so what the next kernel brings is refused before anybody has heard of it. clone3, whose
arguments a filter cannot see, seems not to exist either, and libc uses clone instead. A call by another architecture's numbers
kills the process. Only x86-64 and ARM are known; elsewhere there is no filter.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import socket
import struct
import sys
from collections.abc import Iterable
from functools import cache

from .landlock import checked, libc
from .syscalls import ARCHITECTURES, NUMBERS

_PR_GET_SECCOMP, _PR_SET_SECCOMP, _FILTER = 21, 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in seccomp_data
_X32 = 0x40000000
_FIRST_NEW = 424

_DENIED, _ABSENT, _NO_FAMILY = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS, _ERRNO | errno.EAFNOSUPPORT

_CLONE_THREAD = 0x10000
_CLONE_NEW = 0x7E020000  # a namespace of any kind
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C  # type into a terminal
_ROUTE = 0  # of netlink's protocols the one by which addresses are looked up

_MACHINE = """
    acct add_key adjtimex bpf clock_adjtime clock_settime delete_module fanotify_init finit_module init_module ioperm iopl
    kcmp kexec_file_load kexec_load keyctl lookup_dcookie modify_ldt name_to_handle_at nfsservctl open_by_handle_at
    perf_event_open quotactl reboot request_key settimeofday swapoff swapon syslog userfaultfd vhangup
"""
_NAMESPACES = "chroot mount pivot_root setns umount2 unshare migrate_pages move_pages process_vm_readv process_vm_writev ptrace"
_SHARED = "mq_open mq_unlink msgctl msgget msgrcv msgsnd semctl semget semop semtimedop shmat shmctl shmdt shmget"
_PROCESSES = """
    fork vfork execve execveat kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo setpgid setsid setpriority ioprio_set
    sched_setaffinity sched_setattr sched_setparam sched_setscheduler sethostname setdomainname
"""
_CLIENT, _SERVING = "socket connect bind", "socketpair accept accept4 listen"
_ATTRIBUTES = """
    truncate chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimesat utimensat
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
"""
_FILES = """
    open openat creat mkdir mkdirat rmdir rename renameat renameat2 link linkat unlink unlinkat symlink symlinkat mknod mknodat
"""
_HARMLESS = """
    close_range openat2 faccessat2 epoll_pwait2 futex_waitv cachestat map_shadow_stack futex_wake futex_wait futex_requeue mseal
    landlock_create_ruleset landlock_add_rule landlock_restrict_self set_mempolicy_home_node
"""
_MOUNTS = "open_tree move_mount fsopen fsconfig fsmount fspick mount_setattr"
_OF_PROGRAMS = "pidfd_open pidfd_send_signal fchmodat2 process_mrelease"

Instruction = tuple[int, int, int, int]


def available() -> bool:
    return sys.platform == "linux" and platform.machine() in ARCHITECTURES and libc().prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def restrict(code: bytes) -> None:
    """Sets a filter for this process. Needs no_new_privs."""
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    set_it = libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0)
    checked(set_it, "set the filter for system calls")


@cache
def container() -> bytes:
    return _assembled([*_each(_MACHINE, _DENIED), *_families(unix=True)], f"{_HARMLESS} {_OF_PROGRAMS} {_MOUNTS}")


@cache
def program(*, unix: bool, alone: bool) -> bytes:
    """`unix`: it may make Unix sockets, since no service of the machine's is in its reach; pairs of sockets between its own
    processes are always fine. `alone`: in namespaces of its own it may use shared memory, semaphores and queues of System V,
    which end with them, and change priorities and limits of the processes there; else only its own."""
    return _assembled(
        [
            *_each(f"{_MACHINE} {_NAMESPACES} {'' if alone else _SHARED}", _DENIED),
            *([] if alone else _of_itself_alone()),
            *_where("clone", 0, (_ANY_BIT, _CLONE_NEW), then=_DENIED),
            *_where("ioctl", 1, (_EQUAL, _TIOCSTI), then=_DENIED),
            *_where("ioctl", 1, (_EQUAL, _TIOCLINUX), then=_DENIED),
            *_families(unix=unix),
        ],
        f"{_HARMLESS} {_OF_PROGRAMS}",
    )


@cache
def computation(*, files: bool = True, children: bool = False, client: bool = False) -> bytes:
    """`files`: it may open some, since Landlock says which; `children`: it may fork, and end what it forked; `client`: it may
    connect to a server."""
    kept = {"fork", "vfork", "kill", "setpgid"} if children else set[str]()
    refused = f"{_MACHINE} {_NAMESPACES} {_SHARED} {_PROCESSES} {_SERVING} {_ATTRIBUTES}"
    refused += f" {'' if files else _FILES} {'' if client else _CLIENT}"
    return _assembled(
        [
            *_each((name for name in refused.split() if name not in kept), _DENIED),
            # A thread is fine, another process is not.
            *_where("clone", 0, (_ANY_BIT, _CLONE_NEW), then=_DENIED),
            *([] if children else _unless("clone", 0, (_ANY_BIT, _CLONE_THREAD), then=_DENIED)),
            *(_families(unix=True) if client else []),
            # The limits of others are not ours to set.
            *_unless("prlimit64", 0, (_EQUAL, 0), then=_DENIED),
        ],
        _HARMLESS if files else _HARMLESS.replace("openat2", ""),
    )


def _assembled(rules: Iterable[Instruction], newer: str) -> bytes:
    """The rules, and what holds for all filters. The number of the call is in the accumulator before and after each rule."""
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, ARCHITECTURES[platform.machine()]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_LEAST, 0, 1, _X32),  # on x86-64, numbers of a second set of calls
        (_RETURN, 0, 0, _DENIED),
        *rules,
        (_LEAST, 1, 0, _FIRST_NEW),
        (_RETURN, 0, 0, _ALLOW),
        *_each(newer, _ALLOW),
        (_RETURN, 0, 0, _ABSENT),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def number(name: str) -> int | None:
    """None: this architecture has no such call, or is not known."""
    if platform.machine() not in ARCHITECTURES:
        return None
    return NUMBERS[name][list(ARCHITECTURES).index(platform.machine())]


def _each(names: str | Iterable[str], answer: int) -> list[Instruction]:
    numbers = sorted(
        known for name in (names.split() if isinstance(names, str) else names) if (known := number(name)) is not None
    )
    return [instruction for call in numbers for instruction in ((_EQUAL, 0, 1, call), (_RETURN, 0, 0, answer))]


def _where(name: str, argument: int, test: tuple[int, int], *, then: int) -> list[Instruction]:
    """This answer if the call's argument, its low half, passes the test."""
    return _tested(name, argument, (test[0], 0, 1, test[1]), then)


def _unless(name: str, argument: int, test: tuple[int, int], *, then: int) -> list[Instruction]:
    return _tested(name, argument, (test[0], 1, 0, test[1]), then)


def _tested(name: str, argument: int, test: Instruction, answer: int) -> list[Instruction]:
    call = number(name)
    assert call is not None
    load = (_LOAD, 0, 0, 16 + 8 * argument)  # little-endian on both machines: the low half comes first
    return [(_EQUAL, 0, 4, call), load, test, (_RETURN, 0, 0, answer), (_LOAD, 0, 0, _NUMBER)]


def _of_itself_alone() -> list[Instruction]:
    """0 is oneself."""
    which = {"prlimit64": 0, "sched_setaffinity": 0, "sched_setattr": 0, "sched_setparam": 0, "sched_setscheduler": 0}
    which |= {"setpriority": 1, "ioprio_set": 1}
    return [rule for name, argument in which.items() for rule in _unless(name, argument, (_EQUAL, 0), then=_DENIED)]


def _families(*, unix: bool) -> list[Instruction]:
    """Kinds of sockets: TCP and UDP, Unix sockets perhaps, of netlink what looks up addresses; a pair is always a Unix pair."""
    allowed = [socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, *([socket.AF_UNIX] if unix else [])]
    call = number("socket")
    assert call is not None
    kinds: list[Instruction] = [(_EQUAL, len(allowed) - position, 0, family) for position, family in enumerate(allowed)]
    body: list[Instruction] = [
        (_LOAD, 0, 0, 16),
        *kinds,
        (_RETURN, 0, 0, _NO_FAMILY),
        (_EQUAL, 0, 3, socket.AF_NETLINK),
        (_LOAD, 0, 0, 32),
        (_EQUAL, 1, 0, _ROUTE),
        (_RETURN, 0, 0, _NO_FAMILY),
        (_LOAD, 0, 0, _NUMBER),
    ]
    pairs = _unless("socketpair", 0, (_EQUAL, socket.AF_UNIX), then=_NO_FAMILY)
    return [(_EQUAL, 0, len(body), call), *body, *pairs]
