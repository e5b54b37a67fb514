"""Proof for questions that have gold SQL: the columns that count, found where Spider2 finds them, and numbers as it compares.

A prediction may have further columns, and its columns may come in any order. Which of them are the gold's is seen on the
original; both queries are then cut down to these columns, with numbers rounded to the two decimals that the comparison sees,
and tried like any other pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from ...engines.sqlite.worker import Reader
from ...proof import prove
from ...proof.finding import ProofFinding, finding_of, subject_of
from ...verdicts.difference import arrangements, projection, signatures

_DECIMALS = 2
_MOST_STEPS = 400_000_000

Rows = list[tuple[Any, ...]]


class Spider2Pair(Struct, frozen=True):
    gold: str
    prediction: str
    columns: list[int] = []
    """Of the gold's result, those that count; none named means all."""


def proven(reader: Reader, pair: Spider2Pair) -> ProofFinding:
    """Whether a prediction that has the golden result differs from the gold SQL on a small database."""
    subject = subject_of(reader.path, reader.cache)
    gold, prediction = pair.gold.strip().rstrip(";"), pair.prediction.strip().rstrip(";")
    if gold == prediction:
        return ProofFinding("same", "the same statement")
    expected, got = (subject.source.ask(sql, steps=_MOST_STEPS) for sql in (gold, prediction))
    if not expected or not got:
        which = "gold SQL" if not expected else "prediction"
        return ProofFinding("open", f"the {which} returns nothing here, fails or is too much work")
    columns = [column for column in pair.columns if column < len(expected[0])] or list(range(len(expected[0])))
    order = _places(_rounded(expected, columns), _rounded(got, range(len(got[0]))))
    if order is None:
        return ProofFinding("open", "on the original, the gold SQL does not give what the prediction gives")
    cut = _cut(gold, len(expected[0]), columns), _cut(prediction, len(got[0]), order)
    return finding_of(prove(*cut, subject))


def _rounded(rows: Rows, columns: Sequence[int]) -> Rows:
    return [
        tuple(round(row[at], _DECIMALS) if isinstance(row[at], float) else row[at] for at in columns)  # as the comparison does
        for row in rows
    ]


def _places(gold: Rows, predicted: Rows) -> tuple[int, ...] | None:
    """Where in the prediction each of the gold's columns is."""
    sides = signatures(gold, len(gold[0]), True), signatures(predicted, len(predicted[0]), True)
    wanted = set(gold)
    return next((order for order in arrangements(*sides) if set(map(projection(order), predicted)) == wanted), None)


def _cut(sql: str, width: int, columns: Sequence[int]) -> str:
    names = ", ".join(f"c{at}" for at in range(width))
    shown = ", ".join(f"CASE WHEN typeof(c{at}) = 'real' THEN ROUND(c{at}, {_DECIMALS}) ELSE c{at} END" for at in columns)
    return f"WITH whole({names}) AS ({sql}\n) SELECT {shown} FROM whole"
