"""Choosing tasks, as far as all benchmarks agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from ..failures import InputError
from ..options import Count, Opt, OptionError, WholeNumber
from ..protocols import TASKS, BenchmarkConfig

T = TypeVar("T")


class Selection(BenchmarkConfig, frozen=True, kw_only=True):
    """Options that choose among the tasks of a dataset."""

    limit: Annotated[Count | None, Opt(names=("-n",), group=TASKS)] = None
    """Play at most this many tasks, after all filters."""
    offset: Annotated[WholeNumber, Opt(group=TASKS)] = 0
    """Leave out this many tasks first."""
    database: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only tasks on this database (repeatable)."""
    task: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only the task with this id (repeatable)."""
    exclude_audit: Annotated[Path | None, Opt(group=TASKS, advanced=True)] = None
    """Leave out the tasks that this list of touchstone audit names."""


def refuse_odd_cut(offset: int, limit: int | None) -> None:
    if offset < 0 or (limit is not None and limit < 1):
        raise InputError("--offset must be 0 or more and --limit 1 or more")


def refuse_unknown(option: str, given: Sequence[str], known: Collection[str], where: object = "the task file") -> None:
    for name in given:
        if name not in known:
            raise OptionError(option.lstrip("-").replace("-", "_"), name, f"not in {where}")


def cut(chosen: Sequence[T], offset: int, limit: int | None, total: int) -> list[T]:
    """What is left after the filters, cut. Raises InputError if that is nothing."""
    left = list(chosen[offset:] if limit is None else chosen[offset : offset + limit])
    if not left:
        raise InputError(f"no task is left: the filters and the offset select none of {total}")
    return left
