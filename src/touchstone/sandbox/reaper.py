"""Stands between Touchstone and a program that is not to be trusted: starts it, limits it, ends all that it started.

It runs in a Python of its own, isolated and with the standard library alone (see `command`), because it must work in a sandbox
that shows nothing else. It ends with the program's status (128 + the number for a signal). When the program ends, or its
own standard input does (Touchstone ends the program, or is gone itself), it kills all that the program has started: as
their subreaper it inherits processes that want to outlive their parents.
"""

from __future__ import annotations

import contextlib
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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NoReturn

from . import privileges
from .landlock import checked, libc

_PR_SUBREAPER = 36
_NEWUSER, _NEWNET = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_CANNOT_START = 126
_LARGEST_FILE = 4 * 2**30
_SECONDS_BETWEEN_LOOKS = 0.2
_LOOKS_PER_WALK = 10
_COUNTED = (b"RssAnon:", b"RssShmem:", b"VmSwap:")

PACKAGE = Path(__file__).parent
PARTS = (PACKAGE.parent / "__init__.py", PACKAGE)
"""All files of ours that it needs."""


@dataclass(frozen=True, kw_only=True)
class ReaperOrders:
    """What it is told."""

    directory: str
    """Where the program starts."""
    folders: list[str]
    """To be made before."""
    rules: int | None = None
    """A descriptor with rules of Landlock."""
    calls: str = ""
    """A filter for system calls, in hexadecimal."""
    user: int | None = None
    """From root, become this one."""
    may_read: bool = False
    """It keeps the power to read what belongs to others."""
    offline: bool = False
    """Leave the network."""
    relay: tuple[int, str] | None = None
    """Connections to this port here go to the Unix socket there."""
    processes: int = 0
    """How many processes and threads its user may have in all; 0: any number."""
    memory: int = 0
    """How many bytes all its processes may use together, with `in_memory`; 0: as many as they like."""
    in_memory: list[str] = field(default_factory=lambda: [])
    """File systems that are memory."""
    disk: int = 0
    """How many bytes there may be in `on_disk`; 0: as many as it likes."""
    on_disk: str = ""


def command(python: str, orders: ReaperOrders, program: Sequence[str]) -> list[str]:
    start = "import sys; sys.path.append(sys.argv.pop(1)); from touchstone.sandbox.reaper import run; run()"
    return [python, "-I", "-S", "-c", start, str(PACKAGE.parent.parent), json.dumps(asdict(orders)), *program]


def run() -> NoReturn:
    try:
        status = main(ReaperOrders(**json.loads(sys.argv[1])), sys.argv[2:])
    except OSError as error:
        print(f"touchstone: {error.strerror}", file=sys.stderr, flush=True)
        status = _CANNOT_START
    os._exit(status)


def main(orders: ReaperOrders, program: Sequence[str]) -> int:
    checked(libc().prctl(_PR_SUBREAPER, 1, 0, 0, 0), "become a subreaper")
    if orders.offline:
        _leave_network()
    privileges.be_first_to_go()
    privileges.hide_memory()
    listening = _listen(orders.relay[0]) if orders.relay else None
    child = os.fork()
    if child == 0:
        _become(orders, program)
    if listening is not None and orders.relay:
        threading.Thread(target=_accept, args=(listening, orders.relay[1]), daemon=True).start()
    status = _awaited(child, orders)
    _end_all()
    return status


def _awaited(child: int, orders: ReaperOrders) -> int:
    """The program's status, or 128 + 9 if it is to end now."""
    ended = os.pidfd_open(child)
    poll = select.poll()
    poll.register(ended, select.POLLIN)
    poll.register(0, select.POLLIN | select.POLLHUP)
    looks = 0
    while True:
        ready = [descriptor for descriptor, _ in poll.poll(_SECONDS_BETWEEN_LOOKS * 1000 if orders.memory else None)]
        if ended in ready:
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            return 128 - code if code < 0 else code
        if 0 in ready and not os.read(0, 1024):
            return 128 + signal.SIGKILL
        looks += 1
        if used_up := _used_up(orders, walk=looks % _LOOKS_PER_WALK == 0):
            print(f"touchstone: the program was ended: it used more than {used_up}", file=sys.stderr, flush=True)
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
    descendants = list(parents.get(os.getpid(), ()))
    for process in descendants:
        descendants += parents.get(process, ())
    return descendants


# Limits that no kernel without cgroups can set for several processes together: looked at a few times a second.


def _used_up(orders: ReaperOrders, *, walk: bool) -> str:
    """What it has used too much of, in words."""
    if orders.memory and _memory(orders) > orders.memory:
        return f"{orders.memory / 2**30:g} GB of memory"
    if orders.disk and walk and _is_larger(orders.on_disk, orders.disk):
        return f"{orders.disk / 2**30:g} GB of disk"
    return ""


def _memory(orders: ReaperOrders) -> int:
    used = sum(map(_memory_of, _descendants()))
    for path in orders.in_memory:
        with contextlib.suppress(OSError):
            about = os.statvfs(path)
            used += (about.f_blocks - about.f_bfree) * about.f_frsize
    return used


def _memory_of(process: int) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_bytes()
    except OSError:
        return 0  # it has ended
    return sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(_COUNTED)) * 1024


def _is_larger(folder: str, limit: int) -> bool:
    """Whether there is more than this in a folder. A folder that its owner has closed is counted as nothing."""
    used, folders = 0, [folder]
    while folders:
        with contextlib.suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                used += entry.stat(follow_symlinks=False).st_blocks * 512
                if used > limit:
                    return True
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return False


# The program, before it is one.


def _become(orders: ReaperOrders, program: Sequence[str]) -> NoReturn:
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        privileges.close_all_but({0, 1, 2, *([] if orders.rules is None else [orders.rules])})
        if orders.user is not None:
            privileges.become(orders.user, may_read=orders.may_read, starts=True)
        for folder in orders.folders:
            Path(folder).mkdir(mode=0o700, exist_ok=True)
        os.chdir(orders.directory)
        limits = {resource.RLIMIT_CORE: 0, resource.RLIMIT_FSIZE: _LARGEST_FILE}
        if orders.processes:
            limits[resource.RLIMIT_NPROC] = orders.processes
        privileges.give_up(limits=limits.items(), rules=orders.rules, calls=bytes.fromhex(orders.calls))
        os.execv(program[0], list(program))
    except BaseException as error:
        print(f"touchstone: cannot start {program[0]}: {error}", file=sys.stderr, flush=True)
    os._exit(_CANNOT_START)


# Without a network.


def _leave_network() -> None:
    """Into a network of its own, in which there is nothing but this process's relay."""
    user, group = os.getuid(), os.getgid()
    if libc().unshare(_NEWNET) != 0:
        checked(libc().unshare(_NEWUSER | _NEWNET), "leave the network")
        for name, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            Path(f"/proc/self/{name}").write_text(text)
    loopback_up()


def loopback_up() -> None:
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
