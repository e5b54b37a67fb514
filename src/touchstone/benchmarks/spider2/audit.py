"""Spider2-lite's references: gold results, the metadata about them, and the gold SQL of the few questions that have it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ...engines.sqlite.engine import SqliteEngine
from ...engines.sqlite.files import check, find
from ...errors import SqlError, Unscorable
from ...workers.pool import WorkerLost
from ..audit.findings import AuditFinding, audit_finding
from ..audit.probes import Watch, from_probe, looked_at, probed_file
from ..task_file import entries
from .comparison import (
    MOST_SURPLUS,
    ConditionError,
    CsvError,
    CsvTable,
    read_csv,
    strict,
    strict_any,
)
from .comparison.conditions import intended, official_columns, official_each
from .golden import Golden, Reference
from .judge import Spider2Judgement, Spider2Question, judge_sql, official_verdict
from .tasks import Spider2Task

if TYPE_CHECKING:
    from .config import Spider2Config

_SECONDS_TO_COMPARE = 600.0


def is_hopeless(golden: Golden, task: Spider2Task) -> bool:
    """The metadata names columns that no gold result has, so that nothing could ever match."""
    try:
        golden.check_columns(task.key)
    except Unscorable:
        return True
    return False


async def audit(
    config: Spider2Config, tasks: Sequence[Spider2Task], golden: Golden, engine: SqliteEngine, *, parallel: int, watch: Watch
) -> list[AuditFinding]:
    """All that is found without the oracle. Golden results are looked at on every platform, SQL is run only on files."""
    auditor = _Auditor(config, golden, engine)
    return await looked_at(tasks, auditor.task, auditor.same, parallel=parallel, watch=watch)


class _Auditor:
    def __init__(self, config: Spider2Config, golden: Golden, engine: SqliteEngine) -> None:
        assert config.databases is not None
        self._databases = config.databases
        self._documents = config.documents
        self._limits = config.judging
        self._golden = golden
        self._engine = engine
        self._listed = {_name(value) for _, value in entries(golden.metadata)}

    async def task(self, task: Spider2Task) -> list[AuditFinding]:
        findings = list(self._metadata(task))
        try:
            reference = self._golden.reference(task.key)
        except Unscorable as reason:
            kind = "golden_missing" if reason.kind == "gold_missing" else "golden_unreadable"
            return [audit_finding(task.key, kind, str(reason)), *findings]
        golden = await self._inspected(task, reference)
        return [*await self._gold(task, reference, golden), *golden, *findings]

    async def _inspected(self, task: Spider2Task, reference: Reference) -> list[AuditFinding]:
        try:
            defects = await self._engine.pool.call(inspect, reference, wall=_SECONDS_TO_COMPARE)
        except WorkerLost:
            return [audit_finding(task.key, "not_checked", "the gold results are too large to be compared with one another")]
        return [
            audit_finding(
                task.key,
                each.kind,
                each.sentence,
                "warning" if each.kind == "columns_out_of_range" and not each.severe else None,
            )
            for each in defects
        ]

    async def _gold(self, task: Spider2Task, reference: Reference, golden: Sequence[AuditFinding]) -> list[AuditFinding]:
        if task.platform != "sqlite":
            return []
        try:
            database = find(self._databases, task.database)
            check(database)
        except Unscorable as reason:
            return [audit_finding(task.key, "database_missing", str(reason), database=task.database)]
        if not task.gold_sql or any(finding.kind == "golden_unreadable" for finding in golden):
            return []
        judgement = await self._judged(task, database, reference)
        if judgement.fault is not None:
            kind = "gold_fails" if judgement.fault in ("sql", "blank", "multiple", "write", "refused") else "gold_times_out"
            return [audit_finding(task.key, kind, f"the gold SQL cannot be run: {judgement.reason}", sql=task.gold_sql)]
        result = await probed_file(self._engine, database, task.gold_sql, self._limits)
        determined = from_probe(
            task.key, task.gold_sql, result, self._limits, in_order=not reference.ignore_order, what="the gold SQL"
        )
        return [*_agreement(task, reference, judgement), *determined]

    async def _judged(self, task: Spider2Task, database: Path, reference: Reference) -> Spider2Judgement:
        try:
            return await self._engine.apply(
                database, judge_sql, Spider2Question(task.gold_sql, reference), self._limits, statements=1
            )
        except SqlError as error:
            return Spider2Judgement(kind="error", reason=error.message, fault=error.kind)

    async def same(self, task: Spider2Task, other: Spider2Task) -> AuditFinding:
        """Whether the gold results of the same question are the same files is all that is asked."""
        what = f"{other.key} asks the same question"
        if not self._golden.has(task.key) or not self._golden.has(other.key):
            return audit_finding(task.key, "repeated_question", what)
        own, others = ({file.digest for file in self._golden.reference(one.key).files} for one in (task, other))
        if own & others:
            return audit_finding(task.key, "repeated_question", f"{what}, with the same gold result")
        return audit_finding(task.key, "contradicting_gold", f"{what}, with other gold results", "warning")

    def _metadata(self, task: Spider2Task) -> Iterator[AuditFinding]:
        if task.key not in self._listed:
            yield audit_finding(
                task.key, "metadata_missing", f"{self._golden.metadata.name} says nothing of it: all columns count"
            )
        if task.knowledge and self._documents is not None and not (self._documents / task.knowledge).is_file():
            yield audit_finding(task.key, "document_missing", f"{task.knowledge} is not in {self._documents}")


def _agreement(task: Spider2Task, reference: Reference, judgement: Spider2Judgement) -> Iterator[AuditFinding]:
    files = [Path(file.path).name for file in reference.files]
    evidence: dict[str, Any] = {"sql": task.gold_sql, "golden": files}
    if not judgement.official and not judgement.strict:
        yield audit_finding(task.key, "gold_disagrees", f"the gold SQL gives another result: {judgement.reason}", **evidence)
    elif not judgement.strict:
        yield audit_finding(task.key, "gold_agrees_only_officially", f"compared row by row: {judgement.reason}", **evidence)
    elif not judgement.official:
        yield audit_finding(task.key, "gold_agrees_only_strictly", "the official suite says that it does not match", **evidence)


def _name(value: Any) -> str:
    return str(value.get("instance_id", "")) if isinstance(value, dict) else ""  # pyright: ignore[reportUnknownArgumentType,reportUnknownMemberType]


# Golden results by themselves: whether they can be read, whether the metadata fits them, and what they let pass.
#
# A function for a worker process; it needs no database.


_MOST_ROWS_SCRAMBLED = 20_000
_WIDEST = 26_001
"""Numbers in a constant row: more do not make it right for more of the published questions."""


class Defect(Struct, frozen=True):
    kind: str
    sentence: str
    severe: bool = False
    """It leaves nothing that could be right."""


def inspect(reference: Reference) -> list[Defect]:
    """What is wrong with the gold results of one question."""
    names = [Path(file.path).name for file in reference.files]
    golds: list[CsvTable] = []
    for name, file in zip(names, reference.files, strict=True):
        try:
            golds.append(read_csv(Path(file.path).read_bytes()))
        except (CsvError, OSError) as error:
            return [Defect("golden_unreadable", f"{name} cannot be read: {error}", severe=True)]
    empty = [Defect("golden_empty", f"{name} has no rows") for name, gold in zip(names, golds, strict=True) if not gold.rows]
    return [
        *empty,
        *_columns(reference, names, golds),
        *_conditions(reference, golds),
        *_against_themselves(reference, names, golds),
        *_scrambled(reference, golds),
        *_constant(reference, golds),
    ]


def _columns(reference: Reference, names: list[str], golds: list[CsvTable]) -> Iterator[Defect]:
    outside: list[str] = []
    for name, gold, places in zip(names, golds, intended(reference.condition_cols, len(golds)), strict=True):
        width = len(gold.columns)
        if wrong := [column for column in places if not -width <= column < width]:
            outside.append(f"column {wrong[0]} is not in {name}, which has {width}")
    if outside:
        yield Defect("columns_out_of_range", "; ".join(outside), severe=len(outside) == len(golds))


def _conditions(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    conditions = reference.condition_cols
    lists = sum(isinstance(item, list) for item in conditions)
    if lists and lists != len(golds):
        yield Defect("conditions_count", f"condition_cols has {lists} lists for {len(golds)} gold results")
    if reference.lettered and len(golds) == 1 and conditions and not lists:
        with suppress(ConditionError):
            read = sorted(set(official_columns(golds[0], official_each(conditions, 1)[0])))
            meant = sorted({column % len(golds[0].columns) for column in conditions})
            if read != meant:
                yield Defect("conditions_misread", f"condition_cols {conditions} is read by the official suite as {read}")


def _against_themselves(reference: Reference, names: list[str], golds: list[CsvTable]) -> Iterator[Defect]:
    """Each gold result handed in as if it were an answer."""
    for name, gold in zip(names, golds, strict=True):
        verdict = official_verdict(gold, golds, reference)
        if not verdict.matched:
            yield Defect(
                "official_rejects_gold", f"{name} itself is rejected by the official suite: {verdict.error or 'no match'}"
            )
    columns = intended(reference.condition_cols, len(golds))
    apart = 0
    for i in range(len(golds)):
        for j in range(i):
            each = [
                strict(golds[one], golds[other], columns[other], reference.ignore_order).matched
                for one, other in ((i, j), (j, i))
            ]
            apart += not any(each)
    if apart:
        pairs = len(golds) * (len(golds) - 1) // 2
        yield Defect("variants_differ", f"{apart} of {pairs} pairs of its {len(golds)} gold results exclude one another")


def _scrambled(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    """Every second column moved down by a row: the same values, hardly a right row."""
    if not 1 < golds[0].rows <= _MOST_ROWS_SCRAMBLED or len(golds[0].columns) < 2:
        return
    moved = _moved(Path(reference.files[0].path))
    if moved is None:
        return
    ours = strict_any(moved, golds, reference.condition_cols, reference.ignore_order)
    if official_verdict(moved, golds, reference).matched and not ours.matched and not ours.cut:
        yield Defect("scrambled_rows", f"{golds[0].rows:,} rows whose values are scrambled between them are accepted")


def _constant(reference: Reference, golds: list[CsvTable]) -> Iterator[Defect]:
    """The row 0, 1, 2, …, whatever the question: as wide as each comparison lets it be."""
    if not any(gold.rows == 1 for gold in golds):
        return
    if official_verdict(_counting(_WIDEST), golds, reference).matched:
        yield Defect("constant_official", f"the constant row 0 … {_WIDEST - 1:,} is accepted")
    for gold, places in zip(golds, intended(reference.condition_cols, len(golds)), strict=True):
        row = _counting(MOST_SURPLUS + len(places or gold.columns))
        if strict(row, gold, places, reference.ignore_order).matched:
            yield Defect("constant_strict", f"the constant row 0 … {len(row.columns) - 1} is accepted")
            return


@cache
def _counting(width: int) -> CsvTable:
    numbers = ",".join(map(str, range(width)))
    return read_csv(f"{numbers}\n{numbers}\n")


def _moved(path: Path) -> CsvTable | None:
    header, *rows = csv.reader(io.StringIO(path.read_text(errors="replace"), newline=""))
    if any(len(row) != len(header) for row in rows):
        return None
    columns = [list(column) for column in zip(*rows, strict=True)]
    turned = [column[-1:] + column[:-1] if number % 2 else column for number, column in enumerate(columns)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *zip(*turned, strict=True)])
    try:
        return read_csv(text.getvalue())
    except CsvError:
        return None
