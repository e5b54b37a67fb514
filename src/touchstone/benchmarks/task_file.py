"""Reading files of tasks: a JSON array, or JSON Lines; what is wrong is said with its file, row and field."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Struct

from ..errors import InputError, os_errors_as
from ..foreign import Unreadable, in_words, read_json
from ..options import Count, Opt, OptionError, Positive, WholeNumber
from ..protocols import JUDGING, TASKS, WHO, BenchmarkConfig
from ..types import Limits, Task

__all__ = ["entries", "in_words"]


def entries(path: Path) -> Iterator[tuple[int, Any]]:
    """Row numbers, from 1, and undecoded objects."""
    with os_errors_as(InputError, f"{path}: cannot read the task file"):
        text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    if path.suffix == ".jsonl":
        for number, line in enumerate(text.splitlines(), 1):
            if line.strip():
                yield number, _decode(f"{path}: row {number}", line)
        return
    values = _decode(str(path), text)
    if not isinstance(values, list):
        raise InputError(f"{path}: expected a JSON array of tasks, found {type(values).__name__}")
    yield from enumerate(values, 1)  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]


class SubmittedRecord(Struct, frozen=True):
    """As much of a run's record as tells what was handed in."""

    task: str
    digest: str
    evidence: dict[str, Any]

    @property
    def sql(self) -> str:
        sql = self.evidence.get("prediction")
        return sql if isinstance(sql, str) else ""


def submitted_in(run: Path) -> Iterator[SubmittedRecord]:
    """In the order of its records; a torn last line is passed over."""
    for line in read_predictions(run / "runs.jsonl").splitlines(keepends=True):
        if line.endswith(b"\n"):
            try:
                yield read_json(line, SubmittedRecord)
            except Unreadable as error:
                raise InputError(f"{run / 'runs.jsonl'}: a line is not a record of Touchstone: {error}") from None


def read_predictions(path: Path) -> bytes:
    with os_errors_as(InputError, f"{path}: cannot read the predictions"):
        return path.read_bytes().removeprefix(b"\xef\xbb\xbf")


def _decode(where: str, text: bytes) -> Any:
    try:
        return read_json(text)
    except Unreadable as error:
        raise InputError(f"{where}: not valid JSON: {error}") from None


# Choosing tasks, as far as all benchmarks agree.


T = TypeVar("T")
Q = TypeVar("Q", bound="QueryTask")


class QueryTask(Task, frozen=True, kw_only=True):
    """A question on a database."""

    database: str
    question: str
    evidence: str = ""


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


class QuerySelection(Selection, frozen=True, kw_only=True):
    """Options of questions on databases."""

    schema: Annotated[bool, Opt(group=WHO)] = False
    """Show the tables and columns with the question."""
    system_prompt: Annotated[Path | None, Opt(group=WHO, advanced=True)] = None
    """A file with instructions that replace the built-in ones."""
    sql_timeout: Annotated[Positive, Opt(group=JUDGING)] = 30.0
    """Seconds for each statement, gold and prediction separately. On SQLite a second is 70 million steps, so a busy machine
    changes no verdict; DuckDB counts CPU time, servers wall-clock time."""

    @property
    def judging(self) -> Limits:
        return Limits(seconds=self.sql_timeout)

    @property
    def exploring(self) -> Limits:
        return Limits(seconds=self.sql_timeout, rows=10_000, cut_rows=True)


def named(
    tasks: Sequence[Q],
    databases: Sequence[str],
    ids: Sequence[str],
    where: object = "the task file",
    names: Callable[[Q], Collection[str]] = lambda task: (task.key,),
) -> list[Q]:
    """The tasks on these databases and with these ids, of which a task may have several; none given means all."""
    refuse_unknown("--database", databases, {task.database for task in tasks}, where)
    refuse_unknown("--task", ids, {name for task in tasks for name in names(task)}, where)
    return [
        task
        for task in tasks
        if (not databases or task.database in databases) and (not ids or any(name in ids for name in names(task)))
    ]


def refuse_missing(path: Path, tasks: Sequence[Task], known: Collection[str], *, allow_missing: bool) -> None:
    """Unless they may be missing, every task must be among those that predictions are known for."""
    missing = [task.key for task in tasks if task.key not in known]
    if missing and not allow_missing:
        raise InputError(
            f"{path}: {len(missing)} of {len(tasks)} tasks have no prediction, the first is {missing[0]} "
            "(--allow-missing counts them as failed)"
        )


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
