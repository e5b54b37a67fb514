"""Golds to look at: where several systems agree with each other, and not with the gold, on a database that refutes it.

Each system's prediction that EX calls right is tried against the gold. On each refuting database all systems vote, also those
that EX calls wrong; the largest group with one result that is not the gold's is the majority. Nothing here says that a gold is
wrong: it says which ones a person should read first.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import ExitStack, closing

from msgspec import Struct
from msgspec.structs import replace

from .arena import Frozen, Rows, canonical
from .judge import Budget, QueryPair, Refutation, Search, Subject
from .source import STEPS_OF_A_QUERY


class Suspect(Struct, frozen=True):
    """One task's gold, and who stands against it."""

    task: str
    against: tuple[str, ...]
    """Systems with the majority's result on the refuting database."""
    beside: tuple[str, ...]
    """Systems with the gold's result there."""
    refuted: tuple[str, ...]
    """Systems that EX calls right and whose prediction differs from the gold."""
    gold: str
    majority: str
    """The query of the first system against the gold."""
    refutation: Refutation
    """A small database, with what the gold and the majority's query give there."""

    elsewhere: tuple[str, ...] = ()
    """Systems with yet another result there."""

    @property
    def rank(self) -> tuple[float, int, int]:
        """Largest first: the share of those against among those who take a side (one of one says less than five of six, by the
        rule of succession), then how few stand with the gold, and how few with neither: those against it agree."""
        share = (len(self.against) + 1) / (len(self.against) + len(self.beside) + 2)
        return share, -len(self.beside), -len(self.elsewhere)


def suspect(task: str, gold: str, predictions: Mapping[str, str], subject: Subject) -> Suspect | None:
    """The case against a gold, if at least two systems agree on it, or one and nobody stands with the gold."""
    expected = subject.source.ask(gold, steps=STEPS_OF_A_QUERY)
    if expected is None:
        return None
    results = {system: subject.source.ask(sql, steps=STEPS_OF_A_QUERY) for system, sql in predictions.items()}
    running = [system for system in predictions if results[system] is not None]
    right = [system for system in running if canonical(results[system] or []) == canonical(expected)]
    refutations: dict[str, tuple[Search, Refutation]] = {}
    with ExitStack() as stack:
        for sql in dict.fromkeys(predictions[system] for system in right):
            pair = QueryPair(gold, sql, subject, beside=[predictions[other] for other in running])
            if not pair.hopeless():
                search = stack.enter_context(closing(Search(pair, 0)))
                if refutation := search.run(Budget()).refutation:
                    refutations[sql] = search, refutation
        refuted = [system for system in right if predictions[system] in refutations]
        cases = [_vote(task, gold, predictions, running, refuted, *each) for each in refutations.values()]
    return max((case for case in cases if case is not None), key=lambda case: case.rank, default=None)


def _vote(
    task: str,
    gold: str,
    predictions: Mapping[str, str],
    systems: list[str],
    refuted: list[str],
    search: Search,
    refutation: Refutation,
) -> Suspect | None:
    content = search.refuting
    if content is None:
        return None
    queries = {system: predictions[system].strip().rstrip(";") for system in systems}
    with closing(search.pair.subject.arena(search.pair.tables, list(queries.values()))) as arena:
        arena.fill(content)
        groups: defaultdict[Frozen, list[str]] = defaultdict(list)
        results: dict[str, Rows] = {}
        for system, sql in queries.items():
            rows = arena.run(sql)
            if rows is not None:
                groups[canonical(rows)].append(system)
                results[system] = rows
    beside = groups.pop(canonical(refutation.gold), [])
    # A result that only systems share which EX calls wrong is no case: they differ from the gold anyhow.
    least = 2 if beside else 1
    backed = [group for group in groups.values() if len(group) >= least and any(system in refuted for system in group)]
    if not backed:
        return None
    against = max(backed, key=len)
    first = next(system for system in against if system in refuted)
    elsewhere = [system for group in groups.values() if group is not against for system in group]
    shown = _with_prediction(refutation, results[first])
    return Suspect(task, tuple(against), tuple(beside), tuple(refuted), gold, predictions[first], shown, tuple(elsewhere))


def _with_prediction(refutation: Refutation, rows: Rows) -> Refutation:
    """The same database for another query: the search's own need not be one of the majority."""
    if canonical(rows) == canonical(refutation.prediction):
        return refutation
    return replace(refutation, prediction=rows, decides="")


def ranked(cases: list[Suspect]) -> list[Suspect]:
    return sorted(cases, key=lambda case: (*(-part for part in case.rank), case.task))
