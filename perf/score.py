"""Scoring a prediction file, in one run beside two others:

    floor      only running the distinct statements on SQLite, one after the other: nobody can be faster without a cache
    plain      a loop that does what BIRD's evaluator does: connect, run the prediction, run the gold, compare as sets
    original   BIRD's own evaluation_ex.py, if a checkout of mini_dev is given with --original

Ours is measured cold (an empty cache, worker processes started within the time), with a second file of predictions after a
first (the gold is remembered), and with the same file again. Wall seconds, and CPU seconds of all processes together.

    python perf/score.py                        the tasks once
    python perf/score.py --count 10000          the tasks again and again, each prediction another text by a comment
    python perf/score.py --original mini_dev --original-python venv/bin/python
                                                with BIRD's evaluator, in a Python that has what it imports
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
from measuring import arguments, report, tree_cpu

from touchstone.agents.scripted import ScriptedAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.config import BirdScoreOptions
from touchstone.benchmarks.bird.predictions import load_predictions
from touchstone.benchmarks.bird.tasks import BirdTask, load_tasks
from touchstone.benchmarks.sql_episode import submission
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.runs.directory import RunDirectory, read_records
from touchstone.runs.run import Plan, owed, run

DATA = Path(os.environ.get("TOUCHSTONE_DATA", "../shared/data"), "bird")
LIMIT = 30.0
IMPORTED_BY_ORIGINAL = {"func_timeout": "func_timeout", "psycopg2": "psycopg2-binary", "pymysql": "pymysql"}
"""By BIRD's evaluator: modules, and the packages that have them."""


def execute(connection: sqlite3.Connection, sql: str) -> list[Any]:
    deadline = time.process_time() + LIMIT
    connection.set_progress_handler(lambda: time.process_time() > deadline, 10_000)
    return connection.execute(sql).fetchall()


def floor(tasks: Sequence[BirdTask], predictions: dict[str, str], databases: Path) -> None:
    distinct = {(task.database, sql): None for task in tasks for sql in (task.gold, predictions[task.key])}
    connections: dict[str, sqlite3.Connection] = {}
    for database, sql in distinct:
        if database not in connections:
            path = databases / database / f"{database}.sqlite"
            connections[database] = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
        with suppress(sqlite3.Error, sqlite3.Warning):
            execute(connections[database], sql)


def plain(tasks: Sequence[BirdTask], predictions: dict[str, str], databases: Path) -> int:
    passed = 0
    for task in tasks:
        connection = sqlite3.connect(f"file:{databases / task.database / task.database}.sqlite?mode=ro", uri=True)
        with suppress(sqlite3.Error, sqlite3.Warning):
            passed += set(execute(connection, predictions[task.key])) == set(execute(connection, task.gold))
        connection.close()
    return passed


async def ours(
    tasks: Sequence[BirdTask], predictions: dict[str, str], databases: Path, cache: Path | None, base: Path
) -> tuple[Path, float, float]:
    """The run directory, the CPU that all processes had used, and the seconds that it took to find that out."""
    engine = SqliteEngine(cache=cache)
    agent = ScriptedAgent(lambda key: [submission(predictions[key])])
    plan = Plan(title="", benchmark=Bird(tasks, databases, engine), agent=agent, parallel=BirdScoreOptions().parallel)
    kept = RunDirectory.create(base, {})
    jobs, counted = owed(tasks, 1, kept)
    await run(plan, kept, jobs, counted, lambda record, aggregate: None)
    started = time.perf_counter()
    spent = tree_cpu()  # while the workers still live
    looking = time.perf_counter() - started
    await engine.close()
    kept.close()
    return kept.path, spent, looking


def timed(work: Callable[[], Any]) -> tuple[dict[str, float], Any]:
    cpu, started = time.process_time(), time.perf_counter()
    value = work()
    return {"wall": time.perf_counter() - started, "cpu": time.process_time() - cpu}, value


