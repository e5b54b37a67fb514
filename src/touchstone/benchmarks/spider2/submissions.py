"""The official submission format: a folder of <instance_id>.sql or <instance_id>.csv files."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from ...errors import InputError, os_errors_as
from ...types import Record, ToolCall
from ..sql_episode import submission
from .golden import Golden
from .results import written
from .tasks import Spider2Task, bare_task, load_tasks

Calls = Mapping[str, Sequence[ToolCall]]
_FENCE = re.compile(r"```sql\s*\n(?P<content>.*?)```", re.DOTALL | re.IGNORECASE)


class Submission(Struct, frozen=True):
    sql: dict[str, str]
    files: dict[str, Path]

    @property
    def ids(self) -> set[str]:
        return {*self.sql, *self.files}

    def calls(self) -> Calls:
        """What hands in each question's answer."""
        from .episode import SUBMIT_FILE

        files = {key: [ToolCall("submission", SUBMIT_FILE.name, "{}")] for key in self.files}
        return {key: [submission(sql)] for key, sql in self.sql.items()} | files

    def result_files(self, tasks: Sequence[Spider2Task]) -> dict[str, Path | None]:
        """By question, None where nothing was handed in: those whose SQL is not run."""
        return {task.key: self.files.get(task.key) for task in tasks if task.key not in self.sql}

    def tasks(
        self, questions: Path | None, golden: Golden, *, everything: bool, say: Callable[[str], None]
    ) -> list[Spider2Task]:
        """The questions that were answered; with `everything`, all that have a gold result too."""
        if self.sql and questions is None:  # SQL can only be run if the database of its question is known
            raise InputError(
                "to run .sql files the databases of the questions must be known: give spider2-lite.jsonl with --data"
            )
        known = {task.key: task for task in load_tasks(questions, golden.sql)} if questions else {}
        without = golden.ids - self.ids
        if without and not everything:
            what = "questions have a gold result and no submission; they are left out (--all counts them as failed)"
            say(f"{len(without)} {what}")
        wanted = sorted({*self.ids, *(without if everything else ())})
        return [known.get(name) or bare_task(name, number) for number, name in enumerate(wanted)]


def load_submission(folder: Path) -> Submission:
    """SQL text by instance id (the fenced part, if there is a fence), and CSV files by instance id."""
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder of .sql or .csv files")
    files = {path.stem: path for path in sorted(folder.glob("*.csv")) if path.is_file()}
    sql = {path.stem: _sql(path) for path in sorted(folder.glob("*.sql")) if path.is_file()}
    twice = sorted(files.keys() & sql.keys())
    if twice:
        raise InputError(f"{folder}: {twice[0]} exists both as .sql and as .csv")
    if not files and not sql:
        raise InputError(f"{folder}: there is no .sql and no .csv file in this folder")
    return Submission(sql, files)


def write_correct_ids(folder: Path, records: Sequence[Record]) -> str:
    """Beside the folder, as the official suite does; says what it wrote."""
    correct = [record.task for record in records if record.metrics.get("official") == 1]
    file = folder.with_name(f"{folder.name}-ids.csv")
    written(file, score_file(correct).encode())
    return f"Official score: {len(correct)} of {len(records)}; the correct ids are in {file}"


def score_file(correct: Iterable[str]) -> str:
    """The official list of correct ids, in which all ids have the prefix of Spider2-snow."""
    names = [name if name.startswith("sf") else f"sf_{name}" for name in sorted(correct)]
    return "\n".join(["instance_id", *names]) + "\n"


def _sql(path: Path) -> str:
    with os_errors_as(InputError, f"{path}: cannot be read"):
        text = path.read_text(errors="replace")
    fence = _FENCE.search(text)
    return (fence["content"] if fence else text).strip()
