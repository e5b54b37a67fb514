"""Running a benchmark with an agent that may be a function, from a script or a notebook.

Records stay in memory unless a directory is asked for; then it is an ordinary run directory, which every command reads and
`resume` goes on with. A Ctrl-C ends a run early and what was played comes back; so does what makes a run stop by itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict, Unpack, cast

from ..failures import InputError, RunStopped
from ..plugins import agent_plugin, build_model
from ..protocols import Agent, AgentSettings, Benchmark, Model, ModelSettings, Stage
from ..runs import custody
from ..runs.batch import Batch, Job
from ..runs.directory import FORMAT, RunDirectory, read_config, read_records
from ..runs.play import play
from ..runs.run import Plan, owed, versions
from ..runs.run import run as run_plan
from ..values import Record
from .functions import Answering, FunctionAgent, answers, is_coroutine_function, name_of
from .loops import wait_for
from .results import Results
from .sources import Place, Source, opened

Playing = Agent | str | Answering | Callable[[Stage], Awaitable[Any]]


class Options(TypedDict, total=False):
    """How to run. All can be left out."""

    model: str | Model | None
    """For an agent that has one: a model's name, as on the command line, or an object with `reply`."""
    base_url: str | None
    max_turns: int
    parallel: int
    epochs: int
    output: Place | None
    """Where a run directory is made."""
    resume: Place | None
    """A run directory to go on with."""
    max_consecutive_errors: int
    watch: Callable[[Record], None] | None
    """Called with each record as it ends."""


