"""Whether a dataset is complete: what a struct's `check_data` tells, and what it looks at databases with."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from ..datasets.catalogue import Dataset
from ..engines.sqlite.files import check as check_file
from ..engines.sqlite.files import find as find_database
from ..errors import Unscorable
from ..phrases import some


@dataclass
class Found:
    """What was looked at, in words."""

    lines: list[str] = field(default_factory=lambda: [])
    wrong: bool = False
    use: str = ""

    def ok(self, text: str) -> None:
        self.lines.append(f"ok       {text}")

    def note(self, text: str) -> None:
        self.lines.append(f"note     {text}")

    def bad(self, text: str) -> None:
        self.lines.append(f"WRONG    {text}")
        self.wrong = True

    def counted(self, what: str, missing: Sequence[str], n: int) -> None:
        if missing:
            self.bad(f"{what}: {len(missing)} of {n} are missing or broken: {some(missing, 10)}")
        else:
            self.ok(f"{what}: all {n}")


def count_tasks(wanted: Dataset, n: int, found: Found) -> None:
    if n == wanted.tasks:
        found.ok(f"tasks: {n:,}")
    else:
        found.bad(f"tasks: {n:,}, expected {wanted.tasks:,}")


def find_folder(parent: Path, name: str, databases: Iterable[str]) -> Path:
    """Where the databases are: in the folder of this name, wherever the archive put it."""
    folders = [parent / name, *sorted(parent.glob(f"*/{name}")), parent.parent / name, parent]
    example = next(iter(databases))
    return next((folder for folder in folders if find_database(folder, example).is_file()), folders[0])


def is_sound(directory: Path, name: str, deep: bool) -> bool:
    try:
        file = find_database(directory, name)
        check_file(file)
    except Unscorable:
        return False
    return not deep or _intact(file)


def template_is_sound(directory: Path, name: str) -> bool:
    try:
        check_file(directory / name / f"{name}_template.sqlite")
    except Unscorable:
        return False
    return True


def _intact(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
            return connection.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    except sqlite3.Error:
        return False
