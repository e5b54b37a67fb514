"""The data that benchmarks run on: what ships with the package.

The demo dataset has the format of BIRD, is small enough to run anywhere without a download, and holds the usual
traps of real data (see each database's `database_description`). `tools/make_demo_bird.py` generates it.
"""

from pathlib import Path

__all__ = ["bird_demo"]


def bird_demo() -> tuple[Path, Path]:
    """The task file and the databases directory of the demo dataset, as `touchstone bird` takes them."""
    root = Path(__file__).parent / "bird_demo"
    return root / "tasks.json", root / "databases"
