"""Running a benchmark with an agent that may be a function, from a script or a notebook.

Records stay in memory unless a directory is asked for; then it is an ordinary run directory, which every command reads and
`resume` goes on with. A Ctrl-C ends a run early and what was played comes back; so does what makes a run stop by itself.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager, AsyncExitStack, nullcontext
from pathlib import Path
from typing import Any

import msgspec

from ..agents.function import Answering, FunctionConfig
from ..errors import InputError
from ..options import Options, field_names
from ..plugins import agent_config, agent_type, benchmark_type, model_config, model_type
from ..protocols import Agent, AgentConfig, Benchmark, BenchmarkConfig, Model, ModelConfig, Opening, Stage
from ..runs.config import OpenBenchmark, OpenModel, RunConfig, RunOptions
from ..runs.custody import NAME
from ..runs.records import read_records
from ..runs.run import Finished, Watch
from ..runs.runner import opened_benchmark, run_config
from ..types import Record
from .results import Results
from .sync import wait_for

Playing = AgentConfig | Agent | str | Answering | Callable[[Stage], Awaitable[Any]]
Playable = BenchmarkConfig | Benchmark


def configured(
    benchmark: Playable, agent: Playing, *, model: str | Model | ModelConfig | None = None, **options: Any
) -> RunConfig:
    """A run's configuration; the options are those of the agent, the model and the run. Raises InputError."""
    source = benchmark if isinstance(benchmark, BenchmarkConfig) else OpenBenchmark(opened=benchmark)
    kind = type(agent) if isinstance(agent, AgentConfig) else agent_type(agent) if isinstance(agent, str) else FunctionConfig
    asked = type(model) if isinstance(model, ModelConfig) else model_type(model) if isinstance(model, str) else None
    run, own = _split(RunOptions, options)
    asks, own = _split(asked if kind.needs_model else None, own)
    if isinstance(agent, str):
        playing = agent_config(agent, type(source), **own)
    elif own:
        raise InputError(f"there is no option '{next(iter(own))}' of the run, its model or its agent")
    elif isinstance(agent, AgentConfig):
        playing = agent
    else:
        if not callable(agent) and not hasattr(agent, "play"):
            raise InputError(f"expected a function as the agent, found {type(agent).__name__}")
        playing = FunctionConfig(player=agent)
    return RunConfig(benchmark=source, agent=playing, model=_model(kind, model, asks), run=RunOptions(**run))


def run(
    benchmark: Playable | RunConfig,
    agent: Playing | None = None,
    *,
    resume: StrPath | None = None,
    watch: Callable[[Record], None] | None = None,
    **options: Any,
) -> Results:
    """Plays every task and waits for it, inside a running event loop (a notebook's) too.

    `agent` is an `async def agent(stage)`, a function from question to SQL (see `answers`), an object with `play(stage)`, or
    the name of one of ours ("oracle", "tools", "react"). `model` is a model's name, as on the command line, or an object with
    `reply`. The other options are those of the agent, the model and the run: parallel, epochs, output, max_turns, …

    With a `RunConfig`, which has all of them, there are no others. `resume` is a run directory to go on with; `watch` is called
    with each record as it ends.
    """
    config, watching = _prepared(benchmark, agent, options), _Watching(watch)
    try:
        wait_for(watching.play(config, resume))
    except KeyboardInterrupt:  # in a notebook: what has ended by now is worth keeping
        watching.interrupted = True
    return watching.results()


async def run_async(
    benchmark: Playable | RunConfig,
    agent: Playing | None = None,
    *,
    resume: StrPath | None = None,
    watch: Callable[[Record], None] | None = None,
    **options: Any,
) -> Results:
    """The same for code that is asynchronous itself."""
    config, watching = _prepared(benchmark, agent, options), _Watching(watch)
    await watching.play(config, resume)
    return watching.results()


class _Watching:
    """Keeps what a run gives, also of one that is broken off."""

    def __init__(self, watch: Callable[[Record], None] | None) -> None:
        self._watch = watch
        self._records: list[Record] = []
        self._directory: Path | None = None
        self._finished: Finished | None = None
        self._title = ""
        self.interrupted = False

    async def play(self, config: RunConfig, resume: StrPath | None) -> None:
        played = await run_config(config, interface=self, resume=Path(resume) if resume is not None else None)
        self._finished = played.finished

    def results(self) -> Results:
        finished = self._finished
        return Results(
            self._records,
            title=self._title,
            directory=self._directory,
            stopped=finished.stopped if finished else None,
            interrupted=self.interrupted or bool(finished and finished.interrupted),
            versions=finished.versions if finished else None,
            gold_reachable=finished.overall.get(NAME) if finished else None,
        )

    def say(self, text: str) -> None:
        """A notebook is told by what comes back."""

    def begun(self, title: str, run: Path | None, done: int) -> None:
        self._title, self._directory = title, run
        if run is not None:
            self._records += read_records(run)

    def progress(self, total: int, done: int) -> AbstractContextManager[Watch]:
        return nullcontext(lambda record, _: self._keep(record))

    def finished(self, finished: Finished, more: str | None = None) -> None: ...

    def _keep(self, record: Record) -> None:
        self._records.append(record)
        if self._watch is not None:
            self._watch(record)


def _prepared(benchmark: Playable | RunConfig, agent: Playing | None, options: dict[str, Any]) -> RunConfig:
    if not isinstance(benchmark, RunConfig):
        if agent is None:
            raise InputError("a benchmark needs an agent: run(benchmark, agent), or run(RunConfig(...))")
        return configured(benchmark, agent, **options)
    if agent is not None or options:
        raise InputError("a RunConfig already has its agent and options")
    return benchmark


def _split(kind: type[Options] | None, options: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Those of the struct, and the others."""
    names = {field.name for field in field_names(kind).values()} if kind else set[str]()
    mine = {name: value for name, value in options.items() if name in names}
    return mine, {name: value for name, value in options.items() if name not in names}


def _model(agent: type[AgentConfig], model: Any, options: dict[str, Any]) -> ModelConfig | None:
    if model is None or not agent.needs_model:
        return None
    if isinstance(model, str):
        return model_config(model, **options)
    return model if isinstance(model, ModelConfig) else OpenModel(model=str(model.name), opened=model)


# Benchmarks by name: their options are checked at once, their files and databases are opened when they are played.
#
# Called without files, each is the small dataset that ships with the package.


StrPath = str | os.PathLike[str]


async def opened(source: BenchmarkConfig | Benchmark, stack: AsyncExitStack) -> Benchmark:
    """What the stack closes again; a benchmark of the caller's own is taken as it is."""
    return await opened_benchmark(source, Opening(stack=stack)) if isinstance(source, BenchmarkConfig) else source


def benchmark(name: str, *arguments: Any, **options: Any) -> BenchmarkConfig:
    """One by its name: ours, or one that another package adds through the entry points `touchstone.benchmarks`."""
    return benchmark_type(name)(*arguments, **options)


def digest(content: Any) -> str:
    """Identifies a task by its content, for benchmarks of one's own."""
    return hashlib.blake2b(msgspec.json.encode(content, order="deterministic"), digest_size=8).hexdigest()
