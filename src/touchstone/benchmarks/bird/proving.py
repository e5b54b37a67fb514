"""Proof beside the data, in a worker: each function is applied to one database."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ...engines.cache import Cache
from ...engines.sqlite.worker import Reader
from ...proof import (
    Amendments,
    Refutation,
    Subject,
    SuiteDatabase,
    SuiteTask,
    Suspect,
    build_task,
    first_told,
    prove,
    strength,
    suspect,
)
from ...proof.judge import Word
from ...proof.suite import described
from ...verdicts import plain_row
from ..audit.report import MutantCount

_ROWS = 50
"""Of a result, as many as are kept. A refutation has few rows; a query can still make many of them."""
_OPEN_AT_ONCE = 4


class Pair(Struct, frozen=True):
    gold: str
    prediction: str
    laws: str = ""
    """A file of invariants that adds and forbids some."""


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


class Wanted(Struct, frozen=True):
    """What a task's databases are chosen to tell apart: the gold's mutants, and these."""

    gold: str
    predictions: list[str]


class Trial(Struct, frozen=True):
    """A prediction that is right by EX, and a suite's databases for its task."""

    gold: str
    prediction: str
    databases: tuple[SuiteDatabase, ...]


def proven(reader: Reader, pair: Pair) -> Finding:
    """Whether a prediction that is right by EX differs from the gold on a small database."""
    proof = prove(pair.gold, pair.prediction, _subject(reader.path, reader.cache, pair.laws))
    refutation = proof.refutation
    if refutation is None:
        return Finding(proof.verdict, proof.reason, proof.informative)
    return Finding(proof.verdict, refutation.decides, proof.informative, difference_of(refutation))


def suspected(reader: Reader, votes: Votes) -> Suspect | None:
    """The case that systems make against a gold, if they do."""
    return suspect(votes.task, votes.gold, votes.predictions, _subject(reader.path, reader.cache))


def distilled(reader: Reader, wanted: Wanted) -> SuiteTask:
    """The few databases that tell the most mutants and wrong predictions from the gold."""
    return build_task(wanted.gold, _subject(reader.path, reader.cache), wanted.predictions)


def tried(_: Reader, trial: Trial) -> Finding:
    """As `proven`, on frozen databases: no search."""
    if trial.gold.strip() == trial.prediction.strip():
        return Finding("same", "the same statement")
    told = first_told(trial.databases, trial.prediction)
    many = len(trial.databases)
    if told is None:
        return Finding("upheld", f"not told apart by the suite's databases for this task, {many} in all", many)
    columns, rows = described(told.database, trial.gold)
    script = "\n".join(f"{statement};" for statement in told.database.statements)
    gold, other = told.database.gold, told.prediction
    difference = Difference(script, rows, list(columns), len(gold), _plain(gold), len(other), _plain(other))
    return Finding("refuted", f"told apart by database {told.place} of the suite's {many}", told.place - 1, difference)


def mutated(reader: Reader, gold: str) -> MutantCount:
    """How many one-step mutants of a gold are told from it, and by whom."""
    found = strength(gold, _subject(reader.path, reader.cache))
    untold = tuple(mutant.what for mutant in found.untold)
    return MutantCount(found.mutants, found.told_by_original, found.told_by_generated, untold)


def difference_of(refutation: Refutation) -> Difference:
    gold, prediction = refutation.gold, refutation.prediction
    columns = list(refutation.columns)
    shown = (_plain(gold), _plain(prediction))
    return Difference(refutation.script, refutation.rows, columns, len(gold), shown[0], len(prediction), shown[1])


def _plain(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(plain_row(row)) for row in rows[:_ROWS]]


_subjects: OrderedDict[tuple[Path, str], Subject] = OrderedDict()
"""A worker is asked about the same few databases again and again."""


def _subject(path: Path, cache: Cache, laws: str = "") -> Subject:
    known = (path, laws)
    if known not in _subjects:
        _subjects[known] = Subject(path, cache=cache, amendments=Amendments(laws, "the laws") if laws else None)
        if len(_subjects) > _OPEN_AT_ONCE:
            _subjects.popitem(last=False)[1].close()
    _subjects.move_to_end(known)
    return _subjects[known]
