"""The test strength of BIRD tasks: each gold's one-step mutants, tried in a worker."""

from __future__ import annotations

from functools import partial

from ...engines.sqlite.engine import SqliteEngine
from ...failures import SqlError, Unscorable, WorkerFailure
from ...protocols import Limits
from ..audit.gathering import Watch, each
from ..audit.report import MutantCount, MutationStrength, in_all
from .benchmark import Bird
from .proving import mutated
from .tasks import BirdTask


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
