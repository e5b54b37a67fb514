"""The one way to play a run: what its configuration names is built, played into a directory or into memory, and summed up.

`Interface` is whoever watches: the command line shows progress and prints, Python keeps what comes back.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import msgspec

from ..addresses import address_of
from ..distribution import refuse_without
from ..errors import InputError, WrongReturn
from ..models.rate_limit import Pace, PacedModel
from ..plugins import described, expected_of, returned
from ..protocols import Agent, AgentContext, Benchmark, BenchmarkConfig, Hints, Model, ModelConfig, Move, Opening, Script
from ..types import Record, Step, Task, ToolCall, ToolStep
from . import custody
from .config import FORMAT, OpenModel, RunConfig, RunOptions, as_toml, from_json
from .directory import RunDirectory
from .executors import Executor
from .records import read_config, read_records
from .remote import Mirror, fetched, local_base, refuse_unknown
from .report_files import refuse_unwritable, shortfall, write_reports
from .run import Finished, Memory, Plan, Watch, owed, run, versions
from .scheduler import quiet

if TYPE_CHECKING:
    from .executors.node import NodePlayer
    from .spans import RunTrace


class Interface(Protocol):
    """Whoever watches a run."""

    def say(self, text: str) -> None:
        """A line for the user, while it goes on."""

    def begun(self, title: str, run: Path | None, done: int) -> None:
        """What it is called, where it goes, and how much an earlier sitting has done."""

    def progress(self, total: int, done: int) -> AbstractContextManager[Watch]:
        """Told of every record."""
        ...

    def finished(self, finished: Finished, more: str | None = None) -> None:
        """Before copies are waited for; `more` is what the benchmark has to say of it."""


@dataclass(frozen=True)
class Opened:
    """A run's parts, ready to play."""

    benchmark: Benchmark
    agent: Agent
    name: str
    """That its results are filed under: the model's, or the agent's."""
    who: str
    """Agent and model, for the title."""
    identity: Mapping[str, Any]
    """What makes two records comparable."""


@dataclass(frozen=True, kw_only=True)
class RunSpec:
    """Where a run goes, and what its configuration says of it."""

    command: str
    config: Mapping[str, Any]
    """What config.json has besides title, identity and versions."""
    options: str
    """The text of config.toml."""
    identity: Mapping[str, Any]
    base: Path | None
    """Where the run directory is made; None keeps the records in memory."""
    resume: Path | None = None


@dataclass(frozen=True)
class Played:
    finished: Finished
    path: Path | None
    records: Sequence[Record] = ()
    """Of a run in memory."""
    shortfall: str | None = None
    """Why it is not good enough for `--fail-under`, if it is not."""


async def run_config(
    config: RunConfig,
    *,
    interface: Interface,
    base: Path | None = None,
    resume: Path | None = None,
    follow: Callable[[Benchmark], Callable[[Step], None] | None] = lambda _: None,
    command: str | None = None,
    name: str | None = None,
    heading: str | None = None,
    only: Collection[str] | None = None,
) -> Played:
    """Plays it. `base` is where run directories are made if the configuration does not say; without it, none is made. `name` is
    what the results are filed under instead of the model or the agent, `heading` what the title says instead; `only` are the
    keys of the tasks to play. `follow` gives who is shown each step of a run that is a single episode."""
    refuse_unwritable(config.run)
    async with AsyncExitStack() as stack:
        opened = await open_parts(config, stack, interface.say, resume=resume, only=only)
        single = len(opened.benchmark.tasks()) * config.run.epochs == 1 and not config.agent.at_terminal
        title = getattr(opened.benchmark, "title", config.benchmark.title)(heading or opened.who)
        if trace := _trace(config, opened.identity, interface.say):
            stack.push_async_callback(trace.close)
        plan = Plan(
            title=returned(title, str, f"the benchmark '{config.benchmark.name}': title()", "a string"),
            benchmark=opened.benchmark,
            agent=opened.agent,
            epochs=config.run.epochs,
            parallel=1 if config.agent.at_terminal else config.run.parallel,
            max_consecutive_errors=config.run.max_consecutive_errors,
            max_cost=config.run.max_cost,
            max_tokens=config.run.max_tokens_total,
            watch=follow(opened.benchmark) if single else None,
            trace=trace,
            versions=getattr(opened.benchmark, "versions", {}),
        )
        folder = base / f"{safe_name(name or opened.name)}-{config.benchmark.name}" if base else None
        spec = RunSpec(
            command=command or (config.benchmark.name if config.is_plain else "python"),
            config={**(config.as_json() if config.is_plain else {}), **getattr(opened.benchmark, "facts", {})},
            options=as_toml(config.as_options(), config.benchmark.name) if config.is_plain else "",
            identity=opened.identity,
            base=config.run.output or folder,
            resume=resume,
        )
        played = await play_plan(plan, spec, interface, lambda path: _executor(config, opened, path, interface.say))
        if trace:
            trace.result(played.finished.overall)
    return _reported(config, plan.title, played)


