"""What a Ray cluster costs beside an episode, and what a large run costs: memory, and to resume when it is finished.

A recorded conversation (four model replies, three queries and a submission) is played through the command line: on this
machine, and on clusters of one and of two nodes that run here too, with as many episodes at once in all. Each is measured with
few and with many episodes; the difference, divided, is what an episode costs without the start. CPU is that of everything: the
command, its workers, and Ray's own processes. Then the finished run is read: resumed, summed up, compared with itself (each the
whole command, from the interpreter's start to its end), and opened in the viewer.

The nodes share this machine's cores with each other and with the driver, so a second node shows what it costs, not what it
gains.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.request import urlopen

import msgspec
from agent_loop import Script
from measuring import arguments, report, tree_cpu

from touchstone.agents.tools import ToolAgent
from touchstone.benchmarks.bird.benchmark import Bird
from touchstone.benchmarks.bird.tasks import load_tasks
from touchstone.datasets import bird_demo
from touchstone.engines.sqlite.engine import SqliteEngine
from touchstone.runs.directory import encoded
from touchstone.runs.episode_runner import play
from touchstone.types import Record

PARALLEL = 8
STORE = 80 * 2**20
PROGRAM = Path(sys.executable).with_name("touchstone")
_TICKS = os.sysconf("SC_CLK_TCK")


async def recording(directory: Path, epochs: int) -> Path:
    """A run in which every task was played so often: once in truth, for a recording need not be true."""
    tasks, databases = bird_demo()
    loaded = load_tasks(tasks)
    engine = SqliteEngine()
    bird, agent = Bird(loaded, databases, engine), ToolAgent(Script({task.key: task.gold for task in loaded}), 20)
    records: list[Record] = [(await play(bird, agent, task))[0] for task in loaded]
    await engine.close()
    path = directory / "recording"
    path.mkdir()
    (path / "config.json").write_text("{}")
    with (path / "runs.jsonl").open("wb") as file:
        for epoch in range(epochs):
            file.writelines(encoded(msgspec.structs.replace(record, epoch=epoch)) + b"\n" for record in records)
    return path


class Watched:
    """CPU and memory of this process's descendants, sampled; what has ended is remembered."""

    def __init__(self) -> None:
        self.cpu: dict[int, float] = {}
        self.memory: dict[str, float] = {}
        self._ended = Event()

    def __enter__(self) -> Watched:
        self._look()
        self._before = sum(self.cpu.values())
        self._thread = Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        self.seconds_of_cpu = sum(self.cpu.values()) - self._before

    def _watch(self) -> None:
        while not self._ended.wait(0.2):
            self._look()
        self._look()

    def _look(self) -> None:
        parents: dict[int, int] = {}
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
        for process in parents:
            if process != os.getpid() and self._is_ours(process, parents):
                self._note(process)

    def _is_ours(self, process: int, parents: dict[int, int]) -> bool:
        while process and process != os.getpid():
            process = parents.get(process, 0)
        return process == os.getpid()

    def _note(self, process: int) -> None:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            command = Path(f"/proc/{process}/cmdline").read_bytes().decode(errors="replace")
            status = Path(f"/proc/{process}/status").read_text()
        except OSError:
            return
        self.cpu[process] = (int(fields[11]) + int(fields[12])) / _TICKS
        kind = "node" if command.startswith("ray::Node") else "driver" if "touchstone\0bird" in command else ""
        for line in status.splitlines():
            if kind and line.startswith("VmHWM"):
                self.memory[kind] = max(self.memory.get(kind, 0.0), int(line.split()[1]) / 1024)


def command(directory: Path, *options: str | Path) -> dict[str, Any]:
    """Runs `touchstone` to its end."""
    environment = {**os.environ, "TOUCHSTONE_CACHE": str(directory / "cache")}
    began = time.perf_counter()
    with Watched() as watched:
        done = subprocess.run([PROGRAM, *options], cwd=directory, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"touchstone {' '.join(map(str, options))}\n{done.stderr}")
    return {"seconds": time.perf_counter() - began, "cpu": watched.seconds_of_cpu, "memory_mb": watched.memory}


