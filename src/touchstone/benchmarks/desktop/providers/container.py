"""A container: a program with a file system, users, processes and a network of its own. Run as a script, with Python's library
and the sandbox's alone.

    python -I -S container.py '{…}'

Four processes, each the parent of the next, and each killed when its parent ends:

    supervisor  ends when its standard input does (Touchstone ends the container, or is gone itself)
    mounter     sees the host's files, and lays out in a mount namespace of its own what the container may see
    builder     in new namespaces of every kind, where root is nobody on the host
    first       process 1 in there: mounts an overlay of the layers, leaves the host's files behind, starts the program

With the last process all mounts vanish, and the upper layer too unless it is a folder. What the supervisor is told, as JSON:

    layers    folders, the topmost first; never written to
    upper     a folder that takes what is written (a layer that is being made), or null: memory, gone with the container
    memory    how much of it, such as "50%" or "8g"
    binds     [[host path, path inside, writable], …]; what is writable is given to the root inside
    files     [[path inside, text, owner], …], written before the program starts; only those of root's can be read by others
    users     [first user id, first group id] on the host of the 65536 ids inside
    network   true: the host's; false: none but its own loopback
    user      the id as which the program runs; 0 is root inside
    program   its words
    variables its environment
    host      the host's name, as seen inside

It prints one line, `started PID`, with the process id of `first` as the host sees it, when the program has been started, and
ends with the program's status.
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
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

sys.path.append(str(Path(__file__).parents[4]))
from touchstone.sandbox.guest import confine_guest

IDS = 65536
CANNOT_START = 126
PROCESSES = 8192
"""How many processes and threads its programs may have."""
_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET = (
    0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000,
)  # fmt: skip
_RDONLY, _NOSUID, _NODEV, _REMOUNT, _BIND, _REC, _PRIVATE = 1, 2, 4, 32, 4096, 16384, 1 << 18
_DETACH = 2
_PDEATHSIG, _DUMPABLE = 1, 4
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
"""The number of the system call."""
_GET_FLAGS, _SET_FLAGS, _SET_ADDRESS, _SET_MASK, _UP = 0x8913, 0x8914, 0x8916, 0x891C, 0x1
_ADDRESSES = {"lo:docker": "172.17.0.1", "lo:db": "172.18.0.2"}
"""Of Docker's bridge, where containers reach the machine they run on, and of Superset's database: what stands in for containers
runs in the guest itself, so both are addresses of its own loopback."""
_LINKS = {"ptmx": "pts/ptmx", "fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2"}
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_STAGE = "/tmp"
"""Where the mounter lays things out: in its own mount namespace every host has this folder to mount over."""

_libc = ctypes.CDLL(None, use_errno=True)


def main(plan: dict[str, Any]) -> int:
    """The supervisor."""
    handshake = Handshake()
    reports, says = os.pipe()
    mounter = _child(lambda: _mount_files(plan, handshake, says))
    os.close(says)
    if os.geteuid() != 0:
        handshake.answer(lambda: _map_as_user(mounter, plan["users"]))
    return _keep(mounter, reports)


def _keep(mounter: int, reports: int) -> int:
    """Until the program ends, or nobody holds our input open any more."""
    ended = os.pidfd_open(mounter)
    poll = select.poll()
    for descriptor in (ended, 0, reports):
        poll.register(descriptor, select.POLLIN | select.POLLHUP)
    while True:
        ready = [descriptor for descriptor, _ in poll.poll()]
        if reports in ready:
            if line := os.read(reports, 64):
                os.write(1, b"started " + line + b"\n")
            poll.unregister(reports)
        if ended in ready:
            return _status(mounter)
        if 0 in ready and not os.read(0, 1024):
            os.kill(mounter, signal.SIGKILL)
            return _status(mounter)


def _map_as_user(mounter: int, users: list[int]) -> None:
    """The helpers of the system may give a user the ids that belong to it; its own are needed to reach its folders."""
    for helper, base, own in (("newuidmap", users[0], os.getuid()), ("newgidmap", users[1], os.getgid())):
        words = [helper, str(mounter), "0", str(base), str(IDS), str(IDS), str(own), "1"]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(1, f"{helper}: {done.stderr.strip()}")


# The mounter.


def _mount_files(plan: dict[str, Any], handshake: Handshake, says: int) -> int:
    as_user = os.geteuid() != 0
    if as_user:
        _check(_libc.unshare(_NEWUSER), "make a user namespace (are they allowed on this machine?)")
        handshake.knock()
        _become_root()
    _check(_libc.unshare(_NEWNS), "make a mount namespace")
    _mount("none", "/", "", _REC | _PRIVATE)
    ids = [0, 0] if as_user else plan["users"]
    for path in _written(plan):
        os.chown(path, *ids)
    _lay_out(plan)
    inner = Handshake()
    builder = _child(lambda: _build(plan, inner, says))
    os.close(says)
    inner.answer(lambda: _map(builder, ids))
    return _status(builder)


def _written(plan: dict[str, Any]) -> list[str]:
    """What must belong to the root inside."""
    upper = plan["upper"]
    parts = [upper, f"{upper}/files", f"{upper}/work"] if upper else []
    return parts + [host for host, _, writable in plan["binds"] if writable]


def _map(builder: int, ids: list[int]) -> None:
    for name, base in zip(("uid_map", "gid_map"), ids, strict=True):
        Path(f"/proc/{builder}/{name}").write_text(f"0 {base} {IDS}")


def _lay_out(plan: dict[str, Any]) -> None:
    """Below one folder that everybody may pass through, whoever the folders belong to in which the originals are."""
    wanted = {f"layer{number}": path for number, path in enumerate(plan["layers"])}
    wanted |= {f"bind{number}": bind[0] for number, bind in enumerate(plan["binds"])}
    if plan["upper"]:
        wanted["upper"] = plan["upper"]
    held = {name: os.open(path, os.O_PATH) for name, path in wanted.items()}
    _mount("tmpfs", _STAGE, "tmpfs", _NOSUID | _NODEV, "mode=755")
    for name in ("root", "space"):
        _folder(f"{_STAGE}/{name}")
    for name, descriptor in held.items():
        source = f"/proc/self/fd/{descriptor}"
        _place(f"{_STAGE}/{name}", like=source)
        _mount(source, f"{_STAGE}/{name}", "", _BIND if name.startswith("layer") else _BIND | _REC)
        os.close(descriptor)


# The builder, and process 1.


def _build(plan: dict[str, Any], handshake: Handshake, says: int) -> int:
    kinds = _NEWUSER | _NEWNS | _NEWPID | _NEWIPC | _NEWUTS | _NEWCGROUP | (0 if plan["network"] else _NEWNET)
    _check(_libc.unshare(kinds), "make namespaces")
    handshake.knock()
    _become_root()
    first = _child(lambda: _first(plan))
    os.write(says, str(first).encode())
    os.close(says)
    return _status(first)


def _first(plan: dict[str, Any]) -> int:
    os.umask(0o022)
    root = f"{_STAGE}/root"
    _mount_root(plan, root)
    _furnish(root, plan["binds"])
    socket.sethostname(plan["host"])
    if not plan["network"]:
        _loopback_up()
    _pivot(root)
    for path, text, owner in plan["files"]:
        _write(path, text, owner)
    _limit()
    return _reap(_child(lambda: _become(plan)))


def _mount_root(plan: dict[str, Any], root: str) -> None:
    if plan["upper"]:
        upper, work = f"{_STAGE}/upper/files", f"{_STAGE}/upper/work"
    else:
        upper, work = f"{_STAGE}/space/upper", f"{_STAGE}/space/work"
        _mount("tmpfs", f"{_STAGE}/space", "tmpfs", _NODEV, f"mode=755,size={plan['memory']}")
        _folder(upper)
        _folder(work)
    lower = ":".join(f"{_STAGE}/layer{number}" for number in range(len(plan["layers"])))
    if lower:
        _mount("overlay", root, "overlay", 0, f"lowerdir={lower},upperdir={upper},workdir={work},userxattr")
    else:
        _mount(upper, root, "", _BIND)


def _furnish(root: str, binds: list[list[Any]]) -> None:
    for name in ("proc", "sys", "dev", "tmp", "run"):
        _folder(f"{root}/{name}")
    _mount("proc", f"{root}/proc", "proc", _NOSUID | _NODEV)
    _mount("tmpfs", f"{root}/dev", "tmpfs", _NOSUID, "mode=755,size=1m")
    for name in _DEVICES:
        _bind_in(f"/dev/{name}", f"{root}/dev/{name}", writable=True)
    _folder(f"{root}/dev/pts")
    _folder(f"{root}/dev/shm")
    _mount("devpts", f"{root}/dev/pts", "devpts", _NOSUID, "newinstance,ptmxmode=0666,mode=620,gid=5")
    _mount("tmpfs", f"{root}/dev/shm", "tmpfs", _NOSUID | _NODEV, "mode=1777")
    for name, target in _LINKS.items():
        Path(f"{root}/dev/{name}").symlink_to(target)
    _mount("tmpfs", f"{root}/tmp", "tmpfs", _NOSUID | _NODEV, "mode=1777")
    _mount("tmpfs", f"{root}/run", "tmpfs", _NOSUID | _NODEV, "mode=755")
    for number, (_, inside, writable) in enumerate(binds):
        _bind_in(f"{_STAGE}/bind{number}", root + inside, writable)


def _bind_in(source: str, target: str, writable: bool) -> None:
    _place(target, like=source)
    _mount(source, target, "", _BIND | _REC)  # a user may not take a folder without what is mounted in it
    if not writable:
        _mount("none", target, "", _BIND | _REMOUNT | _RDONLY | _NOSUID | _NODEV)


def _pivot(root: str) -> None:
    """The host's files are no longer there: neither at a path nor through a descriptor."""
    os.chdir(root)
    _check(_libc.syscall(_PIVOT_ROOT[os.uname().machine], b".", b"."), "change the root")
    _check(_libc.umount2(b".", _DETACH), "leave the host's files")
    os.chdir("/")
    os.closerange(3, 65536)


