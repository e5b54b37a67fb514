"""Is a dataset complete? The files are read with the loaders that runs use; what they say is put in a few lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from ..benchmarks.data_check import Found, count_tasks, is_sound, template_is_sound
from ..datasets.catalogue import Dataset, find_file
from ..datasets.fetching import sha256
from ..failures import InputError, Unscorable
from ..plugins import benchmark_type


def check(wanted: Dataset, directory: Path, *, deep: bool = False) -> Found:
    """Raises InputError if there is nothing to check, or a file cannot be read at all."""
    if not directory.is_dir():
        raise InputError(f"{directory}: there is no such directory")
    file = find_file(directory, wanted.task_file)
    if file is None:
        raise InputError(f"{directory}: there is no {wanted.task_file} in it")
    found = Found()
    for tested in wanted.tested:
        same = sha256(file) == tested.sha256
        found.ok(f"{file.name}: as tested") if same else found.note(f"{file.name}: not the version that was tested with")
    if not wanted.tested:
        found.note("no checksums are recorded for this dataset; only its structure is checked")
    if wanted.layout in _UNPORTED and wanted.layout in unported():
        _UNPORTED[wanted.layout](wanted, file, found, deep)
    elif looks := getattr(benchmark_type(wanted.layout), "check_data", None):
        looks(wanted, file, found, deep)
    else:
        found.note(f"the benchmark '{wanted.layout}' has no check of its data")
    return found


def _interact(wanted: Dataset, file: Path, found: Found, deep: bool) -> None:
    from ..benchmarks.interact.tasks import load_tasks

    tasks = load_tasks(file)
    count_tasks(wanted, len(tasks), found)
    names = sorted({task.database for task in tasks})
    found.counted("knowledge, columns, schema", [name for name in names if not _readable(file.parent, name)], len(names))
    gold = sum(all(phase.gold for phase in task.phases) for task in tasks)
    if gold == len(tasks):
        found.ok(f"gold SQL: all {gold} tasks")
    else:
        found.bad(f"gold SQL: {gold} of {len(tasks)} tasks have it; it is sent by e-mail and merged with interact combine")
    if wanted.task_file.startswith("mini"):
        broken = [name for name in names if not (is_sound(file.parent, name, deep) or template_is_sound(file.parent, name))]
        found.counted("SQLite databases", broken, len(names))
    else:
        _dumps(file.parent, names, found)
    found.use = wanted.use.format(directory=file.parent)


def _dumps(directory: Path, names: Sequence[str], found: Found) -> None:
    from ..engines.postgres.dumps import find

    places = [place for place in (directory, directory.parent) if (place / "postgre_table_dumps").is_dir()]
    if not places:
        found.bad("PostgreSQL dumps: there is no folder postgre_table_dumps in the dataset or beside it")
        return
    have = find(places[0] / "postgre_table_dumps")
    found.counted("PostgreSQL dumps", [name for name in names if name not in have], len(names))


def _spider2(wanted: Dataset, file: Path, found: Found, deep: bool) -> None:
    from ..benchmarks.spider2.golden import Golden
    from ..benchmarks.spider2.tasks import load_tasks

    gold = file.parent / "evaluation_suite" / "gold"
    golden = Golden(gold)
    tasks = load_tasks(file, golden.sql)
    count_tasks(wanted, len(tasks), found)
    local = [task for task in tasks if task.platform == "sqlite"]
    found.counted("golden results of the local questions", [t.key for t in local if not golden.has(t.key)], len(local))
    documents = file.parent / "resource" / "documents"
    needed = sorted({task.knowledge for task in local if task.knowledge})
    found.counted("documents", [name for name in needed if not (documents / name).is_file()], len(needed))
    names = sorted({task.database for task in local})
    places = [place / "spider2-localdb" for place in (file.parent, *file.parents[1:3])]
    databases = next((place for place in places if place.is_dir()), file.parent / "localdb")
    found.counted(f"databases in {databases}", [name for name in names if not is_sound(databases, name, deep)], len(names))
    found.use = wanted.use.format(task_file=file, gold=gold, databases=databases)


def _spider2v(wanted: Dataset, file: Path, found: Found, deep: bool) -> None:
    try:
        listed: dict[str, list[str]] = json.loads(file.read_bytes())
        keys = [(folder, key) for folder, these in listed.items() for key in these]
    except (ValueError, AttributeError, TypeError) as error:
        raise InputError(f"{file}: expected lists of tasks by application: {error}") from None
    count_tasks(wanted, len(keys), found)
    examples = file.parent / "examples"
    broken = [f"{folder}/{key}" for folder, key in keys if not _json(examples / folder / key / f"{key}.json")]
    found.counted("task files", broken, len(keys))
    found.use = wanted.use.format(directory=file.parent)


def _readable(directory: Path, name: str) -> bool:
    from ..benchmarks.interact.catalogue import Catalogue

    try:
        Catalogue(directory, name)
    except (InputError, Unscorable):
        return False
    return True


def _json(file: Path) -> bool:
    try:
        return isinstance(json.loads(file.read_bytes()), dict)
    except (OSError, ValueError):
        return False


_UNPORTED: dict[str, Callable[[Dataset, Path, Found, bool], None]] = {
    "interact": _interact,
    "spider2": _spider2,
    "desktop": _spider2v,
}


def unported() -> set[str]:
    from . import UNPORTED, entry_value

    return {name for name in UNPORTED if entry_value(name) == UNPORTED[name][0]}