def _trace(config: RunConfig, identity: Mapping[str, Any], say: Callable[[str], None]) -> RunTrace | None:
    """OpenTelemetry is imported only where spans are asked for. Raises InputError."""
    if config.run.otel is None:
        return None
    refuse_without("opentelemetry.exporter.otlp.proto.http", "--otel", "otel")
    protocol = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL") or os.environ.get("OTEL_EXPORTER_OTLP_PROTOCOL")
    if protocol not in (None, "", "http/protobuf"):
        raise InputError(f"--otel sends http/protobuf, but OTEL_EXPORTER_OTLP_PROTOCOL is {protocol}")
    from .spans import RunTrace

    return RunTrace(config, identity, say)


def _reported(config: RunConfig, title: str, played: Played) -> Played:
    """Writes the files that were asked for, and holds the run against `--fail-under`."""
    whose = f"the benchmark '{config.benchmark.name}'"
    finished = played.finished
    missed = shortfall(config.run, finished.overall)
    if finished.overall["total"]:
        incomplete = "the run was interrupted" if finished.interrupted else None
        note = f"the run was stopped: {finished.stopped}" if finished.stopped else incomplete or missed
        write_reports(
            config.run,
            title,
            finished.overall,
            lambda: read_records(played.path) if played.path else played.records,
            lambda record: returned(config.benchmark.verdict(record), Mapping, f"{whose}: verdict()", "a mapping"),
            note,
        )
    return replace(played, shortfall=missed)


async def open_parts(
    config: RunConfig,
    stack: AsyncExitStack,
    say: Callable[[str], None],
    *,
    resume: Path | None = None,
    only: Collection[str] | None = None,
) -> Opened:
    """Opens the benchmark and builds the agent; the stack closes them."""
    shared = _shared(config.run)
    opening = Opening(
        stack=stack,
        say=say,
        model=config.model,
        shared=shared,
        parallel=config.run.parallel,
        agent=config.agent.name,
        output=config.run.output,
        reader=config.agent.reads_instructions,
    )
    benchmark = await opened_benchmark(config.benchmark, opening)
    if only is not None:
        benchmark = cast(Benchmark, Narrowed(benchmark, only))
    whose, agents = f"the benchmark '{config.benchmark.name}'", f"the agent '{config.agent.name}'"
    tasks = benchmark.tasks()
    model = None
    if config.model and config.agent.needs_model:
        model = shared(_model(config.model, config.run.parallel), config.model)
    if model is not None and not isinstance(config.model, OpenModel):
        stack.push_async_callback(model.close)
    output = config.run.output or Path("results")
    context = AgentContext(
        model=model,
        hints=returned(config.benchmark.hints(), Hints, f"{whose}: hints()", "Hints"),
        solutions=lambda: solutions(benchmark),
        predictions=lambda path, allow_missing: predictions(config.benchmark, path, tasks, allow_missing=allow_missing),
        meanings=getattr(benchmark, "meanings", lambda _: {}),
        hidden=[path for path in (*config.paths(), output, resume) if path is not None],
    )
    agent = config.agent.build(context)
    expected_of(agent, f"{agents}: build()", "an Agent", "play")
    if close := getattr(agent, "close", None):
        stack.push_async_callback(close)
    reach = await custody.gold_reach(benchmark, agent)
    if reach.detail:
        say(reach.detail)
    identity = {
        **returned(await benchmark.identity(), Mapping, f"{whose}: identity()", "a mapping"),
        "agent": config.agent.name,
        "model": model.name if model else None,
        "max_turns": getattr(config.agent, "max_turns", None),
        **(_model_identity(config.model) if config.model and model else {}),
        **returned(config.agent.identity(agent, context), Mapping, f"{agents}: identity()", "a mapping"),
        **({"reply_cache": True} if config.run.reply_cache else {}),
        custody.NAME: reach.answer,
    }
    who = f"agent {identity['agent']}" + (f", model {model.name}" if model else "")
    return Opened(benchmark, agent, str(model.name if model else identity["agent"]), who, identity)


async def opened_benchmark(config: BenchmarkConfig, opening: Opening) -> Benchmark:
    """What the struct opens. Raises InputError if that is not a benchmark, since a plug-in may give anything."""
    who = f"the benchmark '{config.name}'"
    benchmark = await config.open(opening)
    expected_of(benchmark, f"{who}: open()", "a Benchmark", "tasks", "open", "solution", "identity")
    tasks = cast("Sequence[Any]", benchmark.tasks())
    if not isinstance(tasks, Sequence) or not all(isinstance(task, Task) for task in tasks):  # pyright: ignore
        raise WrongReturn(f"{who}: tasks() returned {described(tasks)}, expected a sequence of Task")
    return benchmark


