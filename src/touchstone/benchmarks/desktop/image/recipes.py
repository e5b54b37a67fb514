"""The layers of an image, and how each is made: a script that runs as root in a container on the layers it stands on.

    system      Debian's smallest installation
    desktop     on it, the programs that every task may need, and the users
    session     on both, small and quick to make: settings, start page, stand-ins
    jupyter …   on system and desktop too, one per application, side by side

An image for a task is system, desktop and session with the layers of the task's applications between them (see `needs`),
combined as an overlay. The layers of applications do not know each other: each has its own list of installed packages, of
which the topmost is seen, so nothing can be installed with apt in an image of several applications without care. Accounts
of servers (postgres, mysql, redis) are therefore made in `desktop`, where all layers find the same.

A layer that has a check (`checks/<name>.sh`) is kept only if its programs can be imported and its servers started.

The digest of a layer is that of its recipe: of its script, of the files that it copies, and of the layers below. Files that
the user supplies do not count, nor does the check, which changes nothing in it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from ....errors import InputError
from . import debian

HERE = Path(__file__).parent
FORMAT = 1
"""Part of every digest: raised when layers are made in another way."""
ALWAYS = ("system", "desktop", "session")
"""In every image."""


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a layer is made."""

    name: str
    about: str
    """What it brings, in a few words."""
    script: str
    check: str = ""
    """Runs in a container like a desktop's on the finished layer; what it writes is forgotten."""
    parents: tuple[str, ...] = ("system", "desktop")
    """The layers below, the lowest first."""
    files: Mapping[str, Path] = field(default_factory=lambda: {})
    """What the script finds in /run/recipe."""
    supplied: Mapping[str, str] = field(default_factory=lambda: {})
    """Files that only the user has, also in /run/recipe: name, and what it is."""
    impossible: str = ""
    """Why it cannot be made, and what would be needed."""
    debian: bool = False
    """A new Debian system is unpacked before the script runs."""
    systemless: bool = False
    """There is no system in it or below it: the script has the host's programs, which it cannot change."""

    def digest(self, below: Sequence[str], ids: Sequence[int]) -> str:
        """`below` are the digests of its parents, `ids` the first ids of the users that its files belong to."""
        sums = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in sorted(self.files.items())}
        system = debian.options() if self.debian else []
        content = repr((FORMAT, self.name, self.script, sums, tuple(below), tuple(ids), system))
        return hashlib.sha256(content.encode()).hexdigest()[:12]


_ABOUT = {
    "system": "Debian 12 without a desktop",
    "desktop": "Xvfb, openbox, panel, terminal, editor, files, Chromium, LibreOffice Calc, accessibility, Python",
    "session": "settings, start page, stand-ins for programs that the tasks call",
    "jupyter": "JupyterLab",
    "dbt": "dbt with DuckDB, and DuckDB's command line",
    "duckdb": "DuckDB's command line",
    "dagster": "Dagster",
    "airflow": "Airflow, run by a stand-in for astro",
    "superset": "Superset with its database made ready, run by a stand-in for docker compose",
    "postgresql": "PostgreSQL's server",
    "mysql": "MariaDB's server in place of MySQL's",
    "vscode": "code-server: VS Code in a browser's window",
    "metabase": "Metabase, from the user's metabase.jar",
    "airbyte": "Airbyte",
}
_PARENTS: dict[str, tuple[str, ...]] = {"system": (), "desktop": ("system",)}
_HELPERS = {
    "desktop": ("apt.sh",),
    "postgresql": ("apt.sh",),
    "mysql": ("apt.sh",),
    "superset": ("apt.sh", "python.sh", "cluster.sh", "superset_config.py", "superset_compose.yml"),
    "airflow": ("apt.sh", "python.sh", "cluster.sh"),
    "dagster": ("apt.sh", "python.sh"),
    "jupyter": ("python.sh",),
    "dbt": ("python.sh", "duckdb.sh"),
    "duckdb": ("python.sh",),
    "vscode": ("apt.sh", "python.sh"),
    "metabase": ("apt.sh",),
}
_SUPPLIED = {"metabase": {"metabase.jar": "--metabase-jar FILE (Metabase 0.49.6; it is on no package registry)"}}
_IMPOSSIBLE = {
    "airbyte": "Airbyte 0.55.2 exists only as Docker images (airbyte/*:0.55.2, temporal, postgres), which need a Docker engine "
    "in the guest; run these tasks on a desktop that has them, with the remote provider",
}


@cache
def recipes() -> Mapping[str, Recipe]:
    """All of them, each after those that it stands on."""
    return {name: _recipe(name) for name in _ABOUT}


def _recipe(name: str) -> Recipe:
    script = HERE / "layers" / f"{name}.sh"
    files = {helper: HERE / "layers" / helper for helper in _HELPERS.get(name, ())}
    return Recipe(
        name=name,
        about=_ABOUT[name],
        script="" if name in _IMPOSSIBLE else script.read_text(),
        check=_check(name),
        parents=_PARENTS.get(name, ("system", "desktop")),
        files=files | (_session_files() if name == "session" else {}),
        supplied=_SUPPLIED.get(name, {}),
        impossible=_IMPOSSIBLE.get(name, ""),
        debian=name == "system",
    )


def _check(name: str) -> str:
    script = HERE / "checks" / f"{name}.sh"
    return (HERE / "checks" / "check.sh").read_text() + script.read_text() if script.is_file() else ""


def _session_files() -> dict[str, Path]:
    return {
        f"{folder}/{path.relative_to(HERE / folder)}": path
        for folder in ("standins", "files")
        for path in sorted((HERE / folder).rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def with_parents(names: Sequence[str], known: Mapping[str, Recipe]) -> list[Recipe]:
    """These and all that they stand on, in the order in which they are made."""
    for name in names:
        if name not in known:
            raise InputError(f"{name}: no such layer; expected one of {', '.join(known)}")
    wanted = set(names).union(*(known[name].parents for name in names))
    return [recipe for recipe in known.values() if recipe.name in wanted]


def digests(known: Mapping[str, Recipe], ids: Sequence[int]) -> dict[str, str]:
    """The digest of every layer as it would be made today."""
    made: dict[str, str] = {}
    for name, recipe in known.items():
        made[name] = recipe.digest([made[parent] for parent in recipe.parents], ids)
    return made


# Which layers the applications of a task need, and which applications no layer can give.


_DOCKERS = {"superset", "airflow"}
"""Applications whose containers have a stand-in."""
_NO_DOCKER = "there is no Docker engine in the sandbox; its stand-in is for Superset and Airflow only"
_NO_AIRBYTE = "Airbyte exists only as Docker images, and there is no Docker engine in the sandbox"


def layers_for(apps: Iterable[str]) -> list[str]:
    """Beyond those of every image. An application without a layer of its own needs nothing: Chromium, the terminal, Calc and
    sqlite3 are in every image, and a cloud service needs but the browser and an account. dbt's layer has DuckDB's program."""
    layers = set(apps) & (_ABOUT.keys() - {*ALWAYS, *_IMPOSSIBLE})
    return sorted(layers - {"duckdb"} if "dbt" in layers else layers)


def not_given(apps: Iterable[str]) -> dict[str, str]:
    """The applications among these that no layer gives, and why."""
    wanted = set(apps)
    missing = {"airbyte": _NO_AIRBYTE} if "airbyte" in wanted else {}
    if "docker" in wanted and not wanted & _DOCKERS:
        missing["docker"] = _NO_DOCKER
    return missing
