"""BIRD-Interact's tasks: their golds and hidden tests phase by phase, and what their annotations say of them.

The gold is played by hand here, not by the oracle: what it is worth on the way to phase 2 is of interest even where phase 1
would have ended the task.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec
from msgspec import Struct

from ...engines.judging_connection import JudgingConnection, Result, wall_clock
from ...engines.sqlite.guard import without_comments
from ...errors import SqlError, Unscorable
from ...protocols import EpisodeDatabase
from ...types import Limits
from ..audit.findings import AuditFinding, audit_finding
from ..audit.probes import Watch, each, from_probe, normal, probed, repeated
from ..task_file import entries
from .catalogue import Catalogue
from .episode_databases import EpisodeDatabases
from .hidden_tests import TestReport, TestRequest, run_tests
from .official import official, rewritten
from .tasks import InteractTask, Phase

_SECONDS_FOR_A_TEST = 60.0
_NOTHING = "SELECT 1"
_TOKEN = re.compile(r"\w+|[^\w\s]")
_CLOCK = re.compile(
    r"""
      \bnow\s*\( | '(?:now|today|yesterday|tomorrow)'
    | \b(?:current|local)_?(?:date|time|timestamp)\b
    | \b(?:clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\b
    | \bage\s*\(\s*(?:[^(),]|\([^()]*\))+\)                                     # of one moment: since today
    | \b(?:date|time|datetime|julianday|unixepoch)["`\]]?\s*\(\s*\)              # SQLite's, without arguments
    | \b(?:date|datetime)\.(?:today|utcnow)\s*\(                               # Python's, in tests
    | \btime\.(?:time|time_ns|localtime|gmtime|ctime|asctime|strftime)\s*\(
    """,
    re.VERBOSE | re.IGNORECASE,
)


class _FollowUp(Struct, frozen=True):
    external_knowledge: list[int] | None = None


class _Row(Struct, frozen=True):
    """What tasks do not keep of their rows."""

    instance_id: str = ""
    external_knowledge: list[int] | None = None
    follow_up: _FollowUp | None = None


class GoldAlone(Struct, frozen=True):
    statements: list[str]
    order: bool


def rejection(bench: JudgingConnection, gold: GoldAlone) -> str | None:
    """Why the official comparison does not accept the gold against itself. In a worker process."""
    result = Result((), [])
    try:
        for statement in rewritten(gold.statements):
            result = bench.run(statement)
    except SqlError as error:
        return f"after the official rewriting it cannot be run: {error.message}"
    if not result.rows:
        return "a result without rows is never right"
    return None if official(result.rows, result.rows, order=gold.order) else "it holds values that cannot be compared"


async def audit(
    tasks: Sequence[InteractTask], file: Path, worlds: EpisodeDatabases, *, limits: Limits, parallel: int = 2, watch: Watch
) -> list[AuditFinding]:
    """All that is found without the oracle."""
    auditor = _Auditor(file, worlds, limits)
    results = await each([partial(auditor.task, task) for task in tasks], parallel, watch)
    findings = [finding for findings in results for finding in findings]
    for group in repeated((task, task.database, task.phases[0].shown) for task in tasks):
        findings += _same(group)
    return findings


class _Auditor:
    def __init__(self, file: Path, worlds: EpisodeDatabases, limits: Limits) -> None:
        self._directory = file.parent
        self._worlds = worlds
        self._limits = limits
        self._needed = _knowledge(file)
        self._known: dict[str, set[int]] = {}

    async def task(self, task: InteractTask) -> list[AuditFinding]:
        return [*await self._played(task), *self._texts(task), *_annotations(task), *_clocks(task)]

    async def _played(self, task: InteractTask) -> list[AuditFinding]:
        try:
            world = await self._worlds.open(task)
        except Unscorable as reason:
            return [audit_finding(task.key, "database_missing", str(reason), database=task.database), *_withheld(task)]
        try:
            return [*_withheld(task), *await self._phases(task, world)]
        finally:
            await world.close()

    async def _phases(self, task: InteractTask, world: EpisodeDatabase) -> list[AuditFinding]:
        findings: list[AuditFinding] = []
        if fault := await self._advanced(world, task.preprocess):
            return [audit_finding(task.key, "preprocess_fails", f"preprocess_sql cannot be run: {fault}")]
        for number, phase in enumerate(task.phases, 1):
            if not phase.gold:
                break
            look = self._compared if phase.category == "Query" else self._tested
            findings += await look(task, number, phase, world)
            if number == len(task.phases):
                break
            if fault := await self._advanced(world, phase.gold):
                kinds = {finding.kind for finding in findings}
                if not kinds & {"gold_fails", "gold_times_out"}:
                    findings.append(audit_finding(task.key, "gold_fails", f"the gold of phase {number} cannot be run: {fault}"))
                break
            for script in task.clean_up:
                if fault := await self._advanced(world, [script]):
                    findings.append(
                        audit_finding(task.key, "clean_up_fails", f"clean_up_sqls cannot be run after the gold: {fault}")
                    )
        return findings

    async def _advanced(self, world: EpisodeDatabase, scripts: Sequence[str]) -> str | None:
        try:
            await world.advance(scripts, self._limits)
        except SqlError as error:
            return error.message
        return None

    async def _compared(self, task: InteractTask, number: int, phase: Phase, world: EpisodeDatabase) -> list[AuditFinding]:
        gold = list(phase.gold)
        sql = "\n;\n".join(gold)
        result = await probed(world, gold, self._limits)
        order = phase.conditions.order
        what = f"the gold of phase {number}"
        probed_ = from_probe(task.key, sql, result, self._limits, in_order=order, what=what)
        findings = [finding for finding in probed_ if finding.kind != "clock"]  # see _clocks, which knows PostgreSQL's too
        if result.fault is not None:
            return findings
        try:
            gold_alone = GoldAlone(gold, order)
            why = await world.judge(rejection, gold_alone, self._limits, writes=True, wall=2 * wall_clock(self._limits))
        except SqlError as error:
            why = error.message
        if why is not None:
            findings.append(audit_finding(task.key, "official_rejects_gold", f"{what}, handed in as it is: {why}", sql=sql))
        return findings

    async def _tested(self, task: InteractTask, number: int, phase: Phase, world: EpisodeDatabase) -> list[AuditFinding]:
        if not phase.tests:
            return [audit_finding(task.key, "tests_missing", f"phase {number} is to be judged by tests and has none")]
        gold = await self._report(task, phase, world, "\n;\n".join(phase.gold))
        where = "" if gold.test is None else f" {gold.test + 1}"
        if gold.kind == "sql":
            return [audit_finding(task.key, "gold_fails", f"the gold of phase {number} cannot be run: {gold.detail}")]
        if not gold.passed:
            sentence = f"test{where} of phase {number} rejects the gold ({gold.kind}): {gold.detail}"
            return [audit_finding(task.key, "test_fails_on_gold", sentence, sql=list(phase.gold))]
        if (await self._report(task, phase, world, _NOTHING)).passed:
            return [
                audit_finding(
                    task.key, "vacuous_test", f"the tests of phase {number} pass after '{_NOTHING}'", tests=list(phase.tests)
                )
            ]
        return []

    async def _report(self, task: InteractTask, phase: Phase, world: EpisodeDatabase, sql: str) -> TestReport:
        request = TestRequest(
            tests=list(phase.tests),
            predicted=[sql],
            gold=list(phase.gold),
            sql_seconds=self._limits.seconds,
            seconds=_SECONDS_FOR_A_TEST,
        )
        wall = wall_clock(self._limits) + (_SECONDS_FOR_A_TEST + 10) * len(phase.tests)
        try:
            return await world.judge(run_tests, request, self._limits, writes=True, wall=wall)
        except SqlError as error:
            return TestReport(False, "sql", None, error.message)

    def _texts(self, task: InteractTask) -> Iterator[AuditFinding]:
        try:
            known = self._knowledge_of(task.database)
        except Unscorable as reason:
            yield audit_finding(task.key, "texts_missing", str(reason))
            return
        if hidden := sorted(task.hidden - known):
            yield audit_finding(
                task.key, "knowledge_missing", f"deleted_knowledge names {hidden}, which the knowledge base does not have"
            )
        if needed := sorted(self._needed.get(task.key, set()) - known):
            yield audit_finding(
                task.key, "knowledge_missing", f"external_knowledge names {needed}, which the knowledge base does not have"
            )

    def _knowledge_of(self, database: str) -> set[int]:
        """The ids in the knowledge base."""
        if database not in self._known:
            texts = Catalogue(self._directory, database)
            self._known[database] = {entry["id"] for entry in json.loads(texts.definitions(frozenset()))}
        return self._known[database]


def _withheld(task: InteractTask) -> Iterator[AuditFinding]:
    lacking = [str(number) for number, phase in enumerate(task.phases, 1) if not phase.gold]
    if lacking:
        yield audit_finding(task.key, "gold_withheld", f"there is no gold SQL for phase {' and '.join(lacking)}")


def _clocks(task: InteractTask) -> Iterator[AuditFinding]:
    """What is compared on another day may be something else. `--today` sets the day."""
    for number, phase in enumerate(task.phases, 1):
        asking = [what for what, texts in (("the gold", phase.gold), ("a test", phase.tests)) if any(map(asks_clock, texts))]
        if asking:
            yield audit_finding(task.key, "clock", f"{' and '.join(asking)} of phase {number} ask for the date: see --today")


def asks_clock(text: str) -> bool:
    return _CLOCK.search(without_comments(text)) is not None


def _annotations(task: InteractTask) -> Iterator[AuditFinding]:
    if not task.has_clear_query:
        yield audit_finding(task.key, "no_clear_request", "there is no 'query': the request can be played only as it is shown")
    request = normal(task.phases[0].shown)
    for ambiguity in task.critical:
        if normal(ambiguity.term) not in request:
            yield audit_finding(task.key, "term_not_in_request", f"the request does not say '{ambiguity.term}'")
    gold = _tokens(" ".join(task.phases[0].gold))
    for ambiguity in (*task.critical, *task.non_critical, *task.knowledge) if gold.strip() else ():
        if _tokens(ambiguity.sql_snippet) not in gold:
            yield audit_finding(
                task.key,
                "snippet_not_in_gold",
                f"the gold does not have the fragment of '{ambiguity.term}'",
                snippet=ambiguity.sql_snippet,
            )


def _tokens(sql: str) -> str:
    """Text in which blanks and case make no difference."""
    return " " + " ".join(_TOKEN.findall(sql.casefold().rstrip("; \n"))) + " "


def _same(group: Sequence[InteractTask]) -> Iterator[AuditFinding]:
    for task in group:
        other = next(one for one in group if one is not task)
        if task.phases[0].gold == other.phases[0].gold:
            yield audit_finding(task.key, "repeated_question", f"{other.key} makes the same request")
        else:
            yield audit_finding(
                task.key, "contradicting_gold", f"{other.key} makes the same request, and has another gold", "warning"
            )


def _knowledge(file: Path) -> dict[str, set[int]]:
    found_: dict[str, set[int]] = {}
    for _, value in entries(file):
        try:
            row = msgspec.convert(value, _Row)
        except msgspec.ValidationError:
            continue  # not a list of ids, which nothing here depends on
        later = row.follow_up.external_knowledge if row.follow_up else None
        found_[row.instance_id] = {*(row.external_knowledge or ()), *(later or ())}
    return found_
