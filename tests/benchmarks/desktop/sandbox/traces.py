"""What desktops leave on the machine: processes, mounts, network devices, open files."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

Process = tuple[int, str]
"""Its id and when it was started, since ids are used again."""


@dataclass(frozen=True)
class Traces:
    mounts: frozenset[str]
    devices: frozenset[str]
    files: int
    """How many are open in this process."""


def traces() -> Traces:
    return Traces(
        mounts=frozenset(Path("/proc/self/mounts").read_text().splitlines()),
        devices=frozenset(os.listdir("/sys/class/net")),  # noqa: PTH208
        files=len(os.listdir("/proc/self/fd")),  # noqa: PTH208
    )


def descendants(root: int) -> set[Process]:
    """All living processes that a process has started, theirs too; also those inside chambers, which the host sees."""
    started = {process: parent for process, parent in _processes()}
    found: set[Process] = set()
    ids = {root}
    while more := {process for process, parent in started.items() if parent in ids and process not in found}:
        found |= more
        ids |= {process[0] for process in more}
    return found


def alive(processes: set[Process]) -> set[Process]:
    return processes & {process for process, _ in _processes()}


def until_gone(processes: set[Process], seconds: float = 30) -> set[Process]:
    """Those that are still there after so long."""
    deadline = time.monotonic() + seconds
    while (left := alive(processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return left


def _processes() -> list[tuple[Process, int]]:
    """Each with its parent's id; the dead that nobody has asked after do not count."""
    found: list[tuple[Process, int]] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] != "Z":
            found.append(((int(entry.name), fields[19]), int(fields[1])))
    return found
