"""All of it together: what differs, who is paired with whom, what each pair says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

from msgspec.structs import replace

from ...errors import InputError
from ...options import OptionError
from ...runs.aggregate import COUNTED, aggregate
from ...types import Outcome
from ..statistics import holm
from . import pairs
from .pairs import Matched, pair_up
from .results import Comparison, Measure, PairAccuracy, RunPair, RunSummary
from .runs import Incomparable, RunData, differences, labels


@dataclass(frozen=True)
class _Settings:
    sampler: pairs.Sampler
    without_errors: bool
    detect: float


def compare(
    runs: Sequence[RunData],
    *,
    force: bool = False,
    seed: int = 0,
    resamples: int = 10_000,
    baseline: bool = False,
    without_errors: bool = False,
    detect: float = 0.05,
) -> Comparison:
    """Every pair of runs, or with `baseline` each against the first.

    Raises Incomparable, which lists why, when the runs measure different things and `force` is not given, and InputError when
    there is nothing to compare.
    """
    _refuse_odd(runs, resamples, detect)
    all_differences = differences(runs)
    decisive = [each for each in all_differences if each.decisive]
    if decisive and not force:
        raise Incomparable(decisive)
    settings = _Settings(pairs.Sampler(seed, resamples), without_errors, detect)
    chosen = [(0, second) for second in range(1, len(runs))] if baseline else combinations(range(len(runs)), 2)
    return Comparison(
        runs=[_summary(run, label) for run, label in zip(runs, labels(len(runs)), strict=True)],
        pairs=_adjusted([_pair(runs, first, second, settings) for first, second in chosen]),
        differences=all_differences,
        forced=bool(decisive),
        seed=seed,
        resamples=resamples,
        without_errors=without_errors,
        baseline=baseline,
    )


def accuracies(runs: Sequence[RunData]) -> list[PairAccuracy]:
    """How much each pair of runs differs in what it passes, and no more, so that many runs can be laid side by side.

    The numbers of `compare` with `force`, p-values adjusted for all pairs; runs that share no task have no entry.
    """
    sampler = pairs.Sampler()
    names = labels(len(runs))
    measured: list[PairAccuracy] = []
    for first, second in combinations(range(len(runs)), 2):
        matches = pair_up(runs[first], runs[second], (names[first], names[second])).matches
        if matches:
            wins = sum(match.passed[0] > match.passed[1] for match in matches)
            losses = sum(match.passed[0] < match.passed[1] for match in matches)
            measured.append(PairAccuracy(first, second, wins, losses, pairs.accuracy(matches, sampler)))
    adjusted = _holm([pair.accuracy for pair in measured])
    return [replace(pair, accuracy=accuracy) for pair, accuracy in zip(measured, adjusted, strict=True)]


def _refuse_odd(runs: Sequence[RunData], resamples: int, detect: float) -> None:
    if len(runs) < 2:
        raise InputError("compare needs two run directories or more")
    if resamples < 100:
        raise OptionError("resamples", resamples, "expected 100 or more")
    if not 0 < detect < 1:
        raise OptionError("detect", detect, "expected a fraction such as 0.05, for five points")


def _pair(runs: Sequence[RunData], first: int, second: int, settings: _Settings) -> RunPair:
    names = labels(len(runs))[first], labels(len(runs))[second]
    matched = pair_up(runs[first], runs[second], names, without_errors=settings.without_errors)
    matches = matched.matches
    if not matches:
        raise InputError(f"{names[0]} and {names[1]} have no task in common that can be compared{_why_nothing(matched)}")
    clusters = pairs.clusters_of(matches)
    flips = [match.flip() for match in matches if match.passed[0] != match.passed[1]]
    return RunPair(
        first=first,
        second=second,
        tasks=len(matches),
        attempts=sum(len(match.attempts) for match in matches),
        epochs=max(len(match.attempts) for match in matches),
        clusters=clusters,
        first_wins=sum(flip.first.passed > flip.second.passed for flip in flips),
        second_wins=sum(flip.first.passed < flip.second.passed for flip in flips),
        ties=len(matches) - len(flips),
        both_passed=sum(match.passed == (len(match.attempts), len(match.attempts)) for match in matches),
        errors=_errors(matched),
        accuracy=pairs.accuracy(matches, settings.sampler),
        score=pairs.measured(matches, lambda match: match.scores, settings.sampler, test=True),
        metrics=pairs.metrics(matches, settings.sampler),
        passes=pairs.passes(matches, settings.sampler),
        power=pairs.power(matches, settings.detect),
        by=pairs.groups(matches),
        only_first_right=[flip for flip in flips if flip.first.passed > flip.second.passed],
        only_second_right=[flip for flip in flips if flip.first.passed < flip.second.passed],
        only_in_first=matched.only_in_first,
        only_in_second=matched.only_in_second,
        unpaired_attempts=matched.unpaired_attempts,
        left_out=matched.left_out,
        warnings=_warnings(matched, clusters, names),
    )


def _why_nothing(matched: Matched) -> str:
    if not matched.left_out:
        return ""
    return ": " + "; ".join(f"task {each.task}: {each.why}" for each in matched.left_out[:3])


def _errors(matched: Matched) -> tuple[int, int]:
    pairs = [pair for match in matched.matches for pair in match.attempts]
    return sum(a.outcome is Outcome.error for a, _ in pairs), sum(b.outcome is Outcome.error for _, b in pairs)


def _warnings(matched: Matched, clusters: int | None, names: tuple[str, str]) -> list[str]:
    warnings: list[str] = []
    if clusters is not None and clusters < pairs.FEW_CLUSTERS:
        warnings.append(f"the tasks come from only {clusters} databases: the intervals clustered by database are unreliable")
    if matched.only_in_first or matched.only_in_second:
        counts = f"{len(matched.only_in_first)} only in {names[0]}, {len(matched.only_in_second)} only in {names[1]}"
        warnings.append(f"tasks that only one run has are not compared: {counts}")
    if matched.unpaired_attempts:
        warnings.append(f"{matched.unpaired_attempts} attempts have no partner at the same epoch and are not compared")
    errors = sum(_errors(matched))
    if errors:
        warnings.append(
            f"{errors} attempts ended in an infrastructure error and count as failed; --without-errors leaves them out"
        )
    return warnings


def _adjusted(pairs: list[RunPair]) -> list[RunPair]:
    """Two families of tests: pass and fail, and scores."""
    if len(pairs) < 2:
        return pairs
    accuracies = _holm([pair.accuracy for pair in pairs])
    scores = _holm([pair.score for pair in pairs])
    return [replace(pair, accuracy=a, score=b) for pair, a, b in zip(pairs, accuracies, scores, strict=True)]


def _holm(measures: list[Measure]) -> list[Measure]:
    adjusted = holm([1.0 if measure.p is None else measure.p for measure in measures])
    return [replace(measure, adjusted=p) for measure, p in zip(measures, adjusted, strict=True)]


def _summary(run: RunData, label: str) -> RunSummary:
    overall = aggregate(run.entries).overall()
    share = overall["overall"]
    epochs = max(Counter(entry.task for entry in run.entries).values(), default=0)
    return RunSummary(
        label=label,
        path=run.path,
        title=run.title,
        tasks=overall["tasks"],
        attempts=overall["total"],
        epochs=epochs,
        counted=share["total"],
        passed=share["passed"],
        accuracy=share["accuracy"],
        interval=share["interval"] if epochs <= 1 else None,
        score=overall["score"],
        outcomes=overall["outcomes"],
        usage=overall["usage"],
        proof=overall.get("proof"),
        corrected=_corrected(run, share["total"]),
        gold_reachable=run.identity.get("gold_reachable"),
    )


def _corrected(run: RunData, counted: int) -> tuple[float, float] | None:
    if not counted or not any("ex_published" in entry.metrics for entry in run.entries):
        return None
    judged = [entry.metrics for entry in run.entries if entry.outcome in COUNTED]
    ours, published = (fsum(metrics.get(name, 0.0) for metrics in judged) / counted for name in ("ex", "ex_published"))
    return ours, published
