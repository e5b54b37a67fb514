"""What a confined child can and cannot do, tried on the real kernel."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from touchstone.errors import Unscorable
from touchstone.sandbox import landlock, privileges, sandboxed_call, seccomp
from touchstone.sandbox.sandboxed_call import Died, Overdue, confined, confinement
from touchstone.workers.pool import Pool

from ..workers.processes import children, open_descriptors

pytestmark = pytest.mark.skipif(bool(confinement()), reason="this kernel cannot confine fully")

MEMORY = 2**28


def attempt(action: Callable[[], Any], **options: Any) -> Any:
    """What the action gave in a child, or the name of its exception."""

    def work() -> bytes:
        try:
            return json.dumps(action(), default=repr).encode()
        except Exception as error:
            return json.dumps(type(error).__name__).encode()

    return json.loads(confined(work, **({"seconds": 10, "memory": MEMORY} | options)))


def clone_of_a_process() -> int:
    """By its number, past Python and the C library."""
    return ctypes.CDLL(None, use_errno=True).syscall({"x86_64": 56, "aarch64": 220}[os.uname().machine], 17, 0, 0, 0, 0)


def test_the_result_comes_back() -> None:
    assert confined(lambda: b"", seconds=10, memory=MEMORY) == b""
    assert confined(lambda: b"\0" * 1_000_000, seconds=10, memory=MEMORY) == b"\0" * 1_000_000


@pytest.fixture
def file() -> Iterator[Path]:
    """A file that anybody may read, write and delete."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory, "file")
        file.write_text("text")
        Path(directory).chmod(0o777)
        file.chmod(0o777)
        yield file


@pytest.mark.parametrize(
    "action",
    [
        lambda file: Path("/etc/passwd").read_text(),
        lambda file: file.read_text(),
        lambda file: list(file.parent.iterdir()),
        lambda file: list(Path("/proc/self/fd").iterdir()),
        lambda file: Path(f"/proc/{os.getppid()}/environ").read_bytes(),
        lambda file: file.write_text("x"),
        lambda file: file.with_name("new").write_text("x"),
        lambda file: Path(sys.prefix, "lib", "touchstone-test").write_text("x"),
        lambda file: file.unlink(),
        lambda file: file.rename(file.with_name("new")),
        lambda file: file.with_name("new").mkdir(),
        lambda file: file.with_name("new").symlink_to(file),
        lambda file: file.chmod(0o700),
        lambda file: os.utime(file),
        lambda file: os.truncate(file, 0),
        lambda file: os.kill(os.getppid(), 0),
        lambda file: os.kill(os.getpid(), 0),
        lambda file: os.killpg(os.getpgid(os.getppid()), 0),
        lambda file: os.pidfd_open(os.getppid()),
        lambda file: os.setsid(),
        lambda file: os.fork(),
        lambda file: os.execv("/bin/true", ["true"]),
        lambda file: subprocess.run(["true"], check=False),
        lambda file: os.posix_spawn("/bin/true", ["true"], {}),
        lambda file: socket.socket(socket.AF_INET, socket.SOCK_STREAM),
        lambda file: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
        lambda file: socket.socket(socket.AF_UNIX),
        lambda file: socket.socketpair(),
        lambda file: os.setuid(0),
        lambda file: resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE),
        lambda file: resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY)),
        lambda file: resource.setrlimit(resource.RLIMIT_NPROC, (9, 9)),
    ],
)
def test_what_is_refused(action: Callable[[Path], Any], file: Path) -> None:
    assert attempt(partial(action, file)) in ("PermissionError", "ValueError", "OSError")  # the last: no such call
    assert [(one.name, one.read_text(), one.stat().st_mode & 0o777) for one in file.parent.iterdir()] == [
        ("file", "text", 0o777)
    ]


def test_another_process_cannot_be_made_by_its_number_either() -> None:
    assert attempt(clone_of_a_process) == -1
    assert attempt(lambda: os.system("true")) != 0


def test_what_is_allowed() -> None:
    assert attempt(lambda: __import__("wave").__name__) == "wave"
    assert attempt(lambda: Path("/dev/null").write_text("x")) == 1
    assert attempt(lambda: [print("nor this"), sys.stdin.read()]) == [None, ""]
    assert attempt(lambda: [os.write(1, b"nobody reads this"), len(os.read(0, 10))]) == [17, 0]
    assert attempt(lambda: len(os.urandom(8))) == 8
    assert attempt(lambda: [time.sleep(0), sum(range(10))][1]) == 45


def test_only_kept_descriptors_are_open() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        assert attempt(lambda: theirs.send(b"x")) == "OSError"
        assert attempt(lambda: theirs.send(b"x"), keep=[theirs.fileno()]) == 1
        assert ours.recv(10) == b"x"
        opened = attempt(lambda: [number for number in range(200) if _is_open(number)], keep=[theirs.fileno()])
        assert len(opened) == 5  # three streams, the pipe, and the one that was kept
        assert theirs.fileno() in opened


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def test_a_kept_file_can_be_written_only_where_that_is_allowed(tmp_path: Path) -> None:
    with (tmp_path / "file").open("w+b", buffering=0) as file:
        assert attempt(lambda: file.write(b"x" * 100), keep=[file.fileno()]) == "OSError"
        assert attempt(lambda: file.write(b"x" * 100), keep=[file.fileno()], largest_file=1000) == 100
        assert attempt(lambda: file.write(b"x" * 2000), keep=[file.fileno()], largest_file=1000) == 900


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_root_becomes_nobody() -> None:
    assert attempt(lambda: [*os.getresuid(), *os.getresgid(), *os.getgroups()]) == [65534] * 6


