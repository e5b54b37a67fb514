"""BIRD-Interact as a benchmark: which tasks, what their agents are told, and by which rules they are judged."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from ...errors import Skipped, Unscorable
from ...protocols import DIALECTS, Gold
from ...types import Brief, Limits, Task, ToolCall
from ..sql_episode import EXPLORING
from .agentic import AgenticEpisode
from .budget import Ledger
from .catalogue import Catalogue
from .conversation import ConversationEpisode, SingleEpisode
from .episode import InteractEpisode
from .episode_databases import EpisodeDatabases
from .grader import Examiner
from .rules import RULES, Compat, Mode, Prices
from .tasks import InteractTask
from .tools import CONVERSATIONAL, SINGLE, priced
from .user.view import User

INSTRUCTIONS = Path(__file__).with_name("instructions")


@dataclass(frozen=True, kw_only=True)
class InteractSettings:
    """What changes how an episode is played and judged."""

    mode: Mode = "agentic"
    compat: Compat = "strict"
    patience: float | None = None
    """Coins in the agentic mode (default 6), questions in the conversational one (default 3)."""
    prices: Prices = field(default_factory=Prices)
    exploring: Limits = EXPLORING
    judging: Limits = field(default_factory=Limits)
    proof: bool = False
    """Whether a query that is right is also tried on small databases; it changes no verdict."""
    scored: bool = False
    """Whether it was submitted elsewhere, with a user and a patience that are not known here."""

    @property
    def patience_or_default(self) -> float:
        return self.patience if self.patience is not None else 6 if self.mode == "agentic" else 3


class Interact:
    """The tasks given, with their texts below a directory and their databases wherever `worlds` has them."""

    name = "interact"

    def __init__(
        self,
        tasks: Sequence[InteractTask],
        directory: Path,
        worlds: EpisodeDatabases,
        user: User,
        *,
        settings: InteractSettings | None = None,
        instructions: str | None = None,
    ) -> None:
        self._tasks = tasks
        self._directory = directory
        self._worlds = worlds
        self._user = user
        self._settings = settings or InteractSettings()
        self._rules = RULES[self._settings.compat]
        template = (INSTRUCTIONS / f"{self._settings.mode}.md").read_text() if instructions is None else instructions
        self._instructions = template.replace("{dialect}", DIALECTS[worlds.dialect])
        self._texts = {name: self._read_texts(name) for name in sorted({task.database for task in tasks})}

    def tasks(self) -> Sequence[InteractTask]:
        return self._tasks

    @property
    def databases(self) -> EpisodeDatabases:
        return self._worlds

    @property
    def versions(self) -> Mapping[str, str]:
        """Of the servers at work."""
        return self._worlds.versions

    @property
    def facts(self) -> Mapping[str, Any]:
        """For the run's configuration: of how many tasks the dataset has all that a submission is judged by."""
        return {"scorable": sum(map(self._rules.can_judge, self._tasks))}

    def withheld_in_words(self) -> str:
        """Before anything is played: a run of hours may be worth nothing without the ground truth."""
        scorable, total = self.facts["scorable"], len(self._tasks)
        return (
            ""
            if scorable == total
            else (
                f"{total} tasks can be played, {scorable} can be scored: the gold of {total - scorable} is withheld "
                "(merge it in with 'touchstone interact combine')"
            )
        )

    def title(self, who: str) -> str:
        settings, scorable, total = self._settings, self.facts["scorable"], len(self._tasks)
        patience = f", patience {settings.patience_or_default:g}"
        user = "" if settings.mode == "single" or settings.scored else f", user {self._user.identity()['model']}{patience}"
        left = "" if scorable == total else f", {scorable} of {total} tasks can be scored"
        return f"BIRD-Interact, {settings.mode}: {who}{user}, rules {settings.compat}{left}"

    @asynccontextmanager
    async def open(self, task: Task) -> AsyncGenerator[InteractEpisode]:
        assert isinstance(task, InteractTask)
        if self._settings.mode == "single" and not task.has_clear_query:
            raise Skipped("the data has no unambiguous form of this request")
        texts = self._texts[task.database]
        if isinstance(texts, Unscorable):
            raise texts
        world = await self._worlds.open(task)
        try:
            yield self._episode(
                task, texts, Examiner(task, self._rules, world, self._settings.judging, proof=self._settings.proof)
            )
        finally:
            await world.close()

    def solution(self, task: Task) -> Sequence[ToolCall]:
        """Asks nothing and submits the gold of each phase; nothing if a part of it is withheld."""
        assert isinstance(task, InteractTask)
        if not all(phase.gold for phase in task.phases):
            return ()
        return [_submission(f"phase-{number}", phase.gold) for number, phase in enumerate(task.phases, 1)]

    def gold(self) -> Gold:
        """Queries, and tests that are made for one task: others are code that everybody has."""
        phases = [phase for task in self._tasks for phase in task.phases]
        tests = Counter(test for phase in phases for test in phase.tests)
        queries = [sql for phase in phases for sql in phase.gold]
        return Gold((*queries, *(test for test, count in tests.items() if count == 1)))

    async def identity(self) -> Mapping[str, Any]:
        settings = self._settings
        return {
            "benchmark": self.name,
            "databases": await self._worlds.digests(self._tasks),
            "texts": self._texts_digest(),
            "dialect": self._worlds.dialect,
            **({"collation": sorts} if (sorts := self._worlds.versions.get("collation")) else {}),
            **({"time_zone": zone} if (zone := self._worlds.versions.get("time zone")) else {}),
            **({"today": self._worlds.today} if self._worlds.today else {}),
            "mode": settings.mode,
            "compat": settings.compat,
            "patience": settings.patience_or_default,
            "prices": msgspec.to_builtins(settings.prices),
            "user": None if settings.mode == "single" else self._user.identity(),
            "instructions": hashlib.sha256(self._instructions.encode()).hexdigest()[:16],
            "limits": msgspec.to_builtins(settings.judging) | {"steps": settings.judging.steps},
            **({"proof": {"search": True}} if settings.proof else {}),
        }

    def budget(self, task: InteractTask) -> float:
        """Bird-coins in the agentic mode, turns in the conversational one."""
        if self._settings.mode == "agentic":
            return self._settings.prices.budget(task.ambiguities, self._settings.patience_or_default)
        return 1 if self._settings.mode == "single" else task.ambiguities + self._settings.patience_or_default

    def _episode(self, task: InteractTask, texts: Catalogue, examiner: Examiner) -> InteractEpisode:
        settings = self._settings
        brief = self._brief(task, texts)
        common = (task, brief, self._tools(), examiner, texts, self._user, self._worlds.dialect)
        match settings.mode:
            case "agentic":
                ledger = Ledger(self.budget(task), settings.prices, self._rules.credit)
                return AgenticEpisode(*common, ledger=ledger, rules=self._rules, exploring=settings.exploring)
            case "conversational":
                return ConversationEpisode(*common, questions=self._questions(task))
            case "single":
                return SingleEpisode(*common)

    def _tools(self) -> Sequence[Any]:
        mode = self._settings.mode
        return priced(self._settings.prices) if mode == "agentic" else CONVERSATIONAL if mode == "conversational" else SINGLE

    def _questions(self, task: InteractTask) -> int:
        return max(int(self.budget(task)) - (not self._rules.asks_until_last), 0)

    def request(self, task: InteractTask) -> str:
        """As the agent hears it first."""
        return task.phases[0].clear if self._settings.mode == "single" else task.phases[0].shown

    def request_in_words(self, task: InteractTask) -> str:
        """For a person who looks on."""
        return f"{self.request(task).strip()}\n[{self.budget_in_words(task)}]"

    def budget_in_words(self, task: InteractTask) -> str:
        match self._settings.mode:
            case "agentic":
                return f"Your budget for both phases: {self.budget(task):g} bird-coins"
            case "conversational":
                return f"Questions that you may ask: {self._questions(task)}"
            case "single":
                return "One submission, and no questions"

    def _brief(self, task: InteractTask, texts: Catalogue) -> Brief:
        mode = self._settings.mode
        asked = self.request(task)
        left = self.budget_in_words(task)
        fields = {"question": asked, "database": task.database, "budget": f"{self.budget(task):g}"}
        fields["dialect"] = self._worlds.dialect
        if mode == "agentic":
            return Brief(self._instructions, f"{asked}\n\nDatabase: {task.database}\n{left}", fields)
        knowledge = texts.definitions(frozenset() if mode == "single" else task.hidden)
        context = f"# Schema\n{texts.schema}\n\n# Knowledge base\n{knowledge}\n\n# Request\n{asked}"
        more = f"\n\n{left}" if mode == "conversational" else ""
        return Brief(self._instructions, f"{context}\n\nDatabase: {task.database}{more}", fields)

    def _texts_digest(self) -> str:
        """Of what agents can look up."""
        digest = hashlib.sha256()
        for texts in self._texts.values():
            digest.update((str(texts) if isinstance(texts, Unscorable) else texts.content).encode())
        return digest.hexdigest()[:16]

    def _read_texts(self, database: str) -> Catalogue | Unscorable:
        """A broken file stops the run before it begins; one that is missing makes its tasks unscorable."""
        try:
            return Catalogue(self._directory, database)
        except Unscorable as missing:
            return missing


def _submission(name: str, gold: Sequence[str]) -> ToolCall:
    return ToolCall(name, "submit", msgspec.json.encode({"sql": "\n;\n".join(gold)}).decode())
