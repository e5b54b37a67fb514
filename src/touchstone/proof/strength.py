"""The strength of a task's test: how many one-step mutants of its gold are told from it.

By the dataset's own database (what EX sees), and of the rest by small generated ones. A mutant that nobody tells may well mean
the same as the gold: the count of those is an upper bound of what is missed.
"""

from __future__ import annotations

from msgspec import Struct

from .arena import canonical
from .judge import Budget, Subject, prove
from .mutants import Mutant, mutants
from .queries import Query
from .source import STEPS_OF_A_QUERY


class Strength(Struct, frozen=True):
    """How well a task is tested."""

    mutants: int
    told_by_original: int
    """By the dataset's own database: what EX sees."""
    told_by_generated: int
    """Of the rest, by small databases that keep its invariants."""
    by_kind: dict[str, tuple[int, int, int]]
    untold: tuple[Mutant, ...]


def strength(gold: str, subject: Subject, budget: Budget = Budget(minimising=0), seed: int = 0) -> Strength:  # noqa: B008
    """Mutants that fail, or whose result on the original is too much work, are not counted."""
    query = Query(gold, subject.source)
    result = subject.source.ask(query.sql, steps=STEPS_OF_A_QUERY)
    counts: dict[str, list[int]] = {}
    untold: list[Mutant] = []
    for mutant in mutants(query) if result is not None else ():
        other = subject.source.ask(mutant.sql, steps=STEPS_OF_A_QUERY)
        if other is None or result is None:
            continue
        count = counts.setdefault(mutant.kind, [0, 0, 0])
        count[0] += 1
        if canonical(other) != canonical(result):
            count[1] += 1
        elif tells(gold, mutant.sql, subject, budget, seed):
            count[2] += 1
        else:
            untold.append(mutant)
    by_kind = {kind: (count[0], count[1], count[2]) for kind, count in counts.items()}
    every, original, generated = (sum(count[position] for count in counts.values()) for position in range(3))
    return Strength(every, original, generated, by_kind, tuple(untold))


def tells(gold: str, other: str, subject: Subject, budget: Budget, seed: int) -> bool:
    """Whether some generated database tells the two apart."""
    return prove(gold, other, subject, budget, seed).verdict == "refuted"
