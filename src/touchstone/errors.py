"""Everything that can go wrong, and what follows from it.

    TouchstoneError
    ├── InputError              a mistake in a file or an option: one line, exit 2, before anything runs
    │   └── WrongReturn         a plug-in returned what its protocol does not allow; in an episode it costs that episode
    ├── RunStopped              the run cannot go on; what is finished is on disk
    ├── SqlError                a statement did not give a table: an observation for the agent, a reason in a verdict
    └── EpisodeFailure          an episode ended without a judgement of a submission
        ├── TurnLimit, ContextLimit, TimeLimit, SizeLimit
        ├── ProgramFailure
        │   └── ProgramCrash, ProgramUnstartable
        ├── ModelRefusal, ModelNonsense, ModelFailure, ModelUnreachable, ModelRejected
        ├── ServiceUnreachable
        ├── ServiceFailure
        │   └── ServiceRejected
        ├── ServiceNonsense
        │   └── ServiceMismatch
        ├── Unscorable, Skipped
        └── WorkerFailure, DatabaseFailure

`RULES` says for each episode failure which outcome it gives, whether the run goes on, and thereby whether a resume
tries again. The runner, the scorer and the reports all read this table.

Whatever comes from the bytes of an agent, a model, a service or a prediction is passed, failed or limit; `error` needs a
failure of ours or of a service. Bytes from outside are read in `foreign`, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import Any, Literal

from .foreign import whole
from .types import Outcome

SqlFault = Literal["sql", "blank", "multiple", "write", "refused", "time", "cpu", "rows", "bytes", "memory", "crash"]
"""On SQLite `time` is a number of steps, the same each time; `cpu`, `memory` and `crash` may depend on the machine."""


class TouchstoneError(Exception):
    """The root of all failures that Touchstone names."""


class InputError(TouchstoneError):
    """A mistake of the user's, told in one line."""


class WrongReturn(InputError):
    """Names the plug-in, what it returned and what was expected."""


class RunStopped(TouchstoneError):
    """The run ended early, for the reason in the message."""


@contextmanager
def os_errors_as(kind: type[TouchstoneError], what: str) -> Generator[None]:
    """What the system refuses, or text that is not UTF-8, becomes one line: what could not be done, and why."""
    try:
        yield
    except (OSError, UnicodeError) as error:
        raise kind(f"{what}: {getattr(error, 'strerror', None) or error}") from None


class SqlError(TouchstoneError):
    """Why a statement gave no table."""

    def __init__(self, kind: SqlFault, message: str) -> None:
        super().__init__(message)
        self.kind: SqlFault = kind
        self.message = message


class EpisodeFailure(TouchstoneError):
    """The root of the failures in `RULES`. The kind is what reports count it under."""

    def __init__(self, message: str, kind: str = "") -> None:
        super().__init__(whole(message))
        self.kind = kind
        self.evidence: dict[str, Any] = {}
        """For the record, beside the kind."""


class TurnLimit(EpisodeFailure):
    """The agent used all its turns."""


class ContextLimit(EpisodeFailure):
    """The conversation no longer fits the model."""


class TimeLimit(EpisodeFailure):
    """The agent used all its time."""


class SizeLimit(EpisodeFailure):
    """The agent, its model or its service sent more, or called more often, than an episode may."""


class ProgramFailure(EpisodeFailure):
    """The agent's program handed in nothing that can be used."""


class ProgramCrash(ProgramFailure):
    """The agent's program ended badly before it had handed anything in."""


class ProgramUnstartable(ProgramFailure):
    """The agent's program could not be started."""


class ModelRefusal(EpisodeFailure):
    """The model refused to work on the task."""


class ModelNonsense(EpisodeFailure):
    """The model's reply cannot be read, though its service did its part."""


class Unscorable(EpisodeFailure):
    """The reference is missing or broken."""


class Skipped(EpisodeFailure):
    """The task cannot be run on this machine."""


class ModelFailure(EpisodeFailure):
    """The model's service failed after retries."""


class ModelUnreachable(EpisodeFailure):
    """Nothing answers at the model's address."""


class ModelRejected(EpisodeFailure):
    """The service says that no request like this can ever work: key, name, option."""


class ServiceUnreachable(EpisodeFailure):
    """Nothing answers at the address of a service under test."""


class ServiceFailure(EpisodeFailure):
    """A service under test gave no answer: a time-out, or a status that is not a success."""


class ServiceRejected(ServiceFailure):
    """A service under test refuses the request: a status of 400 to 499."""


class ServiceNonsense(EpisodeFailure):
    """A service under test answered, and there is no SQL in it."""


class ServiceMismatch(ServiceNonsense):
    """A service under test answered, and not in the form that the options say."""


class WorkerFailure(EpisodeFailure):
    """A process of ours died or misbehaved, twice."""


class DatabaseFailure(EpisodeFailure):
    """A database server is gone or refuses to work."""


class Stops(Enum):
    """When a failure ends the whole run. Failures with the outcome `error` also end it when too many come in a row."""

    never = "never"
    if_nothing_else = "when the first tasks, or all there are, end so: then it is the set-up, and no task was tried"
    if_all_alike = "when the first tasks all end so, in the same words"
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
    SizeLimit: Rule(Outcome.limit),
    ProgramFailure: Rule(Outcome.failed),
    ProgramCrash: Rule(Outcome.failed, Stops.if_all_alike),
    ProgramUnstartable: Rule(Outcome.failed, Stops.if_nothing_else),
    ModelRefusal: Rule(Outcome.failed),
    ModelNonsense: Rule(Outcome.failed),
    Unscorable: Rule(Outcome.unscorable),
    Skipped: Rule(Outcome.skipped),
    ModelFailure: Rule(Outcome.error),
    ModelUnreachable: Rule(Outcome.error, Stops.unless_replied),
    ModelRejected: Rule(Outcome.error, Stops.always),
    ServiceUnreachable: Rule(Outcome.error, Stops.unless_replied),
    ServiceFailure: Rule(Outcome.error),
    ServiceRejected: Rule(Outcome.error, Stops.if_nothing_else),
    ServiceNonsense: Rule(Outcome.failed),
    ServiceMismatch: Rule(Outcome.failed, Stops.if_nothing_else),
    WorkerFailure: Rule(Outcome.error),
    DatabaseFailure: Rule(Outcome.error),
}
