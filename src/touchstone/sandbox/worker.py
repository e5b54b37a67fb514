"""Workers that run SQL of others: they read databases and answer, and could do nothing else if SQLite or libpq had a hole.

After the fork a worker may read what its user may, but for /etc, /proc, /sys and /dev, and write only in the folders that it
was given: no programs, no signals to others, no debugging, no sockets but those of a database's client. It may fork, because
hidden tests run in a child of a worker, which gives up still more (see `sandboxed_call`).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import landlock, seccomp
from .privileges import DAC_OVERRIDE, KILL, READ_SEARCH, SETGID, SETUID, give_up, keep_powers

_CLOSED = ("boot", "dev", "etc", "proc", "sys")
_OF_ETC = ("localtime", "timezone", "hosts", "host.conf", "resolv.conf", "nsswitch.conf", "gai.conf", "passwd", "group",
           "services", "protocols", "ssl/certs", "ssl/openssl.cnf", "mime.types")  # fmt: skip
"""What libraries look up."""


@dataclass(frozen=True)
class WorkerRules:
    """What a worker may do besides reading and computing."""

    writable: list[str]
    client: bool = False
    """It connects to a database server."""
    readable: tuple[str, ...] = ()
    """Folders of the system that its library cannot do without."""


def prepared(rules: WorkerRules | None) -> Callable[[], None]:
    """What a worker does right after its fork. It costs a fraction of a millisecond."""
    if rules is None:
        return lambda: None
    calls = seccomp.computation(children=True, client=rules.client) if seccomp.available() else b""

    def confine() -> None:
        if os.geteuid() == 0:
            keep_powers(DAC_OVERRIDE, READ_SEARCH, KILL, SETGID, SETUID)
        give_up(limits=(), rules=_files(rules) if landlock.version() else None, calls=calls)

    return confine


def _files(rules: WorkerRules) -> int:
    """Databases may lie anywhere but where the system keeps its own affairs."""
    places = [path for path in Path("/").iterdir() if path.name not in _CLOSED and not path.is_symlink()]
    places += [Path("/etc", name) for name in _OF_ETC] + [Path("/proc", str(os.getpid()))]
    places += map(Path, rules.readable)
    own = [Path(path) for path in rules.writable]
    return landlock.ruleset(read=places, use=[Path("/dev/null")], own=own, network=rules.client)
