"""The tasks that Inspect finds: touchstone/NAME for every benchmark that is registered, ours and other packages'.

Their parameters (-T name=value) are the options of the benchmark; without files it is the dataset that ships. Inspect chooses
among samples itself (--limit, --sample-id), names the model and counts the epochs. Tasks are named in full, since Inspect would
derive the prefix from the name of the distribution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.dataset import MemoryDataset, Sample

from ...api.run import benchmark as benchmark_config
from ...errors import InputError
from ...plugins import available, benchmark_type
from ...protocols import Benchmark, BenchmarkConfig
from ...types import Task as Ours
from .episodes import Shared, clean_up, opened_episode
from .solver import passed, play, score


@task(name="touchstone/benchmark")
def benchmark(name: str, max_turns: int | None = None, **options: Any) -> Task:
    """Any benchmark by its name; the options are its own."""
    turns = max_turns or _turns(name)
    return _task(lambda: benchmark_config(name, **options), turns)


def _registered(name: str) -> Callable[..., Task]:
    @task(name=f"touchstone/{name}")
    def play_it(max_turns: int | None = None, **options: Any) -> Task:
        return benchmark(name, max_turns, **options)

    return play_it


for _name in available("benchmarks"):
    if _name not in globals():
        globals()[_name] = _registered(_name)


def _turns(name: str) -> int:
    try:
        return int(benchmark_type(name).defaults.get("max_turns", 20))
    except InputError as error:
        raise PrerequisiteError(f"touchstone: {error}") from None


def _task(make: Callable[[], BenchmarkConfig | Benchmark], max_turns: int) -> Task:
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


def _sample(task: Ours) -> Sample:
    """What the agent is told is known when its episode is opened; until then the question stands for it. No target: no solver
    could be kept from reading it."""
    shown = getattr(task, "question", None)
    if shown is None and (phases := getattr(task, "phases", ())):
        shown = phases[0].shown
    return Sample(input=str(shown or task.key), id=task.key, metadata=dict(task.facets))
