"""Writes the demo dataset that ships with the package: three small, dirty databases and thirty tasks, in BIRD's format.

The shipped files come from this script and a fixed seed, so anybody can check what is in them and change them:

    python tools/make_demo_bird.py                 # in place
    python tools/make_demo_bird.py --output DIR    # elsewhere, to compare

It needs the standard library only, and neither the network nor the clock.
"""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path

from demo_bird import DATABASES
from demo_bird.writing import write_dataset

SHIPPED = Path(__file__).parents[1] / "src" / "touchstone" / "datasets" / "bird_demo"


def main() -> None:
    parser = ArgumentParser(description="Write the demo dataset in BIRD's format.")
    parser.add_argument("--output", type=Path, default=SHIPPED, help="directory to write to (default: the package)")
    for path in write_dataset(DATABASES, parser.parse_args().output):
        print(f"{path.stat().st_size:8d}  {path}")


if __name__ == "__main__":
    main()
