"""What the measurements share: CPU of whole process trees, peak memory, and results as JSON and as a table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_TICKS = os.sysconf("SC_CLK_TCK")


def tree_cpu(root: int | None = None) -> float:
    """CPU seconds so far of a process and all its living descendants."""
    parents: dict[int, int] = {}
    seconds: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
            seconds[int(entry.name)] = (int(fields[11]) + int(fields[12])) / _TICKS
    root = root or os.getpid()
    return sum(used for pid, used in seconds.items() if _descends(pid, root, parents))


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    while pid and pid != root:
        pid = parents.get(pid, 0)
    return pid == root


def peak_memory() -> float:
    """MB that this process has used at most."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    raise RuntimeError("no VmHWM in /proc/self/status")


def arguments(description: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="where the results go; by default perf/out/<name>.json")
    return parser


def report(name: str, results: dict[str, Any], table: Sequence[Sequence[str]], target: Path | None) -> None:
    """Writes the JSON file and prints the table as Markdown."""
    path = target or Path(__file__).parent / "out" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    machine = {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, "cores": os.cpu_count()}
    path.write_text(json.dumps({"machine": machine, "load": os.getloadavg()[0], **results}, indent=2) + "\n")
    head, *rows = table
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(f"\nload average {os.getloadavg()[0]:.1f}; written to {path}")
