"""Which attempt of one run is to be held against which of the other: the same task with the same content, at the same epoch."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property

from ...values import Outcome
from .reading import Entry, RunData
from .results import Flip, LeftOut, Side

Attempts = list[tuple[Entry, Entry]]
_NOT_JUDGED = (Outcome.unscorable, Outcome.skipped)


@dataclass(frozen=True)
class Match:
    """One task, and what each run made of it."""

    task: str
    attempts: Attempts

    @property
    def facets(self) -> dict[str, str]:
        return self.attempts[0][0].facets

    @cached_property
    def passed(self) -> tuple[int, int]:
        return _passed(self, 0), _passed(self, 1)

    @property
    def accuracies(self) -> tuple[float, float]:
        first, second = self.passed
        return first / len(self.attempts), second / len(self.attempts)

    @cached_property
    def scores(self) -> tuple[float, float]:
        return _mean([pair[0].score for pair in self.attempts]), _mean([pair[1].score for pair in self.attempts])

    def metric(self, name: str) -> tuple[float, float] | None:
        """A record without any metric came to no judgement and counts as 0; one that lacks only this has no value."""
        values = [(_metric(a, name), _metric(b, name)) for a, b in self.attempts]
        whole = [(a, b) for a, b in values if a is not None and b is not None]
        if not whole:
            return None
        return _mean([a for a, _ in whole]), _mean([b for _, b in whole])

    def flip(self) -> Flip:
        first, second = self.passed
        return Flip(self.task, self.facets, self._side(0, first > second), self._side(1, second > first))

    def _side(self, which: int, better: bool) -> Side:
        entries = [pair[which] for pair in self.attempts]
        shown = next((entry for entry in entries if (entry.outcome is Outcome.passed) is better), entries[0])
        return Side(
            passed=self.passed[which],
            attempts=len(entries),
            score=self.scores[which],
            outcome=shown.outcome,
            reason=shown.reason,
            epoch=shown.epoch,
        )


@dataclass(frozen=True)
class Matched:
    """Two runs with their tasks side by side, in the order of the dataset, whichever order they ended in."""

    matches: list[Match]
    only_in_first: list[str]
    only_in_second: list[str]
    unpaired_attempts: int
    left_out: list[LeftOut]


def pair_up(first: RunData, second: RunData, names: tuple[str, str], *, without_errors: bool = False) -> Matched:
    """`names` are what the runs are called where a reason speaks of them."""
    ours, theirs = _by_task(first), _by_task(second)
    matches: list[Match] = []
    left_out: list[LeftOut] = []
    unpaired = 0
    for task in (task for task in ours if task in theirs):
        epochs = ours[task].keys() & theirs[task].keys()
        unpaired += len(ours[task]) + len(theirs[task]) - 2 * len(epochs)
        attempts: Attempts = []
        for epoch in sorted(epochs):
            pair = ours[task][epoch], theirs[task][epoch]
            excluded = _excluded(pair, names, without_errors)
            if excluded:
                left_out.append(excluded)
            else:
                attempts.append(pair)
        if attempts:
            matches.append(Match(task, attempts))
    only_in_first = [task for task in ours if task not in theirs]
    only_in_second = [task for task in theirs if task not in ours]
    return Matched(matches, only_in_first, only_in_second, unpaired, left_out)


def _by_task(run: RunData) -> dict[str, dict[int, Entry]]:
    tasks: defaultdict[str, dict[int, Entry]] = defaultdict(dict)
    for entry in sorted(run.entries, key=lambda entry: (entry.index, entry.task)):
        tasks[entry.task][entry.epoch] = entry
    return tasks


def _excluded(pair: tuple[Entry, Entry], names: tuple[str, str], without_errors: bool) -> LeftOut | None:
    first, second = pair
    if first.digest != second.digest:
        why = f"it has another content in {names[1]} than in {names[0]}"
        return LeftOut(first.task, first.epoch, "changed", why)
    outcomes = (*_NOT_JUDGED, Outcome.error) if without_errors else _NOT_JUDGED
    for entry, name in zip(pair, names, strict=True):
        if entry.outcome in outcomes:
            return LeftOut(entry.task, entry.epoch, entry.outcome.value, f"{entry.outcome.value} in {name}: {entry.reason}")
    return None


def _passed(match: Match, which: int) -> int:
    return sum(pair[which].outcome is Outcome.passed for pair in match.attempts)


def _metric(entry: Entry, name: str) -> float | None:
    return entry.metrics.get(name) if entry.metrics else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
