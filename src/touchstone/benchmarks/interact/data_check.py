"""Whether a dataset of BIRD-Interact is complete: its texts, its gold, its databases or their dumps."""

from __future__ import annotations

from pathlib import Path

from ...datasets.catalogue import Dataset
from ...engines.postgres.dumps import find
from ...errors import InputError, Unscorable
from ..data_check import Found, count_tasks, is_sound, template_is_sound
from .catalogue import Catalogue
from .databases import DUMPS
from .tasks import load_tasks


def check_data(dataset: Dataset, file: Path, found: Found, deep: bool) -> None:
    tasks, directory = load_tasks(file), file.parent
    count_tasks(dataset, len(tasks), found)
    names = sorted({task.database for task in tasks})
    found.counted("knowledge, columns, schema", [name for name in names if not _readable(directory, name)], len(names))
    gold = sum(all(phase.gold for phase in task.phases) for task in tasks)
    if gold == len(tasks):
        found.ok(f"gold SQL: all {gold} tasks")
    else:
        found.bad(f"gold SQL: {gold} of {len(tasks)} tasks have it; it is sent by e-mail and merged with interact combine")
    if dataset.task_file.startswith("mini"):
        broken = [name for name in names if not (is_sound(directory, name, deep) or template_is_sound(directory, name))]
        found.counted("SQLite databases", broken, len(names))
    elif dumps := next((each / DUMPS for each in (directory, directory.parent) if (each / DUMPS).is_dir()), None):
        there = find(dumps)
        found.counted("PostgreSQL dumps", [name for name in names if name not in there], len(names))
    else:
        found.bad(f"PostgreSQL dumps: there is no folder {DUMPS} in the dataset or beside it")
    found.use = dataset.use.format(directory=directory)


def _readable(directory: Path, name: str) -> bool:
    try:
        Catalogue(directory, name)
    except (InputError, Unscorable):
        return False
    return True
