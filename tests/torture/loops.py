"""The loops of `make torture`. Each tries something many times until its share of time is used up, and counts.

A loop yields once per attempt: None if what must hold did, otherwise a sentence about what was lost.
"""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.engines.conftest import create, snapshot
from tests.support.command import Started, finish, overall, records, run_directory, start, times_recorded, touchstone
from tests.support.spinning import SPIN
from tests.support.worlds import LONG, World, make_world, many_rows, row
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.errors import SqlError
from touchstone.protocols import Limits

from .hostile import hostile_statements

Loop = Callable[[Path, int], Iterator[str | None]]
"""Takes a folder of its own and a seed."""

TASKS = 120


def kills(folder: Path, seed: int) -> Iterator[str | None]:
    """kill -9 at a random moment, then a resume, again and again; one attempt is one kill."""
    yield from _interrupted(folder, random.Random(seed), (signal.SIGKILL,))


def signals(folder: Path, seed: int) -> Iterator[str | None]:
    """The same with Ctrl-C, a second Ctrl-C, and the signals by which a machine shuts down."""
    yield from _interrupted(folder, random.Random(seed), (signal.SIGINT, signal.SIGTERM, signal.SIGHUP))


def _interrupted(folder: Path, chance: random.Random, which: tuple[signal.Signals, ...]) -> Iterator[str | None]:
    world = make_world(folder / "world", many_rows(TASKS))
    for number in range(10_000):
        output = folder / f"out-{number}"
        arguments: list[str | Path] = ["bird", *world.arguments, "--agent", "oracle", "-o", output, "-p", "4"]
        for _ in range(chance.randrange(1, 5)):
            process = start(*arguments, cwd=folder)
            if not _struck(process, output, chance, which):
                break
            if run := _run(output):
                arguments = ["bird", "--resume", run, "-p", "4"]
                yield complaint_about_records(run)
            else:
                yield None  # before the run directory was there
        done = touchstone(*arguments, cwd=folder)
        yield complaint_about_whole(_run(output), done.code, done.err)


def _run(output: Path) -> Path | None:
    """The only run there; a kill may come before there is one, and leave a beginning under another name."""
    return next(output.glob("run-*"), None)


