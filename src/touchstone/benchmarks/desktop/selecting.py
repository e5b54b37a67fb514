"""Which tasks are meant: by split list, domain, application, tag, difficulty, form of instruction, account, id."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from ...failures import InputError
from .dataset import Dataset
from .tasks import APPS, DesktopTask

Split = Literal["all", "abstract", "verbose", "account", "non_account", "one"]
Difficulty = Literal["easy", "medium", "hard"]


class Selection(Struct, frozen=True, kw_only=True):
    """Values of one kind are alternatives; kinds are combined."""

    split: Split | None = None
    domain: Sequence[str] = ()
    app: Sequence[str] = ()
    tag: Sequence[str] = ()
    difficulty: Sequence[Difficulty] = ()
    abstract: bool = False
    verbose: bool = False
    exclude_account: bool = False
    task: Sequence[str] = ()


def select(tasks: Sequence[DesktopTask], chosen: Selection, dataset: Dataset) -> list[DesktopTask]:
    """The tasks of a selection, in order. A name that no task has is a mistake."""
    if chosen.abstract and chosen.verbose:
        raise InputError("--abstract and --verbose exclude each other; leave out both for all tasks")
    _refuse_unknown("--domain", chosen.domain, {task.domain for task in tasks})
    _refuse_unknown("--app", chosen.app, set(APPS))
    _refuse_unknown("--tag", chosen.tag, {tag for task in tasks for tag in task.form.tags})
    _refuse_unknown("--task", chosen.task, {task.key for task in tasks})
    listed = _members(tasks, chosen.split, dataset)
    return [task for task in tasks if (listed is None or task.key in listed) and _wanted(task, chosen)]


def _wanted(task: DesktopTask, chosen: Selection) -> bool:
    return (
        (not chosen.task or task.key in chosen.task)
        and (not chosen.domain or task.domain in chosen.domain)
        and (not chosen.app or not set(chosen.app).isdisjoint(task.form.related_apps))
        and (not chosen.tag or not set(chosen.tag).isdisjoint(task.form.tags))
        and (not chosen.difficulty or task.facets["difficulty"] in chosen.difficulty)
        and not (chosen.abstract and task.verbose)
        and not (chosen.verbose and not task.verbose)
        and not (chosen.exclude_account and task.account)
    )


def _members(tasks: Sequence[DesktopTask], split: Split | None, dataset: Dataset) -> set[str] | None:
    """The two account splits follow from the tags, since the published lists have errors."""
    if split is None:
        return None
    if split in ("account", "non_account"):
        return {task.key for task in tasks if task.account is (split == "account")}
    return set(published(dataset, split))


def published(dataset: Dataset, split: Split) -> dict[str, str]:
    """The domain of each id in a published list."""
    path = dataset.root / f"test_{split}.json"
    try:
        listed = msgspec.json.decode(path.read_bytes(), type=dict[str, list[str]])
    except OSError as error:
        raise InputError(f"{path}: cannot read the split list: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise InputError(f"{path}: expected an object of domains with lists of ids: {error}") from None
    return {key: domain for domain, keys in listed.items() for key in keys}


def _refuse_unknown(option: str, given: Sequence[str], known: set[str]) -> None:
    for name in given:
        if name not in known:
            shown = ", ".join(sorted(known)) if len(known) <= 40 else f"one of {len(known)} ids"
            raise InputError(f"{option} {name}: no task has it; expected {shown}")
