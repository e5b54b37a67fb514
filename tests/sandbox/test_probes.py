"""Every attempt of `probes` is refused at every level, but for what `OPEN` names; and without a sandbox it works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from functools import cache
from pathlib import Path

import pytest

from . import surroundings

USER = 12345
ROOT = Path(__file__).parent.parent.parent

PROGRAM = {"processes: start a program", "processes: make a process", "sockets: listen on a port"}
"""What a program is for."""
NETWORK = {"sockets: TCP to a service here", "sockets: UDP to a service here", "/proc: see abstract sockets of others"}
"""What comes with the machine's network. The sockets' names can be seen, they cannot be reached."""
SHARED_PROCESSES = {
    "/proc: see other processes",
    "/proc: read another's command line",
    "/proc: list another's descriptors",  # their numbers
    "/proc: see keys of others",  # their names
    "processes: get another's pidfd",  # it is good for nothing
    "files: change a file's mode",  # of one's own files, and the next two: Landlock does not know these
    "files: change a file's times",
    "files: change a file's attributes",
}
"""What remains with Landlock, which shuts files and signals, and leaves the machine's processes in sight."""
POWER_TO_READ = {f"/proc: open {name}" for name in ("timer_list", "slabinfo", "vmallocinfo", "kpagecount", "kpageflags")}
"""What else remains with Landlock where root has installed the program in a folder that is closed to others."""
READS = {
    "files: read a file that is not visible",
    "files: list a folder that is not visible",
    "files: read it through a link",
    "files: read it through ..",
    "files: read it with openat2",
    "files: read it through /proc/self/root",
    "files: list the home folder",
}
"""Databases may lie anywhere, so a worker reads what its user reads."""
WORKER = READS | {
    "/proc: see other processes",  # that there is one of this number
    "/proc: see abstract sockets of others",
    "processes: make a process",  # hidden tests run in a child
    "processes: make 1,500 processes",
    "privileges: be root",  # where its user is; without the powers
    "privileges: be root's group",
    "privileges: change one's groups",
}
CLIENT = {"sockets: TCP to a service here", "sockets: UDP to a service here", "sockets: a Unix socket of a service"}
GUEST = PROGRAM | {
    "processes: make 1,500 processes",  # 8,192 are allowed
    "processes: read another's memory",  # of none that is there: by a number that means nothing inside
    "processes: write another's memory",
    "/proc: write anything below /proc/sys",  # what belongs to namespaces of its own
    "namespaces: a new one: user",  # browsers sandbox themselves with these
    "namespaces: clone into new ones",
    "privileges: gain from a setuid program",  # sudo: root of its own files alone
    *(f"mounts: {what}" for what in ("mount a folder again", "mount a disk", "make the root writable", "unmount")),
    *(f"mounts: {what}" for what in ("configure a file system", "change a mount's attributes")),  # of its own, as its own root
}
OPEN = {
    "bubblewrap": PROGRAM | NETWORK,
    "bubblewrap, no network": PROGRAM,
    "landlock": PROGRAM | NETWORK | SHARED_PROCESSES | POWER_TO_READ,
    "landlock, no network": PROGRAM | SHARED_PROCESSES | POWER_TO_READ,
    "hidden test": {"/proc: see other processes"},  # that there is one of this number
    "SQLite worker": WORKER,
    "PostgreSQL worker": WORKER | CLIENT,
    "desktop": GUEST,
}
CERTAIN = PROGRAM | {"files: read a file that is not visible", "files: list a folder that is not visible"}
ENOUGH = 100


@cache
def results(level: str, user: int) -> dict[str, bool]:
    """As this user, which takes root if it is another one."""
    words = [_python(user), "-m", "tests.sandbox.surroundings", level]
    paths = [str(ROOT / "src"), str(ROOT), sysconfig.get_path("purelib")]
    with tempfile.TemporaryDirectory() as home:
        environment = {
            "PATH": os.defpath + ":/usr/sbin:/sbin",
            "PYTHONPATH": os.pathsep.join(paths),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        if user != os.geteuid():
            os.chown(home, user, user)
            environment["HOME"] = home
            words = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", *words]
        else:
            environment["HOME"] = str(Path.home())
        done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@cache
def _python(user: int) -> str:
    """An interpreter of this version that the user can start: ours may lie in a folder that is closed to others."""
    if user == os.geteuid():
        return sys.executable
    check = "import sys, subprocess; subprocess.check_call([sys._base_executable, '-V']); assert sys.version_info[:2] == "
    for name in (sys.executable, "/usr/bin/python3", f"/usr/bin/python3.{sys.version_info.minor}"):
        words = [*_as(user), name, "-c", check + str(sys.version_info[:2])]
        if subprocess.run(words, capture_output=True, cwd="/", check=False).returncode == 0:
            return name
    pytest.skip("there is no Python here that another user can start")


def _as(user: int) -> list[str]:
    return ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]


USERS = [os.geteuid(), *([USER] if os.geteuid() == 0 else [])]


@pytest.fixture(params=USERS, ids=lambda user: "root" if user == 0 else "user")
def user(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.mark.parametrize("level", OPEN)
def test_nothing_gets_through(level: str, user: int) -> None:
    if not surroundings.here(level) or (level == "desktop" and user != os.geteuid()):
        pytest.skip(f"this user has no {level} here")
    got_through = {name for name, succeeded in results(level, user).items() if succeeded}
    assert got_through <= OPEN[level]


def test_without_a_sandbox_the_attempts_work(user: int) -> None:
    """So many of them that the others, for which this kernel has nothing to attack, do not matter."""
    working = [name for name, succeeded in results("unconfined", user).items() if succeeded]
    assert len(working) >= ENOUGH


def test_what_is_open_is_open() -> None:
    """Else the list would only hide that an attempt has become impossible for another reason."""
    for level in filter(surroundings.here, OPEN):
        everyone = [results(level, user) for user in (USERS if level != "desktop" else USERS[:1])]
        assert not [name for name in OPEN[level] & CERTAIN if not any(each[name] for each in everyone)]