def _struck(process: Started, output: Path, chance: random.Random, which: tuple[signal.Signals, ...]) -> bool:
    """Strikes at a moment that is spread over the whole life of the run; False if it was done before."""
    awaited = chance.random() < 0.7
    wanted = chance.randrange(TASKS * 3 // 4) if awaited else 0
    deadline = time.monotonic() + 60
    while awaited and process.poll() is None and _lines(output) < wanted and time.monotonic() < deadline:
        time.sleep(0.002)
    time.sleep(chance.random() * 0.3)
    with suppress(ProcessLookupError):
        process.send_signal(chance.choice(which))
        if chance.random() < 0.3:
            process.send_signal(chance.choice(which))
    process.communicate(timeout=120)
    return process.returncode != 0


def _lines(output: Path) -> int:
    return max((file.read_bytes().count(b"\n") for file in output.glob("run-*/runs.jsonl")), default=0)


def complaint_about_records(run: Path) -> str | None:
    """A run that was struck: nothing twice, and every line whole but for the last."""
    file = run / "runs.jsonl"
    if not file.exists():
        return None
    content = file.read_bytes()
    if not content.endswith(b"\n"):
        file.write_bytes(content[: content.rfind(b"\n") + 1])
    twice = [key for key, times in times_recorded(run).items() if times > 1]
    return f"{run}: {twice[:3]} recorded twice" if twice else None


def complaint_about_whole(run: Path | None, code: int, err: str) -> str | None:
    if run is None or code != 0 or "Traceback" in err:
        return f"{run}: the last resume ended with {code}: {err.strip()[-300:]}"
    if times_recorded(run) != {(str(number), 0): 1 for number in range(TASKS)}:
        return f"{run}: not every task is there once"
    passed = overall(run)["outcomes"]["passed"]
    return None if passed == TASKS else f"{run}: {passed} of {TASKS} passed"


def full_disk(folder: Path, seed: int) -> Iterator[str | None]:
    """No file may grow beyond a random size; then there is room again, and a resume finishes the run."""
    chance = random.Random(seed)
    world = make_world(folder / "world", many_rows(TASKS))
    for number in range(10_000):
        output = folder / f"out-{number}"
        arguments = ["bird", *world.arguments, "--agent", "oracle", "-o", output, "-p", "4"]
        done = finish(start(*arguments, cwd=folder, largest_file=chance.randrange(2_000, 150_000)))
        if "Traceback" in done.err:
            yield f"a full disk ended in a traceback: {done.err[-300:]}"
            continue
        run = _run(output)
        done = touchstone(*(["bird", "--resume", run] if run else arguments), cwd=folder)
        yield complaint_about_whole(_run(output), done.code, done.err)


def hostile_sql(folder: Path, seed: int) -> Iterator[str | None]:
    """Statements by a grammar, on an original and on private copies: its bytes stay, nothing appears outside."""
    outside = folder / "outside"
    outside.mkdir()
    database = create(folder / "original" / "people.sqlite")
    before = snapshot(database.parent)
    with asyncio.Runner() as runner:
        engine = SqliteEngine(workers=2)
        limits = Limits(seconds=0.3, rows=1000, bytes=2**20, memory=2**28)
        try:
            for number, sql in enumerate(hostile_statements(100_000, str(outside / "file"), seed)):
                complaint = runner.run(_tried(engine, database, limits, sql, writable=bool(number % 2)))
                if snapshot(database.parent) != before:
                    complaint = "the original has changed"
                elif any(outside.iterdir()):
                    complaint = "a file was written outside"
                yield complaint and f"{complaint}: {sql[:200]}"
        finally:
            runner.run(engine.close())


async def _tried(engine: SqliteEngine, database: Path, limits: Limits, sql: str, *, writable: bool) -> str | None:
    session = engine.session(database, writable=writable, limits=limits)
    try:
        with suppress(SqlError):
            await session.run(sql)
        with suppress(SqlError):  # what a private copy holds now is its own affair; that it answers is not
            await session.run("SELECT 1")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        await session.close()
    fresh = engine.session(database, writable=False, limits=limits)
    try:
        rows = (await fresh.run("SELECT count(*) FROM people")).rows
    finally:
        await fresh.close()
    return None if rows == [(4,)] else f"another session sees {rows}"


def under_load(folder: Path, seed: int) -> Iterator[str | None]:
    """Queries from far below to far above the limit: each verdict alone, and with 40 busy processes beside it."""
    chance = random.Random(seed)
    while True:
        world, predictions = _near_the_limit(folder / f"world-{chance.random()}", chance)
        idle = _verdicts(folder, world, predictions, parallel=1)
        with _busy(40):
            loaded = _verdicts(folder, world, predictions, parallel=8)
        for task, verdict in idle.items():
            yield None if loaded.get(task) == verdict else f"{task}: {verdict} when idle, {loaded.get(task)} under load"


def _near_the_limit(folder: Path, chance: random.Random) -> tuple[World, Path]:
    """Right answers that take from a hundredth to three times of what `--sql-timeout 0.05` allows."""
    rows = [row(number, "shop", f"What is {number}?", f"SELECT {number}") for number in range(20)]
    folder.mkdir(parents=True)
    world = make_world(folder, rows)
    predictions = folder / "predictions.json"
    # The long part decides nothing about the answer, only about the work.
    queries = {
        str(number): f"SELECT {number} WHERE ({LONG.format(int(10 ** chance.uniform(3.5, 6)))}) > 0" for number in range(20)
    }
    predictions.write_text(json.dumps(queries))
    return world, predictions


def _verdicts(folder: Path, world: World, predictions: Path, *, parallel: int) -> dict[str, str]:
    output = predictions.parent / f"out-{parallel}"
    arguments: list[str | Path] = ["score", "bird", predictions, "--data", world.tasks, "--databases", world.databases]
    done = finish(
        start(*arguments, "--sql-timeout", "0.05", "-p", str(parallel), "--no-cache", "-o", output, cwd=folder), timeout=900
    )
    if done.code != 0:
        raise RuntimeError(done.err)
    return {record["task"]: f"{record['outcome']}: {record['reason']}" for record in records(run_directory(output))}


@contextmanager
def _busy(count: int) -> Iterator[None]:
    """So many processes that want a core each."""
    spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(count)]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
        for process in spinning:
            process.wait()


def sandbox_probes(folder: Path, seed: int) -> Iterator[str | None]:
    """Every attempt of the probe suite, at every level that is here, as this user and as an ordinary one."""
    from tests.sandbox.surroundings import here
    from tests.sandbox.test_probes import OPEN, USERS, results

    while True:
        for level in filter(here, OPEN):
            for user in USERS if level != "desktop" else USERS[:1]:
                for attempt, succeeded in results(level, user).items():
                    expected = attempt in OPEN[level]
                    yield f"{level}: {attempt}" if succeeded and not expected else None
        results.cache_clear()


def fuzzed_inputs(folder: Path, seed: int) -> Iterator[str | None]:
    """Nasty bytes on every way in: each ends as passed, failed, limit or a refusal."""
    from tests.fuzz.targets import QUICK, Fuzzed
    from tests.fuzz.test_fuzz import GOOD
    from tests.support.sql_service import SqlService
    from touchstone.benchmarks.bird.benchmark import Bird

    world = make_world(folder / "world")
    engine = SqliteEngine(workers=1)
    with asyncio.Runner() as runner, SqlService(lambda _: made.answer) as service:
        made = Fuzzed(Bird(world.load(), world.databases, engine), folder, service)
        try:
            for number in range(seed, seed + 1_000_000):
                for entry in QUICK:
                    outcomes = runner.run(getattr(made, entry)(random.Random(number)))
                    bad = [outcome for outcome in outcomes if not outcome.startswith(GOOD)]
                    yield f"{entry}, seed {number}: {bad[0]}" if bad else None
        finally:
            runner.run(engine.close())


LOOPS: dict[str, tuple[Loop, float]] = {
    "kill -9": (kills, 0.2),
    "signals": (signals, 0.1),
    "full disk": (full_disk, 0.1),
    "hostile SQL": (hostile_sql, 0.1),
    "sandbox probes": (sandbox_probes, 0.1),
    "fuzzed inputs": (fuzzed_inputs, 0.1),
    "load of 40": (under_load, 0.3),
}
"""Each with its share of the time."""
