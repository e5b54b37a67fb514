"""Proof beside the data, in a worker: each function is applied to one database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...engines.cache import Cache
from ...engines.sqlite.worker import Reader
from ...proof import Refutation, Subject, Suspect, prove, suspect
from ...proof.judge import Word
from ...verdicts import plain_row

_ROWS = 50
"""Of a result, as many as are kept. A refutation has few rows; a query can still make many of them."""
_OPEN_AT_ONCE = 4


class Pair(Struct, frozen=True):
    gold: str
    prediction: str


class Difference(Struct, frozen=True):
    """A small database, and what both queries give there."""

    script: str
    """CREATE and INSERT, to be pasted into sqlite3."""
    rows: int
    """In all its tables."""
    columns: list[str]
    gold_count: int
    gold: list[list[Any]]
    prediction_count: int
    prediction: list[list[Any]]


class Finding(Struct, frozen=True, omit_defaults=True):
    """What a record holds of it."""

    verdict: Word
    reason: str
    """A sentence; of a refutation, what decides."""
    databases: int = 0
    """The informative ones that did not tell the two apart."""
    difference: Difference | None = None


class Votes(Struct, frozen=True):
    """What systems hand in for one task."""

    task: str
    gold: str
    predictions: dict[str, str]


def proven(reader: Reader, pair: Pair) -> Finding:
    """Whether a prediction that is right by EX differs from the gold on a small database."""
    proof = prove(pair.gold, pair.prediction, _subject(reader.path, reader.cache))
    refutation = proof.refutation
    if refutation is None:
        return Finding(proof.verdict, proof.reason, proof.informative)
    return Finding(proof.verdict, refutation.decides, proof.informative, difference_of(refutation))


def suspected(reader: Reader, votes: Votes) -> Suspect | None:
    """The case that systems make against a gold, if they do."""
    return suspect(votes.task, votes.gold, votes.predictions, _subject(reader.path, reader.cache))


def difference_of(refutation: Refutation) -> Difference:
    gold, prediction = refutation.gold, refutation.prediction
    columns = list(refutation.columns)
    shown = (_plain(gold), _plain(prediction))
    return Difference(refutation.script, refutation.rows, columns, len(gold), shown[0], len(prediction), shown[1])


def _plain(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(plain_row(row)) for row in rows[:_ROWS]]


_subjects: OrderedDict[Path, Subject] = OrderedDict()
"""A worker is asked about the same few databases again and again."""


def _subject(path: Path, cache: Cache) -> Subject:
    if path not in _subjects:
        _subjects[path] = Subject(path, cache=cache)
        if len(_subjects) > _OPEN_AT_ONCE:
            _subjects.popitem(last=False)[1].close()
    _subjects.move_to_end(path)
    return _subjects[path]
