"""An action on a fresh PostgreSQL database of 10 MB: what BIRD-Interact does before each, beside what Touchstone does.

The original ends all connections, drops the database, creates it again from its template (three client programs) and connects,
before every action. Measured on one private server, in one run, without a model. The SQL is small: this is about what it costs
to have a fresh state for it, which comes on top of the SQL's own time.

read            a query
submit          an update and a query on a state of their own; `back to back` leaves no time to make copies ahead
hidden test     the same through psycopg2 in the confined process of the hidden tests, and a test that looks at the result
8 episodes      eight at once, beside the same eight one after the other: each of ten reads, a write, and two submissions,
                without the pauses in which a model would think
"""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import time
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import psycopg2
from measuring import arguments, report

from touchstone.benchmarks.interact.hidden_tests import TestRequest, run_tests
from touchstone.engines.postgres import binaries
from touchstone.engines.postgres.database import Scripts, run_all
from touchstone.engines.postgres.engine import PostgresEngine
from touchstone.engines.postgres.messages import PostgresServer
from touchstone.engines.postgres.private_server import embedded_server
from touchstone.protocols import Limits

ROUNDS = 31
EPISODES = 8
EPISODE_ROUNDS = 5
PAUSE = 0.25
"""Seconds between submissions, in which a model would think for much longer."""

LIMITS = Limits(seconds=30)
CONTENT = """
    CREATE TABLE events (id int PRIMARY KEY, kind text, amount numeric(10, 2), note text);
    INSERT INTO events SELECT n, 'kind ' || n % 50, n % 997, repeat('x', 80) FROM generate_series(1, 20000) AS n;
    CREATE INDEX ON events (kind);
    ANALYZE;
"""
READ = "SELECT kind, sum(amount) FROM events WHERE id < 2000 GROUP BY kind ORDER BY kind"
SUBMISSION = ["UPDATE events SET amount = 0 WHERE id = 77", READ]

TEST = """
def test_case(pred_sqls, sol_sqls, db_name, conn):
    rows, error, timed_out = execute_queries("SELECT amount FROM events WHERE id = 77", db_name, conn)
    assert rows[0][0] == 0
"""
TESTED = TestRequest(tests=[TEST], predicted=["\n;\n".join(SUBMISSION)], gold=[])

Action = Callable[[], Awaitable[None]]


async def median(action: Action, *, pause: float = 0.0) -> float:
    """Milliseconds of one action."""
    taken: list[float] = []
    await action()
    for _ in range(ROUNDS):
        await asyncio.sleep(pause)
        started = time.perf_counter()
        await action()
        taken.append(1000 * (time.perf_counter() - started))
    return statistics.median(taken)


