"""The words of Touchstone as data: what passes between benchmarks, agents, models, engines and runs.

Everything here is a frozen value without behaviour of its own. The parts that cross a process boundary or
land in a file are msgspec structs, so one definition serves the code, the wire and the run directory.

What an agent, a model or a service can put words into (calls, replies, observations, notes, verdicts) holds whole characters
only, by construction: no line of a run can fail to be written because of what somebody else wrote.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, TypedDict

from msgspec import Struct
from msgspec.structs import force_setattr

from .foreign import whole, whole_value

Cell = None | int | float | str | bytes
Row = tuple[Any, ...]
"""Of cells. (msgspec cannot decode a union of text and bytes, hence Any.)"""


STEPS_PER_SECOND = 70_000_000
"""By which a time limit becomes a number of steps of SQLite's virtual machine: see docs/sql-limits.md for how it was chosen."""


class Table(Struct, frozen=True):
    """A query result."""

    columns: tuple[str, ...]
    rows: list[Row]
    truncated: bool = False
    """More rows existed than the limit allowed, and the caller had asked for a cut instead of an error."""
    changed: int | None = None
    """Rows changed, for a statement that returns no table."""


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


class Outcome(StrEnum):
    """How one episode ended. Every task that was asked for has exactly one."""

    passed = "passed"
    failed = "failed"
    limit = "limit"
    error = "error"
    unscorable = "unscorable"
    skipped = "skipped"


JUDGED = (Outcome.passed, Outcome.failed, Outcome.limit)
"""The outcomes that say something of the agent, and so have a score."""


class Verdict(Struct, frozen=True):
    """What became of an episode, and why."""

    outcome: Outcome
    score: float
    reason: str
    metrics: dict[str, float] = {}
    evidence: dict[str, Any] = {}

    def __post_init__(self) -> None:
        force_setattr(self, "reason", whole(self.reason))


class PartialScore(Struct, frozen=True):
    """What the work so far is worth when an episode ends before its time."""

    score: float = 0.0
    metrics: dict[str, float] = {}
    evidence: dict[str, Any] = {}


class Task(Struct, frozen=True, kw_only=True):
    """One request. Benchmarks extend it with what they need; agents never see it."""

    key: str
    """Readable and unique in the dataset."""
    index: int
    """Position in the dataset, before any filter."""
    facets: dict[str, str] = {}
    """What to filter and group by: database, difficulty, category, …"""
    digest: str
    """Hash of the task's content, so that two runs can tell whether they mean the same task."""


class Brief(Struct, frozen=True):
    """All that an agent is told before its first move."""

    instructions: str
    request: str
    fields: dict[str, str] = {}
    """What the request is made of (question, database, evidence, …), for agents that do not read prose."""


class Tool(Struct, frozen=True):
    """Something an agent can call. The arguments are a msgspec struct: its schema is shown, its types are checked."""

    name: str
    description: str
    arguments: type[Struct]


class ToolCall(Struct, frozen=True):
    id: str
    name: str
    arguments: str
    """JSON text exactly as the model wrote it, which may be broken."""

    def __post_init__(self) -> None:
        for field in ("id", "name", "arguments"):
            force_setattr(self, field, whole(getattr(self, field)))


ON_SCREEN = "\n\n# On the screen\n"
"""In an observation's text: what stands before it says what the call did, what follows is what the screen shows now."""


class Observation(Struct, frozen=True, omit_defaults=True):
    """What an agent sees after a tool call."""

    text: str
    error: bool = False
    details: dict[str, Any] = {}
    """For the record alone: what the call cost, how the answer came about, what a hidden test said."""
    pictures: tuple[bytes, ...] = ()
    """PNG files that the agent sees. A record does not hold them: its details name the files that they are kept in."""

    def __post_init__(self) -> None:
        force_setattr(self, "text", whole(self.text))


class Usage(Struct, frozen=True):
    """What model calls consumed. A cost of None means that it is not known, not that it was free."""

    calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = 0.0
    uncounted: int = 0
    """Calls of which the service did not say, or not believably, how many tokens they took: these are in no sum."""
    reused: int = 0
    """Calls that were answered from a reply cache: they took no tokens and cost nothing."""

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.input_tokens + other.input_tokens,
            self.cached_tokens + other.cached_tokens,
            self.output_tokens + other.output_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
            self.uncounted + other.uncounted,
            self.reused + other.reused,
        )


class Message(TypedDict, total=False):
    """A chat message in the form every chat API takes: OpenAI's."""

    role: str
    content: Any
    tool_calls: list[dict[str, Any]]
    tool_call_id: str


class Reply(Struct, frozen=True):
    """What a model answered."""

    text: str
    calls: tuple[ToolCall, ...] = ()
    finish: str = "stop"
    """stop, tool_calls, length or refusal."""
    usage: Usage = Usage(calls=1)

    def __post_init__(self) -> None:
        force_setattr(self, "text", whole(self.text))

    def as_message(self) -> Message:
        message = Message(role="assistant", content=self.text or (None if self.calls else ""))
        if self.calls:
            message["tool_calls"] = [
                {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
                for call in self.calls
            ]
        return message


class CallPosition(Struct, frozen=True):
    """Where in a run a model call stands: the n-th call of one epoch of one task."""

    task: str
    epoch: int
    call: int


class Truncation(Struct, frozen=True):
    """What a record does not hold to its end: the length and the digest (blake2b) of all of it."""

    characters: int
    digest: str


class ModelStep(Struct, frozen=True, omit_defaults=True, tag="model"):
    """One reply in a transcript. `request` is a digest of the conversation that it answered."""

    reply: Reply
    request: str
    seconds: float
    pictures: int = 0
    """In the conversation as it was sent, earlier turns included."""
    picture_bytes: int = 0
    """Their size as it was sent."""
    cut: dict[str, Truncation] = {}
    """By the part of the step that was too long to keep, such as `reply.text`. So in all steps."""


class ToolStep(Struct, frozen=True, omit_defaults=True, tag="tool"):
    """One tool call in a transcript."""

    call: ToolCall
    observation: Observation
    seconds: float
    cut: dict[str, Truncation] = {}


class NoteStep(Struct, frozen=True, omit_defaults=True, tag="note"):
    """Something the agent's own loop told the model, such as a reminder to call a tool."""

    text: str
    cut: dict[str, Truncation] = {}

    def __post_init__(self) -> None:
        force_setattr(self, "text", whole(self.text))


class ServiceStep(Struct, frozen=True, omit_defaults=True, tag="service"):
    """One exchange with a service that answers as a whole. The response is its body: decoded if it was JSON, else its text."""

    request: dict[str, Any]
    status: int
    response: Any
    seconds: float
    cut: dict[str, Truncation] = {}

    def __post_init__(self) -> None:
        force_setattr(self, "response", whole_value(self.response))


Step = ModelStep | ToolStep | NoteStep | ServiceStep


class Record(Struct, frozen=True, kw_only=True):
    """Everything about one episode: one line of runs.jsonl."""

    task: str
    index: int
    epoch: int
    digest: str
    facets: dict[str, str]
    outcome: Outcome
    score: float | None
    """None where nothing was judged: error, unscorable, skipped."""
    reason: str
    metrics: dict[str, float]
    evidence: dict[str, Any]
    usage: Usage
    """Of the agent's model."""
    started: str
    seconds: float
    brief: Brief | None = None
    steps: list[Step] = []
    usage_by: dict[str, Usage] = {}
    """Of others: the simulated user."""
    version: int = 1
    """Of this format."""