def _write(path: str, text: str, owner: int) -> None:
    """A folder made for the file belongs to its owner too."""
    file = Path(path)
    if not file.parent.exists():
        file.parent.mkdir(parents=True)
        os.chown(file.parent, owner, owner)
    file.unlink(missing_ok=True)
    file.write_text(text)
    file.chmod(0o600 if owner else 0o644)
    os.chown(file, owner, owner)


def _become(plan: dict[str, Any]) -> NoReturn:
    os.setsid()
    confine_guest()  # as root, so that sudo and the like still work inside
    if user := plan["user"]:
        os.setgroups(_groups_of(user))
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.chdir(plan["variables"].get("HOME", "/"))
    os.execvpe(plan["program"][0], plan["program"], plan["variables"])


def _groups_of(user: int) -> list[int]:
    """By the container's own files: the library for this would look at the host's."""
    named = {fields[0] for fields in _fields("/etc/passwd") if fields[2] == str(user)}
    return [int(fields[2]) for fields in _fields("/etc/group") if named & set(fields[3].split(","))] + [user]


def _fields(path: str) -> list[list[str]]:
    return [line.split(":") for line in Path(path).read_text().splitlines()]


def _reap(program: int) -> int:
    """The duty of process 1. What is left when the program ends, ends with us."""
    while True:
        process, status = os.waitpid(-1, 0)
        if process == program:
            return _code(status)


