"""Judging a prediction against the gold, beside the data: runs in a worker process, and its result is remembered by content."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...engines.sqlite.worker import Reader
from ...errors import SqlError, SqlFault
from ...types import Table
from ...verdicts.explain import explain
from ...verdicts.metrics import ex, multiset, r_ves, soft_f1

R_VES_ROUNDS = 100
"""Of the official way, which measures with a clock."""


class BirdQuestion(Struct, frozen=True):
    gold: str
    prediction: str
    r_ves: bool = False
    """R-VES by counted steps."""
    r_ves_wall: bool = False
    """R-VES as the original measures it."""
    ties: bool = False
    """EX that accepts each result that the gold allows."""


class BirdJudgement(Struct, frozen=True):
    """Metrics and a reason; or which side could not be run, and why."""

    metrics: dict[str, float]
    reason: str
    evidence: dict[str, Any]
    fault: SqlFault | None = None
    gold_is_at_fault: bool = False


def judge(reader: Reader, question: BirdQuestion) -> BirdJudgement:
    try:
        gold = reader.run(question.gold)
    except SqlError as error:
        return unjudged(error, gold_is_at_fault=True)
    try:
        predicted = reader.run(question.prediction, remember=False)  # the judgement is
    except SqlError as error:
        return unjudged(error, gold_is_at_fault=False)
    judgement = judge_results(gold, predicted)
    metrics = judgement.metrics
    if question.ties:
        from .legal_results import is_legal  # here, since sqlglot is an extra

        legal = metrics["ex"] == 1 or is_legal(reader, question.gold, gold, predicted)
        metrics["ex_ties"] = float(legal)
    try:
        if question.r_ves:
            metrics |= _effort(reader, question, right=metrics["ex"] == 1)
        if question.r_ves_wall:
            metrics |= _speed(reader, question, right=metrics["ex"] == 1)
    except SqlError as error:  # both have just run, so this one is near a limit of the machine's
        return unjudged(error, gold_is_at_fault=False)
    return judgement


def judge_results(gold: Table, predicted: Table) -> BirdJudgement:
    difference = explain(gold, predicted)
    metrics = {
        "ex": float(ex(gold, predicted)),
        "multiset": float(multiset(gold, predicted)),
        "soft_f1": soft_f1(gold, predicted),
    }
    return BirdJudgement(metrics, difference.sentence, {"kind": difference.kind, **difference.evidence})


def check(reader: Reader, gold: str) -> BirdJudgement:
    """Whether the gold alone can be run: asked when a judgement killed its worker."""
    try:
        reader.run(gold)
    except SqlError as error:
        return unjudged(error, gold_is_at_fault=True)
    return BirdJudgement({}, "", {})


def unjudged(error: SqlError, *, gold_is_at_fault: bool) -> BirdJudgement:
    return BirdJudgement({}, error.message, {"kind": "error"}, fault=error.kind, gold_is_at_fault=gold_is_at_fault)


def _effort(reader: Reader, question: BirdQuestion, *, right: bool) -> dict[str, float]:
    """By steps, which are the same each time: there is nothing to warm up and nothing to take the median of."""
    gold, again = reader.steps(question.gold), reader.steps(question.gold)
    ratios = [gold / reader.steps(question.prediction)] if right else []
    return {"r_ves": r_ves(ratios), "r_ves_oracle": r_ves([gold / again])}


def _speed(reader: Reader, question: BirdQuestion, *, right: bool) -> dict[str, float]:
    """By the wall clock, measured in alternation as the original does; the gold against itself shows how much is chance."""
    ratios: list[float] = []
    oracle: list[float] = []
    for _ in range(R_VES_ROUNDS):
        predicted = reader.time(question.prediction) if right else None
        gold = reader.time(question.gold)
        ratios += [gold / predicted] if predicted else []
        oracle.append(reader.time(question.gold) / gold)
    return {"r_ves_wall": r_ves(ratios), "r_ves_wall_oracle": r_ves(oracle)}