def timed_ours(*given: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """With the verdicts by task, as they are read from the disk when the time has been taken."""
    with tempfile.TemporaryDirectory() as directory:
        cpu, started = tree_cpu(), time.perf_counter()
        path, spent, looking = asyncio.run(ours(*given, Path(directory)))
        wall = time.perf_counter() - started - looking
        verdicts = {r.task: [r.outcome.value, r.metrics, r.reason] for r in read_records(path)}
    return {"wall": wall, "cpu": spent - cpu}, verdicts


def refuse_unfit(python: str) -> None:
    """Before anything is measured."""
    looked = f"from importlib.util import find_spec; print(*[m for m in {list(IMPORTED_BY_ORIGINAL)} if not find_spec(m)])"
    missing = subprocess.run([python, "-c", looked], check=True, capture_output=True, text=True).stdout.split()
    if missing:
        packages = " ".join(IMPORTED_BY_ORIGINAL[module] for module in missing)
        sys.exit(
            f"{python} lacks what BIRD's evaluator imports: {packages}. Install it into a virtual environment "
            "and give its Python with --original-python."
        )


def repeated(
    tasks: Sequence[BirdTask], predictions: dict[str, str], second: dict[str, str], count: int
) -> tuple[list[BirdTask], dict[str, str], dict[str, str]]:
    """As many tasks as are wanted: the same ones again under other keys, with predictions that no cache has seen."""
    more = [
        msgspec.structs.replace(task, key=f"{task.key}-{number}", index=number)
        for number, task in zip(range(count), itertools.cycle(tasks), strict=False)
    ]

    def texts(given: dict[str, str]) -> dict[str, str]:
        return {task.key: f"{given[task.key.rpartition('-')[0]]}\n/* {task.index} */" for task in more}

    return more, texts(predictions), texts(second)


def original(
    python: str, checkout: Path, tasks: Sequence[BirdTask], predictions: dict[str, str], databases: Path
) -> dict[str, float]:
    """BIRD's evaluator on the covered tasks, as its own script runs it."""
    with tempfile.TemporaryDirectory() as directory:
        predicted, gold, levels = (Path(directory, name) for name in ("predicted.json", "gold.sql", "levels.jsonl"))
        values = {n: f"{predictions[t.key]}\t----- bird -----\t{t.database}" for n, t in enumerate(tasks)}
        predicted.write_text(json.dumps(values))
        gold.write_text("".join(f"{' '.join(task.gold.split())}\t{task.database}\n" for task in tasks))
        levels.write_text("".join(json.dumps({"difficulty": task.facets["difficulty"]}) + "\n" for task in tasks))
        command = [python, "evaluation_ex.py", "--predicted_sql_path", str(predicted), "--ground_truth_path", str(gold)]
        command += ["--db_root_path", f"{databases.absolute()}/", "--diff_json_path", str(levels), "--meta_time_out", "30"]
        command += ["--num_cpus", str(os.cpu_count()), "--output_log_path", str(Path(directory, "log"))]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, cwd=checkout / "evaluation", check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {"wall": time.perf_counter() - started, "cpu": cpu}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--predictions", type=Path, default=DATA / "predictions" / "gpt-4o-ta.json")
    parser.add_argument(
        "--second", type=Path, default=DATA / "predictions" / "gpt-4.json", help="another file for the same tasks"
    )
    parser.add_argument("--data", type=Path, default=DATA / "tasks" / "mini_dev_sqlite.json")
    parser.add_argument("--databases", type=Path, default=DATA / "dev_databases")
    parser.add_argument("--original", type=Path, help="a checkout of bird-bench/mini_dev")
    parser.add_argument("--original-python", default=sys.executable, help="the Python that runs it; by default this one")
    parser.add_argument("--count", type=int, help="predictions; by default one for each task")
    options = parser.parse_args()
    if options.original:
        refuse_unfit(options.original_python)
    loaded = load_tasks(options.data)
    tasks = [task for task in loaded if (options.databases / task.database / f"{task.database}.sqlite").exists()]
    first, second = (load_predictions(path, loaded) for path in (options.predictions, options.second))
    if options.count:
        tasks, first, second = repeated(tasks, first, second, options.count)
    databases = options.databases
    floor(tasks, first, databases)  # so that all find the files in memory
    with tempfile.TemporaryDirectory() as directory:
        cache = Path(directory, "cache.sqlite")
        results: dict[str, Any] = {}
        results["floor"], _ = timed(lambda: floor(tasks, first, databases))
        results["plain loop"], passed = timed(lambda: plain(tasks, first, databases))
        results["ours, cold"], cold = timed_ours(tasks, first, databases, cache)
        results["ours, same file again"], again = timed_ours(tasks, first, databases, cache)
        results["floor, second file"], _ = timed(lambda: floor(tasks, second, databases))
        results["ours, second file"], with_cache = timed_ours(tasks, second, databases, cache)
        results["ours, second file, no cache"], without = timed_ours(tasks, second, databases, None)
        if options.original:
            results["original"] = original(options.original_python, options.original, tasks, first, databases)
    assert cold == again, "the cache changed a verdict"
    assert with_cache == without, "the cache changed a verdict"
    assert sum(outcome == "passed" for outcome, _, _ in cold.values()) == passed, "the plain loop counts otherwise"
    base = results["original" if options.original else "plain loop"]
    rows = [
        [
            name,
            f"{r['wall']:.3f}",
            f"{r['cpu']:.3f}",
            f"{r['wall'] / results['floor']['wall']:.2f}",
            f"{base['wall'] / r['wall']:.1f}x",
        ]
        for name, r in results.items()
    ]
    head = ["", "wall s", "CPU s", "wall / floor", "faster than " + ("the original" if options.original else "the plain loop")]
    report("score", {"tasks": len(tasks), **results}, [head, *rows], options.json)


if __name__ == "__main__":
    main()