def _model_identity(config: ModelConfig) -> Mapping[str, Any]:
    return returned(config.identity(), Mapping, f"the model '{config.model}': identity()", "a mapping")


def _model(config: ModelConfig, concurrency: int) -> Model:
    return expected_of(config.build(concurrency), f"the model '{config.model}': build()", "a Model", "reply", "close")


def _shared(options: RunOptions) -> Callable[[Model, ModelConfig], Model]:
    """What makes each model of a run keep to the limits that they share, and to its cache of replies."""
    requests = Pace(options.requests_per_minute) if options.requests_per_minute else None
    tokens = Pace(options.tokens_per_minute) if options.tokens_per_minute else None
    cached = _cached(options.reply_cache) if options.reply_cache else None

    def shared(model: Model, config: ModelConfig) -> Model:
        paced = PacedModel(model, requests, tokens) if requests or tokens else model
        return cached(paced, config) if cached else paced

    return shared


def _cached(path: Path) -> Callable[[Model, ModelConfig], Model]:
    from ..models.reply_cache import CachedModel, ReplyCache  # with what models are called with

    cache = ReplyCache(path)
    return lambda model, config: CachedModel(model, config, cache)


class Narrowed:
    """A benchmark with fewer tasks, and otherwise as it was."""

    def __init__(self, benchmark: Benchmark, keys: Collection[str]) -> None:
        self._benchmark = benchmark
        self._tasks = [task for task in benchmark.tasks() if task.key in keys]

    def tasks(self) -> Sequence[Task]:
        return self._tasks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._benchmark, name)


async def play_plan(
    plan: Plan,
    spec: RunSpec,
    interface: Interface,
    executor: Callable[[Path], Any] = lambda _: None,
) -> Played:
    """Runs the plan into a new or resumed directory, or into memory."""
    if spec.base is None and spec.resume is None:
        return await _in_memory(plan, spec.identity, interface)
    for path in (spec.resume, spec.base):
        if path and (address := address_of(path)):
            refuse_unknown(address)
    directory = _directory(plan, spec)
    if begun := getattr(plan.benchmark, "begun", None):
        begun(directory.path)
    mirror = _mirror(spec, directory.path, interface.say)
    try:
        finished = await _play(plan, directory, mirror, interface, executor)
    finally:
        directory.close()
        if mirror:
            await mirror.stop()
    ended = getattr(plan.benchmark, "ended", None)
    interface.finished(finished, ended(read_records(directory.path)) if ended and directory.path.exists() else None)
    if mirror:
        await mirror.finish()
    return Played(finished, directory.path)


async def _play(
    plan: Plan, directory: RunDirectory, mirror: Mirror | None, interface: Interface, executor: Callable[[Path], Any]
) -> Finished:
    jobs, counted = owed(plan.benchmark.tasks(), plan.epochs, directory)
    interface.begun(plan.title, directory.path, counted.done)
    if mirror:
        await mirror.start()
    async with AsyncExitStack() as stack:
        elsewhere: Executor | None = None
        if jobs and (context := executor(directory.path)) is not None:
            elsewhere = await stack.enter_async_context(context)
        with interface.progress(len(jobs) + counted.done, counted.done) as watch:
            return await run(plan, directory, jobs, counted, watch, interface.say, elsewhere)


async def _in_memory(plan: Plan, identity: Mapping[str, Any], interface: Interface) -> Played:
    memory = Memory(identity)
    jobs, counted = owed(plan.benchmark.tasks(), plan.epochs, memory)
    interface.begun(plan.title, None, 0)
    with interface.progress(len(jobs), 0) as watch:
        finished = await run(plan, memory, jobs, counted, watch, interface.say)
    return Played(finished, None, memory.kept)


def solutions(benchmark: Benchmark) -> Script:
    """The reference of every task. Each is read when it is played: gold files can be large."""
    tasks = {task.key: task for task in benchmark.tasks()}
    who = f"the benchmark '{benchmark.name}': solution()"

    def solution(task: str) -> Sequence[Move] | None:
        return _moves(benchmark.solution(tasks[task]), who)

    return solution


def _moves(moves: Any, who: str) -> Sequence[Move] | None:
    """Calls, or lists of calls; None for nothing to play."""
    ok = moves is None or (isinstance(moves, Sequence) and all(_is_move(move) for move in cast("Sequence[Any]", moves)))
    if not ok:
        raise WrongReturn(f"{who} returned {described(moves)}, expected a list of ToolCall")
    return cast("Sequence[Move] | None", moves)


