"""Reading files of tasks: a JSON array, or JSON Lines; what is wrong is said with its file, row and field."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from ..errors import InputError
from ..foreign import Unreadable, in_words, read_json
from ..options import Count, Opt, OptionError, WholeNumber
from ..protocols import TASKS, BenchmarkConfig

__all__ = ["entries", "in_words"]


def entries(path: Path) -> Iterator[tuple[int, Any]]:
    """Row numbers, from 1, and undecoded objects."""
    try:
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise InputError(f"{path}: cannot read the task file: {error.strerror}") from None
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield number, _decode(f"{path}: row {number}", line)
        return
    values = _decode(str(path), text)
    if not isinstance(values, list):
        raise InputError(f"{path}: expected a JSON array of tasks, found {type(values).__name__}")
    yield from enumerate(values, 1)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]


def _decode(where: str, text: bytes) -> Any:
    try:
        return read_json(text)
    except Unreadable as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


# Choosing tasks, as far as all benchmarks agree.


T = TypeVar("T")


class Selection(BenchmarkConfig, frozen=True, kw_only=True):
    """Options that choose among the tasks of a dataset."""

    limit: Annotated[Count | None, Opt(names=("-n",), group=TASKS)] = None
    """At most this many tasks, after all other filters."""
    offset: Annotated[WholeNumber, Opt(group=TASKS)] = 0
    """Skip this many tasks first."""
    database: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only tasks on this database (repeatable)."""
    task: Annotated[tuple[str, ...], Opt(group=TASKS)] = ()
    """Only the task with this id (repeatable)."""
    exclude_audit: Annotated[Path | None, Opt(group=TASKS, advanced=True)] = None
    """Leave out the tasks on this list, which touchstone audit --exclude writes."""


def refuse_odd_cut(offset: int, limit: int | None) -> None:
    if offset < 0 or (limit is not None and limit < 1):
        raise InputError("--offset must be 0 or more and --limit 1 or more")


def refuse_unknown(option: str, names: Sequence[str], known: Collection[str], where: object = "the task file") -> None:
    for name in names:
        if name not in known:
            raise OptionError(option.lstrip("-").replace("-", "_"), name, f"not in {where}")


def cut(chosen: Sequence[T], offset: int, limit: int | None, total: int) -> list[T]:
    """What is left after the filters, cut. Raises InputError if that is nothing."""
    left = list(chosen[offset:] if limit is None else chosen[offset : offset + limit])
    if not left:
        raise InputError(f"no task is left: the filters and the offset select none of {total}")
    return left
