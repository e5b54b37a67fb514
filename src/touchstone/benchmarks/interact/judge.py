"""Judging a query beside the data: by the values it returns (strict), and as the original does (official).

The gold is run before the prediction, and what either of them writes is undone: a prediction cannot change the data that the
gold is run on. The official way rewrites both texts first; where that changes nothing, they are not run again.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Literal

from msgspec import Struct

from ...engines.judging_connection import JudgingConnection, Result
from ...errors import SqlError
from ...types import Row
from ...verdicts.by_value import StrictConditions, strict
from .official import official, rewritten

Fault = Literal["prediction", "gold", "dataset", "own"]


class Preparation(Struct, frozen=True):
    """Texts that are run in a submission's session before it, and stay: in this order."""

    dataset: list[str] = []
    own: list[str] = []
    """What the agent submitted before."""
    tidying: list[str] = []
    """Written for what the gold leaves; where another solution left something else, it may have nothing to do."""

    def run(self, run: Callable[[str], None]) -> tuple[Literal["dataset", "own"], SqlError] | None:
        """Whose text failed, and how."""
        for text in self.dataset:
            try:
                run(text)
            except SqlError as error:
                return "dataset", error
        for text in self.own:
            try:
                run(text)
            except SqlError as error:
                return "own", error
        for text in self.tidying:
            with suppress(SqlError):
                run(text)
        return None


class QueryRequest(Struct, frozen=True):
    predicted: list[str]
    gold: list[str]
    conditions: StrictConditions
    preparation: Preparation = Preparation()


class GoldFault(Struct, frozen=True):
    fault: Fault
    kind: str
    message: str


class QueryReport(Struct, frozen=True):
    strict: bool
    official: bool
    reason: str
    """Why the strict comparison decided as it did."""
    official_reason: str = ""
    """Why the official way could not be gone, if it could not."""
    kind: str = ""
    evidence: dict[str, Any] = {}
    fault: Fault | None = None
    """What could not be run; the reason is then the SQL error."""
    gold_error: str = ""
    """Why the gold can only be run as the original rewrites it: then there is an official verdict and no other."""


def judge_query(bench: JudgingConnection, request: QueryRequest) -> QueryReport:
    if failed := request.preparation.run(partial(_done, bench)):
        return _unjudged(*failed)
    try:
        gold = bench.trial(request.gold)
    except SqlError as error:
        return _judged_officially(bench, request, error)
    official_gold = _officially(bench, request.gold, gold)
    try:
        predicted = bench.trial(request.predicted)
    except SqlError as error:
        return _unjudged("prediction", error)
    official_predicted = _officially(bench, request.predicted, predicted, submitted=True)
    verdict = strict(gold, predicted, request.conditions)
    agreed, why_not = _agreed(official_gold, official_predicted, request.conditions)
    evidence = verdict.difference.evidence | ({} if gold.rows or not gold.columns else {"gold_rows": 0})
    return QueryReport(verdict.matched, agreed, verdict.difference.sentence, why_not, verdict.difference.kind, evidence)


def _judged_officially(bench: JudgingConnection, request: QueryRequest, error: SqlError) -> QueryReport:
    """Where the gold cannot be run as it is written. The original never does."""
    gold = _rows_of_rewritten(bench, request.gold)
    if isinstance(gold, str):
        return _unjudged("gold", error)
    try:
        predicted = bench.trial(request.predicted)
    except SqlError as of_prediction:
        return QueryReport(False, False, of_prediction.message, kind="error", fault="prediction", gold_error=error.message)
    rows = _officially(bench, request.predicted, predicted, submitted=True)
    agreed, why_not = _agreed(gold, rows, request.conditions)
    reason = f"The gold can be run only as the original rewrites it: {error.message}"
    return QueryReport(False, agreed, reason, why_not, gold_error=error.message)


def _rows_of_rewritten(bench: JudgingConnection, texts: list[str]) -> list[Row] | str:
    changed = rewritten(texts)
    try:
        return bench.official_rows(changed[-1], bench.trial(changed))
    except SqlError as error:
        return error.message


def check_gold(bench: JudgingConnection, request: QueryRequest) -> QueryReport:
    """Whether the gold alone can be run: asked when a judgement killed its worker."""
    if failed := request.preparation.run(partial(_done, bench)):
        return _unjudged(*failed)
    try:
        bench.trial(request.gold)
    except SqlError as error:
        return _unjudged("gold", error)
    return QueryReport(True, True, "")


def gold_fault(bench: JudgingConnection, request: QueryRequest) -> GoldFault | None:
    """Why the gold of a phase with hidden tests cannot be run here, with all its effects."""
    if failed := request.preparation.run(partial(_done, bench)):
        return GoldFault(failed[0], failed[1].kind, failed[1].message)
    try:
        for text in request.gold:
            bench.run(text)
    except SqlError as error:
        return GoldFault("gold", error.kind, error.message)
    return None


def _done(bench: JudgingConnection, text: str) -> None:
    bench.run(text)


def _agreed(gold: list[Row] | str, predicted: list[Row] | str, conditions: StrictConditions) -> tuple[bool, str]:
    for which, rows in (("gold", gold), ("SQL", predicted)):
        if isinstance(rows, str):
            return False, f"the original could not run the {which}: {rows}"
    assert isinstance(gold, list)
    assert isinstance(predicted, list)
    return official(gold, predicted, order=conditions.order), ""


def _officially(bench: JudgingConnection, texts: list[str], known: Result, *, submitted: bool = False) -> list[Row] | str:
    """The rows that the original compares, or its error.

    It runs rewritten texts; a submission is run as it is, and then rewritten on top of what it has done.
    """
    changed = rewritten(texts)
    same = changed == [text.strip() for text in texts]
    try:
        if submitted:
            rows = bench.official_rows(texts[-1], known)
            if bench.writes:
                return bench.official_rows(changed[-1], bench.trial([*texts, *changed]))
            if same:
                return rows
        return bench.official_rows(changed[-1], known if same else bench.trial(changed))
    except SqlError as error:
        return error.message


def _unjudged(fault: Fault, error: SqlError) -> QueryReport:
    return QueryReport(False, False, error.message, kind="error", fault=fault)
