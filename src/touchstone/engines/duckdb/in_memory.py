"""DuckDB databases that are no files of DuckDB's: a set-up script, a folder of CSV, Parquet and JSON files, or nothing at all.

    :memory:                       an empty database
    setup.sql                      what the script makes; it may read files of its own folder
    data/*.csv, *.parquet, …       a table per file
    data/<name>/*.csv, …           a database per folder

Each is built once per run, in a worker that can read the folder and nothing else, and from then on it is a file like any other:
read-only for all, a private copy for whoever writes. Agents never see the folder, so a gold file in it stays out of reach.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from ...errors import InputError, os_errors_as

MEMORY = ":memory:"
_READERS = {
    ".csv": "read_csv({}, sample_size = -1)",
    ".tsv": "read_csv({}, sample_size = -1)",
    ".parquet": "read_parquet({})",
    ".json": "read_json({})",
    ".jsonl": "read_json({})",
    ".ndjson": "read_json({})",
}
_DUCKDB = (".duckdb", ".ddb")
_LITERAL = re.compile(r"'((?:[^'\n]|'')+)'")
_BUILDING_MEMORY = 4 * 2**30


class DatabaseRecipe(Struct, frozen=True):
    """How a database is made."""

    name: str
    folder: str
    statements: tuple[tuple[str, str], ...]
    """What each statement, or script, comes from, and its SQL."""
    digest: str
    """Of the statements, and of the files that they read."""


class Build(Struct, frozen=True):
    recipe: DatabaseRecipe
    target: str


def is_recipe(path: Path) -> bool:
    """Whether this is for us, and no DuckDB file or folder of them."""
    return path.name == MEMORY or (path.is_file() and path.suffix.lower() == ".sql") or bool(_folders(path))


def only_name(path: Path) -> str:
    """Of the one database that is made; "" if there are several, or none."""
    if path.name == MEMORY:
        return "memory"
    if path.is_file():
        return path.stem
    return path.resolve().name if path in _folders(path) else ""


def recipes(path: Path) -> Mapping[str, DatabaseRecipe]:
    """What is to be built, by the names of the databases. Raises InputError."""
    if path.name == MEMORY:
        return {"memory": DatabaseRecipe("memory", "", (), "empty")}
    if path.is_file():
        script = _script(path)
        return {
            path.stem: DatabaseRecipe(
                path.stem, str(path.parent.absolute()), ((path.name, script),), _digest_of_script(path, script)
            )
        }
    folders = _folders(path)
    chosen = [path] if path in folders else folders
    return {folder.resolve().name: _of_files(folder) for folder in chosen}


def build(work: Build) -> str | None:
    """Runs in a worker; what went wrong, if something did."""
    import duckdb

    connection = duckdb.connect(
        work.target, config={"autoload_known_extensions": "false", "autoinstall_known_extensions": "false", "threads": "1"}
    )
    folder = work.recipe.folder
    before = Path.cwd()
    try:
        settings = [
            "SET TimeZone = 'UTC'",
            "SET allow_community_extensions = false",
            f"SET memory_limit = '{_BUILDING_MEMORY}B'",
        ]
        if folder:
            os.chdir(folder)
            settings.append(f"SET allowed_directories = [{_quoted(f'{folder}/')}]")
        for setting in (*settings, "SET enable_external_access = false", "SET lock_configuration = true"):
            connection.execute(setting)
        for source, sql in work.recipe.statements:
            try:
                for statement in connection.extract_statements(sql):
                    connection.execute(statement)
            except (duckdb.Error, RuntimeError) as error:
                return f"{source}: DuckDB says: {' '.join(str(error).partition('LINE ')[0].split())}"
    finally:
        os.chdir(before)
        connection.close()
    return None


def _folders(path: Path) -> list[Path]:
    """The folder itself, or those below it, that hold files of data. Beside a DuckDB file they are something else."""
    if not path.is_dir() or any(file.suffix.lower() in _DUCKDB for file in (*path.glob("*"), *path.glob("*/*"))):
        return []
    return [each for each in (path, *sorted(path.iterdir())) if each.is_dir() and any(_files(each))]


def _files(folder: Path) -> Iterator[Path]:
    return (file for file in sorted(folder.iterdir()) if file.suffix.lower() in _READERS and file.is_file())


def _of_files(folder: Path) -> DatabaseRecipe:
    tables: dict[str, Path] = {}
    for file in _files(folder):
        if other := tables.get(file.stem.lower()):
            raise InputError(f"{file}: the table '{file.stem}' comes from {other.name} already; rename one of the two")
        tables[file.stem.lower()] = file
    statements = tuple((str(folder / file.name), _loading(file)) for file in tables.values())
    return DatabaseRecipe(folder.resolve().name, str(folder.absolute()), statements, _digest(tables.values(), statements))


def _loading(file: Path) -> str:
    name = file.stem.replace('"', '""')
    return f'CREATE TABLE "{name}" AS SELECT * FROM {_READERS[file.suffix.lower()].format(_quoted(file.name))}'


def _script(path: Path) -> str:
    with os_errors_as(InputError, f"{path}: the set-up script cannot be read"):
        return path.read_text(encoding="utf-8")


def _digest_of_script(path: Path, script: str) -> str:
    """With all files of its folder that a text in it names, by a pattern too."""
    named = {match[1].replace("''", "'") for match in _LITERAL.finditer(script)}
    relative = [each for each in named if not each.startswith(("/", "~")) and ".." not in each and "\0" not in each]
    files = {file for each in relative for file in path.parent.glob(each) if file.is_file()}
    return _digest(sorted(files), ((path.name, script),))


def _digest(files: Iterable[Path], statements: tuple[tuple[str, str], ...]) -> str:
    whole = hashlib.sha256("\n".join(sql for _, sql in statements).encode())
    for file in files:
        with file.open("rb") as content:
            whole.update(hashlib.file_digest(content, "sha256").digest())
    return f"made:{whole.hexdigest()}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
