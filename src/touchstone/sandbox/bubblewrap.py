"""The command line of bubblewrap: a file system, processes, a host's name and shared memory of the program's own.

Started by root it makes no user namespace: in one, root would remain the owner of /proc/sys. It mounts with root's powers, also
what lies in folders that nobody else may enter, and keeps the few by which the reaper becomes somebody else and ends whatever
that one leaves behind.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

_NAMESPACES = ("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try")
_POWERS = ("SETUID", "SETGID", "KILL", "DAC_READ_SEARCH", "DAC_OVERRIDE")
_READ_ONLY = ("sys", "irq", "bus", "fs", "sysrq-trigger", "mtrr")
_EMPTY = ("kcore", "kallsyms", "keys", "key-users", "kmsg", "kpagecount", "kpageflags", "kpagecgroup", "latency_stats",
          "sched_debug", "slabinfo", "timer_list", "vmallocinfo")  # fmt: skip
"""Of /proc: what can be written by root, and what tells of the whole machine's kernel."""


IN_MEMORY = (Path("/tmp"), Path("/dev/shm"))


@cache
def works() -> bool:
    """It may be installed and yet not allowed to work, in a container for example."""
    if shutil.which("bwrap") is None:
        return False
    trial = [*_start(network=False), "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", *_closed_proc()]
    trial += [*_memory(Path("/tmp"), 2**20), "--", "/bin/sh", "-c", ":"]
    return subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def wrapped(
    *,
    visible: Sequence[Path],
    masks: Sequence[Path],
    folder: Path,
    size: int,
    kept: Sequence[Path],
    network: bool,
    user: int | None,
) -> tuple[list[str], list[int]]:
    """The words before the program's, and descriptors of files that bubblewrap reads from.

    What is in `masks` is not to be seen, also where it lies in something `visible`. The program's own `folder` is empty and in
    memory, as /tmp and /dev/shm are, and `size` bytes fit in each of the three; what is `kept` is there of the real folder.
    `user`, from root, is who it will be.
    """
    words = [*_start(network=network), "--proc", "/proc", "--dev", "/dev", *_closed_proc()]
    for path in IN_MEMORY:
        words += _memory(path, size)
    visible = [path for path in visible if path != Path("/proc")]
    for path in _parents_first(_above(visible)):  # which may all be passed through, as the real ones may not
        words += ["--perms", "0755", "--dir", str(path)]
    for path in _parents_first(visible):
        words += ["--ro-bind", str(path), str(path)]
    for path in _parents_first(path for path in masks if path.exists() and _inside(path, visible)):
        words += ["--tmpfs", str(path), "--remount-ro", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    words += _memory(folder, size)
    for path in kept:
        words += ["--ro-bind", str(path), str(path)]
    names = [] if user is None else _names(user, folder / "home")
    for path, descriptor in names:
        words += ["--perms", "0444", "--ro-bind-data", str(descriptor), path]
    # What bubblewrap made itself would be memory that can be filled without limit.
    words += ["--remount-ro", "/dev", "--remount-ro", "/"]
    return words, [descriptor for _, descriptor in names]


def _start(*, network: bool) -> list[str]:
    as_root = os.geteuid() == 0
    powers = [word for power in _POWERS for word in ("--cap-add", f"CAP_{power}")] if as_root else []
    user = [] if as_root else ["--unshare-user"]
    net = [] if network else ["--unshare-net"]
    return [shutil.which("bwrap") or "bwrap", "--die-with-parent", *user, *_NAMESPACES, *net, "--cap-drop", "ALL", *powers]


def _closed_proc() -> list[str]:
    words: list[str] = []
    for path in (Path("/proc", name) for name in _READ_ONLY):
        words += ["--ro-bind", str(path), str(path)] if path.exists() else []
    for path in (Path("/proc", name) for name in _EMPTY):
        words += ["--ro-bind", "/dev/null", str(path)] if path.exists() else []
    return words


def _memory(path: Path, size: int) -> list[str]:
    return ["--perms", "1777", *(["--size", str(size)] if _has_size() else []), "--tmpfs", str(path)]


@cache
def _has_size() -> bool:
    """Before 0.7 it had not; the reaper counts what lies in memory all the same."""
    return b"--size" in subprocess.run([shutil.which("bwrap") or "bwrap", "--help"], capture_output=True, check=False).stdout


def _names(user: int, home: Path) -> list[tuple[str, int]]:
    """The system's files of users and groups with one more: there are programs that do not start for a user without a name."""
    lines = {"/etc/passwd": f"agent:x:{user}:{user}::{home}:/bin/sh\n", "/etc/group": f"agent:x:{user}:\n"}
    names: list[tuple[str, int]] = []
    for path, line in lines.items():
        if (file := Path(path)).is_file() and not file.is_symlink():
            descriptor = os.memfd_create(file.name)
            os.write(descriptor, file.read_bytes().rstrip(b"\n") + b"\n" + line.encode())
            os.lseek(descriptor, 0, os.SEEK_SET)
            names.append((path, descriptor))
    return names


def _above(visible: Sequence[Path]) -> Iterator[Path]:
    for path in visible:
        yield from (parent for parent in path.parents if parent not in (Path("/"), *IN_MEMORY) and not _inside(parent, visible))


def _parents_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(dict.fromkeys(paths), key=lambda path: len(path.parts))


def _inside(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in places)
