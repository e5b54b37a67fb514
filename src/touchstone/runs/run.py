"""A whole run: what is still owed is played, what was played is kept, and the summaries are written however it ends."""

from __future__ import annotations

import gc
import platform
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from .. import __version__
from ..errors import InputError, RunStopped
from ..protocols import Agent, Benchmark
from ..types import Record, Step, Task
from .aggregate import Aggregate, SoFar, aggregate
from .custody import answer_in
from .executors import Executor, Local
from .scheduler import Batch, Job, Say, quiet
from .summary import summary_text

if TYPE_CHECKING:
    from .spans import RunTrace


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to play, and how."""

    title: str
    benchmark: Benchmark
    agent: Agent
    epochs: int = 1
    parallel: int = 1
    max_consecutive_errors: int = 5
    max_cost: float | None = None
    max_tokens: int | None = None
    watch: Callable[[Step], None] | None = None
    """Told of every step as it happens."""
    trace: RunTrace | None = None
    """Makes spans of what is played."""
    versions: Mapping[str, str] = field(default_factory=lambda: {})
    """Of what else had a part in it, such as a database server."""

    def watch_of(self, job: Job) -> Callable[[Step], None] | None:
        """Who is told of the steps of a job."""
        clock = self.trace.watch(job.task.key, job.epoch) if self.trace else None
        if clock is None or self.watch is None:
            return clock or self.watch
        shown = self.watch
        return lambda step: (clock(step), shown(step))[1]


@dataclass(frozen=True)
class Finished:
    overall: dict[str, Any]
    summary: str
    interrupted: bool
    stopped: str | None
    """Why the run ended before all was played, if it did."""
    versions: Mapping[str, str]
    """Of everything that had a part in it."""


Watch = Callable[[Record, Aggregate], None]


class RecordStore(Protocol):
    """Where records are kept: a run directory, or memory."""

    @property
    def path(self) -> Path: ...

    @property
    def config(self) -> Mapping[str, Any]: ...

    def records(self) -> Iterator[Record]: ...

    def so_far(self) -> SoFar: ...

    async def append(self, record: Record, playing: int = 0) -> None: ...

    async def settle(self) -> None: ...

    def finish(self, overall: Mapping[str, Any], summary: str) -> None: ...


def owed(tasks: Sequence[Task], epochs: int, directory: RecordStore) -> tuple[list[Job], Aggregate]:
    """The jobs that have no record yet, and the aggregate of those that have. Raises InputError if a task is another now."""
    so_far = directory.so_far()
    digests = {task.key: task.digest for task in tasks}
    for (task, _), digest in so_far.digests.items():
        if digests.get(task, digest) != digest:
            raise InputError(f"{directory.path}: cannot resume, task {task} has changed in the task file since")
    jobs = [Job(task, epoch) for epoch in range(epochs) for task in tasks if (task.key, epoch) not in so_far.digests]
    return jobs, so_far.counted


async def run(
    plan: Plan,
    directory: RecordStore,
    jobs: Sequence[Job],
    counted: Aggregate,
    watch: Watch,
    say: Say = quiet,
    executor: Executor | None = None,
) -> Finished:
    """Plays the jobs, here or where the executor does. The directory is valid at every moment, and complete at the end."""
    if executor is None and (expect := getattr(plan.benchmark, "expect", None)):
        expect([job.task for job in jobs])
    executor = executor or Local(plan.benchmark, plan.agent, plan.parallel, plan.watch_of)
    if plan.trace:
        plan.trace.begin(directory.path.name)

    async def keep(record: Record) -> None:
        await directory.append(record, batch.playing)
        counted.add(record)
        watch(record, counted)
        if plan.trace:
            plan.trace.add(record)
        if not isinstance(executor, Local) and plan.watch:  # what happened elsewhere is told afterwards
            for step in record.steps:
                plan.watch(step)

    batch = Batch(
        executor.play,
        keep,
        parallel=lambda: min(executor.capacity, max(len(jobs), 1)),
        max_consecutive_errors=plan.max_consecutive_errors,
        say=say,
        proven=counted.done > 0,
        enough=lambda: used_up(plan, counted),
    )
    expected = counted.done + len(jobs)
    stopped = None
    gc.freeze()  # what there is now is there to stay, and looking through it again and again took a fifth of the loop
    try:
        await batch.run(jobs)
        stopped = batch.used_up
    except RunStopped as error:
        stopped = str(error)
    finally:
        gc.unfreeze()
    if stopped or batch.interrupted:
        await directory.settle()
        counted = aggregate(directory.records())  # an abandoned episode may have reached the disk and not the count
    return _conclude(plan, directory, counted, batch.interrupted and counted.done < expected, stopped)


def used_up(plan: Plan, counted: Aggregate) -> str | None:
    """Why no further task may begin, if the models have used what they may. All that the run has recorded counts, whoever
    asked and whenever it was."""
    used = sum(counted.usage_by.values(), counted.usage)
    tokens = used.input_tokens + used.output_tokens
    if plan.max_tokens is not None and tokens >= plan.max_tokens:
        return f"--max-tokens-total {plan.max_tokens} is used up ({tokens:,} tokens)"
    if plan.max_cost is None:
        return None
    if used.cost is None:
        return (
            f"--max-cost {plan.max_cost:g} cannot be kept: the price of a model call is not known (--max-tokens-total can be)"
        )
    return f"--max-cost {plan.max_cost:g} is used up (${used.cost:,.4f})" if used.cost >= plan.max_cost else None


def versions() -> dict[str, str]:
    return {"touchstone": __version__, "Python": platform.python_version(), "SQLite": sqlite3.sqlite_version}


def _conclude(plan: Plan, directory: RecordStore, counted: Aggregate, interrupted: bool, stopped: str | None) -> Finished:
    overall = {**counted.overall(), **answer_in(directory.config)}
    made_with = {**versions(), **plan.versions}
    summary = summary_text(plan.title, overall, made_with)
    # If even the summary cannot be written, the reason for stopping (a full disk, say) is what the user must read.
    with suppress(*([RunStopped] if stopped else [])):
        directory.finish(overall, summary)
    return Finished(overall, summary, interrupted, stopped, made_with)


# A run that is not written to the disk.


class Memory:
    """Keeps records as a run directory does, and forgets them with the process."""

    path = Path("in memory")

    def __init__(self, identity: Mapping[str, Any]) -> None:
        self.config = {"identity": identity}
        self.kept: list[Record] = []

    def records(self) -> Iterator[Record]:
        return iter(self.kept)

    def so_far(self) -> SoFar:
        return SoFar()

    async def append(self, record: Record, playing: int = 0) -> None:
        self.kept.append(record)

    async def settle(self) -> None: ...

    def finish(self, overall: Mapping[str, Any], summary: str) -> None: ...
