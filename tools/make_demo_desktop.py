"""Writes the demo dataset in Spider2-V's layout: tasks on a desktop with a spreadsheet, a notebook, dbt and a terminal.

The shipped files come from this script and a fixed seed, so anybody can check what is in them and change them:

    python tools/make_demo_desktop.py                 # in place
    python tools/make_demo_desktop.py --output DIR    # elsewhere, to compare

It needs the standard library only: no desktop, no network, no clock. Every task has an abstract and a verbose form, and beside
it a `solution.py` that the oracle plays with mouse and keyboard.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from demo_desktop import TASKS
from demo_desktop.writing import write_dataset

SHIPPED = Path(__file__).parents[1] / "src" / "touchstone" / "benchmarks" / "desktop" / "demo"


def main() -> None:
    parser = ArgumentParser(description="Write the demo dataset in Spider2-V's layout.")
    parser.add_argument("--output", type=Path, default=SHIPPED, help="directory to write to (default: the package)")
    output = parser.parse_args().output
    for path in write_dataset(TASKS, output):
        print(f"{path.stat().st_size:8d}  {path}")


if __name__ == "__main__":
    main()
