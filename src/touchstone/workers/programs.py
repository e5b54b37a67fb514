"""Programs of others, run so that they see little and leave nothing behind.

    bubblewrap   a file system of its own that holds the system, the program and a private folder; its own processes
    landlock     the same by rules of the kernel's: what is not allowed cannot be opened; no sockets of the machine's services
    none         a private folder, nothing else

At every level a launcher (see there) ends all that the program has started. What is visible is a list of what a program needs,
not a list of secrets: a copy of the gold that nobody thought of is not visible either.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from ..failures import InputError
from . import _landlock, _seccomp, launcher

Level = Literal["bubblewrap", "landlock", "none"]

PROCESSES = 1000
"""How many processes and threads a confined program may have."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/snap", "/sys", "/proc")
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_PRIVATE_TO_ROOT = (
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
    "/etc/ssl/private",
    "/etc/ssh",
    "/etc/sudoers",
)
_NOBODY = 65534


@dataclass(frozen=True, kw_only=True)
class Confinement:
    """What a program gets to see."""

    level: Level
    visible: tuple[Path, ...] = ()
    """To be read, besides the system."""
    hidden: tuple[Path, ...] = ()
    """Not to be seen, also where it lies in something visible."""
    network: bool = True


@dataclass(frozen=True)
class Launch:
    """How to start it. The descriptors go to the process, and are closed here afterwards."""

    arguments: list[str]
    descriptors: list[int] = field(default_factory=lambda: [])

    def close(self) -> None:
        for descriptor in self.descriptors:
            os.close(descriptor)


def best_level() -> Level:
    """The strongest that works here. Raises InputError if none does."""
    if bubblewrap_works():
        return "bubblewrap"
    if _landlock.version() and _seccomp.available():
        return "landlock"
    raise InputError("programs cannot be confined on this machine: install bubblewrap, or give --no-confine and trust them")


@cache
def bubblewrap_works() -> bool:
    """It may be installed and yet not allowed to work, in a container for example."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return False
    trial = [bwrap, "--unshare-all", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--proc", "/proc", "--", "/bin/sh", "-c", ":"]
    return subprocess.run(trial, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0


def make_private(folder: Path, level: Level) -> None:
    """Makes the folder and its parts, for whom the program will be."""
    for path in (folder, folder / "work", folder / "home", folder / "tmp", folder / "brief"):
        path.mkdir(mode=0o700, exist_ok=True)
        if _becomes_nobody(level):
            os.chown(path, _NOBODY, _NOBODY)


def launch(how: Confinement, folder: Path, program: Sequence[str], relay: tuple[int, Path] | None = None) -> Launch:
    """The command line that starts the program in its private folder. `relay` is a port and the socket that answers there."""
    descriptors: list[int] = []
    if how.level == "landlock":
        devices = [Path("/dev", name) for name in _DEVICES]
        descriptors.append(_landlock.program_rules(_open_paths(how), [folder], devices))
    told = {
        "directory": str(folder / "work"),
        "rules": descriptors[0] if descriptors else None,
        "filter": _seccomp.program_filter().hex() if how.level == "landlock" else "",
        "nobody": _becomes_nobody(how.level),
        "offline": not how.network and how.level != "bubblewrap",
        "relay": [relay[0], str(relay[1])] if relay and not how.network else None,
        "processes": 0 if how.level == "none" else _threads_of(_NOBODY if os.geteuid() == 0 else os.getuid()) + PROCESSES,
    }
    arguments = [_python(), "-I", "-S", launcher.__file__, json.dumps(told), *program]
    if how.level == "bubblewrap":
        arguments = [*_bubblewrap(how, folder, relay), "--", *arguments]
    return Launch(arguments, descriptors)


def refuse_impossible(how: Confinement, folder: Path) -> None:
    """Tries it out. Raises InputError if this machine cannot do it, before anything depends on it."""
    make_private(folder, how.level)
    trial = launch(how, folder, [shutil.which("true") or "/bin/true"])
    alive, held = os.pipe()
    try:
        done = subprocess.run(
            trial.arguments, stdin=alive, capture_output=True, pass_fds=trial.descriptors, env={}, check=False
        )
    finally:
        os.close(alive)
        os.close(held)
        trial.close()
    if done.returncode != 0:
        words = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        network = "" if how.network else " without a network"
        raise InputError(f"a program cannot be run here with {how.level}{network}: {words}")


def _becomes_nobody(level: Level) -> bool:
    return level == "landlock" and os.geteuid() == 0


def _python() -> str:
    """Outside of any virtual environment, so that less has to be visible."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


def _system() -> list[Path]:
    resolver = Path("/etc/resolv.conf").resolve()  # often a link to somewhere else
    return [path for path in (*map(Path, _SYSTEM), resolver) if path.exists()]


def _masks(how: Confinement) -> list[Path]:
    hidden = [*how.hidden, *(map(Path, _PRIVATE_TO_ROOT) if os.geteuid() == 0 else ())]
    return list(dict.fromkeys(path for each in hidden for path in (each.absolute(), each.resolve())))


# bubblewrap


def _bubblewrap(how: Confinement, folder: Path, relay: tuple[int, Path] | None) -> list[str]:
    arguments = [shutil.which("bwrap") or "bwrap", "--die-with-parent", "--unshare-user-try", "--unshare-pid", "--unshare-ipc"]
    arguments += ["--unshare-uts", "--unshare-cgroup-try", "--cap-drop", "ALL", *([] if how.network else ["--unshare-net"])]
    arguments += ["--proc", "/proc", "--dev", "/dev", "--bind", str(folder / "tmp"), "/tmp"]
    python = [Path(sys.base_prefix), Path(launcher.__file__)]
    visible = [path for path in (*_system(), *how.visible, *python) if path != Path("/proc")]
    for path in _parents_first(visible):
        arguments += ["--ro-bind", str(path), str(path)]
    for path in _parents_first(path for path in _masks(how) if path.exists() and _inside(path, visible)):
        arguments += ["--tmpfs", str(path)] if path.is_dir() else ["--ro-bind", "/dev/null", str(path)]
    arguments += ["--bind", str(folder), str(folder)]
    if relay and not how.network:
        arguments += ["--bind", str(relay[1]), str(relay[1])]
    return [*arguments, "--chdir", str(folder / "work")]


def _parents_first(paths: Iterable[Path]) -> list[Path]:
    return sorted(dict.fromkeys(paths), key=lambda path: len(path.parts))


def _inside(path: Path, places: Iterable[Path]) -> bool:
    return any(path.is_relative_to(place) for place in places)


# Landlock


def _open_paths(how: Confinement) -> Iterator[Path]:
    """All that is visible, by its real place. What lies around something hidden is named piece by piece: there are only rules
    that allow."""
    masks = {path.resolve() for path in _masks(how)}
    for path in dict.fromkeys(path.resolve() for path in (*_system(), *how.visible)):
        yield from _around(path, masks)


def _around(path: Path, masks: set[Path]) -> Iterator[Path]:
    if path in masks or _inside(path, masks):
        return
    if not any(mask.is_relative_to(path) for mask in masks):
        yield path
        return
    with contextlib.suppress(OSError):
        for child in path.iterdir():
            if not child.is_symlink():
                yield from _around(child, masks)


def _threads_of(user: int) -> int:
    """The kernel counts all of a user's, whoever started them."""
    count = 0
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdecimal() and process.stat().st_uid == user:
                count += sum(1 for _ in (process / "task").iterdir())
    return count