@dataclass(kw_only=True)
class Sitting:
    """One run under way, and what has come of it so far."""

    source: Source | Benchmark
    agent: Playing
    model: str | Model | None = None
    base_url: str | None = None
    max_turns: int = 20
    parallel: int = 1
    epochs: int = 1
    output: Place | None = None
    resume: Place | None = None
    max_consecutive_errors: int = 5
    watch: Callable[[Record], None] | None = None
    records: list[Record] = field(default_factory=lambda: [], init=False)
    title: str = field(default="", init=False)
    directory: Path | None = field(default=None, init=False)
    stopped: str | None = field(default=None, init=False)
    interrupted: bool = field(default=False, init=False)
    gold_reachable: str | None = field(default=None, init=False)

    async def play(self) -> None:
        if min(self.parallel, self.epochs, self.max_turns) < 1:
            raise InputError("parallel, epochs and max_turns must be positive")
        async with AsyncExitStack() as stack:
            benchmark = await opened(self.source, stack)
            agent, name, identity = self._player(benchmark, stack)
            self.gold_reachable = (await custody.gold_reach(benchmark, agent)).answer
            self.title = f"{getattr(self.source, 'name', benchmark.name)}: {name}"
            plan = Plan(
                title=self.title,
                benchmark=benchmark,
                agent=agent,
                epochs=self.epochs,
                parallel=self.parallel,
                max_consecutive_errors=self.max_consecutive_errors,
            )
            if self.output is None and self.resume is None:
                await self._in_memory(plan)
            else:
                reach = {custody.NAME: self.gold_reachable}
                await self._on_disk(plan, {**await benchmark.identity(), **identity, **reach})

    def results(self) -> Results:
        return Results(
            self.records,
            title=self.title,
            directory=self.directory,
            stopped=self.stopped,
            interrupted=self.interrupted,
            gold_reachable=self.gold_reachable,
        )

    async def _in_memory(self, plan: Plan) -> None:
        async def keep(record: Record) -> None:
            self._keep(record)

        jobs = [Job(task, epoch) for epoch in range(plan.epochs) for task in plan.benchmark.tasks()]
        batch = Batch(
            lambda job: play(plan.benchmark, plan.agent, job.task, job.epoch),
            keep,
            parallel=min(plan.parallel, max(len(jobs), 1)),
            max_consecutive_errors=plan.max_consecutive_errors,
        )
        try:
            await batch.run(jobs)
        except RunStopped as error:
            self.stopped = str(error)
        self.interrupted = batch.interrupted and len(self.records) < len(jobs)

    async def _on_disk(self, plan: Plan, identity: Mapping[str, Any]) -> None:
        directory = self._directory(plan, identity)
        self.directory = directory.path
        try:
            self.records += read_records(directory.path)
            jobs, counted = owed(plan.benchmark.tasks(), plan.epochs, directory)
            finished = await run_plan(plan, directory, jobs, counted, lambda record, _: self._keep(record))
        finally:
            directory.close()
        self.stopped, self.interrupted = finished.stopped, finished.interrupted

    def _directory(self, plan: Plan, identity: Mapping[str, Any]) -> RunDirectory:
        if self.resume is not None:
            path = Path(self.resume)
            return RunDirectory.resume(path, custody.comparable(identity, read_config(path)))
        config = {
            "format": FORMAT,
            "title": plan.title,
            "command": "python",
            "arguments": {},
            "identity": identity,
            "versions": versions(),
        }
        return RunDirectory.create(Path(cast(Place, self.output)), config)

    def _keep(self, record: Record) -> None:
        self.records.append(record)
        if self.watch is not None:
            self.watch(record)

    def _player(self, benchmark: Benchmark, stack: AsyncExitStack) -> tuple[Agent, str, dict[str, Any]]:
        """The agent, what the run is titled with, and what makes its records comparable."""
        given = self.agent
        if isinstance(given, str):
            return self._named(given, benchmark, stack)
        if hasattr(given, "play"):
            agent = cast(Agent, given)
            name = str(getattr(agent, "name", None) or type(agent).__name__)
        else:
            agent = FunctionAgent(cast(Any, given)) if is_coroutine_function(given) else answers(cast(Any, given))
            name = name_of(given)
        return agent, f"agent {name}", {"agent": name, "model": None}

    def _named(self, name: str, benchmark: Benchmark, stack: AsyncExitStack) -> tuple[Agent, str, dict[str, Any]]:
        plugin = agent_plugin(name)
        if plugin.needs_script == "predictions":
            raise InputError(f"the agent '{name}' needs a prediction file: use the command line, or answers() with a look-up")
        model = self._model(stack) if plugin.needs_model else None
        script = {task.key: benchmark.solution(task) for task in benchmark.tasks()}.get if plugin.needs_script else _nothing
        agent = plugin.build(AgentSettings(model=model, max_turns=self.max_turns, script=script))
        if close := getattr(agent, "close", None):
            stack.push_async_callback(close)
        title = f"agent {name}" + (f", model {model.name}" if model else "")
        turns = self.max_turns if model else None
        return agent, title, {"agent": name, "model": model.name if model else None, "max_turns": turns}

    def _model(self, stack: AsyncExitStack) -> Model:
        if self.model is None:
            raise InputError(f"the agent '{self.agent}' needs model=, a model's name")
        if not isinstance(self.model, str):
            return self.model
        model = build_model(self.model, ModelSettings(base_url=self.base_url, concurrency=self.parallel))
        stack.push_async_callback(model.close)
        return model


def run(benchmark: Source | Benchmark, agent: Playing, **options: Unpack[Options]) -> Results:
    """Plays every task and waits for it, inside a running event loop (a notebook's) too.

    `agent` is an `async def agent(stage)`, a function from question to SQL (see `answers`), an object with `play(stage)`, or
    the name of one of ours ("oracle", "tools", "react").
    """
    sitting = Sitting(source=benchmark, agent=agent, **options)
    try:
        wait_for(sitting.play())
    except KeyboardInterrupt:  # in a notebook: what has ended by now is worth keeping
        sitting.interrupted = True
    return sitting.results()


async def run_async(benchmark: Source | Benchmark, agent: Playing, **options: Unpack[Options]) -> Results:
    """The same for code that is asynchronous itself."""
    sitting = Sitting(source=benchmark, agent=agent, **options)
    await sitting.play()
    return sitting.results()


def _nothing(_: str) -> None:
    return None
