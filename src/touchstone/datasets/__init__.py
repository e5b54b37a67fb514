"""The data that benchmarks run on: what ships with the package.

The demo dataset has the format of BIRD, is small enough to run anywhere without a download, and holds the usual
traps of real data (see each database's `database_description`). `tools/make_demo_bird.py` generates it.
The one for BIRD-Interact has databases and ambiguous tasks of its own; `tools/make_demo_interact.py` generates it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InputError

if TYPE_CHECKING:
    from .catalogue import Dataset

__all__ = ["bird_demo", "fetched_file", "interact_demo", "named_data", "named_suite", "spider2_demo"]


def bird_demo() -> tuple[Path, Path]:
    """The task file and the databases directory of the demo dataset, as `touchstone bird` takes them."""
    root = Path(__file__).parent / "bird_demo"
    return root / "tasks.json", root / "databases"


def spider2_demo() -> tuple[Path, Path, Path]:
    """The same questions in Spider2-lite's layout: the question file, the gold folder and the databases directory."""
    root = Path(__file__).parent / "spider2_demo"
    return root / "questions.jsonl", root / "gold", bird_demo()[1]


def interact_demo() -> Path:
    """The dataset directory in BIRD-Interact's layout, ground truth included; its dumps are in `postgre_table_dumps`."""
    return Path(__file__).parent / "interact_demo"


def named_suite(path: Path) -> Path:
    """The file of a suite by its path; `demo` is the one that ships for the demo dataset."""
    return bird_demo()[0].with_name("demo.suite") if str(path) == "demo" and not path.exists() else path


def named_data(layout: str, name: Path | None) -> tuple[Path, Path] | None:
    """The task file and the databases of a dataset by its name: demo, or one that `touchstone data get` has brought here.

    No name stands for the demo. None if this is no dataset's name, or a file of that name is here.
    """
    if name is None or (str(name) == "demo" and not name.exists()):
        return bird_demo()
    fetched = None if name.is_file() else _fetched(layout, str(name))
    return (fetched[0], fetched[0].parent / fetched[1].database_folder) if fetched else None


def fetched_file(layout: str, name: str) -> Path | None:
    """The task file of a dataset that `touchstone data get` has brought here. None if this is no dataset's name."""
    fetched = _fetched(layout, name)
    return fetched[0] if fetched else None


def _fetched(layout: str, name: str) -> tuple[Path, Dataset] | None:
    from .catalogue import catalogue, find_file

    known = {each: dataset for each, dataset in catalogue().items() if dataset.layout == layout}
    full = next((each for each in (name, f"{layout}-{name}") if each in known), None)
    if full is None:
        return None
    folder = Path("data", full)
    file = find_file(folder, known[full].task_file)
    if file is None:
        raise InputError(f"{full} is not in {folder}: fetch it with 'touchstone data get {full}'")
    return file, known[full]
