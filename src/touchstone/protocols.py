"""The contracts between the parts. Shapes only; nothing here runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from msgspec import Struct

from .values import (
    Brief,
    Message,
    NoteStep,
    Observation,
    Place,
    Reply,
    ServiceStep,
    Standing,
    Table,
    Task,
    Tool,
    ToolCall,
    Usage,
    Verdict,
)

STEPS_PER_SECOND = 70_000_000
"""By which a time limit becomes a number of steps of SQLite's virtual machine: see docs/sql-limits.md for how it was chosen."""


class Limits(Struct, frozen=True):
    """What one SQL statement may use."""

    seconds: float = 30.0
    """On SQLite this stands for a number of steps, which is the same on every machine and under every load; on PostgreSQL it
    is the wall clock."""
    rows: int = 1_000_000
    bytes: int = 256 * 2**20
    memory: int = 2**30
    cut_rows: bool = False
    """Past the row limit: return the rows so far, marked as truncated, instead of failing."""

    @property
    def steps(self) -> int:
        """Of SQLite's virtual machine."""
        return round(self.seconds * STEPS_PER_SECOND)

    @property
    def cpu_seconds(self) -> float:
        """Where a statement ends whose steps are few and take long. It depends on the machine, so it is far off."""
        return 4 * self.seconds + 1


class Session(Protocol):
    """One isolated, limited connection to a private copy of a database."""

    async def run(self, sql: str) -> Table:
        """The last statement's table, whole. Raises SqlError."""
        ...

    async def show(self, sql: str) -> str:
        """The same as text for a reader, made beside the data, so that only what is shown is ever sent."""
        ...

    async def close(self) -> None: ...


class Engine(Protocol):
    """A database system."""

    name: str

    def session(self, database: Path, *, writable: bool, limits: Limits) -> Session: ...

    async def close(self) -> None: ...


class Model(Protocol):
    """A chat model."""

    name: str

    async def reply(self, messages: Sequence[Message], tools: Sequence[Tool], place: Place) -> Reply:
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

    def standing(self) -> Standing:
        """What counts if the agent stops here without its work being judged."""
        ...

    async def verdict(self) -> Verdict: ...


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


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """What a model plugin is given besides the model's name."""

    base_url: str | None = None
    service_tier: str | None = None
    timeout: float = 600.0
    retries: int = 6
    concurrency: int = 16


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """How to ask a service under test for an answer as a whole."""

    url: str
    timeout: float = 600.0
    attempts: int = 3
    headers: Mapping[str, str] = field(default_factory=lambda: {})
    template: Mapping[str, Any] = field(default_factory=lambda: {"question": "{question}", "db_id": "{database}"})
    """The request's body. A text that is just `{name}` becomes that field of the brief; in a longer text it is filled in."""
    sql_field: str = "sql"
    """Where the SQL is in the answer: names and positions joined by dots."""


@dataclass(frozen=True, kw_only=True)
class CommandSettings:
    """How to run a program that plays: one process per episode."""

    words: Sequence[str]
    """The program and its arguments."""
    output: Literal["none", "sql"] = "none"
    """With "sql" what the program prints is handed in; otherwise it plays through MCP, and what it prints is only kept."""
    timeout: float = 600.0
    pass_env: Sequence[str] = ()
    """Names of variables that the program may see besides its own."""
    confine: bool = True
    network: bool = True
    readable: Sequence[Path] = ()
    """What the program may read besides the system and the folders that its command line names."""
    hidden: Sequence[Path] = ()
    """What it must not see, wherever it is: the dataset, its databases, the run directory. Of a file the whole folder."""
    allow_visible_gold: bool = False
    """Run it although it can read the gold."""


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """What an agent plugin is given."""

    model: Model | None = None
    max_turns: int = 20
    protocol: str = "lines"
    """How the text agent has its model write: "lines" or "tags"."""
    history: int = 3
    """How many earlier pictures of a screen the model still sees."""
    judge_unfinished: bool = False
    """When the turns are used up, the work is judged as it stands instead of counting as a limit."""
    service: ServiceSettings | None = None
    command: CommandSettings | None = None
    script: Callable[[str], Sequence[ToolCall] | None] = field(default=lambda _: None)
    """The calls to play for a task's key: the reference for the oracle, a recording for replay."""


@dataclass(frozen=True)
class AgentPlugin:
    build: Callable[[AgentSettings], Agent]
    needs_model: bool
    needs_script: str | None = None
    """Where the script comes from: "solution" or "predictions"."""


ModelPlugin = Callable[[str, ModelSettings], Model]
EnginePlugin = Callable[[], Engine]
