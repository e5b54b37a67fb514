"""A suite of small databases for all tasks, each task's made in a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from ...engines.sqlite.engine import SqliteEngine
from ...failures import SqlError, Unscorable, WorkerFailure
from ...proof import Suite, SuiteTask
from ...protocols import Limits
from ..audit.gathering import Watch, each
from .benchmark import Bird
from .proving import Wanted, distilled
from .tasks import BirdTask


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
