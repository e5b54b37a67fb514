"""The two phases of a task: what state its database is in, and whether a submission is right.

Every submission is run on a fresh copy of the phase's state. When phase 1 has passed, the state becomes what the rules say it
is: by default what the agent's own SQL made of it, so that the follow-up is about a database that the agent knows. Where the
original prepares a phase in the very session of a submission, that is done instead, and the state stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

import msgspec
from msgspec import Struct

from ...engines.judging_connection import wall_clock
from ...errors import SqlError, Unscorable, WorkerFailure
from ...protocols import EpisodeDatabase
from ...types import Limits, Observation
from .hidden_tests import TestReport, TestRequest, run_tests
from .judge import GoldFault, Preparation, QueryReport, QueryRequest, check_gold, gold_fault, judge_query
from .rules import Rules
from .tasks import InteractTask, Phase

_SECONDS_TO_COMPARE = 120.0
_SECONDS_FOR_A_TEST = 60.0
_SECONDS_ON_A_SMALL_DATABASE = 5.0
_SECONDS_TO_PROVE = 600.0
_NO_WORDS = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|\$(\w*)\$.*?\$\1\$", re.DOTALL)
_CHANGES = re.compile(
    r"\b(?:insert|update|delete|merge|replace|create|alter|drop|truncate|copy|do|call|grant|set|into|nextval)\b", re.IGNORECASE
)
_NOT_AVAILABLE = re.compile(r'^extension "[^"]*" is not available|^could not open extension control file')
"""The second is what PostgreSQL 14 says."""


class PhaseFinding(Struct, frozen=True):
    """What came of one submission."""

    phase: int
    """1 or 2."""
    passed: bool
    reason: str
    """For the record and its reader."""
    feedback: str
    """For the agent: right, wrong, or the error of its own SQL. Never what a hidden test said."""
    kind: str
    sql: str
    verdicts: dict[str, bool] = {}
    """Strict and official, where there are two."""
    evidence: dict[str, Any] = {}


class Examiner:
    """Explores, and judges submissions phase by phase."""

    def __init__(
        self, task: InteractTask, rules: Rules, world: EpisodeDatabase, limits: Limits, *, proof: bool = False
    ) -> None:
        self._task = task
        self._proof = proof
        self._rules = rules
        self._world = world
        self._limits = limits
        self._begun = False
        self._preparation = Preparation()
        self._tried: set[int] = set()
        """Phases whose gold has been run."""
        self.findings: list[PhaseFinding] = []
        self.passed = 0
        """How many phases."""
        self.stuck = False
        """The follow-up cannot be offered."""
        self.notes: list[str] = []
        """What else happened, for the record."""

    @property
    def phase(self) -> Phase:
        return self._task.phases[min(self.passed, len(self._task.phases) - 1)]

    @property
    def complete(self) -> bool:
        return self.passed == len(self._task.phases)

    @property
    def attempts(self) -> int:
        """Submissions in the present phase."""
        return sum(1 for finding in self.findings if finding.phase == self.passed + 1)

    async def show(self, sql: str, limits: Limits) -> Observation:
        await self._begin()
        return await self._world.show(sql, limits)

    async def submit(self, sql: str) -> PhaseFinding:
        phase = self.phase
        if missing := self._rules.withheld(self._task, phase):
            raise Unscorable(missing, "gold withheld")
        await self._begin()
        finding = await (
            self._test(sql, phase) if self._rules.has_custom_tests(self._task, phase) else self._compare(sql, phase)
        )
        self.findings.append(finding)
        if finding.passed:
            if self.passed + 1 < len(self._task.phases):
                await self._enter_second_phase(sql, phase)
            self.passed += 1
        return finding

    async def _begin(self) -> None:
        if self._begun:
            return
        self._begun = True
        if self._rules.preprocess and self._rules.one_session:
            self._preparation = Preparation(dataset=list(self._task.preprocess))
        elif self._rules.preprocess:
            await self._advance_by_dataset(self._task.preprocess, "preprocess_sql")

    async def _compare(self, sql: str, phase: Phase) -> PhaseFinding:
        first = self._rules.conditions_of_phase_1
        conditions = self._task.phases[0].conditions if first else phase.conditions
        request = QueryRequest([sql], list(phase.gold), conditions, self._preparation)
        report = await self._judged(judge_query, request)
        if report.fault == "gold" or (report.gold_error and self._rules.decides == "strict"):
            raise Unscorable(f"the gold SQL cannot be run: {report.gold_error or report.reason}", "gold")
        if report.fault in ("dataset", "own"):
            return self._unprepared(sql, report.fault, report.reason)
        if report.fault == "prediction":
            return self._cannot_run(sql, report.reason)
        verdicts = {"strict": report.strict, "official": report.official}
        passed = verdicts[self._rules.decides]
        reason = report.reason
        if report.strict != report.official:
            because = f": {report.official_reason}" if report.official_reason else ""
            reason += f" (The official comparison {'accepts' if report.official else 'rejects'} it{because}.)"
        evidence = report.evidence
        if passed and self._proof:
            evidence = {**evidence, "proof": await self._proven(request)}
        return self._finding(sql, passed, reason, "" if passed else report.kind or "official", verdicts, evidence)

    async def _proven(self, request: QueryRequest) -> dict[str, Any]:
        """Whatever becomes of the search, the verdict stands: a search that fails leaves the question open."""
        from ...proof.finding import ProofFinding  # here, since sqlglot is an extra
        from .proof import prove_query

        limits = msgspec.structs.replace(self._limits, seconds=min(self._limits.seconds, _SECONDS_ON_A_SMALL_DATABASE))
        try:
            finding = await self._world.judge(prove_query, request, limits, writes=True, wall=_SECONDS_TO_PROVE)
        except (SqlError, WorkerFailure) as error:
            finding = ProofFinding("open", f"the search ended early: {error}")
        return msgspec.to_builtins(finding)

    async def _judged(self, function: Any, request: QueryRequest) -> QueryReport:
        wall = 4 * wall_clock(self._limits) + _SECONDS_TO_COMPARE
        try:
            return cast("QueryReport", await self._world.judge(function, request, self._limits, wall=wall))
        except SqlError as error:  # the worker did not survive it: the prediction is to blame if the gold runs alone
            fault = "gold" if function is check_gold else "prediction"
            if fault == "prediction" and (alone := await self._judged(check_gold, request)).fault:
                return alone
            return QueryReport(False, False, error.message, kind="error", fault=fault)

    async def _test(self, sql: str, phase: Phase) -> PhaseFinding:
        await self._try_gold(phase)
        request = TestRequest(
            tests=list(phase.tests),
            predicted=[sql],
            gold=list(phase.gold),
            seconds=_SECONDS_FOR_A_TEST,
            sql_seconds=self._limits.seconds,
            evaluator=self._rules.compat,
            preparation=self._preparation,
            conditions={"order": self._task.phases[0].conditions.order},
        )
        wall = wall_clock(self._limits) + (_SECONDS_FOR_A_TEST + 10) * max(len(phase.tests), 1)
        try:
            report: TestReport = await self._world.judge(run_tests, request, self._limits, writes=True, wall=wall)
        except SqlError as error:
            return self._cannot_run(sql, error.message)
        if report.kind == "no_test":
            raise Unscorable(f"test {(report.test or 0) + 1} of the task cannot be used: {report.detail}", "test")
        if report.kind in ("dataset", "own"):
            return self._unprepared(sql, report.kind, report.detail)
        if report.kind == "sql":
            return self._cannot_run(sql, report.detail)
        number = "" if report.test is None else f" {report.test + 1}"
        reason = "All tests passed." if report.passed else f"Hidden test{number} failed ({report.kind}): {report.detail}"
        return self._finding(sql, report.passed, reason, "" if report.passed else f"test {report.kind}", {}, {})

    async def _try_gold(self, phase: Phase) -> None:
        """What the gold itself cannot do here, no agent can: the task is then unscorable, whatever is submitted.

        An original does not run the gold, so by its rules only what is refused here, and would not be there, counts.
        """
        if self.passed in self._tried or not phase.gold:
            return
        self._tried.add(self.passed)
        request = QueryRequest([], list(phase.gold), phase.conditions, self._preparation)
        wall = (len(phase.gold) + 3) * (self._limits.seconds + 10)
        try:
            fault = await self._world.judge(gold_fault, request, self._limits, writes=True, wall=wall)
        except SqlError as error:
            fault = GoldFault("gold", error.kind, error.message)
        if fault is None or fault.fault == "own":
            return
        refused = fault.kind == "refused" or bool(_NOT_AVAILABLE.search(fault.message))
        if refused or (self._rules.compat == "strict" and self.passed == 0):
            raise Unscorable(f"the gold SQL cannot be run here: {fault.message}", "gold")

    def _unprepared(self, sql: str, fault: str, error: str) -> PhaseFinding:
        if fault == "dataset":
            raise Unscorable(f"what the dataset runs before this phase cannot be run: {error}", "dataset")
        return self._cannot_run(sql, f"the SQL of phase 1 could not be run a second time: {error}")

    def _cannot_run(self, sql: str, error: str) -> PhaseFinding:
        feedback = f"Your SQL cannot be run: {error}"
        return PhaseFinding(self.passed + 1, False, f"The SQL cannot be run: {error}", feedback, "error", sql)

    def _finding(
        self, sql: str, passed: bool, reason: str, kind: str, verdicts: dict[str, bool], evidence: dict[str, Any]
    ) -> PhaseFinding:
        feedback = "Your SQL is correct." if passed else "Your SQL is not correct."
        return PhaseFinding(self.passed + 1, passed, reason, feedback, kind, sql, verdicts, evidence)

    async def _enter_second_phase(self, sql: str, phase: Phase) -> None:
        """What the agent's SQL makes impossible ends the task with phase 1 kept; only the dataset's own makes it unscorable."""
        rules, task = self._rules, self._task
        if rules.one_session:
            if rules.second_phase == "gold":
                self._preparation = Preparation([*task.preprocess, *phase.gold], [], list(task.clean_up))
            elif task.facets["category"] == "Management":
                self._preparation = Preparation(list(task.preprocess), [sql], list(task.clean_up))
            return
        if rules.decides == "official" or not _only_asks(phase):
            try:
                await self._world.advance([sql], self._limits)
            except SqlError as error:
                self.notes.append(f"the SQL of phase 1 could not be run a second time: {error.message}")
                self.stuck = True
                return
        if rules.preprocess:
            await self._clean_up()

    async def _clean_up(self) -> None:
        """It is written for what the gold leaves; where another solution left something else, it may have nothing to do."""
        for script in self._task.clean_up:
            try:
                await self._world.advance([script], self._limits)
            except SqlError as error:
                self.notes.append(f"clean_up_sqls after phase 1: {error.message}")

    async def _advance_by_dataset(self, scripts: Sequence[str], what: str) -> None:
        try:
            await self._world.advance(scripts, self._limits)
        except SqlError as error:
            raise Unscorable(f"the task's {what} cannot be run: {error.message}", "dataset") from None


def _only_asks(phase: Phase) -> bool:
    """The request is for data, and its gold changes nothing. Then nothing that an agent submits for it changes what the
    follow-up is about: DELETE before the right query would make the follow-up's answer empty, and known."""
    return phase.category == "Query" and not any(_CHANGES.search(_NO_WORDS.sub(" ", text)) for text in phase.gold)
