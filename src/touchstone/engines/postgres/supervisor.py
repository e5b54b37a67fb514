"""The supervisor: runs one private PostgreSQL server, and leaves nothing behind.

It is started with one JSON argument, in a session of its own, and needs the standard library only, so that it is up at once. It
makes a directory that only its user can read, fills it (initdb, or a copy of a cleanly stopped cluster), runs `postgres` as its
child on a Unix socket, and says so in one line of JSON on stdout. Then it listens on stdin:

    end of file, or a line        the server is stopped at once and the directory removed
    {"keep": "<path>"}            before that, the server is stopped cleanly, its cluster copied to the path, and a line says so

So the server lives exactly as long as the process that started it, even if that is killed. Should the supervisor itself be
killed, the kernel tells the server to stop, and the next supervisor removes the directory.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import pwd
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from .data_dirs import PORT, SECONDS_TO_STOP, Trouble, copy_cluster, home, release_memory, status, sweep

# Whom a server runs as, and what its processes may take. Standard library only.
#
# PostgreSQL refuses to run as root. Root therefore enters a user namespace in which it is nobody; where that is forbidden,
# the server runs as the real nobody, to whom the directory is given. For anybody else it runs as what they are.


MEMORY = 2 * 2**30
"""Of each server process, besides what they share: a hostile work_mem ends in an error, not in a machine without memory."""
ADDRESS_SPACE = 8 * 2**30

Become = dict[str, Any]
"""How a child becomes somebody whom PostgreSQL accepts: arguments for subprocess."""

_NOBODY = 65534
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None, use_errno=True)


def identity(directory: Path, memory: int = MEMORY) -> Become:
    if os.getuid() != 0:
        return {"preexec_fn": lambda: _limit(memory)}
    if _namespaces_work():
        return {"preexec_fn": lambda: (_enter_namespace(), _limit(memory))}
    directory.chmod(0o711)
    try:
        nobody = pwd.getpwnam("nobody")
        user, group = nobody.pw_uid, nobody.pw_gid
    except KeyError:
        user = group = _NOBODY
    return {"preexec_fn": lambda: _limit(memory), "user": user, "group": group, "extra_groups": []}


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


def _limit(memory: int) -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGQUIT)
    for what, limit in ((resource.RLIMIT_AS, ADDRESS_SPACE), (resource.RLIMIT_DATA, memory)):
        hard = resource.getrlimit(what)[1]
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(what, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


BOOTSTRAP = "bootstrap"
ADMINISTRATOR = "postgres"
"""A superuser of its own: what belongs to the first user of a cluster cannot be given to somebody else."""

SECONDS_TO_START = 60.0

SETTINGS = {
    "listen_addresses": "",
    "max_connections": "300",
    "shared_buffers": "128MB",
    # Nothing here has to survive a crash.
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "512MB",
    # Databases are short-lived copies: nobody tends them.
    "autovacuum": "off",
    "jit": "off",
    "track_activities": "off",
    # What a statement may take, and when it ends because its client is gone.
    "temp_file_limit": "2GB",
    "max_parallel_workers_per_gather": "0",  # one core each: then as many run at once as there are cores
    "client_connection_check_interval": "1s",
    # Shared memory lives and dies with the directory.
    "dynamic_shared_memory_type": "mmap",
    "huge_pages": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "lc_messages": "C",
    # Agents cause errors all the time; the log is for reasons why the server ended.
    "logging_collector": "off",
    "log_destination": "stderr",
    "log_line_prefix": "",
    "log_min_messages": "fatal",
    "log_min_error_statement": "panic",
}


def main() -> None:
    _on_signals(_leave)
    try:
        with contextlib.ExitStack() as stack:
            _keep(json.loads(sys.argv[1]), stack)
    except Trouble as trouble:
        _say(error=str(trouble))
    except OSError as error:
        _say(error=f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")


def _on_signals(action: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, action)


def _leave(number: int, frame: object) -> NoReturn:
    _on_signals(signal.SIG_IGN)  # tidying up is not to be disturbed
    raise SystemExit(0)


def _say(**line: Any) -> None:
    with contextlib.suppress(BrokenPipeError):
        os.write(1, json.dumps(line).encode() + b"\n")


def _keep(request: dict[str, Any], stack: contextlib.ExitStack) -> None:
    """The life of one server."""
    programs, base = Path(request["programs"]), Path(request["base"])
    sweep(base)
    directory = stack.enter_context(home(base))
    become = identity(directory)
    _fill(directory, programs, request, become)
    server = _start(directory, programs, become, request["environment"])
    stack.callback(_stop, server, directory / "data")
    try:
        _wait_until_ready(server, directory)
    finally:
        _remove_clock(server.pid)
    _say(socket=os.path.realpath(directory / "s"), directory=str(directory), server=server.pid)
    _serve(server, directory / "data")


def _serve(server: subprocess.Popen[bytes], data: Path) -> None:
    """Waits for the parent to say something or to go, or for the server to end."""
    while server.poll() is None:
        if select.select([0], [], [], 0.5)[0]:
            word = os.read(0, 65536)
            if word.startswith(b"{"):
                _keep_cluster(server, data, Path(json.loads(word)["keep"]))
            return


def _keep_cluster(server: subprocess.Popen[bytes], data: Path, target: Path) -> None:
    server.send_signal(signal.SIGINT)  # a fast, clean shutdown
    if server.wait() != 0:
        raise Trouble("the server did not stop cleanly")
    copy_cluster(data, target)
    _say(kept=str(target))


def _fill(directory: Path, programs: Path, request: dict[str, Any], become: Become) -> None:
    """Makes the cluster: a copy, or a new one."""
    data = directory / "data"
    if request["store"]:
        copy_cluster(Path(request["store"]), data)
        hand_over(directory, become)
        return
    data.mkdir(mode=0o700)
    hand_over(directory, become)
    options = ["--no-sync", "--no-instructions", "--auth=trust", f"--username={BOOTSTRAP}", "--encoding=UTF8"]
    options += [*request["locale"], "--lc-messages=C", *(["--no-data-checksums"] if request["major"] >= 18 else [])]
    _run([programs / "initdb", "-D", data, *options], b"", directory, become)
    role = f"CREATE ROLE {ADMINISTRATOR} SUPERUSER CREATEDB CREATEROLE REPLICATION BYPASSRLS LOGIN\n"
    _run([programs / "postgres", "--single", "-D", data, *_settings(), "postgres"], role.encode(), directory, become)


def _settings() -> list[str]:
    return [argument for name, value in SETTINGS.items() for argument in ("-c", f"{name}={value}")]


def _run(command: list[Any], words: bytes, directory: Path, become: Become) -> None:
    with (directory / "log").open("ab") as log:
        done = subprocess.run(command, input=words, stdout=log, stderr=log, cwd="/", **become)
    if done.returncode:
        raise Trouble(f"{command[0].name} failed: {_last_words(directory / 'log')}")


def _start(directory: Path, programs: Path, become: Become, environment: dict[str, str]) -> subprocess.Popen[bytes]:
    sockets = os.path.realpath(directory / "s").replace('"', '""')
    command = [programs / "postgres", "-D", directory / "data", "-k", f'"{sockets}"', "-p", str(PORT), *_settings()]
    with (directory / "log").open("ab") as log:
        env = os.environ | environment
        return subprocess.Popen[bytes](command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", env=env, **become)


def _wait_until_ready(server: subprocess.Popen[bytes], directory: Path) -> None:
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise Trouble(f"postgres ended: {_last_words(directory / 'log')}")
        with contextlib.suppress(OSError, IndexError):
            if status(directory / "data")[7].strip() == "ready":
                return
        time.sleep(0.005)
    raise Trouble(f"postgres did not start within {SECONDS_TO_START:.0f} seconds: {_last_words(directory / 'log')}")


def _remove_clock(pid: int) -> None:
    """libfaketime leaves these in memory when a process is killed. Once it has begun nobody looks for them by name."""
    for name in (f"faketime_shm_{pid}", f"sem.faketime_sem_{pid}"):
        with contextlib.suppress(OSError):
            Path("/dev/shm", name).unlink()


def _stop(server: subprocess.Popen[bytes], data: Path) -> None:
    """At once: what is in the cluster is of no use to anybody."""
    if server.poll() is None:
        server.send_signal(signal.SIGQUIT)
        try:
            server.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
    if server.returncode < 0:
        release_memory(data)


def _last_words(log: Path) -> str:
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    return "; ".join([line for line in lines if line][-3:]) or "it said nothing"


if __name__ == "__main__":
    main()
