"""The official submission format: a folder of <instance_id>.sql or <instance_id>.csv files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from ...failures import InputError

_FENCE = re.compile(r"```sql\s*\n(?P<content>.*?)```", re.DOTALL | re.IGNORECASE)


class Submission(Struct, frozen=True):
    sql: dict[str, str]
    files: dict[str, Path]

    @property
    def ids(self) -> set[str]:
        return {*self.sql, *self.files}


def load_submission(folder: Path) -> Submission:
    """SQL text by instance id (the fenced part, if there is a fence), and CSV files by instance id."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder of .sql or .csv files")
    files = {path.stem: path for path in sorted(folder.glob("*.csv")) if path.is_file()}
    sql = {path.stem: _sql(path) for path in sorted(folder.glob("*.sql")) if path.is_file()}
    twice = sorted(files.keys() & sql.keys())
    if twice:
        raise InputError(f"{folder}: {twice[0]} is there both as .sql and as .csv")
    if not files and not sql:
        raise InputError(f"{folder}: there is no .sql and no .csv file in this folder")
    return Submission(sql, files)


def score_file(correct: Iterable[str]) -> str:
    """The official list of correct ids, in which all ids have the prefix of Spider2-snow."""
    names = [name if name.startswith("sf") else f"sf_{name}" for name in sorted(correct)]
    return "\n".join(["instance_id", *names]) + "\n"


def _sql(path: Path) -> str:
    try:
        text = path.read_text(errors="replace")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    fence = _FENCE.search(text)
    return (fence["content"] if fence else text).strip()
