"""Whom a server runs as, and what its processes may take. Standard library only.

PostgreSQL refuses to run as root. Root therefore enters a user namespace in which it is nobody; where that is forbidden, the
server runs as the real nobody, to whom the directory is given. For anybody else it runs as what they are.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import resource
import signal
from pathlib import Path
from typing import Any

MEMORY = 2 * 2**30
"""Of each server process, besides what they share: a hostile work_mem ends in an error, not in a machine without memory."""
ADDRESS_SPACE = 8 * 2**30

Become = dict[str, Any]
"""How a child becomes somebody whom PostgreSQL accepts: arguments for subprocess."""

_NOBODY = 65534
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def identity(directory: Path) -> Become:
    if os.getuid() != 0:
        return {"preexec_fn": _limit}
    if _namespaces_work():
        return {"preexec_fn": lambda: (_enter_namespace(), _limit())}
    directory.chmod(0o711)
    try:
        nobody = pwd.getpwnam("nobody")
        user, group = nobody.pw_uid, nobody.pw_gid
    except KeyError:
        user = group = _NOBODY
    return {"preexec_fn": _limit, "user": user, "group": group, "extra_groups": []}


def hand_over(directory: Path, become: Become) -> None:
    """Gives cluster and socket to the user that the server runs as, if that is another one."""
    if "user" in become:
        for top in (os.path.realpath(directory / "s"), directory / "data"):
            for path, _, files in os.walk(top):
                for name in (path, *(f"{path}/{file}" for file in files)):
                    os.chown(name, become["user"], become["group"], follow_symlinks=False)


def _namespaces_work() -> bool:
    """Found out by a child that enters one."""
    pid = os.fork()
    if pid == 0:
        try:
            _enter_namespace()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _enter_namespace() -> None:
    if _libc.unshare(_CLONE_NEWUSER):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    for name, text in (("setgroups", "deny"), ("gid_map", f"{_NOBODY} 0 1"), ("uid_map", f"{_NOBODY} 0 1")):
        Path(f"/proc/self/{name}").write_text(text)


def _limit() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)
    for what, limit in ((resource.RLIMIT_AS, ADDRESS_SPACE), (resource.RLIMIT_DATA, MEMORY)):
        hard = resource.getrlimit(what)[1]
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(what, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
