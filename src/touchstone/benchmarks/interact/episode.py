"""One attempt at an ambiguous request, as far as all modes agree: submissions, the simulated user, and the verdict.

The reward is always computed from the phases that were passed, never from a running value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from ...types import Brief, CallPosition, Observation, Outcome, PartialScore, Tool, Usage, Verdict
from .catalogue import Catalogue
from .grader import Examiner, PhaseFinding
from .tasks import InteractTask
from .user.view import CHOICES, REFUSAL, Situation, User, UserAnswer


class Reached(Struct, frozen=True, omit_defaults=True):
    """When a phase was passed."""

    phase: int
    actions: int
    """The submission included."""
    reward: float
    """From then on."""
    coins: float | None = None


class InteractEpisode(ABC):
    """What the modes have in common."""

    worth = ((0.7, 0.7), (0.3, 0.3))
    """Of each phase, if it is passed at the first try, and later."""
    worth_alone = (1.0, 1.0)
    """Of a task without a follow-up."""
    _asks = True
    """Whether there is a user."""

    def __init__(
        self,
        task: InteractTask,
        brief: Brief,
        tools: Sequence[Tool],
        examiner: Examiner,
        catalogue: Catalogue,
        user: User,
        dialect: str,
    ) -> None:
        self.brief = brief
        self.tools = tools
        self.epoch = 0
        self._task = task
        self._examiner = examiner
        self._catalogue = catalogue
        self._user = user
        self._answers: list[UserAnswer] = []
        self._called: Counter[str] = Counter()
        self._reached: list[Reached] = []
        self._actions = 0
        self._over = False
        self._dialect = dialect

    @property
    def usage_by(self) -> Mapping[str, Usage]:
        return {"user": sum((answer.usage for answer in self._answers), Usage())}

    @property
    def finished(self) -> bool:
        return self._over or self._examiner.stuck or self._examiner.complete

    @abstractmethod
    async def call(self, tool: str, arguments: Any) -> Observation: ...

    @abstractmethod
    def unreadable(self, complaint: str) -> Observation: ...

    async def ask(self, question: str) -> Observation:
        position = CallPosition(f"{self._task.key}#user", self.epoch, sum(len(answer.calls) for answer in self._answers))
        answer = await self._user.answer(question, self._situation(), position)
        self._answers.append(answer)
        return Observation(answer.text, details={"user": msgspec.to_builtins(answer)})

    async def submit(self, sql: str) -> tuple[PhaseFinding, Observation]:
        finding = await self._examiner.submit(sql)
        if finding.passed:
            self._reached.append(Reached(finding.phase, self._actions, self._reward()))
        details = {"finding": msgspec.to_builtins(finding)}
        return finding, Observation(finding.feedback, error=not finding.passed, details=details)

    def follow_up(self) -> str:
        return f"The task goes on with a follow-up request:\n\n{self._examiner.phase.shown}"

    def partial_score(self) -> PartialScore:
        return PartialScore(self._reward(), self._metrics(), self._evidence())

    async def verdict(self) -> Verdict:
        findings = self._examiner.findings
        if self._examiner.complete:
            outcome, reason = Outcome.passed, findings[-1].reason
        elif findings:
            outcome, reason = Outcome.failed, f"Phase {self._examiner.passed + 1} of {len(self._task.phases)}: {self._why()}"
        else:
            outcome, reason = (Outcome.limit if self._over else Outcome.failed), self._unsubmitted()
        return Verdict(outcome, self._reward(), reason, self._metrics(), self._evidence())

    def _why(self) -> str:
        last = self._examiner.findings[-1]
        if last.phase == self._examiner.passed + 1:
            return last.reason
        if self._examiner.stuck:
            return self._examiner.notes[-1]
        return "the follow-up could not be offered any more" if self._over else "nothing was submitted for the follow-up"

    def _unsubmitted(self) -> str:
        return "nothing was submitted"

    def _situation(self) -> Situation:
        phase = self._examiner.phase
        task = self._task
        labelled = () if self._examiner.passed else (*task.critical, *task.non_critical, *task.knowledge)
        return Situation(
            shown=phase.shown,
            clear=phase.clear,
            ambiguities=labelled,
            gold=phase.gold,
            schema=self._catalogue.schema,
            dialect="sqlite" if self._dialect == "sqlite" else "postgres",
        )

    def _reward(self) -> float:
        worth = self.worth if len(self._task.phases) > 1 else (self.worth_alone,)
        total = 0.0
        for number in range(self._examiner.passed):
            tries = sum(1 for finding in self._examiner.findings if finding.phase == number + 1)
            total += worth[number][tries > 1]
        return round(total, 6)

    def _metrics(self) -> dict[str, float]:
        metrics: dict[str, float] = {}
        for number in range(1, len(self._task.phases) + 1):
            metrics[f"phase_{number}"] = float(self._examiner.passed >= number)
            last = next((each for each in reversed(self._examiner.findings) if each.phase == number), None)
            metrics |= {f"phase_{number}_{name}": float(verdict) for name, verdict in (last.verdicts if last else {}).items()}
        first = self._examiner.findings[0] if self._examiner.findings else None
        metrics |= {
            "first_submission": float(first is not None and first.passed),
            "actions": float(self._actions),
            **{f"calls_{name}": float(times) for name, times in self._calls().items()},
            "questions": float(len(self._answers)),
            "user_faults": float(sum(len(answer.faults) for answer in self._answers)),
            "user_leaks": float(sum(bool(answer.leaks) for answer in self._answers)),
            "user_withheld": float(sum(bool(answer.withheld) for answer in self._answers)),
            **{f"user_{choice}": float(sum(answer.choice == choice for answer in self._answers)) for choice in CHOICES},
        }
        if self._asks and (labelled := {each.term for each in (*self._task.critical, *self._task.knowledge)}):
            metrics["ambiguities_resolved"] = len(labelled & self._settled()) / len(labelled)
        if self._examiner.complete and (proofs := self._proofs()):
            metrics["proven"] = float(all(proof["verdict"] in ("same", "upheld") for proof in proofs))
        if not self._examiner.complete:
            metrics["failed_by_user"] = float(any(answer.failed for answer in self._answers))
        return metrics

    def _calls(self) -> dict[str, int]:
        """Of every action that there is."""
        return {name: self._called[name] for name in (*(tool.name for tool in self.tools), "unreadable")}

    def _settled(self) -> set[str | None]:
        """Labelled terms that the user was asked about, and answered."""
        return {answer.about for answer in self._answers if answer.choice == "labeled" and answer.text != REFUSAL}

    def _proofs(self) -> list[dict[str, Any]]:
        """Of the phases that were passed by a query."""
        return [finding.evidence["proof"] for finding in self._examiner.findings if "proof" in finding.evidence]

    def _evidence(self) -> dict[str, Any]:
        findings = self._examiner.findings
        evidence: dict[str, Any] = {"submissions": [msgspec.to_builtins(finding) for finding in findings]}
        if self._examiner.notes:
            evidence["notes"] = self._examiner.notes
        if findings and not findings[-1].passed:
            evidence["kind"] = findings[-1].kind
        if any(finding.evidence.get("gold_rows") == 0 for finding in findings):
            evidence["gold_rows"] = 0  # an empty answer is right: it says nothing about who gave it
        seen = self._task.phases[: self._examiner.passed + 1] if findings else ()
        if proofs := self._proofs():
            from .proof import worst

            evidence["proof"] = worst(proofs)
        evidence["reached"] = [msgspec.to_builtins(each) for each in self._reached]
        evidence["gold"] = [list(phase.gold) for phase in seen]
        return evidence
