"""The tasks that Inspect finds: touchstone/bird, touchstone/spider2, touchstone/interact; touchstone/benchmark for any other.

Their parameters (-T name=value) are those of the functions in `touchstone.api.sources`; without files it is the dataset that
ships. Inspect chooses among samples itself (--limit, --sample-id), names the model and counts the epochs. Tasks are named
in full, since Inspect would derive the prefix from the name of the distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample

from ...api import sources
from ...api.sources import Source
from ...failures import InputError
from ...protocols import Benchmark, BenchmarkConfig
from ...values import Task as Ours
from .episodes import Shared, clean_up, opened_episode
from .playing import passed, play, score


@task(name="touchstone/bird")
def bird(tasks: str | None = None, databases: str | None = None, max_turns: int = 20, **options: Any) -> Task:
    """BIRD or mini-dev. Options: metric, evidence, schema, sql_timeout, difficulty, database, …"""
    return _task(lambda: sources.bird(tasks=_path(tasks), databases=_path(databases), **options), max_turns)


@task(name="touchstone/spider2")
def spider2(
    tasks: str | None = None, databases: str | None = None, gold: str | None = None, max_turns: int = 20, **options: Any
) -> Task:
    """Spider2-lite. Options: compat, documents, schema, sql_timeout, …"""
    return _task(lambda: sources.spider2(tasks, databases, gold, **options), max_turns)


@task(name="touchstone/interact")
def interact(dataset: str | None = None, max_turns: int = 60, **options: Any) -> Task:
    """BIRD-Interact. Options: mode, compat, patience, user_model, dumps, category, database, …"""
    return _task(lambda: sources.interact(_path(dataset), **options), max_turns)


@task(name="touchstone/benchmark")
def benchmark(name: str, max_turns: int = 20, **options: Any) -> Task:
    """Any benchmark by its name, other packages' too; the options are its own."""
    return _task(lambda: sources.benchmark(name, **options), max_turns)


def _task(make: Callable[[], BenchmarkConfig | Source | Benchmark], max_turns: int) -> Task:
    try:
        shared = Shared(make())
    except (InputError, TypeError) as error:  # a TypeError is an option that the benchmark does not have
        raise PrerequisiteError(f"touchstone: {error}") from None
    return Task(
        dataset=MemoryDataset([_sample(each) for each in shared.tasks.values()], name=shared.name),
        setup=opened_episode(shared),
        solver=play(max_turns),
        scorer=[passed(), score()],
        cleanup=clean_up,
    )


def _path(text: str | None) -> Path | None:
    return None if text is None else Path(text)


def _sample(task: Ours) -> Sample:
    """What the agent is told is known when its episode is opened; until then the question stands for it. No target: no solver
    could be kept from reading it."""
    shown = getattr(task, "question", None)
    if shown is None and (phases := getattr(task, "phases", ())):
        shown = phases[0].shown
    return Sample(input=str(shown or task.key), id=task.key, metadata=dict(task.facets))