class Original:
    """Its way to a fresh database."""

    def __init__(self, server: PostgresServer, programs: Path) -> None:
        self._server = server
        self._login = ["-h", server.host, "-p", str(server.port), "-U", server.user]
        self._programs = programs

    async def read(self) -> None:
        self._reset()
        with self._connected() as connection, connection.cursor() as cursor:
            cursor.execute(READ)
            cursor.fetchall()

    async def submit(self) -> None:
        self._reset()
        with self._connected() as connection, connection.cursor() as cursor:
            for text in SUBMISSION:
                cursor.execute(text)
                connection.commit()

    @contextmanager
    def _connected(self) -> Generator[Any]:
        server = self._server
        connection = psycopg2.connect(host=server.host, port=server.port, user=server.user, dbname="toy")
        try:
            yield connection
        finally:
            connection.close()

    def _reset(self) -> None:
        end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'toy' AND pid <> pg_backend_pid()"
        self._call("psql", "-q", "-d", "postgres", "-c", end)
        self._call("dropdb", "--if-exists", "toy")
        self._call("createdb", "toy", "--template=toy_template")

    def _call(self, program: str, *arguments: str) -> None:
        command = [self._programs / program, *self._login, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Ours:
    def __init__(self, engine: PostgresEngine) -> None:
        self._engine = engine
        self._world = engine.world("toy", "perf")

    async def read(self) -> None:
        assert len((await self._world.explore(READ, LIMITS)).rows) == 50

    async def submit(self) -> None:
        ran = await self._world.judge(run_all, Scripts(SUBMISSION), LIMITS, writes=True, wall=60)
        assert ran.kind is None, ran.message

    async def test(self) -> None:
        report = await self._world.judge(run_tests, TESTED, LIMITS, writes=True, wall=120)
        assert report.passed, report.detail

    async def episode(self, number: int) -> None:
        world = self._engine.world("toy", f"episode {number}")
        for _ in range(10):
            await world.explore(READ, LIMITS)
        await world.explore("DELETE FROM events WHERE id < 100", LIMITS)
        await world.judge(run_all, Scripts(SUBMISSION), LIMITS, writes=True, wall=60)
        await world.advance(SUBMISSION[:1], LIMITS)
        await world.judge(run_all, Scripts(SUBMISSION), LIMITS, writes=True, wall=60)
        await world.close()

    async def episodes(self, at_once: int) -> float:
        """Seconds for all of them."""
        turns = asyncio.Semaphore(at_once)

        async def play(number: int) -> None:
            async with turns:
                await self.episode(number)

        started = time.perf_counter()
        await asyncio.gather(*(play(number) for number in range(EPISODES)))
        return time.perf_counter() - started


async def episodes(ours: Ours) -> tuple[float, float]:
    """Seconds one by one and at once, in turns. The first round starts the workers."""
    await ours.episodes(EPISODES)
    one_by_one: list[float] = []
    at_once: list[float] = []
    for _ in range(EPISODE_ROUNDS):
        for seconds, number in ((one_by_one, 1), (at_once, EPISODES)):
            await asyncio.sleep(2 * PAUSE)
            seconds.append(await ours.episodes(number))
    return statistics.median(one_by_one), statistics.median(at_once)


async def measure(programs: Path) -> dict[str, float]:
    async with embedded_server() as server:
        with psycopg.connect(server.conninfo("postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE toy_template")
        with psycopg.connect(server.conninfo("toy_template"), autocommit=True) as connection:
            connection.execute(CONTENT)
            ((size,),) = connection.execute("SELECT pg_database_size('toy_template') / 1e6").fetchall()
        original = Original(server, programs)
        engine = PostgresEngine(server)
        ours = Ours(engine)
        try:
            figures = {
                "database_mb": float(size),
                "original_read_ms": await median(original.read),
                "original_submit_ms": await median(original.submit),
                "read_ms": await median(ours.read),
                "submit_ms": await median(ours.submit, pause=PAUSE),
                "submit_back_to_back_ms": await median(ours.submit),
                "test_ms": await median(ours.test, pause=PAUSE),
            }
            figures["one_by_one_s"], figures["at_once_s"] = await episodes(ours)
            return figures
        finally:
            await engine.close()


def main() -> None:
    options = arguments(__doc__).parse_args()
    programs = binaries.find().directory
    missing = [name for name in ("psql", "dropdb", "createdb") if not (programs / name).exists()]
    if missing:
        raise SystemExit(f"{programs} has no {', '.join(missing)}, which the original's way needs")
    figures = asyncio.run(measure(programs))
    read, submit, tested, apart = (figures[f"{name}_ms"] for name in ("read", "submit", "test", "submit_back_to_back"))
    original = figures["original_submit_ms"]
    rows = [
        ["read", f"{figures['original_read_ms']:.1f} ms", f"{read:.2f} ms", f"{figures['original_read_ms'] / read:.0f}x"],
        ["submit", f"{original:.1f} ms", f"{submit:.1f} ms", f"{original / submit:.1f}x"],
        ["submit, hidden test", "", f"{tested:.1f} ms", f"{original / tested:.1f}x"],
        ["submit, back to back", "", f"{apart:.1f} ms", f"{original / apart:.1f}x"],
    ]
    one, all_ = figures["one_by_one_s"], figures["at_once_s"]
    rows.append([f"{EPISODES} episodes", f"{one:.2f} s one by one", f"{all_:.2f} s at once", f"{one / all_:.1f}x"])
    report("interact_reset", figures, [["action", "the original's way", "Touchstone", "ratio"], *rows], options.json)


if __name__ == "__main__":
    main()
