"""What a record holds of a proof, and how a benchmark asks for one: beside the data, in a worker.

proven       on a SQLite file that is only read
proven_on    on the database of an episode, SQLite's or PostgreSQL's
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct

from ..engines.cache import Cache
from ..engines.judging_connection import JudgingConnection
from ..engines.sqlite.worker import Reader
from ..verdicts.shown import plain_row
from .amendments import Amendments
from .judge import Budget, Proof, Refutation, Subject, Word, prove
from .source import Source

ROWS = 50
"""Of a result, as many as are kept. A refutation has few rows; a query can still make many of them."""
_OPEN_AT_ONCE = 4


class ProofPair(Struct, frozen=True):
    gold: str
    prediction: str
    laws: str = ""
    """A file of invariants that adds and forbids some."""


class Counterexample(Struct, frozen=True):
    """A small database, and what both queries give there."""

    script: str
    """CREATE and INSERT, to be pasted into sqlite3 or psql."""
    rows: int
    """In all its tables."""
    columns: list[str]
    gold_count: int
    gold: list[list[Any]]
    prediction_count: int
    prediction: list[list[Any]]


class ProofFinding(Struct, frozen=True, omit_defaults=True):
    verdict: Word
    reason: str
    """A sentence; of a refutation, what decides."""
    databases: int = 0
    """The informative ones that did not tell the two apart."""
    difference: Counterexample | None = None


def proven(reader: Reader, pair: ProofPair) -> ProofFinding:
    """Whether a prediction that is right by its benchmark differs from the gold on a small database."""
    return finding_of(prove(pair.gold, pair.prediction, subject_of(reader.path, reader.cache, pair.laws)))


def proven_on(bench: JudgingConnection, pair: ProofPair) -> ProofFinding:
    """The same where a benchmark has no file to be read: the database may be spoilt afterwards."""
    if bench.dialect == "postgres":
        from .postgres import BUDGET, postgres_subject  # psycopg is an extra

        subject, budget = postgres_subject(bench, "database"), BUDGET
    else:
        subject, budget = Subject(Source(Path("database"), bench.session())), Budget()
    try:
        return finding_of(prove(pair.gold, pair.prediction, subject, budget))
    finally:
        subject.close()
        bench.timed_out = False  # a statement that ends at its limit says nothing here, and is no reason to begin again


def finding_of(proof: Proof) -> ProofFinding:
    refutation = proof.refutation
    if refutation is None:
        return ProofFinding(proof.verdict, proof.reason, proof.informative)
    return ProofFinding(proof.verdict, refutation.decides, proof.informative, counterexample_of(refutation))


def counterexample_of(refutation: Refutation) -> Counterexample:
    gold, prediction = refutation.gold, refutation.prediction
    return Counterexample(
        *(refutation.script, refutation.rows, list(refutation.columns)),
        *(len(gold), _plain_rows(gold), len(prediction), _plain_rows(prediction)),
    )


def _plain_rows(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    return [list(plain_row([_plain(cell) for cell in row])) for row in rows[:ROWS]]


def _plain(cell: Any) -> Any:
    return cell if isinstance(cell, int | float | str | bytes | None) else str(cell)


_subjects: OrderedDict[tuple[Path, str], Subject] = OrderedDict()
"""A worker is asked about the same few databases again and again."""


def subject_of(path: Path, cache: Cache, laws: str = "") -> Subject:
    known = (path, laws)
    if known not in _subjects:
        _subjects[known] = Subject(path, cache=cache, amendments=Amendments(laws, "the laws") if laws else None)
        if len(_subjects) > _OPEN_AT_ONCE:
            _subjects.popitem(last=False)[1].close()
    _subjects.move_to_end(known)
    return _subjects[known]
