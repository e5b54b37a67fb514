"""Where the published implementations contradict one another, one row each; `--compat` chooses a column.

`strict` is ours, and the default. The others reproduce the numbers that were published with them: `batch` the agentic harness,
`adk` the service-based one, `conv` the conversational one. docs/interact.md gives the reasons row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import msgspec

from ...options import OptionError
from .tasks import InteractTask, Phase

Compat = Literal["strict", "batch", "adk", "conv"]
Mode = Literal["agentic", "conversational", "single"]


@dataclass(frozen=True)
class Rules:
    compat: Compat
    credit: Literal["strict", "batch", "adk"]
    """What happens to an action that costs more than is left: see Ledger."""
    pays_for_misreading: bool
    """Whether an action that cannot be read costs its 0.2."""
    preprocess: bool
    """Whether a task's preprocess_sql is run before phase 1, and its clean_up_sqls after it."""
    second_phase: Literal["own", "own_if_management", "gold"]
    """Whose phase-1 SQL the database of phase 2 has seen."""
    only_reads: bool
    """Whether `execute` takes only texts that begin as a query does."""
    decides: Literal["strict", "official"]
    """Which comparison of results decides."""
    custom_tests: Literal["category", "tests", "name"]
    """What makes a phase one with hidden tests."""
    vacuous: bool
    """Whether hidden tests that are not there count as passed; otherwise the task is unscorable."""
    conditions_of_phase_1: bool
    """Whether the follow-up too is compared by the conditions of phase 1."""
    one_session: bool
    """Whether what prepares a phase is run in the session of each submission, which then sees more than what was committed.

    Exploration then always sees the untouched database.
    """
    asks_until_last: bool
    """Conversational: whether all turns may be questions; otherwise the last is for the SQL."""
    user_prompt: str

    def has_custom_tests(self, task: InteractTask, phase: Phase) -> bool:
        if self.custom_tests == "name":
            return "_M_" in task.key and bool(phase.tests)
        if self.custom_tests == "tests":
            return phase.category != "Query" and bool(phase.tests)
        return phase.category != "Query"

    def withheld(self, task: InteractTask, phase: Phase) -> str | None:
        """What is not there that a submission would be judged by."""
        if not phase.gold and not phase.tests:
            return "the gold SQL and the tests of this task are withheld"
        if self.has_custom_tests(task, phase) and not (phase.tests or self.vacuous):
            return "the task has no tests to judge it by"
        needs_gold = self.compat in ("batch", "adk") or not self.has_custom_tests(task, phase)
        return "the task has no gold SQL, without which nothing is right" if needs_gold and not phase.gold else None

    def can_judge(self, task: InteractTask) -> bool:
        return not any(self.withheld(task, phase) for phase in task.phases)


RULES: dict[Compat, Rules] = {
    "strict": Rules(
        compat="strict",
        credit="strict",
        pays_for_misreading=True,
        preprocess=True,
        second_phase="own",
        only_reads=False,
        decides="strict",
        custom_tests="category",
        vacuous=False,
        conditions_of_phase_1=False,
        one_session=False,
        asks_until_last=False,
        user_prompt="v2",
    ),
    "batch": Rules(
        compat="batch",
        credit="batch",
        pays_for_misreading=True,
        preprocess=False,
        second_phase="own_if_management",
        only_reads=False,
        decides="official",
        custom_tests="category",
        vacuous=True,
        conditions_of_phase_1=False,
        one_session=True,
        asks_until_last=False,
        user_prompt="v2",
    ),
    "adk": Rules(
        compat="adk",
        credit="adk",
        pays_for_misreading=False,
        preprocess=False,
        second_phase="own",
        only_reads=True,
        decides="official",
        custom_tests="tests",
        vacuous=False,
        conditions_of_phase_1=False,
        one_session=False,
        asks_until_last=True,
        user_prompt="v2",
    ),
    "conv": Rules(
        compat="conv",
        credit="batch",
        pays_for_misreading=True,
        preprocess=True,
        second_phase="gold",
        only_reads=False,
        decides="official",
        custom_tests="name",
        vacuous=False,
        conditions_of_phase_1=True,
        one_session=True,
        asks_until_last=False,
        user_prompt="v1",
    ),
}


class Prices(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Bird-coins: what a task starts with, and what each action costs."""

    start_budget: float = 6.0
    per_ambiguity: float = 2.0
    execute: float = 1.0
    get_schema: float = 1.0
    get_all_column_meanings: float = 1.0
    get_column_meaning: float = 0.5
    get_all_external_knowledge_names: float = 0.5
    get_knowledge_definition: float = 0.5
    get_all_knowledge_definitions: float = 1.0
    ask: float = 2.0
    submit: float = 3.0
    unreadable: float = 0.2

    def budget(self, ambiguities: int, patience: float) -> float:
        return self.start_budget + self.per_ambiguity * ambiguities + patience

    def of(self, action: str) -> float:
        return getattr(self, action)


def read_prices(path: Path) -> Prices:
    """A JSON file with any of the fields of Prices."""
    try:
        prices = msgspec.json.decode(path.read_bytes(), type=Prices)
    except OSError as error:
        raise OptionError("prices", path, error.strerror or "cannot be read") from None
    except (msgspec.DecodeError, UnicodeError) as error:
        raise OptionError("prices", path, str(error)) from None
    values: dict[str, Any] = msgspec.to_builtins(prices)
    for name, value in values.items():
        if not 0 <= value < float("inf"):
            raise OptionError("prices", path, f"field '{name}': expected 0 or more, found {value}")
    return prices
