"""The environment server under load, on this machine: client, server and SQL share its cores.

steps       SQL steps a second over WebSockets, 64 sessions that step as fast as they can
sessions    512 sessions, each with a pause between its steps, beside 10 queries that never end: p50 and p99 of a step
memory      the server's memory at a tenth of the steps and at the end
cut         connections that are cut in the middle of an episode, half of them in the middle of a query: sessions left
reference   episodes on a database of 100 MB, beside the loop of a public recipe: a file copy per episode, `sqlite3` in a
            thread, `wait_for` around it

    python perf/env.py                           a few minutes
    python perf/env.py --steps 1000000 --cut 10000
    python perf/env.py --only sessions           one row of the table
    python perf/env.py --data folder             with BIRD's own databases (TOUCHSTONE_DATA) instead of the demo's
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import json
import os
import random
import shutil
import signal
import sqlite3
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from measuring import arguments, report, tree_cpu

RUNAWAY = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
STEPS_OF_AN_EPISODE = 5
Result = dict[str, Any]
Line = list[str]
_HELLO = (
    "GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "
)


class Client:
    """A WebSocket with little of its own to do, so that it is the server that is measured."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    @classmethod
    async def connect(cls, port: int) -> Client:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=2**24)
        writer.write((_HELLO + base64.b64encode(os.urandom(16)).decode() + "\r\n\r\n").encode())
        answer = await reader.readuntil(b"\r\n\r\n")
        if b" 101 " not in answer.split(b"\r\n")[0]:
            raise ConnectionError(answer.decode())
        return cls(reader, writer)

    def send(self, kind: str, data: dict[str, Any]) -> None:
        body = json.dumps({"type": kind, "data": data}).encode()
        size = bytes([0x80 | len(body)]) if len(body) < 126 else b"\xfe" + struct.pack(">H", len(body))
        self._writer.write(b"\x81" + size + b"\0\0\0\0" + body)  # a mask of zeros changes nothing

    async def receive(self) -> dict[str, Any]:
        while True:
            head = await self._reader.readexactly(2)
            size = head[1] & 127
            if size == 126:
                (size,) = struct.unpack(">H", await self._reader.readexactly(2))
            elif size == 127:
                (size,) = struct.unpack(">Q", await self._reader.readexactly(8))
            body = await self._reader.readexactly(size)
            if head[0] & 15 == 9:  # a ping
                self._writer.write(bytes([0x8A, 0x80 | size]) + b"\0\0\0\0" + body)
            elif head[0] & 15 == 1:
                return json.loads(body)
            elif head[0] & 15 == 8:
                raise ConnectionError("closed")

    async def ask(self, kind: str, **data: Any) -> dict[str, Any]:
        self.send(kind, data)
        answer = await self.receive()
        if answer["type"] == "error":
            raise RuntimeError(answer["data"]["message"])
        return answer["data"]

    async def step(self, sql: str) -> dict[str, Any]:
        return await self.ask("step", tool="execute_sql", arguments={"sql": sql})

    def cut(self) -> None:
        self._writer.transport.abort()

    async def close(self) -> None:
        self._writer.close()
        with suppress(OSError):
            await self._writer.wait_closed()


