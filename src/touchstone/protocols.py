"""The contracts between the parts: shapes, and the structs of options that every part is built from."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Protocol, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from .errors import InputError
from .options import Count, Opt, Options, Share
from .types import (
    Brief,
    CallPosition,
    Limits,
    Message,
    NoteStep,
    Observation,
    Outcome,
    PartialScore,
    Record,
    Reply,
    ServiceStep,
    Table,
    Task,
    Tool,
    ToolCall,
    Usage,
    Verdict,
)

A = TypeVar("A")
R = TypeVar("R")

DIALECTS = {
    "sqlite": "SQLite",
    "duckdb": "DuckDB",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "bigquery": "BigQuery",
    "snowflake": "Snowflake",
}
"""What the SQL of an engine is called, by the engine's name."""

TASKS, WHO, JUDGING, RUN = "Which tasks", "Agent and model", "Judging", "The run"
"""Headings that options stand under in the help."""


class Session(Protocol):
    """One isolated, limited connection to a private copy of a database."""

    async def run(self, sql: str) -> Table:
        """The last statement's table, whole. Raises SqlError."""
        ...

    async def show(self, sql: str) -> Observation:
        """The same as an agent sees it, made beside the data, so that only what is shown is ever sent."""
        ...

    async def close(self) -> None: ...


class EpisodeDatabase(Protocol):
    """The database of one episode: a private copy, made when it is first needed. It has a current state, which neither
    exploring nor judging changes."""

    async def explore(self, sql: str, limits: Limits) -> Table:
        """The last statement's table. Raises SqlError."""
        ...

    async def show(self, sql: str, limits: Limits) -> Observation:
        """The same as an agent sees it, made beside the data. Its table may be in the details (see engines/tables.py)."""
        ...

    async def judge(
        self, function: Callable[[Any, A], R], request: A, limits: Limits, *, writes: bool = False, wall: float
    ) -> R:
        """Runs `function(connection, request)` next to the data, on a fresh copy of the current state.

        What the connection can do is in engines/judging_connection.py. `writes` says that it is sure to change it; `wall` are
        seconds in which it has surely ended."""
        ...

    async def advance(self, scripts: Sequence[str], limits: Limits) -> None:
        """The state is from now on what it was, and these run. Raises SqlError, and then it is as before."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    """A database system, opened on a place: a file, a folder or an address."""

    name: str

    @property
    def versions(self) -> Mapping[str, str]:
        """Of the servers at work, for the record: {"PostgreSQL": "15.18"}."""
        ...

    def database(self, name: str, key: str = "") -> EpisodeDatabase:
        """The one of this name, for the episode of this key. Raises Unscorable if it is missing or cannot be read."""
        ...

    async def digests(self, names: Sequence[str], /) -> Mapping[str, str | None]:
        """What identifies their contents; None for one that is missing or cannot be read."""
        ...

    async def close(self) -> None: ...


class Model(Protocol):
    """A chat model."""

    name: str

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], position: CallPosition) -> Reply:
        """The next assistant message. Raises an EpisodeFailure when there is none to be had."""
        ...

    async def close(self) -> None: ...


class Episode(Protocol):
    """One attempt at one task in its own isolated world."""

    brief: Brief
    tools: Sequence[Tool]

    @property
    def usage_by(self) -> Mapping[str, Usage]:
        """What models other than the agent's consumed so far."""
        ...

    @property
    def finished(self) -> bool: ...

    async def call(self, tool: str, arguments: Any) -> Observation:
        """Plays one move; `arguments` is an instance of the tool's own struct."""
        ...

    def unreadable(self, complaint: str) -> Observation:
        """A move that could not be read: what the agent is told of it. A benchmark may charge for it."""
        ...

    def partial_score(self) -> PartialScore:
        """What counts if the agent stops here without its work being judged."""
        ...

    async def verdict(self) -> Verdict: ...


class AsksModels(Protocol):
    """An episode that asks models of its own, such as a simulated user. They are told which attempt at the task it is, so that
    attempts do not share replies that are remembered."""

    epoch: int


