"""Judging a query beside the data: by the values it returns (strict), and as the original does (official).

The gold is run before the prediction, and what either of them writes is undone: a prediction cannot change the data that the
gold is run on. The official way rewrites both texts first; where that changes nothing, they are not run again.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from ...engines.bench import Bench, Result
from ...failures import SqlError
from ...verdicts.interact import Conditions, official, rewritten, strict


class QueryRequest(Struct, frozen=True):
    predicted: list[str]
    gold: list[str]
    conditions: Conditions
    continues_after_error: bool = False


class QueryReport(Struct, frozen=True):
    strict: bool
    official: bool
    reason: str
    """Why the strict comparison decided as it did."""
    official_reason: str = ""
    """Why the official way could not be gone, if it could not."""
    kind: str = ""
    evidence: dict[str, Any] = {}
    fault: Literal["prediction", "gold"] | None = None
    """Which of the two could not be run; the reason is then the SQL error."""


def judge_query(bench: Bench, request: QueryRequest) -> QueryReport:
    try:
        gold = _run(bench, request.gold, request)
    except SqlError as error:
        return _unjudged("gold", error)
    official_gold = _rewritten(bench, request.gold, gold, request)
    try:
        predicted = _run(bench, request.predicted, request)
    except SqlError as error:
        return _unjudged("prediction", error)
    official_predicted = _rewritten(bench, request.predicted, predicted, request)
    said = strict(gold, predicted, request.conditions)
    agreed, why_not = _officially(official_gold, official_predicted, request.conditions)
    return QueryReport(said.matched, agreed, said.difference.sentence, why_not, said.difference.kind, said.difference.evidence)


def check_gold(bench: Bench, request: QueryRequest) -> QueryReport:
    """Whether the gold alone can be run: asked when a judgement killed its worker."""
    try:
        _run(bench, request.gold, request)
    except SqlError as error:
        return _unjudged("gold", error)
    return QueryReport(True, True, "")


def _officially(gold: Result | str, predicted: Result | str, conditions: Conditions) -> tuple[bool, str]:
    for which, result in (("gold", gold), ("SQL", predicted)):
        if isinstance(result, str):
            return False, f"after its rewriting the {which} cannot be run: {result}"
    assert isinstance(gold, Result)
    assert isinstance(predicted, Result)
    return official(gold.rows, predicted.rows, order=conditions.order), ""


def _rewritten(bench: Bench, statements: list[str], known: Result, request: QueryRequest) -> Result | str:
    """What the rewritten texts give, or the error."""
    changed = rewritten(statements)
    if changed == [statement.strip() for statement in statements]:
        return known
    try:
        return _run(bench, changed, request)
    except SqlError as error:
        return error.message


def _run(bench: Bench, statements: list[str], request: QueryRequest) -> Result:
    return bench.trial(statements, continues=request.continues_after_error)


def _unjudged(fault: Literal["prediction", "gold"], error: SqlError) -> QueryReport:
    return QueryReport(False, False, error.message, kind="error", fault=fault)
