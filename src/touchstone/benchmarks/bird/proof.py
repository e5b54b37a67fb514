"""Proof beside the data, in a worker: each function is applied to one database."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TypeVar

from msgspec import Struct

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.worker import Reader
from ...errors import SqlError, Unscorable, WorkerFailure
from ...proof import (
    SuiteDatabase,
    SuiteTask,
    Suspect,
    build_task,
    first_told,
    strength,
    suspect,
)
from ...proof.finding import ProofFinding, counterexample_of, subject_of
from ...proof.suite import refutation_on
from ...types import Limits
from ..audit.probes import Watch, each
from ..audit.report import MutantCount
from .benchmark import Bird

R = TypeVar("R")

Systems = Mapping[str, Mapping[str, str]]
"""SQL by system and task."""


class Votes(Struct, frozen=True):
    """What systems hand in for one task."""

    task: str
    gold: str
    predictions: dict[str, str]


class SuiteTrial(Struct, frozen=True):
    """A prediction that is right by EX, and a suite's databases for its task."""

    gold: str
    prediction: str
    databases: tuple[SuiteDatabase, ...]


def suspected(reader: Reader, votes: Votes) -> Suspect | None:
    """The case that systems make against a gold, if they do."""
    return suspect(votes.task, votes.gold, votes.predictions, subject_of(reader.path, reader.cache))


def distilled(reader: Reader, votes: Votes) -> SuiteTask:
    """The few databases that tell the most mutants and wrong predictions from the gold."""
    return build_task(votes.gold, subject_of(reader.path, reader.cache), sorted(set(votes.predictions.values())))


def tried(_: Reader, trial: SuiteTrial) -> ProofFinding:
    """As `proven`, on frozen databases: no search."""
    first = first_told(trial.databases, trial.prediction)
    many = len(trial.databases)
    if first is None:
        return ProofFinding("upheld", f"equal on the suite's databases for this task, {many} in all", many)
    number, database, rows = first
    difference = counterexample_of(refutation_on(database, trial.gold, rows))
    return ProofFinding("refuted", f"refuted by database {number} of the suite's {many}", number - 1, difference)


def mutated(reader: Reader, votes: Votes) -> MutantCount:
    """How many one-step mutants of a gold are told from it, and by whom."""
    measured = strength(votes.gold, subject_of(reader.path, reader.cache))
    untold = tuple(mutant.what for mutant in measured.untold)
    return MutantCount(measured.mutants, measured.told_by_original, measured.told_by_generated, untold)


# Many tasks at once, each in a worker.


def votes_on(benchmark: Bird, systems: Systems) -> list[Votes]:
    def of(task: str) -> dict[str, str]:
        return {name: sql for name, by_task in systems.items() if (sql := by_task.get(task, "")).strip()}

    return [Votes(task.key, task.gold, of(task.key)) for task in benchmark.tasks()]


async def over_tasks(
    benchmark: Bird,
    engine: SqliteEngine,
    function: Callable[[Reader, Votes], R],
    votes: Sequence[Votes],
    *,
    limits: Limits | None = None,
    parallel: int,
    watch: Watch,
) -> tuple[dict[str, R], dict[str, str]]:
    """What the function makes of each task, and why of others it makes nothing."""
    databases = {task.key: task.database for task in benchmark.tasks()}

    async def one(vote: Votes) -> R | Exception:
        try:
            file = benchmark.database_file(databases[vote.task])
            return await engine.apply(file, function, vote, limits or Limits(), statements=2 + len(vote.predictions))
        except (SqlError, Unscorable, WorkerFailure) as error:
            return error

    results = await each([partial(one, vote) for vote in votes], parallel, watch)
    by_task = list(zip((vote.task for vote in votes), results, strict=True))
    made = {task: result for task, result in by_task if not isinstance(result, Exception)}
    return made, {task: str(result) for task, result in by_task if isinstance(result, Exception)}
