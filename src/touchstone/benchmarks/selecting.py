"""Choosing tasks on the command line, as far as all benchmarks agree."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from ..failures import InputError

T = TypeVar("T")


def refuse_odd_cut(offset: int, limit: int | None) -> None:
    if offset < 0 or (limit is not None and limit < 1):
        raise InputError("--offset must be 0 or more and --limit 1 or more")


def refuse_unknown(option: str, given: Sequence[str], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            raise InputError(f"{option} {name}: not in the task file")


def cut(chosen: Sequence[T], offset: int, limit: int | None, total: int) -> list[T]:
    """What is left after the filters, cut. Raises InputError if that is nothing."""
    left = list(chosen[offset:] if limit is None else chosen[offset : offset + limit])
    if not left:
        raise InputError(f"no task is left: the filters and the offset select none of {total}")
    return left