def _limit() -> None:
    hard = resource.getrlimit(resource.RLIMIT_NPROC)[1]
    most = PROCESSES if hard < 0 else min(PROCESSES, hard)
    resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16sH14x", b"lo", 0))
        flags = struct.unpack("16sH14x", request)[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))
        for label, address in _ADDRESSES.items():
            for request, value in ((_SET_ADDRESS, address), (_SET_MASK, "255.255.255.255")):
                wanted = struct.pack("16sHH4s8x", label.encode(), socket.AF_INET, 0, socket.inet_aton(value))
                fcntl.ioctl(any_socket, request, wanted)


# Small things.


class Handshake:
    """A child knocks and waits; its parent does what is to be done first, and answers."""

    def __init__(self) -> None:
        self._outside, self._inside = socket.socketpair()

    def knock(self) -> None:
        self._outside.close()
        self._inside.send(b"?")
        if not self._inside.recv(1):
            os._exit(CANNOT_START)

    def answer(self, first: Callable[[], None]) -> None:
        self._inside.close()
        if self._outside.recv(1):
            first()
            self._outside.send(b"!")


def _child(run: Callable[[], int]) -> int:
    """A process that does this and ends, at the latest when we do."""
    process = os.fork()
    if process:
        return process
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    status = CANNOT_START
    try:
        status = run()
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        print(f"touchstone: {error.strerror or error}{where}", file=sys.stderr, flush=True)
    os._exit(status)


def _become_root() -> None:
    os.setgroups([])
    os.setresgid(0, 0, 0)
    os.setresuid(0, 0, 0)
    _libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # the change undoes it, and
    _libc.prctl(_DUMPABLE, 1, 0, 0, 0)  # takes from us our own entries in /proc


def _folder(path: str) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(path)  # noqa: PTH102 - a path of text is all that this needs


def _place(path: str, like: str) -> None:
    """Something to mount over, with the folders above it."""
    target = Path(path)
    if Path(like).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()


def _mount(source: str, target: str, kind: str, flags: int, data: str = "") -> None:
    done = _libc.mount(source.encode(), target.encode(), kind.encode() or None, flags, data.encode() or None)
    _check(done, f"mount {kind or 'a folder'} at {target.removeprefix(_STAGE)}")


def _status(process: int) -> int:
    return _code(os.waitpid(process, 0)[1])


def _code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return 128 - code if code < 0 else code


def _check(result: int, what: str) -> None:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot {what}: {os.strerror(number)}")


if __name__ == "__main__":
    os._exit(main(json.loads(sys.argv[1])))
