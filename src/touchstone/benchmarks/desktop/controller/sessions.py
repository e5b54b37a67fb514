"""Ending a program with all that it started: everything in its session."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

_ROUNDS = 5


def end_session(leader: int) -> None:
    """Kills every process of a session. Several rounds, because a process may be starting another meanwhile."""
    for _ in range(_ROUNDS):
        members = [pid for pid in _processes() if _session(pid) == leader]
        for pid in members:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not members:
            return


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _session(pid: int) -> int | None:
    """The session of a process that is alive."""
    try:
        state, _, _, session = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:4]
    except (OSError, ValueError):
        return None
    return None if state in "ZX" else int(session)