class Stage(Protocol):
    """An episode as an agent sees it: what it is told, what it can do, and a model to ask. All of it is recorded."""

    task: str
    brief: Brief
    tools: Sequence[Tool]

    @property
    def finished(self) -> bool: ...

    async def ask(self, model: Model, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> Reply: ...

    async def call(self, call: ToolCall) -> Observation:
        """Never raises for what the call says: a wrong name or broken arguments are an observation too."""
        ...

    async def peek(self) -> Observation | None:
        """What there is to see just now, if the episode has something to look at. Nobody's move, so it is not recorded."""
        ...

    def remind(self, complaint: str) -> str:
        """Says what was wrong with a reply that holds no move, in the words that the model is to read."""
        ...

    def log(self, step: NoteStep | ServiceStep) -> None:
        """Records what does not go through `ask` and `call`."""
        ...

    def account(self, usage: Usage) -> None:
        """Adds what was consumed without `ask`."""
        ...


class Agent(Protocol):
    """Whatever plays an episode."""

    async def play(self, stage: Stage) -> None:
        """Returns when the episode is finished or the agent has nothing more to say."""
        ...


class Benchmark(Protocol):
    """A source of tasks that knows how to open and score them."""

    name: str

    def tasks(self) -> Sequence[Task]: ...

    def open(self, task: Task) -> AbstractAsyncContextManager[Episode]: ...

    def solution(self, task: Task) -> Sequence[ToolCall]:
        """The calls that play the reference: for the oracle agent only."""
        ...

    async def identity(self) -> Mapping[str, Any]:
        """What makes two records comparable: digests of the data and the options that change what is measured."""
        ...


class Gold(Struct, frozen=True):
    """What the references of a benchmark's tasks look like, for whoever must keep them from an agent.

    A benchmark says so by an optional method `gold() -> Gold`.
    """

    texts: tuple[str, ...] = ()
    """Queries, tests, results: to be recognised wherever they stand, however they are spaced, quoted or escaped."""
    files: tuple[Path, ...] = ()
    """To be recognised in copies, byte by byte."""


class GoldReach(Struct, frozen=True):
    """Whether an agent could have read the gold. An agent says so by an optional method `gold_reach(gold) -> GoldReach`, which
    may raise InputError; of one that has none nothing is known."""

    answer: Literal["no (checked)", "no (only tools)", "yes", "not confined", "unknown"]
    """no (checked): confined, and the gold was searched for in the files that it can read. no (only tools): a model, which
    sees what the task's tools show. unknown: confined, but the benchmark does not say what its gold is."""
    detail: str = ""
    """What was looked at, for a person."""


Move = ToolCall | Sequence[ToolCall]
"""A call; or several attempts at one step: each is made only if the one before was refused, and if all are, it ends there."""
Script = Callable[[str], Sequence[Move] | None]
"""The moves to play for a task's key; None if there are none."""


def _no_script(*_: Any) -> Script:
    raise InputError("this agent cannot play this benchmark")


@dataclass(frozen=True, kw_only=True)
class Hints:
    """What a benchmark suggests to whoever plays it."""

    text_protocol: str = "lines"
    """How an agent without function calling writes: "lines" or "tags"."""
    service_template: Mapping[str, Any] = field(default_factory=lambda: {"question": "{question}", "db_id": "{database}"})
    """What a service under test is sent."""
    screen: bool = False
    """Tasks are played on a screen: a person sees it in the browser, and unfinished work is judged as it stands."""


@dataclass(frozen=True, kw_only=True)
class AgentContext:
    """What an agent is built with, besides its own options."""

    model: Model | None = None
    hints: Hints = field(default_factory=Hints)
    """What the benchmark suggests."""
    solutions: Callable[[], Script] = _no_script
    """The references of the tasks: for the oracle alone."""
    predictions: Callable[[Path, bool], Script] = _no_script
    """What a prediction file or an earlier run has for the tasks, and whether some may be missing: for replay."""
    meanings: Callable[[str], Mapping[str, Mapping[str, str]]] = lambda _: {}
    """What the columns of a database mean, by table and column, if the benchmark says so by an optional method
    `meanings(database)`: for agents that write the schema into a prompt."""
    hidden: Sequence[Path] = ()
    """What a program under test must not see: the dataset, its databases, the run directory."""


class ModelConfig(Options, frozen=True, kw_only=True):
    """A chat model, as a provider offers it. Each provider has a struct of its own."""

    provider: ClassVar[str]
    """The name of its entry point, which a model's name begins with."""
    names_path: ClassVar[bool] = False
    """What follows it in a model's name is a file or a folder that it reads."""

    model: Annotated[str, Opt(names=("-m",), env="OPENAI_MODEL", group=WHO)] = "gpt-5-mini"
    """A model name at an OpenAI-compatible endpoint, litellm/<provider>/<model>, local, or recorded:<run directory>."""

    def build(self, concurrency: int = 16) -> Model:
        """The model itself, which at most so many will ask at once."""
        raise NotImplementedError

    def paths(self) -> Iterator[Path]:
        """Files and folders that it reads."""
        name = self.model.removeprefix(self.provider).removeprefix(":")
        if self.names_path and name:
            yield Path(name).expanduser()

    def relocated(self, move: Callable[[Path], Path]) -> ModelConfig:
        """The same with these paths elsewhere."""
        path = next(self.paths(), None)
        return replace(self, model=f"{self.provider}:{move(path)}") if path else self

    def identity(self) -> dict[str, Any]:
        """Besides the model's name: the options that change what it answers."""
        return {}


class AgentConfig(Options, frozen=True, kw_only=True):
    """An agent's options. Each kind of agent has a struct of its own."""

    name: ClassVar[str]
    """The name of its entry point."""
    needs_model: ClassVar[bool] = False
    reads_instructions: ClassVar[bool] = True
    """Whether it makes use of the benchmark's instructions."""
    at_terminal: ClassVar[bool] = False
    """A person plays here: one task at a time, and not on another machine."""

    def build(self, context: AgentContext) -> Agent:
        raise NotImplementedError

    def identity(self, agent: Agent, context: AgentContext) -> dict[str, Any]:
        """What makes its records comparable, besides its name, its model and its turns."""
        return {}


Counter = Callable[[int, int], None]
"""Told how many are done, and of how many."""


@contextmanager
def _uncounted(what: str) -> Generator[Counter]:
    yield lambda done, total: None


@dataclass(frozen=True, kw_only=True)
class Opening:
    """What a benchmark is opened with."""

    stack: AsyncExitStack
    """Closes what was opened when the run is over."""
    say: Callable[[str], None] = lambda _: None
    """Tells the user something in a line."""
    model: ModelConfig | None = None
    """The agent's, for whoever else needs one."""
    shared: Callable[[Model, ModelConfig], Model] = lambda model, _: model
    """A model that a benchmark builds for itself, held to the limits of the run and with its cache of replies."""
    parallel: int = 1
    agent: str = ""
    """The name of whoever plays, for a benchmark that some agents cannot play as it is configured."""
    output: Path | None = None
    """Where the run directory is made, if that was said."""
    reader: bool = False
    """Whoever plays reads what it is told: instructions, hints, documents."""
    counting: Callable[[str], AbstractContextManager[Counter]] = _uncounted
    """Shows how far a long piece of work is: `with opening.counting("tasks looked at") as watch: watch(done, total)`."""


class Check(Struct, frozen=True):
    """A line of `touchstone doctor`: whether something works on this machine."""

    good: bool
    what: str
    detail: str
    """How it works, or what to do about it."""
    needed: bool = False
    """Nothing works without it."""


class ScoreOptions(Options, frozen=True, kw_only=True):
    """What `touchstone score` takes for every benchmark; a benchmark may have a subclass with more."""

    predictions: Annotated[Path | None, Opt(positional=True)] = None
    """The answers to score: a file or folder in the benchmark's format, or a run directory."""
    allow_missing: bool = False
    """Count tasks without an answer as failed instead of rejecting the file."""
    parallel: Annotated[Count, Opt(names=("-p",), group=RUN)] = 2 * (os.cpu_count() or 1)
    """How many tasks to judge at once."""
    output: Annotated[Path | None, Opt(names=("-o",), target=True, group=RUN)] = None
    """Where to create the run directory; by default results/<name of the predictions>-<benchmark>/."""
    fail_under: Annotated[Share | None, Opt(group=RUN)] = None
    """Exit with 1 if the accuracy is lower than this; 0.6 is 60%."""
    junit: Annotated[Path | None, Opt(target=True, group=RUN)] = None
    """Write the result of each task to this file as JUnit XML, for a CI service."""
    markdown: Annotated[Path | None, Opt(target=True, group=RUN)] = None
    """Write a summary to this file as Markdown: the figures, and what did not pass."""
    json: Annotated[Path | None, Opt(target=True, group=RUN)] = None
    """Write each task's verdict to this file, by the task's id."""
    verbose: Annotated[bool, Opt(names=("-v",), group=RUN)] = False
    """Print each task's outcome and reason as it ends."""


@dataclass(frozen=True, kw_only=True)
class Scoring:
    """How answers that exist already are scored: a run like any other, in which an agent plays them."""

    benchmark: BenchmarkConfig
    """As it is to be opened for them."""
    agent: AgentConfig
    only: Collection[str] | None = None
    """The keys of the tasks that are scored, where it is not all that are chosen."""
    finish: Callable[[Sequence[Record]], None] = lambda _: None
    """Called with the records at the end: to write what the benchmark's own evaluator writes, for example."""


class BenchmarkConfig(Options, frozen=True, kw_only=True):
    """A benchmark's options: which tasks, how they are told and judged. The first line of its docstring is the help of its
    command.

    What it can do besides being played are methods that its struct may have. Who has none of them gets no such command:

    - `predictions(path, tasks, *, allow_missing) -> Mapping[str, Sequence[Move]] | None`: what a file or folder of answers has
      for the tasks, for `touchstone score` and `--agent replay`; None for a run, whose calls are played as they are
    - `scoring(options) -> Scoring`: how answers are scored, where replaying `predictions` is not all there is to it
    - `async audit(opening, options) -> Audited`: what is wrong with its own gold (see touchstone.benchmarks.audit)
    - `described(record) -> Sequence[str]`: what `--verbose` tells of a task besides its outcome
    - `check_data(dataset, file, found, deep)`, a classmethod: whether a dataset of the catalogue is complete
    - `run_section(records) -> RunSection | None`, a classmethod: tables and charts for the page of a run (see
      touchstone.reports.estimates)
    - `gold_queries(file) -> Iterator[tuple[str, str, str]]`, a classmethod: question, database and SQL of each task of a file,
      which `touchstone serve --agent oracle` answers from
    - `checks() -> Iterator[Check]`, a classmethod: what `touchstone doctor` says of it. Engines may have it too
    - `compared(directories) -> str | None`, a classmethod: what `touchstone compare` prints of directories that are not runs
      but something of its own, such as sweeps; None for all others
    """

    name: ClassVar[str]
    """The name of its entry point."""
    label: ClassVar[str]
    """Its name for people."""
    agent: ClassVar[str] = "tools"
    """Who plays if nobody is named."""
    defaults: ClassVar[Mapping[str, Any]] = {}
    """Other defaults for options of the agent and the run."""
    synonyms: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """More names on the command line for options of the agent, the model and the run."""
    taken_names: ClassVar[Collection[str]] = ()
    """Names of such options that mean something else here, by `translated`: the help does not show them."""
    run_words: ClassVar[Mapping[str, Mapping[str, Any]]] = {"": {}}
    """What stands behind its name on the command line to play it ("" for nothing), and the other defaults that this word has,
    of any option ("agent" too): {"run": {}, "api": {"agent": "http"}}."""
    run_names: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """Options that have another name behind one of these words: {"api": {"report": "--output", "output": "--runs"}}."""
    commands: ClassVar[Mapping[str, str]] = {}
    """More commands under its name, each as "module:function". A function whose parameters are structs of options gets the
    options of these; any other is one of cyclopts', and so may be an App."""
    shared_commands: ClassVar[Mapping[str, str]] = {}
    """Commands that it adds to ours, each as "module:function": {"audit suspects": …} is `touchstone audit suspects`. The
    function takes the benchmark's struct and one of options that may stand without their names."""
    public_evidence: ClassVar[Collection[str]] = ()
    """Of a verdict's evidence: what says nothing of the reference, so that pages without references may show it."""
    score_options: ClassVar[type[ScoreOptions]] = ScoreOptions
    audit_options: ClassVar[type[Options] | None] = None
    """A subclass of `AuditOptions`, if the audit has options of its own."""

    async def open(self, opening: Opening) -> Benchmark:
        """The only way to build it. Raises InputError."""
        raise NotImplementedError

    def hints(self) -> Hints:
        return Hints()

    def title(self, who: str) -> str:
        """The heading of a run."""
        return f"{self.label}: {who}"

    def verdict(self, record: Record) -> Mapping[str, Any]:
        """What `touchstone score --json` has of a task. Metrics are null where nothing could be judged: that is not a 0."""
        judged = record.outcome in (Outcome.passed, Outcome.failed)
        values = {name: value if judged else None for name, value in record.metrics.items()}
        return {**values, "score": record.score if judged else None, "outcome": record.outcome, "reason": record.reason}

    @classmethod
    def translated(cls, argv: list[str]) -> list[str]:
        """What was typed behind its name, flags of the original's scripts replaced by ours."""
        return argv

    @classmethod
    def translated_options(cls, options: Mapping[str, Any]) -> Mapping[str, Any]:
        """The same for the options of a --config file or of a resumed run, which may be older than this version."""
        return options


class EngineConfig(Options, frozen=True, kw_only=True):
    """A database system's options. Each has a struct of its own, which an entry point of `touchstone.engines` names."""

    name: ClassVar[str]
    """The name of its entry point."""
    schemes: ClassVar[tuple[str, ...]] = ()
    """What addresses of its servers begin with: "postgresql"."""
    suffixes: ClassVar[tuple[str, ...]] = ()
    """What its files end with: ".sqlite"."""

    place: str | None = None
    """A file, a folder of databases, or the address of a server."""
    cache: bool = True
    """Reuse cached results of earlier runs."""
    today: str | None = None
    """The date that SQL sees as today, such as 2025-02-19."""
    live: bool = False
    """The place is the address of one database that others use, too: it is only read, and whoever could write is refused."""

    async def open(self, opening: Opening) -> Engine:
        """The engine, which the opening's stack closes. Raises InputError if it cannot be used here."""
        raise NotImplementedError
