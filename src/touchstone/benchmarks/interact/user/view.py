"""What a simulated user knows in one phase of a task, and what it says when it is asked."""

from __future__ import annotations

from typing import Any, Literal, Protocol

from msgspec import Struct

from ....types import CallPosition, Reply, Usage

Choice = Literal["labeled", "unlabeled", "unanswerable"]
CHOICES: tuple[Choice, ...] = ("labeled", "unlabeled", "unanswerable")
REFUSAL = "I am sorry, that is nothing I can tell you: it goes beyond what I know about my request."
"""The one answer to everything that a user does not know."""


class Ambiguity(Struct, frozen=True):
    """A vague wording and the fragment of the gold that settles it, as the dataset's authors labelled it."""

    term: str
    sql_snippet: str
    type: str = ""
    is_mask: bool = False
    deleted_knowledge: int | None = None


class Situation(Struct, frozen=True):
    """The user's side of one phase."""

    shown: str
    """The request as the agent reads it."""
    clear: str
    """What the user really means; the same as `shown` where the dataset does not say."""
    ambiguities: tuple[Ambiguity, ...] = ()
    """Labelled ones: critical, non-critical and of knowledge. None in a follow-up."""
    gold: tuple[str, ...] = ()
    schema: str = ""
    dialect: Literal["postgres", "sqlite"] = "postgres"


class Asked(Struct, frozen=True):
    """One call of the simulator's model."""

    stage: int
    reply: Reply
    seconds: float


class UserAnswer(Struct, frozen=True):
    """What the user said, and how it came about. Only the text is for the agent."""

    text: str
    choice: Choice
    """What the question was found to be about, also when no answer came of it."""
    about: str | None = None
    """The term or the segment that was chosen."""
    leaks: tuple[str, ...] = ()
    """Identifiers and literals of the gold in the answer that neither the choice, the question nor the request has."""
    faults: tuple[str, ...] = ()
    """What the simulator's model did wrong on the way."""
    calls: tuple[Asked, ...] = ()
    withheld: tuple[str, ...] = ()
    """What answers gave away that were not passed on to the agent."""
    decided: bool = False
    """The model itself chose to refuse."""

    @property
    def failed(self) -> bool:
        """The model had nothing usable to say, and the refusal stands in for it."""
        return bool(self.faults) and self.text == REFUSAL and not self.decided

    @property
    def usage(self) -> Usage:
        return sum((call.reply.usage for call in self.calls), Usage())


class User(Protocol):
    """Whoever answers an agent's questions."""

    name: str

    def identity(self) -> dict[str, Any]:
        """What makes the answers of two users comparable."""
        ...

    async def answer(self, question: str, situation: Situation, position: CallPosition) -> UserAnswer:
        """Never raises for what the question says. Raises an EpisodeFailure when the simulator's model is not to be had.

        `position.call` is the number of calls that this user has made in the episode before.
        """
        ...
