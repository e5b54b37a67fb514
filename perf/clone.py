"""A private session on databases of 1 MB, 100 MB and 1 GB, beside a copy of the file: median milliseconds, and the ratio.

read    a new session and its first query
write   a new session and its first change, with the private copy that it needs
copy    a copy of the file, opened, and the same change
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from measuring import arguments, report

from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.protocols import Limits

SIZES = (1, 100, 1000)
ROUNDS = 31
READ = "SELECT v FROM t WHERE id = 77"
WRITE = "UPDATE t SET v = 'x' WHERE id = 77"


def make(path: Path, megabytes: int) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    rows = ((None, "abcdefgh" * 125) for _ in range(megabytes * 1000))
    connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
    connection.commit()
    connection.close()


async def median(action: Callable[[], Awaitable[float]]) -> float:
    await action()
    return statistics.median([1000 * await action() for _ in range(ROUNDS)])


async def measure(engine: SqliteEngine, database: Path) -> dict[str, float]:
    async def session(sql: str) -> float:
        started = time.perf_counter()
        opened = engine.session(database, writable=True, limits=Limits())
        await opened.run(sql)
        spent = time.perf_counter() - started
        await opened.close()
        return spent

    async def copy() -> float:
        started = time.perf_counter()
        target = database.with_suffix(".copy")
        shutil.copyfile(database, target)
        connection = sqlite3.connect(target)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(WRITE)
        connection.commit()
        spent = time.perf_counter() - started
        connection.close()
        target.unlink()
        return spent

    return {
        "read": await median(lambda: session(READ)),
        "write": await median(lambda: session(WRITE)),
        "copy": await median(copy),
    }


async def measure_all(databases: dict[str, Path]) -> dict[str, dict[str, float]]:
    engine = SqliteEngine()
    results = {size: await measure(engine, database) for size, database in databases.items()}
    await engine.close()
    return results


def main() -> None:
    options = arguments(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as directory:
        databases = {f"{megabytes} MB": Path(directory, f"{megabytes}.sqlite") for megabytes in SIZES}
        for megabytes, database in zip(SIZES, databases.values(), strict=True):
            make(database, megabytes)
        results = asyncio.run(measure_all(databases))
    rows = [
        [size, f"{r['read']:.2f}", f"{r['write']:.2f}", f"{r['copy']:.1f}", f"{r['copy'] / r['write']:.0f}x"]
        for size, r in results.items()
    ]
    report("clone", results, [["database", "read ms", "write ms", "file copy ms", "copy / write"], *rows], options.json)


if __name__ == "__main__":
    main()
