"""Programs of others, run so that they see little, use little and leave nothing behind.

    bubblewrap   a file system of its own that holds the system, the program and a private folder in memory; its own processes
    landlock     the same by rules of the kernel's: what is not allowed cannot be opened; no sockets of the machine's services
    none         a private folder, nothing else

At every level a reaper (see there) ends all that the program has started. At the first two the program is nobody on this
machine (from root, a user that nobody else is), its system calls are filtered, and its memory, processes and files are limited.
What is visible is a list of what a program needs, not a list of secrets: a copy of the gold that nobody thought of is not
visible either.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal

from ..errors import InputError
from . import bubblewrap, landlock, reaper, seccomp
from .privileges import NOBODY

Level = Literal["bubblewrap", "landlock", "none"]

PROCESSES = 1000
"""How many processes and threads a confined program may have."""
MEMORY = min(8 * 2**30, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
"""How many bytes of memory it may use, what lies in its folders included where they are in memory."""
DISK = 2 * 2**30
"""How many bytes may lie in its folders."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/snap", "/proc")
_MACHINE = ("/sys/devices/system/cpu", "/sys/devices/system/node", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage")
"""What runtimes ask about the machine; the rest of /sys is nobody's business."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty", "ptmx", "pts")
_MAY_HOLD_SECRETS = ("/etc", "/opt")
_LOOKED_AT = 20_000
"""Files among which one that is private is searched for; where there are more, one is assumed."""


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
    if bubblewrap.works() and seccomp.available():
        return "bubblewrap"
    if landlock.version() and seccomp.available():
        return "landlock"
    raise InputError("programs cannot be confined on this machine: install bubblewrap, or trust them with --no-confine")


def make_private(folder: Path, level: Level) -> None:
    """Makes the folder and its parts, for whom the program will be."""
    user = _spare_user()
    for path in (folder, folder / "work", folder / "home", folder / "tmp", folder / "brief"):
        path.mkdir(mode=0o700, exist_ok=True)
        if _changes_user(level):
            os.chown(path, user, user)


def launch(how: Confinement, folder: Path, program: Sequence[str], relay: tuple[int, Path] | None = None) -> Launch:
    """The command line that starts the program in its private folder. `relay` is a port and the socket that answers there."""
    relay = None if how.network else relay
    user = folder.stat().st_uid if _changes_user(how.level) else None
    may_read = user is not None and _must_read_private(how)
    masks = _masks(how, may_read)
    wrapped, confined = how.level == "bubblewrap", how.level != "none"
    rules, calls = None, b""
    if wrapped:
        rules = landlock.scope()
        # Abstract sockets belong to a network: only another network, or Landlock, keeps the machine's away.
        calls = seccomp.program(unix=rules is not None or not how.network, alone=True)
    elif confined:
        devices = [Path("/dev", name) for name in _DEVICES]
        rules = landlock.ruleset(execute=_around_all(_visible(how), masks), use=devices, own=[folder], network=True)
        calls = seccomp.program(unix=False, alone=False)
    is_alone = user not in (None, NOBODY)  # nobody else has its user id
    others = _threads_of(os.getuid() if user is None else user) if confined and not is_alone else 0
    orders = reaper.ReaperOrders(
        directory=str(folder / "work"),
        folders=[str(folder / name) for name in ("work", "home", "tmp")] if wrapped else [],
        rules=rules,
        calls=calls.hex(),
        user=user,
        may_read=may_read,
        offline=not how.network and not wrapped,  # bubblewrap leaves it by itself
        relay=(relay[0], str(relay[1])) if relay else None,
        processes=others + PROCESSES if confined else 0,
        memory=MEMORY if confined else 0,
        in_memory=[str(folder), *map(str, bubblewrap.IN_MEMORY)] if wrapped else [],
        disk=DISK if confined and not wrapped else 0,
        on_disk=str(folder),
    )
    command, descriptors = reaper.command(_python(), orders, program), [] if rules is None else [rules]
    if not wrapped:
        return Launch(command, descriptors)
    words, files = bubblewrap.wrapped(
        visible=[*_visible(how), Path(sys.base_prefix), *reaper.PARTS],
        masks=masks,
        folder=folder,
        size=DISK,
        kept=[folder / "brief", *([relay[1]] if relay else [])],
        network=how.network,
        user=user,
    )
    return Launch([*words, "--", *command], [*files, *descriptors])


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


def _changes_user(level: Level) -> bool:
    return level != "none" and os.geteuid() == 0


def _spare_user() -> int:
    """A user id that nobody has, so that the limit of processes counts this program's alone and nobody else's files are its.
    In a container that has few ids, one of those."""
    for first, count in ((800_000_000, 100_000_000), (61_000, 4_000)):
        if _is_mapped(first + count - 1):
            return first + secrets.randbelow(count)
    return NOBODY


@cache
def _is_mapped(user: int) -> bool:
    extents = [[int(word) for word in line.split()] for line in Path("/proc/self/uid_map").read_text().splitlines()]
    return any(first <= user < first + count for first, _, count in extents)


def _python() -> str:
    """Outside of any virtual environment, so that less has to be visible."""
    return str(getattr(sys, "_base_executable", None) or sys.executable)


# What is visible, and what is not.


def _visible(how: Confinement) -> list[Path]:
    resolver = Path("/etc/resolv.conf").resolve()  # often a link to somewhere else
    return [path for path in (*map(Path, (*_SYSTEM, *_MACHINE)), resolver, *how.visible) if path.exists()]


def _masks(how: Confinement, may_read: bool) -> list[Path]:
    """What is hidden. Files of the system's that are not for everybody have to be, where the program has the power to read."""
    hidden = [*how.hidden, *(_secrets_of_system() if may_read else ())]
    return list(dict.fromkeys(path for each in hidden for path in (each.absolute(), each.resolve())))


def _must_read_private(how: Confinement) -> bool:
    """Whether something that the user wants to be visible is not for everybody. In bubblewrap the folders above do not count:
    they are not the real ones."""
    above = [] if how.level == "bubblewrap" else [parent for path in how.visible for parent in path.resolve().parents]
    return not all(map(_is_for_all, above)) or any(True for _ in _private(how.visible, _LOOKED_AT))


@cache
def _secrets_of_system() -> tuple[Path, ...]:
    return tuple(_private(map(Path, _MAY_HOLD_SECRETS)))


def _private(places: Iterable[Path], most: int = sys.maxsize) -> Iterator[Path]:
    """What only its owner may read; what is in such a folder is not looked at. After `most` files, the next, whatever it is."""
    left = list(places)
    while left:
        path, most = left.pop(), most - 1
        if most < 0 or not _is_for_all(path):
            yield path
        elif path.is_dir() and not path.is_symlink():
            with contextlib.suppress(OSError):
                left += path.iterdir()


def _is_for_all(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return True  # it is gone
    if stat.S_ISDIR(mode):
        return mode & 0o005 == 0o005
    return bool(mode & stat.S_IROTH) or stat.S_ISLNK(mode)


def _around_all(visible: Iterable[Path], masks: Iterable[Path]) -> Iterator[Path]:
    """All that is visible, by its real place. What lies around something hidden is named piece by piece: there are only rules
    that allow."""
    real = {path.resolve() for path in masks}
    for path in dict.fromkeys(path.resolve() for path in visible):
        yield from _around(path, real)


def _around(path: Path, masks: set[Path]) -> Iterator[Path]:
    if path in masks or any(path.is_relative_to(mask) for mask in masks):
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
