"""The program that becomes a MariaDB server: whom it runs as, what it may take, and that it ends with whoever started it.

    python -m touchstone.engines.mysql.launcher <directory> <parent> <program> <argument> …

A server does not run as root: see `postgres.supervisor.identity`, which does the same for PostgreSQL. Of the machine's files it
can read programs and libraries, and use its own directory; there is no TCP.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from ...sandbox import landlock
from ...sandbox.privileges import give_up
from ..postgres.supervisor import hand_over, identity

_READ = ("/etc/ld.so.cache", "/etc/localtime", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/ssl/openssl.cnf",
         "/proc/self", "/sys/devices/system/cpu", "/dev/urandom")  # fmt: skip
_EXECUTE = ("/usr", "/lib", "/lib64", "/opt")

MEMORY = 6 * 2**30
"""Of the whole server; a session has a limit of its own."""


def main() -> None:
    directory, parent, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    become = identity(directory, memory=MEMORY)
    hand_over(directory, become)
    if "user" in become:
        os.setgroups([])
        os.setgid(become["group"])
        os.setuid(become["user"])
    become["preexec_fn"]()
    if os.getppid() != parent:  # it ended before it could be watched
        raise SystemExit(1)
    programs = [*map(Path, _EXECUTE), Path(command[0]).parent.parent]
    rules = None
    if landlock.version():
        rules = landlock.ruleset(read=map(Path, _READ), execute=programs, use=[Path("/dev/null")], own=[directory])
    give_up(limits=(), rules=rules, calls=b"")
    os.execv(command[0], command)


if __name__ == "__main__":
    main()
