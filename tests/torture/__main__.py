"""`make torture`: the loops one after another, within the minutes that are given, and their counts in a file.

    python -m tests.torture [--minutes 30] [--seed N] [--only NAME …] [--json docs/torture.json]

docs/reliability.md shows the file; `python -m tests.torture --table` prints it as Markdown. Exits with 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sqlite3
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from touchstone import __version__

from .loops import LOOPS, Loop

FIGURES = Path(__file__).parents[2] / "docs" / "torture.json"
PAGE = FIGURES.with_name("reliability.md")
BEGIN, END = "<!-- made by python -m tests.torture --table -->", "<!-- end -->"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--only", nargs="+", choices=LOOPS)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--table", action="store_true", help="print the figures that are there")
    options = parser.parse_args()
    if options.table:
        print(table(json.loads((options.json or FIGURES).read_text())))
        return 0
    chosen = {name: LOOPS[name] for name in options.only or LOOPS}
    shares = sum(share for _, share in chosen.values())
    loops: dict[str, Any] = {}
    for name, (loop, share) in chosen.items():
        loops[name] = attempts(name, loop, options.minutes * 60 * share / shares, options.seed)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "sqlite": sqlite3.sqlite_version}
    figures = {"touchstone": __version__, "machine": machine, "minutes": options.minutes, "seed": options.seed, "loops": loops}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=2) + "\n")
    if options.json and options.json.resolve() == FIGURES:
        before, _, rest = PAGE.read_text().partition(f"{BEGIN}\n")
        PAGE.write_text(f"{before}{BEGIN}\n{table(figures)}\n{END}{rest.partition(END)[2]}")
    print(table(figures))
    return 1 if any(loop["lost"] for loop in loops.values()) else 0


def attempts(name: str, loop: Loop, seconds: float, seed: int) -> dict[str, Any]:
    tried = 0
    lost: list[str] = []
    end = time.monotonic() + seconds
    with tempfile.TemporaryDirectory(prefix="touchstone-torture-") as folder:
        for complaint in loop(Path(folder), seed):
            tried += 1
            if complaint:
                lost.append(complaint)
                print(f"{name}: LOST: {complaint}", file=sys.stderr, flush=True)
            if tried % 10 == 0 and sys.stderr.isatty():
                left = max(0, end - time.monotonic())
                print(f"\r{name}: {tried} tried, {len(lost)} lost, {left:.0f} s left ", end="", file=sys.stderr, flush=True)
            if time.monotonic() > end:
                break
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return {"tried": tried, "held": tried - len(lost), "lost": len(lost), "examples": lost[:5]}


def table(figures: dict[str, Any]) -> str:
    rows = [f"| {name} | {loop['tried']:,} | {loop['held']:,} | {loop['lost']:,} |" for name, loop in figures["loops"].items()]
    return "\n".join(["| loop | tried | held | lost |", "| --- | ---: | ---: | ---: |", *rows])


if __name__ == "__main__":
    sys.exit(main())
