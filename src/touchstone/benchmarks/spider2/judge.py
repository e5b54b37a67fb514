"""Judging a result against golden files, in a worker process: where it is made, if it comes from SQL.

Both comparisons are always made, official and strict; which of them decides is the user's choice.
"""

from __future__ import annotations

from itertools import chain, count
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...engines.sqlite.worker import SECONDS_TO_COMPARE, Reader
from ...errors import SqlError, SqlFault
from ...types import Table
from ...verdicts.shown import plain
from ...workers.limits import held_to
from .comparison import CsvError, CsvTable, Official, Strict, official, official_any, read_csv, read_golds, strict_any, to_csv
from .golden import Reference

ROWS_KEPT = 1_000
"""How many rows of a result a record holds, if they are short. The CSV file has them all."""
_CELLS_KEPT = 10_000


class Spider2Question(Struct, frozen=True):
    sql: str
    reference: Reference
    as_csv: bool = False
    """Give the whole result back."""


class SubmittedCsv(Struct, frozen=True):
    """A result that was handed in as a CSV file."""

    csv: bytes
    reference: Reference


class Spider2Judgement(Struct, frozen=True):
    official: bool = False
    strict: bool = False
    kind: str = ""
    reason: str = ""
    evidence: dict[str, Any] = {}
    csv: str | None = None
    """The whole result, if it was asked for."""
    fault: SqlFault | None = None
    gold_is_at_fault: bool = False


def judge_sql(reader: Reader, question: Spider2Question) -> Spider2Judgement:
    try:
        table = reader.run(question.sql)
    except SqlError as error:
        return Spider2Judgement(kind="error", reason=error.message, fault=error.kind)
    text = to_csv(table)
    shown = {"executed": True, "rows": _objects(table)}
    return _judge(text.encode(), question.reference, shown, text if question.as_csv else None)


def judge_csv(submitted: SubmittedCsv) -> Spider2Judgement:
    with held_to(cpu=SECONDS_TO_COMPARE):
        return _judge(submitted.csv, submitted.reference, {"executed": True}, None)


def _judge(csv: bytes, reference: Reference, evidence: dict[str, Any], text: str | None) -> Spider2Judgement:
    try:
        golds, same = read_golds((Path(file.path).read_bytes() for file in reference.files), csv)
    except (CsvError, OSError) as error:
        reason = f"a gold result cannot be read: {error}"
        return Spider2Judgement(kind="gold_unreadable", reason=reason, evidence=evidence, csv=text, gold_is_at_fault=True)
    try:
        predicted = same or read_csv(csv)
    except CsvError as error:
        return Spider2Judgement(kind="error", reason=f"the result cannot be read as CSV: {error}", evidence=evidence, csv=text)
    theirs = official_verdict(predicted, golds, reference)
    ours = strict_any(predicted, golds, reference.condition_cols, reference.ignore_order)
    names = [Path(file.path).name for file in reference.files]
    evidence |= {
        "gold_rows": min(gold.rows for gold in golds),
        "predicted_rows": predicted.rows,
        "predicted_columns": list(predicted.names),
        "details": _details(names, golds, predicted, theirs, ours),
        **ours.difference.evidence,
    }
    return Spider2Judgement(theirs.matched, ours.matched, ours.difference.kind, ours.difference.sentence, evidence, text)


def official_verdict(predicted: CsvTable, golds: list[CsvTable], reference: Reference) -> Official:
    if reference.lettered:
        return official_any(predicted, golds, reference.condition_cols, reference.ignore_order)
    return official(predicted, golds[0], reference.condition_cols, reference.ignore_order)


def _details(
    names: list[str], golds: list[CsvTable], predicted: CsvTable, theirs: Official, ours: Strict
) -> list[dict[str, Any]]:
    shape = [predicted.rows, len(predicted.columns)]
    files = [
        {
            "gold_file": name,
            "match": ours.matched and ours.gold == number,
            "official_match": theirs.gold == number,
            "gold_shape": [gold.rows, len(gold.columns)],
            "gold_columns": list(gold.names),
            "exec_shape": shape,
        }
        for number, (name, gold) in enumerate(zip(names, golds, strict=True))
    ]
    return [*files, {"official_error": theirs.error}] if theirs.error else files


def _objects(table: Table) -> list[dict[str, Any]]:
    """Rows as objects; of columns with the same name the later ones get a number."""
    names: list[str] = []
    for name in table.columns:
        numbered = (f"{name}_{number}" for number in count(2))
        names.append(next(own for own in chain([name], numbered) if own not in names))
    most = min(ROWS_KEPT, 1 + _CELLS_KEPT // max(1, len(names)))
    return [dict(zip(names, map(plain, row), strict=True)) for row in table.rows[:most]]
