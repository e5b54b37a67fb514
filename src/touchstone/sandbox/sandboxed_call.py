"""Runs a function in a forked child that can do little more than compute.

The child shares the worker's memory as it was, and the descriptors that it is told to keep: a connection to a database. It
has its own limits of time and memory, no rights of root, and no way to open files other than Python's own, to write any, to
start processes, to reach other processes, or to open sockets. Rules come twice where they can: from Landlock and from a filter
for system calls. `confinement` says what is missing on a machine; where both are, nothing is run.

What comes back is a message that starts with a secret made for this one call: a child that writes to all its descriptors or
ends early says nothing. That stops accidents and crude tricks. Code that searches its own process for the secret can
forge an answer, so the answer of a hostile function proves nothing; it cannot do more than that.
"""

from __future__ import annotations

import contextlib
import gc
import os
import secrets
import select
import signal
import struct
import sys
import sysconfig
import time
from collections.abc import Callable, Generator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NoReturn

from ..errors import Unscorable
from . import landlock, seccomp
from .later import later
from .privileges import NOBODY, close_all_but, give_up

NULL = Path("/dev/null")
LARGEST = 1_000_000
"""Bytes of a result."""

_LONGEST = LARGEST + 100
_GRACE = 2.0  # seconds in which a child that has said all must end
_PATIENCE = 20
_SIZE = struct.Struct("!I")
"""Of what follows the secret: a child is heard out without waiting for its end."""
_GARBAGE = (100_000, 50, 1_000)
_RESULT, _MEMORY, _ERROR = b"r", b"m", b"e"
_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "OMP", "MKL", "NUMEXPR")}
"""A child can start none; numpy's library ends the process where it cannot."""


class Overdue(Exception):
    """The function took too long."""


class Died(Exception):
    """The child ended without a result. The message says how."""


