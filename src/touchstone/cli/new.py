"""`touchstone new`: a folder with an evaluation of your own, checked at once."""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from ..benchmarks.sql.config import SqlConfig
from ..benchmarks.sql.questions import expected_files
from ..engines.duckdb.in_memory import MEMORY
from ..errors import InputError
from ..phrases import plural
from ..runs.config import as_toml

_README = """\
# {name}

{count} on `{database}`, for [Touchstone](https://github.com/touchstone-harness/touchstone). In this folder:

    touchstone run sql --config eval.toml --agent oracle       # the gold queries themselves: must score 100%
    touchstone run sql --config eval.toml --model gpt-5-mini   # a model with tools
    touchstone view results                                    # what happened, and why

`{questions}` has one row per question. `eval.toml` has the options of every run; its paths are relative to this folder.
Check the questions after each change: `touchstone audit sql --questions {questions} --db {database}`.
"""


def new(
    folder: Annotated[Path, Parameter(name="FOLDER")],
    /,
    *,
    questions: Path,
    database: str,
    engine: Literal["sqlite", "duckdb", "mysql", "postgres"] | None = None,
    column: Annotated[tuple[str, ...], Parameter(negative="")] = (),
) -> int:
    """Make a folder with an evaluation of your own: questions, options, README. Its gold answers are checked at once.

    Parameters
    ----------
    folder
        The folder to create; it may exist if it is empty.
    questions
        The questions, one row each: .csv, .tsv, .json, .jsonl, .yaml, .parquet, .xlsx or .ods. They are copied.
    database
        A SQLite or DuckDB file, a folder of them, a folder of CSV, Parquet or JSON files (DuckDB), a dump of MySQL or
        PostgreSQL, or an address: mysql://… or postgresql://…. It stays where it is.
    engine
        What the database is, where its name does not say so; with duckdb, a .sql file is a set-up script.
    column
        Map a column of the questions file, such as question=Frage (repeatable).
    """
    is_url = "://" in database
    config = SqlConfig(
        questions=questions,
        databases=None if is_url else Path(database),
        database_url=database if is_url else None,
        engine=engine,
        column=column,
    )
    tasks = config.chosen()
    count = plural(len(tasks), "question")
    if not is_url:
        config.engine_name()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder}: it exists already and is not an empty folder")
    address = database if is_url or database == MEMORY else os.path.relpath(Path(database).resolve(), folder.resolve())
    where = {"database-url" if is_url else "databases": address, "engine": engine}
    options = {"questions": questions.name, **where, "column": list(column) or None, "output": "results"}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for file in [questions, *expected_files(questions)]:
            target = folder / file.relative_to(questions.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
        (folder / "eval.toml").write_text(as_toml(options, "sql"), encoding="utf-8")
        words = {"name": folder.name, "count": count, "database": address, "questions": questions.name}
        (folder / "README.md").write_text(_README.format(**words), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{error.filename or folder}: {error.strerror}") from None
    more = [f"--column={each}" for each in column] + ([f"--engine={engine}"] if engine else [])
    code = _audited(folder / questions.name, ["--database-url" if is_url else "--db", database, *more])
    print(f"{folder}: {count}. Go on with:\n")
    file = shlex.quote(str(folder / "eval.toml"))
    print(f"    touchstone run sql --config {file} --agent oracle")
    print(f"    touchstone run sql --config {file} --model gpt-5-mini")
    print(f"    touchstone view {shlex.quote(str(folder / 'results'))}")
    return code


def _audited(questions: Path, options: list[str]) -> int:
    from . import main

    return main(["audit", "sql", "--questions", str(questions), *options])
