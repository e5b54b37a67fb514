"""Judging a prediction against the gold, beside the data: runs in a worker process, and its result is remembered by content."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...engines.sqlite.worker import Reader
from ...failures import SqlError, SqlFault
from ...verdicts import ex, explain, multiset, r_ves, soft_f1

R_VES_ROUNDS = 100


class Question(Struct, frozen=True):
    gold: str
    prediction: str
    r_ves: bool = False


class Judgement(Struct, frozen=True):
    """Metrics and a reason; or which side could not be run, and why."""

    metrics: dict[str, float]
    reason: str
    evidence: dict[str, Any]
    fault: SqlFault | None = None
    gold_is_at_fault: bool = False


def judge(reader: Reader, question: Question) -> Judgement:
    try:
        gold = reader.run(question.gold)
    except SqlError as error:
        return _unjudged(error, gold_is_at_fault=True)
    try:
        predicted = reader.run(question.prediction)
    except SqlError as error:
        return _unjudged(error, gold_is_at_fault=False)
    difference = explain(gold, predicted)
    metrics = {
        "ex": float(ex(gold, predicted)),
        "multiset": float(multiset(gold, predicted)),
        "soft_f1": soft_f1(gold, predicted),
    }
    if question.r_ves:
        metrics["r_ves"] = _speed(reader, question) if metrics["ex"] else 0.0
    return Judgement(metrics, difference.sentence, {"kind": difference.kind, **difference.evidence})


def check(reader: Reader, gold: str) -> Judgement:
    """Whether the gold alone can be run: asked when a judgement killed its worker."""
    try:
        reader.run(gold)
    except SqlError as error:
        return _unjudged(error, gold_is_at_fault=True)
    return Judgement({}, "", {})


def _unjudged(error: SqlError, *, gold_is_at_fault: bool) -> Judgement:
    return Judgement({}, error.message, {"kind": "error"}, fault=error.kind, gold_is_at_fault=gold_is_at_fault)


def _speed(reader: Reader, question: Question) -> float:
    """R-VES: how many times faster than the gold, measured in alternation as the original does."""
    ratios: list[float] = []
    for _ in range(R_VES_ROUNDS):
        predicted = reader.time(question.prediction)
        ratios.append(reader.time(question.gold) / predicted)
    return r_ves(ratios)