@cache
def python_directories() -> tuple[Path, ...]:
    """Where Python's modules and the libraries they need are."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    paths = [sysconfig.get_path(name) for name in names] + [sysconfig.get_config_var("LIBDIR") or ""]
    base = sysconfig.get_paths(vars={"base": sys.base_prefix, "platbase": sys.base_exec_prefix})
    paths += [base[name] for name in names] + ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/zoneinfo"]
    return tuple(dict.fromkeys(Path(path).resolve() for path in paths if path))


def confinement() -> list[str]:
    """What cannot be had here, in sentences. None: everything can."""
    missing: list[str] = []
    if not landlock.version():
        missing.append("This kernel has no Landlock: test code cannot open files at all, not even modules of Python's.")
    elif landlock.version() < 4:
        missing.append(f"This kernel's Landlock is of version {landlock.version()}: it cannot keep test code from the network.")
    if not seccomp.available():
        missing.append("System calls cannot be filtered here: test code could open sockets.")
    return missing


def confined(
    function: Callable[[], bytes],
    *,
    seconds: float,
    memory: int,
    keep: Sequence[int] = (),
    largest_file: int = 0,
) -> bytes:
    """What the function returns. Raises Overdue, Died, or Unscorable where nothing confines.

    `memory` is counted on top of what the process uses now. `largest_file` is how far a kept file may grow.
    """
    if not landlock.version() and not seccomp.available():
        raise Unscorable("Test code cannot be confined on this machine: it has neither Landlock nor seccomp.", "unconfined")
    secret = secrets.token_bytes(16)
    calls = seccomp.computation(files=bool(landlock.version())) if seccomp.available() else b""  # made once, not in each child
    limits = _limits(seconds, memory, largest_file)
    with contextlib.ExitStack() as stack:
        rules = _open_rules(stack, python_directories())
        kept = {*keep, *([] if rules is None else [rules])}
        reading, writing = os.pipe()
        stack.callback(os.close, reading)
        with _children_can_be_awaited():
            deadline = Deadline(seconds)
            child = os.fork()
            if child == 0:
                _live(function, secret, writing, {writing, *kept}, limits, rules, calls)
            os.close(writing)
            return _result(*_awaited(child, reading, deadline, secret))


def _open_rules(stack: contextlib.ExitStack, readable: Sequence[Path]) -> int | None:
    if not landlock.version():
        return None
    rules = landlock.ruleset(read=readable, use=[NULL])
    stack.callback(os.close, rules)
    return rules


@contextlib.contextmanager
def _children_can_be_awaited() -> Generator[None]:
    """Workers leave their children to the kernel, which then tells nobody how they ended."""
    before = signal.getsignal(signal.SIGCHLD)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGCHLD, before)


def _limits(seconds: float, memory: int, largest_file: int) -> list[tuple[int, int]]:
    import resource  # not on Windows

    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return [
        (resource.RLIMIT_AS, used + memory),
        (resource.RLIMIT_CPU, int(seconds) + 2),
        (resource.RLIMIT_FSIZE, largest_file),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ]


# The child.


def _live(
    function: Callable[[], bytes],
    secret: bytes,
    pipe: int,
    kept: set[int],
    limits: list[tuple[int, int]],
    rules: int | None,
    calls: bytes,
) -> NoReturn:
    # Whatever the function does to modules and builtins, the child must end here, and not go on as a second worker.
    write, leave, status = os.write, os._exit, 1
    try:
        _confine(kept, limits, rules, calls)
        message = _message(function)
        message = secret + _SIZE.pack(len(message)) + message
        while message:
            message = message[write(pipe, message) :]
        status = 0
    finally:
        leave(status)


def _confine(kept: set[int], limits: list[tuple[int, int]], rules: int | None, calls: bytes) -> None:
    # Collecting garbage would touch, and so copy, all that the worker has in memory, and makes filling memory take ages.
    gc.freeze()
    gc.set_threshold(*_GARBAGE)
    os.environ |= _ONE_THREAD
    os.setpgid(0, 0)
    null = os.open(NULL, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    # Python's streams may have been replaced by others, which are about to be closed.
    sys.stdin, sys.stdout = open(0, closefd=False), open(1, "w", closefd=False)  # noqa: SIM115 - they stay open
    sys.stderr = sys.stdout
    close_all_but(kept | {0, 1, 2})
    give_up(
        limits=limits,
        rules=rules,
        calls=calls,
        user=NOBODY if os.geteuid() == 0 else None,
        may_read=rules is not None,
    )


def _message(function: Callable[[], bytes]) -> bytes:
    try:
        return _RESULT + function()
    except MemoryError:
        return _MEMORY
    except BaseException as error:
        return _ERROR + f"{type(error).__name__}: {error}".encode(errors="replace")[:1000]


# The parent.


def _awaited(child: int, reading: int, deadline: Deadline, secret: bytes) -> tuple[bytes | None, int]:
    """What the child said, or else how it ended. It does nothing afterwards: if it has said all, it is killed and is buried
    later, since the kernel takes longer to empty its memory than it took to fork it."""
    with contextlib.suppress(OSError):
        os.setpgid(child, child)
    said: bytes | None = None
    overdue, status = True, 0
    try:
        output, overdue = _heard(reading, child, deadline, secret)
        said = _said(output, secret)
        if said is None and not overdue and len(output) <= _LONGEST:
            _give_time_to_end(child, time.monotonic() + _GRACE)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        if said is None:
            _, status = os.waitpid(child, 0)
        else:
            later(partial(os.waitpid, child, 0))
    if overdue:
        raise Overdue
    return said, status


def _said(output: bytes, secret: bytes) -> bytes | None:
    """The whole message, if it has come, or as much of one that is too long as is ever read."""
    start = len(secret) + _SIZE.size
    if len(output) < start or not output.startswith(secret):
        return None
    end = start + _SIZE.unpack_from(output, len(secret))[0]
    return output[start:end] if len(output) >= min(end, _LONGEST) else None


class Deadline:
    """So many seconds by the clock. A child that wants to work and did not get so many of the processor's gets more, up to
    twenty times as many: how busy the machine is must not decide how a test ends."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds
        self._latest = time.monotonic() + _PATIENCE * seconds

    def left(self) -> float:
        return max(0.0, self._until - time.monotonic())

    def extended(self, child: int) -> bool:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
            owed = self._seconds - (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            if fields[0] in "RD" and owed > 0 and time.monotonic() < self._latest:
                self._until = min(self._latest, time.monotonic() + max(owed, 0.1))
                return True
        return False


def _heard(reading: int, child: int, deadline: Deadline, secret: bytes) -> tuple[bytes, bool]:
    """All that comes until the child has said all, hangs up or says too much, and whether time was up before."""
    output = b""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    while len(output) <= _LONGEST and _said(output, secret) is None:
        if not poll.poll(deadline.left() * 1000):
            if deadline.extended(child):
                continue
            return output, True
        more = os.read(reading, 65536)
        if not more:
            break
        output += more
    return output, False


def _give_time_to_end(child: int, until: float) -> None:
    """Lets a child that has hung up end by itself, so that its status says why."""
    pause = 0.0002
    while os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None and time.monotonic() < until:
        time.sleep(pause)
        pause = min(0.01, pause * 2)


def _result(said: bytes | None, status: int) -> bytes:
    if said is None or (kind := said[:1]) not in (_RESULT, _MEMORY, _ERROR):
        raise Died(_how(status))
    if len(body := said[1:]) > LARGEST:
        raise Died(f"its result is larger than {LARGEST:,} bytes")
    if kind == _MEMORY:
        raise Died("it ran out of memory")
    if kind == _ERROR:
        raise Died(f"it failed: {body.decode(errors='replace')}")
    return body


def _how(status: int) -> str:
    if os.WIFSIGNALED(status):
        name = signal.Signals(os.WTERMSIG(status)).name
        return f"it was killed by {name}" + (", perhaps for want of memory" if name == "SIGKILL" else "")
    return "it ended without a result"
