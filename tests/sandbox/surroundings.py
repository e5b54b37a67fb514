"""Runs the probes at one level of the sandbox, with everything around it that they try to reach.

    python -m tests.sandbox.surroundings LEVEL        prints what got through, as `probes` does

It runs as whoever starts it, so that the same can be done as root and as an ordinary user.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from touchstone.benchmarks.desktop.providers.namespaces import Bind, ContainerPlan, host_ids, host_programs
from touchstone.benchmarks.desktop.providers.namespaces import run as run_guest
from touchstone.errors import InputError
from touchstone.sandbox import bubblewrap, landlock
from touchstone.sandbox.privileges import DAC_OVERRIDE, KILL, READ_SEARCH, SETGID, SETUID
from touchstone.sandbox.sandboxed_call import confined
from touchstone.sandbox.sandboxed_program import Confinement, Level, launch, make_private
from touchstone.sandbox.syscalls import NUMBERS
from touchstone.sandbox.worker import WorkerRules
from touchstone.workers.pool import Pool

from . import probes

_PYTHON = str(getattr(sys, "_base_executable", None) or sys.executable)
_LIBC = ctypes.CDLL(None, use_errno=True)
_POWERS = sum(1 << power for power in (DAC_OVERRIDE, READ_SEARCH, KILL, SETGID, SETUID))
_MACHINES = ("x86_64", "aarch64")


@contextlib.contextmanager
def surroundings() -> Iterator[dict[str, Any]]:
    """What there is to be reached, as facts for the probes."""
    mark = f"touchstone-{os.getpid()}"
    with contextlib.ExitStack() as stack:
        outside = Path(tempfile.mkdtemp(prefix="outside-"))
        stack.callback(shutil.rmtree, outside, ignore_errors=True)
        outside.chmod(0o777)
        for name in ("secret", "spare"):
            (outside / name).write_text(name)
            (outside / name).chmod(0o666)
        shm_file = Path("/dev/shm", mark)
        shm_file.write_text("x")
        stack.callback(shm_file.unlink)
        victim = stack.enter_context(_victim(f"victim-{mark}"))
        column = _MACHINES.index(os.uname().machine)
        yield {
            "outside": str(outside),
            "home": str(Path.home()),
            "at_home": [path.name for path in Path.home().iterdir()],
            "powers": _POWERS if os.geteuid() == 0 else 0,
            "numbers": {name: numbers[column] for name, numbers in NUMBERS.items()},
            "handle": _handle(outside / "secret", NUMBERS["name_to_handle_at"][column]),
            "victim": victim,
            "victim_word": f"victim-{mark}",
            "victim_group": victim,
            "victim_descriptor": 0,
            "shm_file": mark,
            **stack.enter_context(_services(outside, mark)),
            **stack.enter_context(_shared(mark)),
            "key": f"key-{mark}",
            "key_number": _add_key(f"key-{mark}", NUMBERS["add_key"][column]),
        }


@contextlib.contextmanager
def _victim(word: str) -> Iterator[int]:
    """A process with the same user as ours."""
    command = [_PYTHON, "-I", "-S", "-c", "import sys; sys.stdin.read()", word]
    with subprocess.Popen(command, stdin=subprocess.PIPE, env={"WORD": word}, start_new_session=True) as process:
        try:
            yield process.pid
        finally:
            process.kill()


@contextlib.contextmanager
def _services(outside: Path, mark: str) -> Iterator[dict[str, Any]]:
    stream, datagram = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    named, abstract, letters = (
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
    )
    with stream, datagram, named, abstract, letters:
        stream.bind(("127.0.0.1", 0))
        datagram.bind(stream.getsockname())
        named.bind(str(outside / "service"))
        (outside / "service").chmod(0o777)
        abstract.bind(f"\0{mark}")
        letters.bind(f"\0{mark}-letters")
        for listening in (stream, named, abstract):
            listening.listen(16)
        threading.Thread(target=_echo, args=(datagram,), daemon=True).start()
        yield {
            "port": stream.getsockname()[1],
            "unix": str(outside / "service"),
            "abstract": mark,
            "abstract_datagram": f"{mark}-letters",
        }


def _echo(datagram: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while True:
            data, sender = datagram.recvfrom(100)
            datagram.sendto(data, sender)


@contextlib.contextmanager
def _shared(mark: str) -> Iterator[dict[str, Any]]:
    """System V's and POSIX's."""
    _LIBC.shmat.restype = ctypes.c_void_p
    shm, sem, msg = _LIBC.shmget(0, 4096, 0o666), _LIBC.semget(0, 1, 0o666), _LIBC.msgget(0, 0o666)
    ctypes.memmove(_LIBC.shmat(shm, None, 0), b"shm-x", 5)
    queue = f"/{mark}".encode()
    before = os.umask(0)
    _LIBC.mq_open(queue, os.O_CREAT | os.O_RDWR, 0o666, None)
    os.umask(before)
    try:
        yield {"shm": shm, "sem": sem, "msg": msg, "queue": mark, "own_key": 0x70000000 + os.getpid()}
    finally:
        _LIBC.shmctl(shm, 0, None)
        _LIBC.semctl(sem, 0, 0)
        _LIBC.msgctl(msg, 0, None)
        _LIBC.mq_unlink(queue)


def _add_key(name: str, number: int | None) -> int:
    """To the keys of this session, which a child inherits."""
    return _LIBC.syscall(number, b"user", name.encode(), b"secret", 6, ctypes.c_int(-3))


def _handle(path: Path, number: int | None) -> str:
    handle, mount = ctypes.create_string_buffer(struct.pack("Ii", 128, 0), 136), ctypes.create_string_buffer(8)
    _LIBC.syscall(number, -100, bytes(path), handle, mount, 0)
    return handle.raw.hex()


def _left_behind(key: int) -> dict[str, bool]:
    """What of System V's there is under a key, which is then removed."""
    found = {
        "shared memory: leave a segment behind": (_LIBC.shmget(key, 0, 0), lambda one: _LIBC.shmctl(one, 0, None)),
        "shared memory: leave a queue behind": (_LIBC.msgget(key, 0), lambda one: _LIBC.msgctl(one, 0, None)),
        "shared memory: leave a semaphore behind": (_LIBC.semget(key, 0, 0), lambda one: _LIBC.semctl(one, 0, 0)),
    }
    for number, remove in found.values():
        if number >= 0:
            remove(number)
    return {name: number >= 0 for name, (number, _) in found.items()}


