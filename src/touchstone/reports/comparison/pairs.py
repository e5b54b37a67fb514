"""Which attempt of one run is to be held against which of the other: the same task with the same content, at the same epoch."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from math import fsum, sqrt

from ...types import Outcome
from .. import statistics
from ..records import ShortRecord
from .results import Flip, Group, Interval, LeftOut, Measure, PassK, Power, Side
from .runs import RunData

Attempts = list[tuple[ShortRecord, ShortRecord]]
_NOT_JUDGED = (Outcome.unscorable, Outcome.skipped)


@dataclass(frozen=True)
class TaskPair:
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
        return _mean([pair[0].score or 0.0 for pair in self.attempts]), _mean([pair[1].score or 0.0 for pair in self.attempts])

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

    matches: list[TaskPair]
    only_in_first: list[str]
    only_in_second: list[str]
    unpaired_attempts: int
    left_out: list[LeftOut]


def pair_up(first: RunData, second: RunData, names: tuple[str, str], *, without_errors: bool = False) -> Matched:
    """`names` are what the runs are called where a reason speaks of them."""
    ours, theirs = _by_task(first), _by_task(second)
    matches: list[TaskPair] = []
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
            matches.append(TaskPair(task, attempts))
    only_in_first = [task for task in ours if task not in theirs]
    only_in_second = [task for task in theirs if task not in ours]
    return Matched(matches, only_in_first, only_in_second, unpaired, left_out)


def _by_task(run: RunData) -> dict[str, dict[int, ShortRecord]]:
    tasks: defaultdict[str, dict[int, ShortRecord]] = defaultdict(dict)
    for entry in sorted(run.entries, key=lambda entry: (entry.index, entry.task)):
        tasks[entry.task][entry.epoch] = entry
    return tasks


def _excluded(pair: tuple[ShortRecord, ShortRecord], names: tuple[str, str], without_errors: bool) -> LeftOut | None:
    first, second = pair
    if first.digest != second.digest:
        why = f"it has another content in {names[1]} than in {names[0]}"
        return LeftOut(first.task, first.epoch, "changed", why)
    outcomes = (*_NOT_JUDGED, Outcome.error) if without_errors else _NOT_JUDGED
    for entry, name in zip(pair, names, strict=True):
        if entry.outcome in outcomes:
            return LeftOut(
                entry.task,
                entry.epoch,
                entry.outcome.value,
                f"{entry.outcome.value} in {name}: {entry.reason}",
            )
    return None


def _passed(match: TaskPair, which: int) -> int:
    return sum(pair[which].outcome is Outcome.passed for pair in match.attempts)


def _metric(entry: ShortRecord, name: str) -> float | None:
    return entry.metrics.get(name) if entry.metrics else 0.0


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)


# From paired tasks to differences with their intervals and p-values.
#
# With one attempt at each task, pass and fail are compared by McNemar's exact test and Tango's interval. With several, a task
# counts with the share of its attempts that passed: attempts at one task are alike, so it is tasks that are drawn anew and
# whose signs are flipped, and McNemar's test, which needs one attempt each, is not made. Scores and metrics are always
# resampled.


CLUSTER = "database"
FEW_CLUSTERS = 10
_EVERY_K = 10
"""Up to here each k has its estimates; from there 20, 50, 100, 200 and so on, and the largest."""

Values = Callable[[TaskPair], tuple[float, float] | None]


@dataclass(frozen=True)
class Sampler:
    """Resamples, and remembers: several metrics are often the same numbers."""

    seed: int = 0
    resamples: int = 10_000
    _known: dict[tuple[object, ...], Interval] = field(default_factory=lambda: {})

    def interval(self, differences: Sequence[float], clusters: Sequence[str] | None = None) -> Interval:
        key = (tuple(differences), None if clusters is None else tuple(clusters))
        if key not in self._known:
            self._known[key] = statistics.bootstrap(differences, clusters, seed=self.seed, resamples=self.resamples)
        return self._known[key]

    def p(self, differences: Sequence[float]) -> float:
        return statistics.sign_flips(differences, seed=self.seed, resamples=self.resamples)


def clusters_of(matches: Sequence[TaskPair]) -> int | None:
    """How many databases there are; None if tasks have none, or all the same one."""
    clusters = {match.facets.get(CLUSTER) for match in matches}
    return None if None in clusters or len(clusters) < 2 else len(clusters)


def accuracy(matches: Sequence[TaskPair], sampler: Sampler) -> Measure:
    if any(len(match.attempts) > 1 for match in matches):
        return measured(matches, lambda match: match.accuracies, sampler, test=True)
    gained = sum(match.passed == (0, 1) for match in matches)
    lost = sum(match.passed == (1, 0) for match in matches)
    p, mid_p = statistics.mcnemar(gained, lost)
    first, second = _means([match.accuracies for match in matches])
    differences = [float(match.passed[1] - match.passed[0]) for match in matches]
    return Measure(
        tasks=len(matches),
        first=first,
        second=second,
        difference=(gained - lost) / len(matches),
        interval=statistics.tango(gained, lost, len(matches)),
        method="Tango",
        clustered=_clustered(matches, differences, sampler),
        p=p,
        mid_p=mid_p,
        test="McNemar, exact",
    )


def measured(matches: Sequence[TaskPair], values: Values, sampler: Sampler, *, test: bool = False) -> Measure:
    """Over the tasks that have a value; there must be one."""
    valued = [(match, value) for match in matches if (value := values(match)) is not None]
    first, second = _means([value for _, value in valued])
    differences = [b - a for _, (a, b) in valued]
    return Measure(
        tasks=len(valued),
        first=first,
        second=second,
        difference=fsum(differences) / len(differences),
        interval=sampler.interval(differences),
        method="bootstrap",
        clustered=_clustered([match for match, _ in valued], differences, sampler),
        p=sampler.p(differences) if test else None,
        test="sign flips" if test else "",
    )


def metrics(matches: Sequence[TaskPair], sampler: Sampler) -> dict[str, Measure]:
    """Each metric that both runs have of some task: only failed episodes have `failed_by_user`, say."""
    ours = {name for match in matches for entry, _ in match.attempts for name in entry.metrics}
    theirs = {name for match in matches for _, entry in match.attempts for name in entry.metrics}
    shared = sorted(name for name in ours & theirs if any(match.metric(name) is not None for match in matches))
    return {name: measured(matches, lambda match, name=name: match.metric(name), sampler) for name in shared}


def passes(matches: Sequence[TaskPair], sampler: Sampler) -> list[PassK]:
    """For k up to the number of attempts, over the tasks that have so many."""
    most = max(len(match.attempts) for match in matches)
    if most == 1:
        return []
    return [
        PassK(
            k,
            measured(matches, partial(_of_k, k, statistics.pass_at), sampler),
            measured(matches, partial(_of_k, k, statistics.pass_hat), sampler),
        )
        for k in range(1, most + 1)
        if k <= _EVERY_K or k == most or str(k).rstrip("0") in ("1", "2", "5")
    ]


def power(matches: Sequence[TaskPair], detect: float) -> Power:
    n = len(matches)
    differences = [second - first for first, second in (match.accuracies for match in matches)]
    discordance = sum(map(bool, differences)) / n
    if not discordance:
        return Power(detect=detect, needed=None, smallest=None, discordance=0.0)
    if all(len(match.attempts) == 1 for match in matches):
        needed = statistics.needed_for_shares(detect, discordance)
        smallest = statistics.smallest_for_shares(n, discordance)
    else:
        deviation = sqrt(fsum(each**2 for each in differences) / n)
        needed = statistics.needed_for_mean(detect, deviation)
        smallest = statistics.smallest_for_mean(n, deviation)
    return Power(detect=detect, needed=needed, smallest=smallest, discordance=discordance)


def groups(matches: Sequence[TaskPair]) -> dict[str, list[Group]]:
    names = sorted({name for match in matches for name in match.facets})
    return {name: _groups(matches, name) for name in names}


def _groups(matches: Sequence[TaskPair], facet: str) -> list[Group]:
    members: dict[str, list[TaskPair]] = {}
    for match in matches:
        if facet in match.facets:
            members.setdefault(match.facets[facet], []).append(match)
    return [_group(value, members[value]) for value in sorted(members)]


def _group(value: str, matches: Sequence[TaskPair]) -> Group:
    first, second = _means([match.accuracies for match in matches])
    wins = [match.passed[0] > match.passed[1] for match in matches], [match.passed[1] > match.passed[0] for match in matches]
    return Group(value, len(matches), first, second, sum(wins[0]), sum(wins[1]))


def _of_k(k: int, estimate: Callable[[int, int, int], float], match: TaskPair) -> tuple[float, float] | None:
    n = len(match.attempts)
    first, second = match.passed
    return (estimate(k, n, first), estimate(k, n, second)) if n >= k else None


def _clustered(matches: Sequence[TaskPair], differences: Sequence[float], sampler: Sampler) -> Interval | None:
    if clusters_of(matches) is None:
        return None
    return sampler.interval(differences, [match.facets[CLUSTER] for match in matches])


def _means(values: Sequence[tuple[float, float]]) -> tuple[float, float]:
    return fsum(first for first, _ in values) / len(values), fsum(second for _, second in values) / len(values)
