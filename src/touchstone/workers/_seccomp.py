"""A filter for system calls, which a process sets for itself and can never take off again.

It refuses, with EPERM, what starts programs or processes, opens sockets, reaches other processes, mounts, loads, or changes
the attributes of files; libpq needs none of it on a connection that is already open. Threads are allowed. clone3, whose
arguments a filter cannot see, seems not to exist, and libc uses clone instead. A call by another
architecture's numbers kills the process. Only x86-64 and ARM are known; elsewhere there is no filter.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from functools import cache

from ._libc import libc

_PR_GET_SECCOMP, _PR_SET_SECCOMP, _FILTER = 21, 22, 2
_ALLOW, _ERRNO, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_LOAD, _EQUAL, _LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in seccomp_data
_CLONE_THREAD = 0x10000
_X32 = 0x40000000

_EVERYWHERE = set(range(424, 435)) | {438, 440, 442, 443, 448, 452, 463, 466}
"""Numbers that all architectures share: pidfd_*, io_uring_*, the newer mount calls, process_*, fchmodat2, *xattrat."""
_CLONE3, _IO_URING_SETUP = 435, 425
_SOCKET = {"x86_64": 41, "aarch64": 198}

_X86_64 = {
    41, 42, 43, 49, 50, 53, 288,  # socket connect accept bind listen socketpair accept4
    57, 58, 59, 322,  # fork vfork execve execveat
    62, 129, 200, 234, 297,  # kill rt_sigqueueinfo tkill tgkill rt_tgsigqueueinfo
    101, 310, 311, 312,  # ptrace process_vm_readv process_vm_writev kcmp
    109, 112, 141, 142, 144, 203, 251, 256, 279, 314,  # setpgid setsid setpriority sched_set* ioprio_set *_pages
    29, 30, 31, 64, 65, 66, 68, 69, 70, 71, 220, 240, 241,  # shm* sem* msg* mq_open mq_unlink
    155, 161, 165, 166, 272, 308,  # pivot_root chroot mount umount2 unshare setns
    248, 249, 250, 298, 300, 303, 304, 321, 323,  # keys perf_event_open fanotify_init *_handle_at bpf userfaultfd
    175, 176, 246, 313, 320,  # *_module kexec_*
    103, 135, 153, 154, 159, 163, 164, 167, 168, 169, 170, 171, 172, 173, 179, 227, 305,  # the machine itself
    76, 90, 91, 92, 93, 94, 132, 188, 189, 190, 197, 198, 199, 235, 260, 261, 268, 280,  # truncate chmod chown utime xattr
}  # fmt: skip
_AARCH64 = {
    198, 199, 200, 201, 202, 203, 242,  # socket socketpair bind listen accept connect accept4
    221, 281,  # execve execveat
    129, 130, 131, 138, 240,  # kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo
    117, 270, 271, 272,  # ptrace process_vm_readv process_vm_writev kcmp
    154, 157, 140, 118, 119, 122, 30, 238, 239, 274,  # setpgid setsid setpriority sched_set* ioprio_set *_pages
    180, 181, 186, 187, 188, 189, 190, 191, 192, 193, 194, 195, 196,  # mq_open mq_unlink msg* sem* shm*
    41, 51, 40, 39, 97, 268,  # pivot_root chroot mount umount2 unshare setns
    217, 218, 219, 241, 262, 264, 265, 280, 282,  # keys perf_event_open fanotify_init *_handle_at bpf userfaultfd
    105, 106, 104, 273, 294,  # *_module kexec_*
    116, 92, 58, 171, 89, 170, 224, 225, 142, 161, 162, 60, 112, 266,  # the machine itself
    45, 52, 53, 54, 55, 88, 5, 6, 7, 14, 15, 16,  # truncate chmod chown utime xattr
}  # fmt: skip
_FILES = {
    "x86_64": {2, 82, 83, 84, 85, 86, 87, 88, 133, 257, 258, 259, 263, 264, 265, 266, 316, 437},
    "aarch64": {33, 34, 35, 36, 37, 38, 56, 276, 437},
}
"""open creat mkdir rmdir rename link unlink symlink mknod and their *at: refused where nothing else keeps files shut."""

_MACHINES = {
    # architecture in the kernel's numbering; refused calls; clone; prlimit64
    "x86_64": (0xC000003E, _X86_64, 56, 302),
    "aarch64": (0xC00000B7, _AARCH64, 220, 261),
}


def available() -> bool:
    return platform.machine() in _MACHINES and libc().prctl(_PR_GET_SECCOMP, 0, 0, 0, 0) >= 0


def restrict(*, files: bool) -> None:
    """Sets the filter for this process; with `files` it can open no more files either. Needs no_new_privs."""
    code = _program(platform.machine(), files)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    if libc().prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@cache
def program_filter() -> bytes:
    """A filter for programs of others: no sockets of this machine's services (a database's, a container engine's), which
    Landlock does not cover, and no io_uring, which would go around it. Pairs of sockets between own processes are fine."""
    architecture, _, _, _ = _MACHINES[platform.machine()]
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        *_answer(_IO_URING_SETUP, _ERRNO | errno.ENOSYS),
        (_EQUAL, 0, 3, _SOCKET[platform.machine()]),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 0, 1, socket.AF_UNIX),
        (_RETURN, 0, 0, _ERRNO | errno.EPERM),
        (_RETURN, 0, 0, _ALLOW),
    ]
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


@cache
def _program(machine: str, files: bool) -> bytes:
    architecture, refused, clone, prlimit = _MACHINES[machine]
    denied = _ERRNO | errno.EPERM
    code = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_LEAST, 0, 1, _X32),  # on x86-64, numbers of a second set of calls
        (_RETURN, 0, 0, denied),
        *_answer(_CLONE3, _ERRNO | errno.ENOSYS),
        # A thread is fine, another process is not. The low half of an argument comes first on both machines.
        (_EQUAL, 0, 4, clone),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_ANY_BIT, 0, 1, _CLONE_THREAD),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, denied),
        # The limits of others are not ours to set.
        (_EQUAL, 0, 4, prlimit),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (_EQUAL, 0, 1, 0),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, denied),
    ]
    for number in sorted(refused | _EVERYWHERE | (_FILES[machine] if files else set())):
        code += _answer(number, denied)
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("HBBI", *instruction) for instruction in code)


def _answer(number: int, answer: int) -> list[tuple[int, int, int, int]]:
    return [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, answer)]
