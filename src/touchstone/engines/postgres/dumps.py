"""The published dumps of databases: one folder per database, one file per table.

    <dumps>/<database>_template/<table>.sql

`load` brings them into a server, as databases `<database>_template` with a comment that says what is in them (JSON: `digest` of
the files, rows of the `tables`, and `broken` with the reason if anything went wrong). It is for a thread rather than for a
worker process: it waits for the server nearly all the time, and reports as it goes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from msgspec import Struct

from ...failures import InputError
from .server import Server

SUFFIX = "_template"
PARENT = "postgre_table_dumps"
AT_ONCE = 2

Say = Callable[[str], object]


class Loaded(Struct, frozen=True):
    """What became of one database."""

    database: str
    tables: dict[str, int]
    """Rows per table, as they are in the server."""
    errors: list[str]
    seconds: float = 0.0

    @property
    def reason(self) -> str:
        """Why its tasks cannot be scored; empty if they can."""
        more = f" (and {len(self.errors) - 3} more)" if len(self.errors) > 3 else ""
        return "; ".join(self.errors[:3]) + more


def find(dumps: Path, databases: Sequence[str] | None = None) -> dict[str, list[Path]]:
    """The files of the databases that are asked for, or of all. Those without a folder are left out."""
    if not dumps.is_dir():
        raise InputError(f"{dumps} is not a directory: expected one that holds folders <database>{SUFFIX}")
    if (dumps / PARENT).is_dir():
        dumps = dumps / PARENT
    folders = {path.name.removesuffix(SUFFIX): path for path in sorted(dumps.glob(f"*{SUFFIX}")) if path.is_dir()}
    if not folders:
        raise InputError(f"{dumps} has no folder <database>{SUFFIX} with one .sql file per table")
    wanted = list(folders) if databases is None else [name for name in dict.fromkeys(databases) if name in folders]
    if not wanted:
        raise InputError(f"{dumps} has no folder for {', '.join(databases or ())}: expected <database>{SUFFIX}")
    return {name: _files(folders[name]) for name in wanted}


def _files(folder: Path) -> list[Path]:
    files = sorted(path for path in folder.glob("*.sql") if path.is_file())
    if not files:
        raise InputError(f"{folder} has no .sql file: expected one per table")
    return files


def load(server: Server, dumps: Path, databases: Sequence[str] | None = None, say: Say = lambda text: None) -> list[Loaded]:
    """Loads databases, replacing those of the same name. What is wrong with a dump is in the result; DatabaseFailure is raised
    if the server fails. `say` is called from other threads."""
    from .loading import load_database  # psycopg is imported only by those who load

    found = find(dumps, databases)
    missing = [
        Loaded(name, {}, [f"{name}: there is no folder {name}{SUFFIX} in {dumps}"])
        for name in databases or ()
        if name not in found
    ]
    with ThreadPoolExecutor(AT_ONCE) as threads:
        tasks = [threads.submit(load_database, server, name, files, say) for name, files in found.items()]
        try:
            return [task.result() for task in tasks] + missing
        except BaseException:
            threads.shutdown(wait=False, cancel_futures=True)
            raise
