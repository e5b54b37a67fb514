"""A warehouse of pages: which folders belong to which application, and the titles that its crawl recorded.

A folder named like an application is that application's. The nine sites of the published warehouse are known by the names
its crawl gave them; more come with `--app NAME=FOLDER`. The published warehouse has a `webpage_title.json` beside its sites,
with paths such as `airbyte.com/quickstarts.txt`; one inside a site's folder is read too. A path with another ending means the
same page in another format.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import msgspec

from ....errors import InputError
from ..tasks import APPS

SITES = {
    "www.metabase.com": "metabase",
    "metabase.com": "metabase",
    "superset.apache.org": "superset",
    "cloud.google.com": "bigquery",
    "jupyterlab.readthedocs.io": "jupyter",
    "airbyte.com": "airbyte",
    "docs.airbyte.com": "airbyte",
    "docs.getdbt.com": "dbt",
    "release-1-7-2.dagster.dagster-docs.io": "dagster",
    "docs.dagster.io": "dagster",
    "docs.astronomer.io": "airflow",
    "docs.snowflake.com": "snowflake",
}


@dataclass(frozen=True)
class Shelf:
    """The folders of one application."""

    application: str
    folders: tuple[Path, ...]


def shelves(root: Path, named: Sequence[str] = ()) -> tuple[list[Shelf], list[str]]:
    """The applications of a warehouse, and the names of folders that no application is known for."""
    if not root.is_dir():
        raise InputError(f"{root}: no such directory")
    pairs = [_shelf_named(root, text) for text in named]
    taken = {folder.resolve() for _, folder in pairs}
    strange: list[str] = []
    for folder in sorted(entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")):
        application = folder.name if folder.name in APPS else SITES.get(folder.name.lower())
        if application:
            pairs.append((application, folder))
        elif folder.resolve() not in taken and not any(other.is_relative_to(folder.resolve()) for other in taken):
            strange.append(folder.name)
    return _gathered(pairs), strange


def _gathered(pairs: Iterable[tuple[str, Path]]) -> list[Shelf]:
    folders: dict[str, dict[Path, None]] = {}
    for application, folder in pairs:
        folders.setdefault(application, {})[folder] = None
    return [Shelf(application, tuple(folders[application])) for application in sorted(folders)]


def _shelf_named(root: Path, text: str) -> tuple[str, Path]:
    application, sign, name = text.partition("=")
    if not sign or not name:
        raise InputError(f"--app {text}: expected NAME=FOLDER, such as dbt_cloud=docs.getdbt.com")
    if application not in APPS:
        raise InputError(f"--app {text}: unknown application {application}; expected one of {', '.join(APPS)}")
    folder = root / name
    if not folder.is_dir():
        raise InputError(f"--app {text}: there is no folder {folder}")
    if not folder.resolve().is_relative_to(root.resolve()):
        raise InputError(f"--app {text}: {folder} is not in {root}")
    return application, folder


TITLES = "webpage_title.json"


class Titles:
    def __init__(self, root: Path) -> None:
        self._root = root
        self._tables: dict[Path, dict[str, str]] = {}
        self._problems: dict[Path, str] = {}

    def of(self, path: Path, folder: Path) -> str:
        """The title of a page in an application's folder, or nothing."""
        for shelf in (self._root, folder):
            table = self._table(shelf)
            for base in (self._root, shelf) if table else ():
                relative = PurePosixPath(path.relative_to(base))
                title = table.get(str(relative)) or table.get(str(relative.with_suffix("")))
                if title:
                    return title
        return ""

    def problems(self, folders: Sequence[Path]) -> list[str]:
        """Tables that cannot be read."""
        places = [self._root, *folders]
        for shelf in places:
            self._table(shelf)
        return [self._problems[shelf] for shelf in dict.fromkeys(places) if shelf in self._problems]

    def _table(self, shelf: Path) -> dict[str, str]:
        if shelf not in self._tables:
            self._tables[shelf] = self._read(shelf)
        return self._tables[shelf]

    def _read(self, shelf: Path) -> dict[str, str]:
        path = shelf / TITLES
        try:
            pairs = msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.is_file() else {}
        except (OSError, msgspec.MsgspecError, UnicodeError) as error:
            self._problems[shelf] = f"{path.relative_to(self._root)}: no titles are taken from it: {error}"
            return {}
        table = {name: " ".join(title.split()) for name, title in pairs.items()}
        return {
            str(PurePosixPath(name).with_suffix("")) if PurePosixPath(name).name else name: title
            for name, title in table.items()
        } | table
