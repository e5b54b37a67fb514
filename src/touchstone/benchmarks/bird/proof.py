"""Proof beside the data, in a worker: each function is applied to one database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.worker import Reader
from ...errors import SqlError, Unscorable, WorkerFailure
from ...proof import (
    Suite,
    SuiteDatabase,
    SuiteTask,
    Suspect,
    build_task,
    first_told,
    strength,
    suspect,
)
from ...proof.finding import Counterexample, ProofFinding, plain_rows, subject_of
from ...proof.suite import described
from ...protocols import Limits
from ..audit.probes import Watch, each
from ..audit.report import MutantCount, MutationStrength, in_all
from .benchmark import Bird
from .tasks import BirdTask


class Votes(Struct, frozen=True):
    """What systems hand in for one task."""

    task: str
    gold: str
    predictions: dict[str, str]


class Wanted(Struct, frozen=True):
    """What a task's databases are chosen to tell apart: the gold's mutants, and these."""

    gold: str
    predictions: list[str]


class SuiteTrial(Struct, frozen=True):
    """A prediction that is right by EX, and a suite's databases for its task."""

    gold: str
    prediction: str
    databases: tuple[SuiteDatabase, ...]


def suspected(reader: Reader, votes: Votes) -> Suspect | None:
    """The case that systems make against a gold, if they do."""
    return suspect(votes.task, votes.gold, votes.predictions, subject_of(reader.path, reader.cache))


def distilled(reader: Reader, wanted: Wanted) -> SuiteTask:
    """The few databases that tell the most mutants and wrong predictions from the gold."""
    return build_task(wanted.gold, subject_of(reader.path, reader.cache), wanted.predictions)


def tried(_: Reader, trial: SuiteTrial) -> ProofFinding:
    """As `proven`, on frozen databases: no search."""
    refutation = first_told(trial.databases, trial.prediction)
    many = len(trial.databases)
    if refutation is None:
        return ProofFinding("upheld", f"equal on the suite's databases for this task, {many} in all", many)
    columns, rows = described(refutation.database, trial.gold)
    script = "\n".join(f"{statement};" for statement in refutation.database.statements)
    gold, other = refutation.database.gold, refutation.prediction
    difference = Counterexample(script, rows, list(columns), len(gold), plain_rows(gold), len(other), plain_rows(other))
    return ProofFinding(
        "refuted", f"refuted by database {refutation.number} of the suite's {many}", refutation.number - 1, difference
    )


def mutated(reader: Reader, gold: str) -> MutantCount:
    """How many one-step mutants of a gold are told from it, and by whom."""
    measured = strength(gold, subject_of(reader.path, reader.cache))
    untold = tuple(mutant.what for mutant in measured.untold)
    return MutantCount(measured.mutants, measured.told_by_original, measured.told_by_generated, untold)


# The test strength of BIRD tasks: each gold's one-step mutants, tried in a worker.


async def measured(benchmark: Bird, engine: SqliteEngine, *, limits: Limits, parallel: int, watch: Watch) -> MutationStrength:
    async def one(task: BirdTask) -> MutantCount | str:
        try:
            return await engine.apply(benchmark.database_file(task.database), mutated, task.gold, limits)
        except (SqlError, Unscorable, WorkerFailure) as error:
            return str(error)

    tasks = benchmark.tasks()
    results = await each([partial(one, task) for task in tasks], parallel, watch)
    counted = {task.key: result for task, result in zip(tasks, results, strict=True) if isinstance(result, MutantCount)}
    return in_all(counted, {task.key: why for task, why in zip(tasks, results, strict=True) if isinstance(why, str)})


# A suite of small databases for all tasks, each task's made in a worker.


async def distilled_suite(
    benchmark: Bird, engine: SqliteEngine, systems: Sequence[Mapping[str, str]], *, parallel: int, watch: Watch
) -> tuple[Suite, dict[str, str]]:
    """The suite, and why tasks are not in it. `systems` has SQL by task."""

    async def one(task: BirdTask) -> SuiteTask | str:
        predictions = [sql for system in systems if (sql := system.get(task.key, "")).strip()]
        wanted = Wanted(task.gold, sorted(set(predictions)))
        file = benchmark.database_file(task.database)
        try:
            return await engine.apply(file, distilled, wanted, Limits(), statements=1 + len(wanted.predictions))
        except (SqlError, Unscorable, WorkerFailure) as error:
            return str(error)

    tasks = benchmark.tasks()
    results = dict(
        zip((task.key for task in tasks), await each([partial(one, task) for task in tasks], parallel, watch), strict=True)
    )
    made = {key: result for key, result in results.items() if isinstance(result, SuiteTask)}
    return Suite(made), {key: result for key, result in results.items() if isinstance(result, str)}
