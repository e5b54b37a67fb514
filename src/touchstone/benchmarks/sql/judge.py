"""Judging a prediction by its rows, beside the data: against every accepted gold, and against expected rows.

Rows are compared by value (see `verdicts.by_value`): in any order unless the question says otherwise, each as often.
A tolerance makes the prediction's numbers those of the gold's column that are near enough, before anything is compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from msgspec import Struct

from ...engines.judging_connection import JudgingConnection, Result
from ...errors import SqlError, SqlFault
from ...verdicts.by_value import StrictConditions, strict
from .questions import Expected


class SqlQuestion(Struct, frozen=True):
    prediction: str
    golds: tuple[str, ...] = ()
    expected: Expected | None = None
    order: bool = False
    tolerance: str = ""
    columns: tuple[str, ...] = ()


class SqlJudgement(Struct, frozen=True):
    passed: bool
    reason: str
    evidence: dict[str, Any] = {}
    unscorable: str = ""
    """Why nothing can be right here."""
    fault: SqlFault | None = None
    """Of the prediction's SQL."""


def judge(bench: JudgingConnection, question: SqlQuestion) -> SqlJudgement:
    references, broken = _references(bench, question)
    if not references:
        return SqlJudgement(False, "", unscorable=broken)
    wrote = bench.wrote  # a gold may
    try:
        predicted = bench.run(question.prediction)
        if bench.wrote and not wrote:
            raise SqlError("write", "")
    except SqlError as error:
        words = "The prediction changes the database; only a query can be judged." if error.kind == "write" else error.message
        return SqlJudgement(False, words, {"kind": "error"}, fault=error.kind)
    first: SqlJudgement | None = None
    for gold, is_text in references:
        judgement = _compared(gold, predicted, question, is_text=is_text)
        if judgement.passed:
            return judgement
        first = first or judgement
    assert first is not None
    return first


def _references(bench: JudgingConnection, question: SqlQuestion) -> tuple[list[tuple[Result, bool]], str]:
    """What is accepted, and why the first gold that cannot be run is not among it."""
    references: list[tuple[Result, bool]] = []
    broken = ""
    if question.expected is not None:
        references.append((Result(question.expected.columns, question.expected.rows), question.expected.text))
    for sql in question.golds:
        try:
            result = bench.run(sql)
        except SqlError as error:
            broken = broken or f"the gold SQL cannot be run: {error.message}"
        else:
            references.append((result, False))
    for reference in list(references):
        names = reference[0].columns
        if missing := next((name for name in question.columns if _position(names, name) is None), None):
            broken = broken or f"columns: the gold has no column '{missing}'; it has {', '.join(names) or 'none'}"
            references.remove(reference)
    return references, broken


def _compared(gold: Result, predicted: Result, question: SqlQuestion, *, is_text: bool) -> SqlJudgement:
    got = predicted
    if question.columns:
        try:
            gold, got = _chosen(gold, got, question.columns)
        except LookupError as error:
            return SqlJudgement(False, str(error.args[0]), {"kind": "missing_columns"})
    if len(gold.columns) == len(got.columns) or not gold.rows:
        gold = _typed(gold, got) if is_text else gold
        if is_text and not gold.rows and not gold.columns:
            gold = Result(got.columns, [])
        got = _snapped(gold, got, question.tolerance) if question.tolerance else got
    match = strict(gold, got, StrictConditions(order=question.order))
    return SqlJudgement(match.matched, match.difference.sentence, {"kind": match.difference.kind, **match.difference.evidence})


def _chosen(gold: Result, got: Result, columns: Sequence[str]) -> tuple[Result, Result]:
    """The columns that count: of the prediction by name where it has them all, else by position."""
    positions = [_position(gold.columns, name) for name in columns]
    names = [gold.columns[position] for position in positions if position is not None]
    theirs = [_position(got.columns, name) for name in names]
    if None in theirs:
        if len(got.columns) == len(names):
            theirs = list(range(len(names)))
        elif len(got.columns) == len(gold.columns):
            theirs = positions
        else:
            missing = names[theirs.index(None)]
            raise LookupError(f"The prediction has no column {missing}; it has {', '.join(got.columns) or 'none'}.")
    return _only(gold, positions), _only(got, theirs)


def _position(names: Sequence[str], name: str) -> int | None:
    lowered = [each.lower() for each in names]
    if name.lower() in lowered:
        return lowered.index(name.lower())
    return int(name) - 1 if name.isdecimal() and 0 < int(name) <= len(names) else None


def _only(table: Result, positions: Sequence[int | None]) -> Result:
    kept = [position for position in positions if position is not None]
    return Result(
        tuple(table.columns[position] for position in kept), [tuple(row[position] for position in kept) for row in table.rows]
    )


def _typed(gold: Result, got: Result) -> Result:
    """Cells from a file as what the prediction has in their column: numbers, dates, truth values. An empty cell is NULL, unless
    the prediction has empty texts there: a CSV file cannot tell them apart."""
    kinds: list[set[Any]] = [
        {type(row[position]) if row[position] != "" else "" for row in got.rows} for position in range(len(got.columns))
    ]
    return Result(gold.columns, [tuple(map(_as_one_of, row, kinds)) for row in gold.rows])


def _as_one_of(cell: Any, kinds: set[Any]) -> Any:
    if not isinstance(cell, str):
        return _moment(cell, kinds)
    if cell == "":
        return "" if "" in kinds else None
    if bool in kinds and cell.lower() in ("true", "false", "t", "f"):
        return cell.lower().startswith("t")
    if kinds & {int, float, Decimal} and str not in kinds:
        try:
            return Decimal(cell.replace(",", "") if cell.count(",") and "." in cell else cell)
        except InvalidOperation:
            return cell
    return _moment(cell, kinds)


def _moment(cell: Any, kinds: set[Any]) -> Any:
    if isinstance(cell, str) and kinds & {date, datetime} and str not in kinds:
        try:
            return datetime.fromisoformat(cell)
        except ValueError:
            return cell
    return cell


def _snapped(gold: Result, got: Result, tolerance: str) -> Result:
    if not gold.rows or not got.rows:
        return got
    off, relative = float(tolerance.removesuffix("%")), tolerance.endswith("%")
    columns: list[list[Any]] = []
    for position, cells in enumerate(zip(*got.rows, strict=True)):
        numbers = sorted((float(row[position]), row[position]) for row in gold.rows if _is_number(row[position]))
        columns.append([_nearest(cell, numbers, off / 100 if relative else off, relative) for cell in cells])
    return Result(got.columns, list(zip(*columns, strict=True)))


def _nearest(cell: Any, numbers: list[tuple[float, Any]], off: float, relative: bool) -> Any:
    if not _is_number(cell) or not numbers:
        return cell
    value = float(cell)
    position = bisect_left(numbers, value, key=lambda each: each[0])
    near, itself = min(numbers[max(position - 1, 0) : position + 1] or numbers[-1:], key=lambda each: abs(each[0] - value))
    allowed = off * abs(near) if relative else off
    return itself if abs(near - value) <= allowed * (1 + 1e-9) else cell


def _is_number(cell: Any) -> bool:
    return isinstance(cell, int | float | Decimal) and not isinstance(cell, bool)