def test_time_is_limited() -> None:
    start = time.monotonic()
    with pytest.raises(Overdue):
        confined(lambda: bytes(1 for _ in iter(int, 1)), seconds=0.3, memory=MEMORY)
    with pytest.raises(Overdue):
        confined(lambda: time.sleep(60) or b"", seconds=0.3, memory=MEMORY)
    assert time.monotonic() - start < 40  # it would sleep for a minute


def ignore_everything() -> bytes:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
        signal.signal(number, signal.SIG_IGN)
    while True:
        time.sleep(1)


def test_nothing_survives() -> None:
    before = children()
    with pytest.raises(Overdue):
        confined(ignore_everything, seconds=0.3, memory=MEMORY)
    assert children() == before


def overflow() -> bytes:
    sys.setrecursionlimit(10**8)

    def deeper(value: list[Any]) -> Any:
        return [deeper([value]) for _ in value]

    return deeper([1])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda: bytes(2 * MEMORY), "out of memory"),
        (lambda: os._exit(0), "ended without a result"),
        (lambda: sys.exit(0), "it failed: SystemExit: 0"),
        (lambda: b"x" * 2_000_000, "larger than 1,000,000 bytes"),
        (lambda: (_ for _ in ()).throw(ValueError("wrong")), "it failed: ValueError: wrong"),
        (lambda: ctypes.string_at(0), "killed by SIGSEGV"),
        (lambda: os.closerange(0, 100) or b"x", "ended without a result"),
        (lambda: [os.write(number, b"garbage") for number in range(3, 100) if _is_open(number)] and b"x", "without a result"),
        (overflow, "it "),  # how, is up to Python
    ],
)
def test_what_has_no_result(function: Callable[[], bytes], message: str) -> None:
    with pytest.raises(Died, match=message):
        confined(function, seconds=120, memory=MEMORY)


def hoard() -> bytes:
    kept: list[list[int]] = []
    while True:
        kept.append([len(kept)])


@pytest.mark.parametrize("function", [hoard, overflow], ids=["small allocations", "recursion"])
def test_memory_that_fills_slowly_ends_it_after_little_work(function: Callable[[], bytes]) -> None:
    """It was the time limit once, since garbage was collected all the while. CPU time is counted: load hardly changes it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with pytest.raises(Died):
        confined(function, seconds=300, memory=2**29)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 20


def spoil_builtins() -> bytes:
    import builtins

    for name in ("BaseException", "MemoryError", "type", "len"):
        setattr(builtins, name, None)
    raise ValueError


def test_a_child_never_goes_on_as_its_parent() -> None:
    reading, writing = os.pipe()
    try:
        with pytest.raises(Died):
            confined(spoil_builtins, seconds=10, memory=MEMORY, keep=[writing])
    finally:
        os.write(writing, b"x")  # a child that came back from the call would write one more
    os.close(writing)
    assert os.read(reading, 10) == b"x"
    os.close(reading)


def test_nothing_is_left_open() -> None:
    before, handler = open_descriptors(), signal.getsignal(signal.SIGCHLD)
    for function in (lambda: b"x", lambda: os._exit(3), lambda: b"x" * 2_000_000):
        for _ in range(3):
            with contextlib.suppress(Died):
                confined(function, seconds=10, memory=MEMORY)
    assert open_descriptors() == before
    assert signal.getsignal(signal.SIGCHLD) is handler


class Nothing(Struct):
    pass


class Outcomes(Struct):
    texts: list[str]


def inside_a_worker(_: Nothing) -> Outcomes:
    """A worker leaves its children to the kernel, so their ends are harder to hear of."""
    texts: list[str] = []
    for function in (lambda: b"fine", lambda: os.kill(os.getppid(), 9), lambda: ctypes.string_at(0), lambda: b"still fine"):
        try:
            texts.append(confined(function, seconds=10, memory=MEMORY).decode())
        except Died as death:
            texts.append(str(death))
    return Outcomes(texts)


async def test_it_works_inside_a_worker_which_lives_on(pool: Pool) -> None:
    for _ in range(2):
        outcomes = await pool.call(inside_a_worker, Nothing(), wall=60)
        assert outcomes.texts[0] == "fine"
        assert "PermissionError" in outcomes.texts[1]
        assert "SIGSEGV" in outcomes.texts[2]
        assert outcomes.texts[3] == "still fine"


def test_withoutlandlock_no_file_can_be_opened(monkeypatch: pytest.MonkeyPatch, file: Path) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    assert "no Landlock" in confinement()[0]
    assert attempt(lambda: Path("/etc/passwd").read_text()) == "PermissionError"
    assert attempt(lambda: Path("/dev/null").read_text()) == "PermissionError"
    assert attempt(file.unlink) == "PermissionError"
    assert attempt(lambda: 1) == 1


def test_without_a_filterlandlock_and_limits_remain(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seccomp, "available", lambda: False)
    assert "could open sockets" in confinement()[0]
    assert attempt(lambda: Path("/etc/passwd").read_text()) == "PermissionError"
    assert attempt(os.fork) == "BlockingIOError"
    assert attempt(lambda: os.kill(os.getppid(), 0)) == "PermissionError"


def test_without_either_nothing_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "version", lambda: 0)
    monkeypatch.setattr(seccomp, "available", lambda: False)
    with pytest.raises(Unscorable, match="cannot be confined"):
        confined(lambda: b"x", seconds=10, memory=MEMORY)


def test_old_kernels_without_close_range(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(privileges, "_CLOSE_RANGE", 9999)
    assert len(attempt(lambda: [number for number in range(200) if _is_open(number)])) == 4


def test_python_directories_hold_python() -> None:
    assert any(Path(json.__file__).is_relative_to(path) for path in sandboxed_call.python_directories())
    assert not any(Path(__file__).is_relative_to(path) for path in sandboxed_call.python_directories())
