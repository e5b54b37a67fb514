"""EX with proof: whether a prediction that gives the gold's rows on one database means the same as the gold.

    source      the original database, read only
    mining      the invariants that its rows keep; `invariants` says what they are, `laws` arranges them
    amendments  laws that a file adds or forbids
    queries     what a query looks at
    pool        the real rows that databases are made of; `draft` changes them, `generator` decides how
    arena       where both queries run, guarded and limited by counted work; `postgres` is the same on a server
    judge       the verdict, and a refutation made small; `decides` puts it in a sentence
    finding     what a record holds of it, and how a benchmark asks
    mutants     one-step mutants of a gold; `strength` counts who tells them
    suite       the few databases of a task, frozen; `suspects` the golds that systems agree against

Left to right, no way back. It needs sqlglot: `pip install 'touchstone-harness[proof]'`.
"""

from __future__ import annotations

from .amendments import Amendments, amended, read_amendments
from .invariants import Invariant, kind_of, violations
from .judge import Budget, Proof, Refutation, Subject, prove
from .mining import mine
from .mutants import Mutant, mutants
from .source import Source
from .strength import Strength, strength
from .suite import Suite, SuiteDatabase, SuiteTask, build, build_task, first_told, load
from .suspects import Suspect, ranked, suspect

__all__ = [
    "Amendments",
    "Budget",
    "Invariant",
    "Mutant",
    "Proof",
    "Refutation",
    "Source",
    "Strength",
    "Subject",
    "Suite",
    "SuiteDatabase",
    "SuiteTask",
    "Suspect",
    "amended",
    "build",
    "build_task",
    "first_told",
    "kind_of",
    "load",
    "mine",
    "mutants",
    "prove",
    "ranked",
    "read_amendments",
    "strength",
    "suspect",
    "violations",
]
