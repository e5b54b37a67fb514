"""Which folders of a warehouse belong to which application.

A folder named like an application is that application's. The nine sites of the published warehouse are known by the names
its crawl gave them; more come with `--app NAME=FOLDER`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ....failures import InputError
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


def shelves(root: Path, given: Sequence[str] = ()) -> tuple[list[Shelf], list[str]]:
    """The applications of a warehouse, and the names of folders that no application is known for."""
    if not root.is_dir():
        raise InputError(f"{root}: no such directory")
    pairs = [_given(root, text) for text in given]
    taken = {folder.resolve() for _, folder in pairs}
    strange: list[str] = []
    for folder in sorted(entry for entry in root.iterdir() if entry.is_dir() and not entry.name.startswith(".")):
        application = folder.name if folder.name in APPS else SITES.get(folder.name.lower())
        if application:
            pairs.append((application, folder))
        elif folder.resolve() not in taken and not any(place.is_relative_to(folder.resolve()) for place in taken):
            strange.append(folder.name)
    return _gathered(pairs), strange


def _gathered(pairs: Iterable[tuple[str, Path]]) -> list[Shelf]:
    folders: dict[str, dict[Path, None]] = {}
    for application, folder in pairs:
        folders.setdefault(application, {})[folder] = None
    return [Shelf(application, tuple(folders[application])) for application in sorted(folders)]


def _given(root: Path, text: str) -> tuple[str, Path]:
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