@contextmanager
def cluster(nodes: int) -> Iterator[list[str]]:
    """The options that play on a cluster of so many nodes; of none: here."""
    if nodes == 0:
        yield ["-p", str(PARALLEL)]
        return
    from ray.cluster_utils import Cluster

    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    node: dict[str, Any] = {"num_cpus": 1, "object_store_memory": STORE}
    started: Any = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    try:
        for _ in range(nodes - 1):
            started.add_node(**node)
        yield ["-p", str(PARALLEL // nodes), "--executor", "ray", "--ray-address", started.address]
    finally:
        started.shutdown()


def measured(directory: Path, recorded: Path, few: int, many: int, nodes: int) -> dict[str, Any]:
    tasks, databases = bird_demo()
    size = len(load_tasks(tasks))
    results: dict[str, Any] = {}
    with cluster(nodes) as options:
        for name, episodes in (("few", few), ("many", many)):
            output = directory / f"{nodes}-{name}"
            what = ("bird", tasks, databases, "--model", f"recorded:{recorded}", "--epochs", str(episodes // size))
            results[name] = {**command(directory, *what, "-o", output, *options), "episodes": episodes // size * size}
    between = results["many"]["episodes"] - results["few"]["episodes"]
    for what in ("seconds", "cpu"):
        results[f"{what}_ms_per_episode"] = 1000 * (results["many"][what] - results["few"][what]) / between
    return results


def reading(directory: Path, run: Path) -> dict[str, float]:
    """CPU seconds. The best of three: others may use this machine."""
    what = {"resume": ("bird", "--resume", run), "summary": ("summary", run), "compare": ("compare", run, run)}
    seconds = {name: min(command_cpu(directory, *options) for _ in range(3)) for name, options in what.items()}
    return {"mb": (run / "runs.jsonl").stat().st_size / 2**20, **seconds, "view": min(viewed(run) for _ in range(3))}


def viewed(run: Path) -> float:
    """The viewer's CPU seconds until the run's page is there."""
    viewer = subprocess.Popen([PROGRAM, "view", run, "--port", "0"], stdout=subprocess.PIPE, text=True)
    try:
        assert viewer.stdout is not None
        url = viewer.stdout.readline().partition(" at ")[2].partition(" ")[0]
        with urlopen(url) as page:
            link = re.search(rb'href="(runs/[^"]+)"', page.read())
        assert link is not None
        with urlopen(url + link[1].decode()) as page:
            page.read()
        return tree_cpu(viewer.pid)
    finally:
        viewer.terminate()
        viewer.wait()


def command_cpu(directory: Path, *options: str | Path) -> float:
    """The CPU seconds of a command that starts no others of weight, exactly."""
    before = os.times()
    command(directory, *options)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def main() -> None:
    parser: argparse.ArgumentParser = arguments(__doc__)
    parser.add_argument("--few", type=int, default=300)
    parser.add_argument("--many", type=int, default=10_020)
    parser.add_argument("--nodes", type=int, nargs="*", default=[0, 1, 2], help="0 is this machine without Ray")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        recorded = asyncio.run(recording(directory, options.many // 30))
        setups = {nodes: measured(directory, recorded, options.few, options.many, nodes) for nodes in options.nodes}
        read = reading(directory, (directory / f"{options.nodes[0]}-many" / "latest").resolve())
    heading = ["where", "ms per episode", "CPU ms per episode", "CPU over the first", "start, s"]
    table = [[*heading, "memory, driver and largest node, few", "many"]]
    least = setups[options.nodes[0]]["cpu_ms_per_episode"]
    for nodes, results in setups.items():
        start = results["few"]["seconds"] - results["few"]["episodes"] * results["seconds_ms_per_episode"] / 1000
        cpu = results["cpu_ms_per_episode"]
        numbers = [f"{results['seconds_ms_per_episode']:.1f}", f"{cpu:.1f}", f"{cpu / least:.1f}x", f"{start:.1f}"]
        memory = [_memory(results[size]["memory_mb"]) for size in ("few", "many")]
        table.append([f"Ray, {nodes} nodes" if nodes else "here", *numbers, *memory])
    report("scale", {"parallel": PARALLEL, "setups": setups, "reading": read}, table, options.json)
    words = ", ".join(f"{name} {read[name]:.2f}" for name in ("resume", "summary", "compare", "view"))
    print(f"the finished run of {options.many} episodes ({read['mb']:.0f} MB), CPU seconds: {words}")


def _memory(most: dict[str, float]) -> str:
    return " + ".join(f"{most[kind]:.0f} MB" for kind in ("driver", "node") if kind in most)


if __name__ == "__main__":
    main()
