"""The modes without a budget.

Conversational: a number of questions, then the SQL, and one attempt to debug it. Single: the clear request and one submission a
phase, without a user: the reference line that interaction is measured by.
"""

from __future__ import annotations

from typing import Any

from ...types import Observation
from .episode import InteractEpisode
from .grader import PhaseFinding


class ConversationEpisode(InteractEpisode):
    """Some questions, then the SQL; one attempt to debug it in each phase."""

    worth = ((0.7, 0.5), (0.3, 0.2))
    worth_alone = (1.0, 0.5)
    attempts = 2

    def __init__(self, *common: Any, questions: int) -> None:
        super().__init__(*common)
        self._questions_left = questions

    async def call(self, tool: str, arguments: Any) -> Observation:
        self._actions += 1
        self._called[tool] += 1
        if tool == "submit":
            return self._judged(*await self.submit(arguments.sql.strip()))
        if self._examiner.findings:
            return Observation("There are no more questions after the first submission. Submit your SQL.", error=True)
        if self._questions_left <= 0:
            return Observation("You have no questions left. Submit your SQL.", error=True)
        answer = await self.ask(arguments.question)
        self._questions_left -= not self._answers[-1].failed
        left = self._questions_left
        note = f"[{left} question{'s' * (left != 1)} left]" if left else "[no questions left: submit your SQL]"
        return Observation(f"{answer.text}\n{note}", details=answer.details)

    def unreadable(self, complaint: str) -> Observation:
        """A turn that says nothing is lost, as a question would be."""
        self._actions += 1
        self._called["unreadable"] += 1
        self._questions_left = max(self._questions_left - 1, 0)
        return Observation(complaint, error=True)

    def _judged(self, finding: PhaseFinding, observation: Observation) -> Observation:
        text = observation.text
        if finding.passed:
            text = text if self.finished else f"{text} {self.follow_up()}"
        elif self._examiner.attempts >= self.attempts:
            self._over = True
            text = f"{text} The task is over."
        else:
            text = f"{text} You have one more attempt."
        return Observation(text, observation.error, observation.details)


class SingleEpisode(ConversationEpisode):
    """The clear request, with all there is to know; one submission a phase."""

    attempts = 1
    _asks = False

    def __init__(self, *common: Any) -> None:
        super().__init__(*common, questions=0)
