"""`touchstone new`: a folder with an evaluation of your own, checked at once."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from ..benchmarks.sql.config import SqlConfig
from ..benchmarks.sql.questions import read_rows
from ..errors import InputError
from ..runs.config_file import as_toml

_README = """\
# {name}

{count} on `{database}`, for [Touchstone](https://github.com/touchstone-harness/touchstone). In this folder:

    touchstone run sql --config eval.toml --agent oracle       # the gold queries themselves: must score 100%
    touchstone run sql --config eval.toml --model gpt-5-mini   # a model with tools
    touchstone view results                                    # what happened, and why

`{questions}` has one row per question; `touchstone sql --help` lists the columns. `eval.toml` has the options of every run.
Check the questions after each change: `touchstone audit sql --questions {questions} --db {database}`.
"""


def new(
    folder: Annotated[Path, Parameter(name="FOLDER")],
    /,
    *,
    questions: Path,
    database: str,
    column: Annotated[tuple[str, ...], Parameter(negative="")] = (),
) -> int:
    """Make a folder with an evaluation of your own: questions, options, README. Its gold answers are checked at once.

    Parameters
    ----------
    folder
        The folder to create; it may exist if it is empty.
    questions
        The questions, one row each: .csv, .tsv, .json, .jsonl, .yaml, .parquet or .xlsx. They are copied.
    database
        A SQLite or DuckDB file, a folder of them,
        a dump of MySQL or PostgreSQL, or an address: mysql://… or postgresql://…. It stays where it is.
    column
        Map a column of the questions file, such as question=Frage (repeatable).
    """
    is_url = "://" in database
    config = SqlConfig(
        questions=questions,
        databases=None if is_url else Path(database),
        database_url=database if is_url else None,
        column=column,
    )
    tasks = config.chosen()
    count = f"{len(tasks)} question{'s' * (len(tasks) != 1)}"
    if not is_url:
        config.engine_name()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: it exists already and is not an empty folder")
    place = database if is_url else os.path.relpath(Path(database).resolve(), folder.resolve())
    options = {"questions": questions.name, "database-url" if is_url else "databases": place, "column": list(column) or None}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in [questions, *_beside(questions)]:
            target = folder / file.relative_to(questions.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        (folder / "eval.toml").write_text(as_toml(options, "sql"), encoding="utf-8")
        words = {"name": folder.name, "count": count, "database": place, "questions": questions.name}
        (folder / "README.md").write_text(_README.format(**words), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {error.strerror}") from None
    code = _audited(folder / questions.name, database, column, is_url=is_url)
    print(f"{folder}: {count}. Go on with:\n")
    print(f"    cd {folder}")
    print("    touchstone run sql --config eval.toml --agent oracle")
    print("    touchstone run sql --config eval.toml --model gpt-5-mini")
    print("    touchstone view results")
    return code


def _beside(questions: Path) -> list[Path]:
    """Files of expected rows that the questions name."""
    names = {cell.strip() for _, row in read_rows(questions) for cell in row.values() if isinstance(cell, str)}
    files = [questions.parent / name for name in sorted(names) if name.lower().endswith((".csv", ".tsv")) and "\n" not in name]
    return [file for file in files if file.is_file() and file.resolve().is_relative_to(questions.parent.resolve())]


def _audited(questions: Path, database: str, column: tuple[str, ...], *, is_url: bool) -> int:
    from . import main

    where = ["--database-url" if is_url else "--db", database]
    return main(["audit", "sql", "--questions", str(questions), *where, *(f"--column={each}" for each in column)])
