"""LibreOffice is left alone until it has a window.

If it is asked for its nodes before, its window comes without GTK's widgets in the tree: no menus, and nothing that says where
what it draws is on the screen. A few seconds' wait at its start costs less.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

from .commands import run

_PROGRAM, _WITHOUT_SCREEN = "soffice.bin", b"--headless"
_PAUSE, _SECONDS = 0.2, 5.0


def await_windows(seconds: float) -> None:
    """At most this long: there are LibreOffices that never get one."""
    deadline = time.monotonic() + seconds
    while (starting := set(_offices())) and time.monotonic() < deadline:
        listed = run(["wmctrl", "-l", "-p"], False, _SECONDS).output.splitlines()
        if starting <= {int(line.split()[2]) for line in listed}:
            return
        time.sleep(_PAUSE)


def _offices() -> Iterator[int]:
    """Those that will have a window."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "comm").read_text().strip() == _PROGRAM and _WITHOUT_SCREEN not in (folder / "cmdline").read_bytes():
                yield int(folder.name)
