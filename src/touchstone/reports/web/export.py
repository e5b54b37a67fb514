"""The same pages as a folder that opens from the disk, without a server, and can be mailed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from ...errors import InputError, os_errors_as
from .film import files_of, shown_as
from .group_page import entry_of, task_rows
from .index import safe
from .layout import View
from .library import DEPTH, Library, Run
from .pair_page import linked
from .runs_page import MOST_COMPARED
from .site import STATIC, Site

MOST_PAIRS = 15
"""Of runs that are compared in a folder."""


@dataclass(frozen=True)
class Exported:
    pages: int
    bytes: int
    left_out: int
    """Pairs of runs without a comparison, because there are too many."""


def export(library: Library, target: Path, *, hide_gold: bool = False) -> Exported:
    """Writes everything below `target`, which must be new, empty, or an earlier export."""
    listed = library.runs()
    if not listed and not library.suspects:
        raise InputError(
            f"{library.where}: no run directory (with config.json and runs.jsonl) here or up to {DEPTH} levels below"
        )
    _prepare(target)
    runs = [run for run in listed if run.index.entries]
    fitting = [pair for pair in combinations(runs, 2) if _comparable(*pair)]
    pairs = fitting[:MOST_PAIRS]
    compared = {f"compare/{first.name}/{second.name}": (first, second) for first, second in pairs} | _groups(runs)
    names = {tuple(run.name for run in each): where for where, each in compared.items()}
    site = Site(library, View(hide_gold=hide_gold, exported=True, compared=names))
    pages = written = 0
    try:
        for path in _paths(site, runs, compared):
            written += _write(site, target, path)
            pages += path.endswith(".html")
    except OSError as error:
        raise InputError(f"{error.filename or target}: cannot be written: {error.strerror}") from None
    return Exported(pages, written, len(fitting) - len(pairs))


def _prepare(target: Path) -> None:
    """An earlier export is removed, so that nothing of it is left; anything else is not touched."""
    with os_errors_as(InputError, f"--export {target}"):
        if target.is_dir() and any(target.iterdir()):
            if not (target / "static" / "view.js").is_file() or not (target / "index.html").is_file():
                raise InputError(f"--export {target}: the folder is not empty and is not an earlier export")
            for name in ("runs", "compare", "suspects", "static"):
                shutil.rmtree(target / name, ignore_errors=True)
        target.mkdir(parents=True, exist_ok=True)


def _groups(runs: Sequence[Run]) -> dict[str, tuple[Run, ...]]:
    """The runs of each benchmark that has three or more, the newest that fit on one page."""
    groups: dict[str, tuple[Run, ...]] = {}
    for name in dict.fromkeys(run.benchmark for run in runs):
        of_it = [run for run in runs if run.benchmark == name]
        fitting = [run for run in of_it if any(_comparable(run, other) for other in of_it if other is not run)]
        if len(fitting) > 2:
            groups[f"compare/all-{safe(name)}"] = tuple(fitting[:MOST_COMPARED])
    return groups


def _paths(site: Site, runs: Sequence[Run], compared: Mapping[str, tuple[Run, ...]]) -> Iterator[str]:
    yield "index.html"
    yield "history.html"
    yield from (f"suspects/{name}.html" for name in site.library.suspects)
    yield from (f"static/{file.name}" for file in sorted(STATIC.iterdir()) if file.is_file())
    for run in runs:
        yield f"runs/{run.name}/index.html"
        for name in list(run.index.by_name):
            yield f"runs/{run.name}/{name}.html"
            episode = site.episode(run, name)
            for path in dict.fromkeys(map(shown_as, files_of(episode)) if episode else ()):
                if site.file(run, path):
                    yield f"runs/{run.name}/files/{path}"
    for where, group in compared.items():
        yield f"{where}/index.html"
        if len(group) == 2:
            yield from (f"{where}/{entry_of(row).name}.html" for row in task_rows(group) if linked(row, site.view))


def _comparable(first: Run, second: Run) -> bool:
    return first.benchmark == second.benchmark and bool(first.index.by_name.keys() & second.index.by_name.keys())


def _write(site: Site, target: Path, path: str) -> int:
    file = (target / path).resolve()
    answer = site.answer(path, {})
    if answer.status != 200 or not file.is_relative_to(target.resolve()):
        return 0
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(answer.body)
    return len(answer.body)
