"""A statement's time: waiting for a core is left out, sleeping is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg
import pytest

from tests.support.spinning import SPIN
from touchstone.engines.postgres.database import PostgresEpisodeDatabase
from touchstone.engines.postgres.execution import StatementClock
from touchstone.engines.postgres.messages import PostgresServer

from .conftest import explore

HEAVY = "SELECT count(*) FROM generate_series(1, 8000000)"


@contextmanager
def crowded(backend: int) -> Iterator[None]:
    """The server and all its processes, later ones too, share one core with nine that always want it."""
    listener = int(Path(f"/proc/{backend}/stat").read_text().rpartition(")")[2].split()[1])
    processes = [listener, *map(int, Path(f"/proc/{listener}/task/{listener}/children").read_text().split())]
    cores = os.sched_getaffinity(0)
    core = min(cores)
    spin = f"import os; os.sched_setaffinity(0, {{{core}}}); os.write(1, b'x')\n{SPIN}"
    # The kernel may share out a core by session: in one they would get half of it together.
    start = [sys.executable, "-c", spin]
    spinning = [subprocess.Popen(start, stdout=subprocess.PIPE, start_new_session=True) for _ in range(9)]
    try:
        _put_on(processes, {core})
        for process in spinning:
            assert process.stdout is not None
            assert process.stdout.read(1) == b"x"  # from now on it wants the core
        yield
    finally:
        for process in spinning:
            process.kill()
            process.communicate()
        _put_on(processes, cores)


def _put_on(processes: Iterable[int], cores: Iterable[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):  # a server's processes come and go
            os.sched_setaffinity(process, cores)


def test_sleeping_counts(server: PostgresServer) -> None:
    with psycopg.connect(server.conninfo("postgres")) as connection:
        clock = StatementClock(connection.pgconn, private=True)
        connection.execute("SELECT pg_sleep(2.5)")
        assert clock.seconds() > 2.4


def test_waiting_for_a_core_does_not_count(server: PostgresServer) -> None:
    with psycopg.connect(server.conninfo("postgres")) as connection, crowded(connection.info.backend_pid):
        clock, began = StatementClock(connection.pgconn, private=True), time.monotonic()
        connection.execute(HEAVY)
        shown, passed = clock.seconds(), time.monotonic() - began
    assert shown < passed / 2


def test_of_a_server_that_is_not_ours_only_the_wall_clock_is_known(server: PostgresServer) -> None:
    with psycopg.connect(server.conninfo("postgres")) as connection:
        clock, began = StatementClock(connection.pgconn, private=False), time.monotonic()
        connection.execute(HEAVY)
        assert clock.seconds() == pytest.approx(time.monotonic() - began, abs=0.2)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_statement_that_waits_for_a_core_is_not_stopped(server: PostgresServer, world: PostgresEpisodeDatabase) -> None:
    """In a worker, which is confined: it takes about 1.5 s of CPU, and ten times as long."""
    with psycopg.connect(server.conninfo("postgres")) as connection, crowded(connection.info.backend_pid):
        table = await explore(world, HEAVY, seconds=5)
    assert table.rows[0][0] == "8000000"
