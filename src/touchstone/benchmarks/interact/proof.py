"""Proof for a query that is right, beside the data: on the database of the phase, SQLite's or PostgreSQL's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...engines.judging_connection import JudgingConnection
from ...proof.finding import ProofFinding, ProofPair, proven_on
from .judge import QueryRequest

_WORST = ("refuted", "open", "upheld", "same")


def prove_query(bench: JudgingConnection, request: QueryRequest) -> ProofFinding:
    """Whether it differs from the gold on a small database."""
    if len(request.gold) != 1:
        return ProofFinding("open", "the gold is not a single statement")

    def run(text: str) -> None:
        bench.run(text)

    if request.preparation.run(run):
        return ProofFinding("open", "what is run before this phase cannot be run again")
    return proven_on(bench, ProofPair(request.gold[0], request.predicted[0]))


def worst(proofs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Of a task's phases, what is to be said of the task."""
    return min(proofs, key=lambda proof: _WORST.index(proof["verdict"]))