@asynccontextmanager
async def served(data: Sequence[str], *options: str) -> AsyncGenerator[tuple[int, int]]:
    """The port and the process of a server."""
    command = [sys.executable, "-m", "touchstone", "env", "serve", "bird", *data, "--port", "0", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: ASYNC220
    assert server.stdout is not None
    try:
        line = await asyncio.to_thread(server.stdout.readline)
        yield int(line.partition("http://127.0.0.1:")[2].split()[0]), server.pid
    finally:
        server.send_signal(signal.SIGTERM)
        server.send_signal(signal.SIGTERM)
        server.wait()


def queries(tasks: Path, databases: Path) -> dict[str, list[str]]:
    """What agents ask, by task: the schema, rows of its tables, and in the end the gold."""
    asked: dict[str, list[str]] = {}
    for number, row in enumerate(json.loads(tasks.read_text())):
        file = databases / row["db_id"] / f"{row['db_id']}.sqlite"
        if file.is_file():
            with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as connection:
                names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            looks = [f'SELECT * FROM "{name}" LIMIT 5' for name in names] + [f'SELECT count(*) FROM "{name}"' for name in names]
            golds = [row["SQL"]] if "SQL" in row else []
            asked[str(row.get("question_id", number))] = ["SELECT name, sql FROM sqlite_master", *looks[:8], *golds]
    return asked


async def steps_a_second(port: int, asked: dict[str, list[str]], clients: int, steps: int) -> dict[str, float]:
    left = itertools.count()
    times: list[float] = []

    async def play() -> None:
        client = await Client.connect(port)
        chosen = random.Random(next(left))
        while len(times) < steps:
            task = chosen.choice(sorted(asked))
            await client.ask("reset", task=task)
            for _ in range(15):
                started = time.perf_counter()
                await client.step(chosen.choice(asked[task]))
                times.append(time.perf_counter() - started)
        await client.close()

    started = time.perf_counter()
    await asyncio.gather(*(play() for _ in range(clients)))
    spent = time.perf_counter() - started
    return {"steps": len(times), "seconds": spent, "a_second": len(times) / spent, **quantiles(times)}


def quantiles(times: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(times, n=100)
    return {"p50_ms": 1000 * cuts[49], "p99_ms": 1000 * cuts[98]}


async def many_sessions(
    port: int, asked: dict[str, list[str]], sessions: int, runaways: int, seconds: float
) -> dict[str, float]:
    wild = [await Client.connect(port) for _ in range(runaways)]
    for client in wild:
        await client.ask("reset")
        client.send("step", {"tool": "execute_sql", "arguments": {"sql": RUNAWAY}})
    times: list[float] = []
    ends = time.perf_counter() + seconds

    async def play(number: int) -> None:
        chosen = random.Random(number)
        client = await Client.connect(port)
        while time.perf_counter() < ends:
            task = chosen.choice(sorted(asked))
            await client.ask("reset", task=task)
            for _ in range(15):
                await asyncio.sleep(chosen.uniform(0.5, 2.5))  # a policy thinks
                started = time.perf_counter()
                await client.step(chosen.choice(asked[task]))
                times.append(time.perf_counter() - started)
                if time.perf_counter() > ends:
                    break
        await client.close()

    await asyncio.gather(*(play(number) for number in range(sessions)))
    for client in wild:
        client.cut()
    return {"sessions": sessions, "runaways": runaways, "steps": len(times), **quantiles(times)}


async def cut_connections(port: int, many: int, at_once: int = 100) -> dict[str, float]:
    async def one(number: int) -> None:
        client = await Client.connect(port)
        await client.ask("reset")
        if number % 2:
            client.send("step", {"tool": "execute_sql", "arguments": {"sql": RUNAWAY}})
            await asyncio.sleep(random.uniform(0, 0.02))
        client.cut()

    for first in range(0, many, at_once):
        await asyncio.gather(*(one(number) for number in range(first, min(many, first + at_once))))
    for _ in range(100):
        if (left := metric(port, "sessions_active")) == 0:
            break
        await asyncio.sleep(0.1)
    return {"cut": many, "left": left}


def metric(port: int, name: str) -> float:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    return next(float(line.split()[1]) for line in lines if line.startswith(f"touchstone_env_{name} "))


def make_large(folder: Path, megabytes: int) -> list[str]:
    file = folder / "databases" / "large" / "large.sqlite"
    file.parent.mkdir(parents=True)
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)")
    connection.executemany("INSERT INTO t VALUES (?, ?)", ((None, "abcdefgh" * 125) for _ in range(megabytes * 1000)))
    connection.commit()
    connection.close()
    row = {"question_id": 0, "db_id": "large", "question": "?", "evidence": "", "SQL": "SELECT v FROM t WHERE id = 77"}
    (folder / "tasks.json").write_text(json.dumps([row | {"difficulty": "simple"}]))
    return [str(folder / "tasks.json"), str(folder / "databases")]


def sql_of(step: int) -> str:
    return f"SELECT id, v FROM t WHERE id = {step}" if step % STEPS_OF_AN_EPISODE else f"UPDATE t SET v = 'x' WHERE id = {step}"


async def reference_loop(database: Path, folder: Path, sessions: int, seconds: float) -> float:
    """Steps a second of the usual environment: one file copy per episode, each query in a thread with a timeout around it."""
    done = 0
    ends = time.perf_counter() + seconds

    def run(path: Path, sql: str) -> list[Any]:
        connection = sqlite3.connect(path)
        rows = connection.execute(sql).fetchall()
        connection.commit()
        connection.close()
        return rows

    async def play(number: int) -> None:
        nonlocal done
        while time.perf_counter() < ends:
            own = folder / f"{number}.sqlite"
            await asyncio.to_thread(shutil.copyfile, database, own)
            for step in range(STEPS_OF_AN_EPISODE):
                await asyncio.wait_for(asyncio.to_thread(run, own, sql_of(step + 5)), 30)
                done += 1
            own.unlink()

    started = time.perf_counter()
    await asyncio.gather(*(play(number) for number in range(sessions)))
    return done / (time.perf_counter() - started)


async def our_loop(port: int, sessions: int, seconds: float) -> float:
    done = 0
    ends = time.perf_counter() + seconds

    async def play() -> None:
        nonlocal done
        client = await Client.connect(port)
        while time.perf_counter() < ends:
            await client.ask("reset")
            for step in range(STEPS_OF_AN_EPISODE):
                await client.step(sql_of(step + 5))
                done += 1
        await client.close()

    started = time.perf_counter()
    await asyncio.gather(*(play() for _ in range(sessions)))
    return done / (time.perf_counter() - started)


@asynccontextmanager
async def served_tasks(options: Any) -> AsyncGenerator[tuple[int, dict[str, list[str]], int]]:
    """The port of a warm server of the chosen data, what agents ask there, and its process."""
    asked = queries(options.tasks, options.databases)
    processes = ["--processes", str(options.processes), "--max-sessions", "2048", "--max-steps", "1000"]
    async with served([str(options.tasks), str(options.databases)], *processes) as (port, process):
        await steps_a_second(port, asked, 8, 2_000)  # workers are up, files are read
        yield port, asked, process


async def measure_steps(options: Any) -> tuple[Result, Line]:
    async with served_tasks(options) as (port, asked, process):
        client, server = time.process_time(), tree_cpu(process)
        result = await steps_a_second(port, asked, 64, max(2_000, options.steps // 10))
        spent = tree_cpu(process) - server, time.process_time() - client
    result["server_cpu_ms"], result["client_cpu_ms"] = (1000 * seconds / result["steps"] for seconds in spent)
    cpu = f"{result['server_cpu_ms']:.2f} ms of CPU each, and {result['client_cpu_ms']:.2f} for the client"
    return result, ["SQL steps a second over the wire", "at least 1,000", f"{result['a_second']:,.0f} ({cpu})"]


async def measure_sessions(options: Any) -> tuple[Result, Line]:
    async with served_tasks(options) as (port, asked, _):
        result = await many_sessions(port, asked, options.sessions, 10, options.seconds)
    return result, [
        f"p99 of a step, {options.sessions} sessions beside 10 runaways",
        "under 250 ms",
        f"{result['p99_ms']:.0f} ms",
    ]


async def measure_memory(options: Any) -> tuple[Result, Line]:
    async with served_tasks(options) as (port, asked, _):
        await steps_a_second(port, asked, 64, options.steps // 10)
        before = metric(port, "memory_bytes")
        await steps_a_second(port, asked, 64, options.steps - options.steps // 10)
        grown = (metric(port, "memory_bytes") - before) / 2**20
    result = {"steps": options.steps, "grown_mb": grown, "mb": before / 2**20}
    return result, [f"memory after {options.steps:,} steps, since a tenth of them", "within 50 MB", f"{grown:+.1f} MB"]


async def measure_cut(options: Any) -> tuple[Result, Line]:
    async with served_tasks(options) as (port, _, _):
        result = await cut_connections(port, options.cut)
    return result, [f"sessions left after {options.cut:,} cut connections", "0", f"{result['left']:.0f}"]


async def measure_reference(options: Any) -> tuple[Result, Line]:
    """In turns, so that whatever else the machine does slows both down."""
    rounds, reference, ours = 5, [], []
    with tempfile.TemporaryDirectory() as folder:
        data = make_large(Path(folder), 100)
        database = Path(data[1], "large", "large.sqlite")
        async with served(data, "--processes", str(options.processes)) as (port, _):
            await our_loop(port, 16, 1)
            for _ in range(rounds):
                reference.append(await reference_loop(database, Path(folder), 16, options.seconds / 10))
                ours.append(await our_loop(port, 16, options.seconds / 10))
    ratios = sorted(mine / theirs for mine, theirs in zip(ours, reference, strict=True))
    ratio = statistics.median(ratios)
    result = {"reference": statistics.median(reference), "ours": statistics.median(ours), "ratio": ratio, "ratios": ratios}
    line = f"{ratio:.0f}x ({ratios[0]:.0f} to {ratios[-1]:.0f} in {rounds} rounds)"
    return result, ["steps a second at 100 MB, beside a file copy per episode", "at least 20x", line]


ROWS = {
    "steps": measure_steps,
    "sessions": measure_sessions,
    "memory": measure_memory,
    "cut": measure_cut,
    "reference": measure_reference,
}


async def measure(options: Any) -> tuple[Result, list[Line]]:
    results: Result = {}
    table = [[f"{options.tasks.name}, {options.processes} server processes", "goal", "measured"]]
    for name in options.only or ROWS:
        results[name], line = await ROWS[name](options)
        table.append(line)
    return results, table


def choose_data(options: Any) -> None:
    """BIRD's own databases where they are, else the demo's."""
    data: Path | None = options.data or (Path(named) if (named := os.environ.get("TOUCHSTONE_DATA")) else None)
    files = sorted((data / "bird" / "tasks").glob("*.json")) if data else []
    if options.data and not files:
        raise SystemExit(f"{data}: expected bird/tasks/*.json and bird/dev_databases below it")
    if files and data:
        options.tasks, options.databases = files[0], data / "bird" / "dev_databases"
    else:
        demo = Path(__file__).parents[1] / "src" / "touchstone" / "datasets" / "bird_demo"
        options.tasks, options.databases = demo / "tasks.json", demo / "databases"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", type=Path, help="a folder with BIRD's data; by default TOUCHSTONE_DATA, else the demo's")
    parser.add_argument("--only", action="append", choices=list(ROWS), help="measure this row (repeatable)")
    parser.add_argument("--steps", type=int, default=20_000, help="for the memory; a tenth of them gives the speed")
    parser.add_argument("--sessions", type=int, default=512)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--cut", type=int, default=1000)
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    choose_data(options)
    results, table = asyncio.run(measure(options))
    report("env", results, table, options.json)


if __name__ == "__main__":
    main()
