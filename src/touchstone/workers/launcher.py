"""Stands between Touchstone and a program that is not to be trusted. Run as a script of its own, with Python's library alone.

    python -I -S launcher.py '{…}' program argument …

It gives up what it was told to, starts the program, and ends with its status (128 + the number for a signal). When the program
ends, or its own standard input does (Touchstone ends the program, or is gone itself), it kills all that the program has
started: as their subreaper it inherits processes that want to outlive their parents. What it is told, as JSON:

    directory   where the program starts
    rules       a descriptor with rules of Landlock, or null
    filter      a filter for system calls, in hexadecimal, or ""
    nobody      from root, become nobody; the power to read stays, since Landlock limits what it is good for
    offline     leave the network
    relay       [port, path]: connections to this port here go to the Unix socket there; or null
    processes   how many processes and threads its user may have in all; 0: any number
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import resource
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

_PR_SET_PDEATHSIG, _PR_SET_KEEPCAPS, _PR_SET_SECCOMP, _PR_SUBREAPER, _PR_NO_NEW_PRIVS, _PR_CAP_AMBIENT = 1, 8, 22, 36, 38, 47
_AMBIENT_RAISE, _FILTER, _LANDLOCK_RESTRICT = 2, 2, 446
_NEWUSER, _NEWNET = 0x10000000, 0x40000000
_NOBODY, _READ_SEARCH, _CAPABILITY_VERSION = 65534, 2, 0x20080522
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_LARGEST_FILE = 4 * 2**30
_CANNOT_START = 126

_libc = ctypes.CDLL(None, use_errno=True)


def main(argv: Sequence[str]) -> int:
    told: dict[str, Any] = json.loads(argv[0])
    _check(_libc.prctl(_PR_SUBREAPER, 1, 0, 0, 0), "become a subreaper")
    if told["offline"]:
        _leave_network()
    listening = _listen(told["relay"][0]) if told["relay"] else None
    child = os.fork()
    if child == 0:
        _become(told, argv[1:])
    if listening is not None:
        threading.Thread(target=_accept, args=(listening, told["relay"][1]), daemon=True).start()
    status = _awaited(child)
    _end_all()
    return status


def _awaited(child: int) -> int:
    """The program's status, or 128 + 9 if it is to end now."""
    ended = os.pidfd_open(child)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(0, select.POLLIN | select.POLLHUP)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if ended in ready:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            return 128 - code if code < 0 else code
        if not os.read(0, 1024):
            return 128 + signal.SIGKILL


def _end_all() -> None:
    """Until no child is left: none of ours, and none that was left to us."""
    pause = 0.001
    while True:
        for process in _descendants():
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(pause)
        pause = min(0.02, pause * 2)


def _descendants() -> list[int]:
    parents: dict[int, list[int]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - numbers, not paths
        if name.isdecimal():
            with contextlib.suppress(OSError):
                stat = Path(f"/proc/{name}/stat").read_bytes()
                parents.setdefault(int(stat.rpartition(b")")[2].split()[1]), []).append(int(name))
    found = list(parents.get(os.getpid(), ()))
    for process in found:
        found += parents.get(process, ())
    return found


# The program, before it is one.


def _become(told: dict[str, Any], program: Sequence[str]) -> NoReturn:
    try:
        os.setsid()
        os.chdir(told["directory"])
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if told["nobody"]:
            _become_nobody(told["rules"] is not None)
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        _limit(told["processes"])
        _check(_libc.prctl(_PR_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs")
        if told["rules"] is not None:
            _check(_libc.syscall(_LANDLOCK_RESTRICT, told["rules"], 0), "set the rules of Landlock")
        if told["filter"]:
            _filter(bytes.fromhex(told["filter"]))
        os.closerange(3, 65536)
        os.execv(program[0], list(program))
    except BaseException as error:
        print(f"touchstone: cannot start {program[0]}: {error}", file=sys.stderr, flush=True)
    os._exit(_CANNOT_START)


def _become_nobody(may_read: bool) -> None:
    _libc.prctl(_PR_SET_KEEPCAPS, int(may_read), 0, 0, 0)
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    if may_read:
        power = 1 << _READ_SEARCH
        header = struct.pack("Ii", _CAPABILITY_VERSION, 0)
        kept = _libc.capset(header, struct.pack("IIIIII", power, power, power, 0, 0, 0)) == 0
        if kept:
            _libc.prctl(_PR_CAP_AMBIENT, _AMBIENT_RAISE, _READ_SEARCH, 0, 0)
        else:
            _check(_libc.capset(header, bytes(24)), "give up root's powers")


def _limit(processes: int) -> None:
    wanted = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: _LARGEST_FILE}
    if processes:
        wanted[resource.RLIMIT_NPROC] = processes
    for what, limit in wanted.items():
        hard = resource.getrlimit(what)[1]
        limit = limit if hard < 0 else min(limit, hard)
        resource.setrlimit(what, (limit, limit))


def _filter(code: bytes) -> None:
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    _check(_libc.prctl(_PR_SET_SECCOMP, _FILTER, ctypes.c_char_p(program), 0, 0), "set the filter for system calls")


# Without a network.


def _leave_network() -> None:
    """Into a network of its own, in which there is nothing but this process's relay."""
    user, group = os.getuid(), os.getgid()
    if _libc.unshare(_NEWNET) != 0:
        _check(_libc.unshare(_NEWUSER | _NEWNET), "leave the network")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", request)[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def _listen(port: int) -> socket.socket:
    listening = socket.socket()
    listening.bind(("127.0.0.1", port))
    listening.listen(64)
    return listening


def _accept(listening: socket.socket, path: str) -> None:
    while True:
        near, _ = listening.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(path)
        except OSError:
            near.close()
            continue
        for source, target in ((near, far), (far, near)):
            threading.Thread(target=_pump, args=(source, target), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def _check(result: int, what: str) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"cannot {what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    try:
        status = main(sys.argv[1:])
    except OSError as error:
        print(f"touchstone: {error.strerror}", file=sys.stderr, flush=True)
        status = _CANNOT_START
    os._exit(status)
