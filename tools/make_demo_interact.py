"""Writes the demo dataset in BIRD-Interact's layout: two invented PostgreSQL databases and their two-phase tasks.

The shipped files come from this script and a fixed seed, so anybody can check what is in them and change them:

    python tools/make_demo_interact.py                 # in place
    python tools/make_demo_interact.py --output DIR    # elsewhere, to compare

It needs the standard library only: no server, no network, no clock. It refuses to write a task whose annotations do
not fit its gold or its knowledge base; `tests/datasets` says what else holds.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from demo_interact import DATABASES
from demo_interact.checking import check
from demo_interact.writing import write_dataset

SHIPPED = Path(__file__).parents[1] / "src" / "touchstone" / "datasets" / "interact_demo"


def main() -> None:
    parser = ArgumentParser(description="Write the demo dataset in BIRD-Interact's layout.")
    parser.add_argument("--output", type=Path, default=SHIPPED, help="directory to write to (default: the package)")
    output = parser.parse_args().output
    for database in DATABASES:
        check(database)
    for path in write_dataset(DATABASES, output):
        print(f"{path.stat().st_size:8d}  {path}")


if __name__ == "__main__":
    main()