def _is_move(move: Any) -> bool:
    calls = cast("Sequence[Any]", move if isinstance(move, list | tuple) else [move])
    return all(isinstance(call, ToolCall) for call in calls)


class Predictions(dict[str, Sequence[Move]]):
    """What is played for each task."""

    def __init__(self, moves: Mapping[str, Sequence[Move]], digest: str | None) -> None:
        super().__init__(moves)
        self.digest = digest

    def __call__(self, task: str) -> Sequence[Move] | None:
        return self.get(task)


def predictions(benchmark: BenchmarkConfig, path: Path, tasks: Sequence[Task], *, allow_missing: bool = False) -> Predictions:
    """Of a file, if the benchmark has a format for it; else the calls of an earlier run."""
    if read := getattr(benchmark, "predictions", None):
        who = f"the benchmark '{benchmark.name}': predictions()"
        by_task = cast("Mapping[str, Any] | None", read(path, tasks, allow_missing=allow_missing))
        if by_task is None:
            return recorded_calls(path)
        moves = {key: _moves(each, who) or () for key, each in returned(by_task, Mapping, who, "calls by task").items()}
        answers = sorted((key, [_arguments(move) for move in each]) for key, each in moves.items())
        return Predictions(moves, blake2b(msgspec.json.encode(answers), digest_size=8).hexdigest())
    return recorded_calls(path)


def _arguments(move: Move) -> Any:
    return move.arguments if isinstance(move, ToolCall) else [call.arguments for call in move]


def recorded_calls(path: Path) -> Predictions:
    """The tool calls of each task's first attempt in an earlier run."""
    if not (path / "runs.jsonl").is_file():
        raise InputError(f"--predictions {path}: expected a run directory, with runs.jsonl in it")
    calls = {
        record.task: [step.call for step in record.steps if isinstance(step, ToolStep)]
        for record in read_records(path)
        if record.epoch == 0
    }
    return Predictions(calls, None)


def safe_name(text: str) -> str:
    """A model's name as part of a path."""
    return "".join(char if char.isalnum() or char in "._-" else "-" for char in text).strip("-.") or "unnamed"


def _directory(plan: Plan, spec: RunSpec) -> RunDirectory:
    planned = len(plan.benchmark.tasks()) * plan.epochs
    if spec.resume is not None:
        address = address_of(spec.resume)
        path = fetched(address) if address else spec.resume
        directory = RunDirectory.resume(path, custody.comparable(spec.identity, read_config(path)))
        directory.widen(planned, {"format": FORMAT, **spec.config}, spec.options)
        return directory
    config = {
        "format": FORMAT,
        "title": plan.title,
        "command": spec.command,
        **spec.config,
        "identity": spec.identity,
        "versions": {**versions(), **plan.versions},
        "planned": planned,
    }
    assert spec.base is not None
    address = address_of(spec.base)
    return RunDirectory.create(local_base(address) if address else spec.base, config, spec.options)


def _mirror(spec: RunSpec, path: Path, say: Callable[[str], None]) -> Mirror | None:
    """A run that was fetched goes back to where it came from."""
    if spec.resume is not None and (address := address_of(spec.resume)):
        return Mirror(path, address, say)
    address = address_of(spec.base) if spec.base else None
    return Mirror(path, f"{address}/{path.resolve().name}", say) if address else None


def _executor(config: RunConfig, opened: Opened, directory: Path, say: Callable[[str], None]) -> Any:
    """None stands for this process."""
    if config.run.executor == "local":
        return None
    if config.agent.at_terminal:
        raise InputError("--executor ray: a person plays at this terminal, not on a cluster")
    if config.run.requests_per_minute or config.run.tokens_per_minute:
        raise InputError("--executor ray: limits per minute work in one process only")
    if not config.is_plain:
        raise InputError("--executor ray: Python functions and objects cannot be sent to a cluster")
    from .executors.cluster import ClusterWork, environment, ray_cluster
    from .executors.shipping import listed, moved_path

    there = config.relocated(Path.absolute)
    work = ClusterWork(
        build=play_on_node,
        payload=lambda places: there.relocated(lambda path: moved_path(path, places)).as_json(secrets=True),
        identity=opened.identity,
        listings=[listed(path) for path in dict.fromkeys(there.paths(targets=False)) if path.exists()],
        environment=environment(config.run.ray_env),
        parallel=config.run.parallel,
        directory=directory,
    )
    return ray_cluster(work, config.run.ray_address, say)


def play_on_node(payload: Mapping[str, Any], player: NodePlayer) -> None:
    """On a node: opens what the configuration names, and plays what it is told to."""

    async def main() -> None:
        config = from_json(payload)
        async with AsyncExitStack() as stack:
            opened = await open_parts(config, stack, quiet)
            await player.take(opened.benchmark, opened.agent, opened.identity)

    asyncio.run(main())
