"""Everything that can go wrong, and what follows from it.

    TouchstoneError
    ├── InputError              a mistake in a file or an option: one line, exit 2, before anything runs
    ├── RunStopped              the run cannot go on; what is finished is on disk
    ├── SqlError                a statement did not give a table: an observation for the agent, a reason in a verdict
    └── EpisodeFailure          an episode ended without a judgement of a submission
        ├── TurnLimit           the agent used all its turns
        ├── ContextLimit        the conversation no longer fits the model
        ├── TimeLimit           the agent's program used all its time
        ├── ProgramFailure      the agent's program ended badly before it had handed anything in
        ├── ModelRefusal        the model refused to work on the task
        ├── Unscorable          the reference is missing or broken
        ├── Skipped             the task cannot be run on this machine
        ├── ModelFailure        the model's service failed after retries
        ├── ModelUnreachable    nothing answers at the model's address
        ├── ModelRejected       the service says that no request like this can ever work: key, name, option
        ├── ServiceUnreachable  nothing answers at the address of a service under test
        ├── ServiceFailure      a service under test gave no answer: a time-out, or a status that is not a success
        ├── ServiceNonsense     a service under test answered, and there is no SQL in it
        ├── WorkerFailure       a process of ours died or misbehaved, twice
        └── DatabaseFailure     a database server is gone or refuses to work

`RULES` says for each episode failure which outcome it gives, whether the run goes on, and thereby whether a resume
tries again. The runner, the scorer and the reports all read this table.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from .values import Outcome

SqlFault = Literal["sql", "blank", "multiple", "write", "refused", "time", "rows", "bytes", "memory", "crash"]


class TouchstoneError(Exception):
    """The root of all failures that Touchstone names."""


class InputError(TouchstoneError):
    """A mistake of the user's, told in one line."""


class RunStopped(TouchstoneError):
    """The run ended early, for the reason in the message."""


class SqlError(TouchstoneError):
    """Why a statement gave no table."""

    def __init__(self, kind: SqlFault, message: str) -> None:
        super().__init__(message)
        self.kind: SqlFault = kind
        self.message = message


class EpisodeFailure(TouchstoneError):
    """The root of the failures in `RULES`. The kind is what reports count it under."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(message)
        self.kind = kind


class TurnLimit(EpisodeFailure):
    pass


class ContextLimit(EpisodeFailure):
    pass


class TimeLimit(EpisodeFailure):
    pass


class ProgramFailure(EpisodeFailure):
    pass


class ModelRefusal(EpisodeFailure):
    pass


class Unscorable(EpisodeFailure):
    pass


class Skipped(EpisodeFailure):
    pass


class ModelFailure(EpisodeFailure):
    pass


class ModelUnreachable(EpisodeFailure):
    pass


class ModelRejected(EpisodeFailure):
    pass


class ServiceUnreachable(EpisodeFailure):
    pass


class ServiceFailure(EpisodeFailure):
    pass


class ServiceNonsense(EpisodeFailure):
    pass


class WorkerFailure(EpisodeFailure):
    pass


class DatabaseFailure(EpisodeFailure):
    pass


class Stops(Enum):
    """When a failure ends the whole run. Failures with the outcome `error` also end it when too many come in a row."""

    never = "never"
    unless_replied = "unless a model call of this run has worked before"
    always = "always"


@dataclass(frozen=True)
class Rule:
    outcome: Outcome
    stops: Stops = Stops.never


RULES: dict[type[EpisodeFailure], Rule] = {
    TurnLimit: Rule(Outcome.limit),
    ContextLimit: Rule(Outcome.limit),
    TimeLimit: Rule(Outcome.limit),
    ProgramFailure: Rule(Outcome.failed),
    ModelRefusal: Rule(Outcome.failed),
    Unscorable: Rule(Outcome.unscorable),
    Skipped: Rule(Outcome.skipped),
    ModelFailure: Rule(Outcome.error),
    ModelUnreachable: Rule(Outcome.error, Stops.unless_replied),
    ModelRejected: Rule(Outcome.error, Stops.always),
    ServiceUnreachable: Rule(Outcome.error, Stops.unless_replied),
    ServiceFailure: Rule(Outcome.error),
    ServiceNonsense: Rule(Outcome.failed),
    WorkerFailure: Rule(Outcome.error),
    DatabaseFailure: Rule(Outcome.error),
}