# The levels.


def unconfined(facts: dict[str, Any]) -> str:
    with Path(facts["outside"], "secret").open() as inherited:
        words = [_PYTHON, "-I", "-S", probes.__file__, json.dumps(facts)]
        return subprocess.run(words, pass_fds=[inherited.fileno()], stdout=subprocess.PIPE, text=True, check=True).stdout


def as_program(level: Level, network: bool) -> Callable[[dict[str, Any]], str]:
    def run(facts: dict[str, Any]) -> str:
        base = Path(tempfile.mkdtemp(prefix="touchstone-"))
        base.chmod(0o711)
        try:
            make_private(base / "1", level)
            how = Confinement(level=level, network=network, visible=(Path(probes.__file__), Path(sys.base_prefix)))
            start = launch(how, base / "1", [_PYTHON, "-I", "-S", probes.__file__, json.dumps(facts)])
            environment = {"TMPDIR": "/tmp" if level == "bubblewrap" else str(base / "1" / "tmp")}
            with subprocess.Popen(
                start.arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, pass_fds=start.descriptors, env=environment
            ) as process:
                start.close()
                assert process.stdout  # its input must stay open: when that ends, so does the program
                return process.stdout.read().decode()
        finally:
            shutil.rmtree(base, ignore_errors=True)

    return run


def as_hidden_test(facts: dict[str, Any]) -> str:
    return confined(lambda: json.dumps(probes.run(facts)).encode(), seconds=300, memory=2**30).decode()


def as_worker(*, client: bool) -> Callable[[dict[str, Any]], str]:
    """As the engines make them."""

    async def ask(facts: dict[str, Any]) -> str:
        with tempfile.TemporaryDirectory() as scratch:
            pool = Pool(warm=1, rules=WorkerRules([] if client else [scratch], client=client))
            try:
                return await pool.call(probe, json.dumps(facts), wall=300)
            finally:
                await pool.close()

    return lambda facts: asyncio.run(ask(facts))


def probe(facts: str) -> str:
    """In a worker."""
    return json.dumps(probes.run(json.loads(facts)))


def as_guest(facts: dict[str, Any]) -> str:
    """As the user of a desktop. Its file system is this machine's programs alone; inside, it may be root by what is there."""
    words = ["/usr/bin/python3", "-I", "-S", "/run/probes.py", json.dumps(facts)]
    binds = [*host_programs(), Bind(Path(probes.__file__), "/run/probes.py")]
    binds += [Bind(path, str(path)) for path in (Path("/etc/passwd"), Path("/etc/group"))]
    status, said = asyncio.run(run_guest(ContainerPlan(program=words, layers=[], binds=binds, user=1000)))
    assert status == 0, said
    return said.strip().splitlines()[-1]


def guests_here() -> bool:
    try:
        host_ids()
    except InputError:
        return False
    return Path("/usr/bin/python3").exists()


LEVELS: dict[str, Callable[[dict[str, Any]], str]] = {
    "unconfined": unconfined,
    "bubblewrap": as_program("bubblewrap", True),
    "bubblewrap, no network": as_program("bubblewrap", False),
    "landlock": as_program("landlock", True),
    "landlock, no network": as_program("landlock", False),
    "hidden test": as_hidden_test,
    "SQLite worker": as_worker(client=False),
    "PostgreSQL worker": as_worker(client=True),
    "desktop": as_guest,
}


def here(level: str) -> bool:
    """Whether this machine has the level."""
    if level == "desktop":
        return guests_here()
    return bubblewrap.works() if level.startswith("bubblewrap") else bool(landlock.version()) or level == "unconfined"


def run(level: str) -> dict[str, bool]:
    with surroundings() as facts:
        results: dict[str, bool] = json.loads(LEVELS[level](facts))
        return results | _left_behind(facts["own_key"])


if __name__ == "__main__":
    # By its name, so that a worker finds what it is to run.
    from tests.sandbox import surroundings as itself

    print(json.dumps(itself.run(sys.argv[1])))
