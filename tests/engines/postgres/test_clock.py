"""A statement's time: waiting for a core is left out, sleeping is not."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import psycopg
import pytest

from tests.support.spinning import SPIN
from touchstone.engines.postgres.execution import StatementClock
from touchstone.engines.postgres.messages import PostgresServer


def on_one_core(pid: int) -> int:
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(pid, {core})
    return core


def test_sleeping_counts(server: PostgresServer) -> None:
    with psycopg.connect(server.conninfo("postgres")) as connection:
        clock = StatementClock(connection.pgconn)
        connection.execute("SELECT pg_sleep(1)")
        assert clock.seconds() > 0.9


def test_waiting_for_a_core_does_not_count(server: PostgresServer) -> None:
    """The server's process shares one core with seven others, so most of the time it waits."""
    with psycopg.connect(server.conninfo("postgres")) as connection:
        core = on_one_core(connection.info.backend_pid)
        busy = [
            subprocess.Popen(
                [sys.executable, "-c", f"import os; os.sched_setaffinity(0, {{{core}}}); os.write(1, b'x')\n{SPIN}"],
                stdout=subprocess.PIPE,
                start_new_session=True,  # the kernel may share out a core by session: together they would get half of it
            )
            for _ in range(7)
        ]
        try:
            for process in busy:
                assert process.stdout is not None
                assert process.stdout.read(1) == b"x"  # from now on it wants the core
            clock, began = StatementClock(connection.pgconn), time.monotonic()
            connection.execute("SELECT count(*) FROM generate_series(1, 6000000)")
            shown, passed = clock.seconds(), time.monotonic() - began
        finally:
            for process in busy:
                process.kill()
                process.communicate()
    assert shown < passed / 2


def test_of_a_server_that_is_not_a_child_of_the_listener_only_the_wall_clock_is_known(server: PostgresServer) -> None:
    with psycopg.connect(server.conninfo("postgres")) as connection:

        class Elsewhere:
            backend_pid = os.getpid()
            socket = connection.pgconn.socket

        clock, began = StatementClock(Elsewhere()), time.monotonic()  # pyright: ignore[reportArgumentType]
        time.sleep(0.3)
        assert clock.seconds() == pytest.approx(time.monotonic() - began, abs=0.2)
