"""Counting outcomes: the numbers in overall.json, for the whole run and for each value of each facet.

Accuracy is passed over all that were judged or should have been: passed, failed, limit and error. What the benchmark or this
machine made impossible (unscorable, skipped) is counted beside it. Every share carries its n and a 95% Wilson interval. With
epochs tasks are what counts: attempts at one task are alike, so the interval is that of as many independent ones.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from msgspec import Struct

from ..types import Outcome, Record, ServiceStep, Step, Usage

COUNTED = (Outcome.passed, Outcome.failed, Outcome.limit, Outcome.error)
_PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99}
_Z = 1.959963984540054  # 97.5% of a normal distribution lies below


@dataclass(slots=True)
class Attempts:
    """At one task, those that are counted."""

    n: int = 0
    passed: float = 0


class Aggregate:
    """Grows by one record at a time and keeps none of them."""

    def __init__(self) -> None:
        self.outcomes: Counter[Outcome] = Counter()
        self.usage = Usage()
        self.usage_by: defaultdict[str, Usage] = defaultdict(Usage)
        self.seconds = 0.0
        self._facets: defaultdict[str, defaultdict[str, Counter[Outcome]]] = defaultdict(lambda: defaultdict(Counter))
        self._scores: list[float] = []
        self._metrics: defaultdict[str, float] = defaultdict(float)
        self._measured: Counter[str] = Counter()
        self._unmeasured = 0
        self._kinds: Counter[str] = Counter()
        self._reasons: defaultdict[Outcome, Counter[str]] = defaultdict(Counter)
        self._proofs: Counter[str] = Counter()
        self._tasks: set[str] = set()
        self._tried: Counter[str] = Counter()
        """Attempts at each task that are counted."""
        self._passed: Counter[str] = Counter()
        self._repeated: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        """Tasks that were tried again, by facet and value."""
        self._latencies: list[float] = []

    @property
    def done(self) -> int:
        return self.outcomes.total()

    @property
    def counted(self) -> int:
        return sum(self.outcomes[outcome] for outcome in COUNTED)

    @property
    def facets(self) -> list[str]:
        """The names that any record has, in the order of their coming."""
        return list(self._facets)

    def add(self, record: Record) -> None:
        self._tasks.add(record.task)
        self.outcomes[record.outcome] += 1
        self.usage += record.usage
        for who, usage in record.usage_by.items():
            self.usage_by[who] += usage
        self.seconds += record.seconds
        self._latencies += _service_seconds(record.steps)
        for name, value in record.facets.items():
            self._facets[name][value][record.outcome] += 1
        if record.outcome in COUNTED:
            self._tried[record.task] += 1
            if record.outcome is Outcome.passed:
                self._passed[record.task] += 1
            if self._tried[record.task] > 1:
                for facet in record.facets.items():
                    self._repeated[facet].add(record.task)
            self._scores.append(record.score or 0.0)
            self._unmeasured += not record.metrics
            for name, value in record.metrics.items():
                self._metrics[name] += value
                self._measured[name] += 1
            proof: Any = record.evidence.get("proof")
            if isinstance(proof, dict):
                self._proofs[str(cast("dict[str, Any]", proof).get("verdict"))] += 1
        if record.outcome is Outcome.failed:
            self._kinds[str(record.evidence.get("kind") or _without_kind(record))] += 1
        elif record.outcome is not Outcome.passed:
            self._reasons[record.outcome][record.reason] += 1

    def overall(self) -> dict[str, Any]:
        n = self.counted
        return {
            "total": self.done,
            "tasks": len(self._tasks),
            "overall": _share(self.outcomes, self._tried_again(self._tried)),
            "score": math.fsum(self._scores) / n if n else None,
            "metrics": self._means(),
            "metrics_n": {name: self._over(name) for name in sorted(self._metrics)},
            **({"proof": proof_counts(self._proofs)} if self._proofs else {}),
            "outcomes": {outcome.value: self.outcomes[outcome] for outcome in Outcome},
            "failed_because": _ranked(self._kinds),
            "reasons": {outcome.value: _ranked(reasons, 20) for outcome, reasons in sorted(self._reasons.items())},
            **{f"by_{facet}": self._shares(facet, values) for facet, values in self._facets.items()},
            **({"service_seconds": percentiles(self._latencies)} if self._latencies else {}),
            "usage": self.usage,
            "usage_by": dict(self.usage_by),
            "seconds": round(self.seconds, 3),
        }

    def _shares(self, facet: str, values: dict[str, Counter[Outcome]]) -> dict[str, Any]:
        return {
            value: _share(outcomes, self._tried_again(self._repeated[facet, value]))
            for value, outcomes in sorted(values.items())
        }

    def _tried_again(self, tasks: Iterable[str]) -> list[Attempts]:
        return [Attempts(n, self._passed[task]) for task in tasks if (n := self._tried[task]) > 1]

    def _means(self) -> dict[str, float]:
        """Over the records that have the metric, and those that came to no judgement at all, which count as 0.

        What the oracle would have scored (`…_oracle`) says nothing of the agent, so it is a mean of what was measured.
        """
        return {name: total / self._over(name) for name, total in sorted(self._metrics.items())}

    def _over(self, name: str) -> int:
        """How many records a mean is of."""
        return self._measured[name] + (0 if name.endswith("_oracle") else self._unmeasured)


class _TimedStep(Struct):
    type: str
    seconds: float = 0.0


_timed_steps = msgspec.json.Decoder(list[_TimedStep])


def _without_kind(record: Record) -> str:
    """A benchmark need not say what kind of failure it is."""
    return "other" if record.metrics and "submi" not in record.reason else "not submitted"


def _service_seconds(steps: Sequence[Step] | msgspec.Raw) -> list[float]:
    """How long each exchange with a service under test took. Of records that are only counted, conversations are left as
    bytes: nearly all have no such exchange, and are not decoded to find that out."""
    if not isinstance(steps, msgspec.Raw):
        return [step.seconds for step in steps if isinstance(step, ServiceStep)]
    if b'"type":"service"' not in bytes(steps):
        return []
    return [step.seconds for step in _timed_steps.decode(steps) if step.type == "service"]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """By the nearest rank: each is a value that occurred."""
    ranked = sorted(values)
    ranks = {name: ranked[max(math.ceil(share * len(ranked)) - 1, 0)] for name, share in _PERCENTILES.items()}
    return {"n": len(ranked), **ranks, "max": ranked[-1]}


def proof_counts(words: Counter[str]) -> dict[str, int]:
    """How many predictions are right by EX, and what small databases say of these."""
    return {"ex_passed": words.total(), **{word: words[word] for word in ("same", "upheld", "refuted", "open")}}


class SoFar:
    """What a run has recorded, without the records."""

    def __init__(self) -> None:
        self.counted = Aggregate()
        self.digests: dict[tuple[str, int], str] = {}
        """Of tasks, by task and epoch."""

    def add(self, record: Record) -> None:
        self.counted.add(record)
        self.digests[record.task, record.epoch] = record.digest


def aggregate(records: Iterable[Record]) -> Aggregate:
    counted = Aggregate()
    for record in records:
        counted.add(record)
    return counted


def _ranked(counts: Counter[str], most: int | None = None) -> dict[str, int]:
    """The most frequent first, whatever order they came in."""
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:most])


def wilson(passed: float, n: float) -> tuple[float, float]:
    """The 95% interval of a share. Without observations it says nothing: 0 to 1."""
    if n == 0:
        return 0.0, 1.0
    share = passed / n
    weight = 1 + _Z**2 / n
    middle = (share + _Z**2 / (2 * n)) / weight
    half = _Z * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2)) / weight
    return max(0.0, min(share, middle - half)), min(1.0, max(share, middle + half))


def independent_attempts(by_task: Collection[Attempts]) -> float:
    """How many a share is worth: as many as there are tasks, if attempts at one task always end alike."""
    k, n = len(by_task), sum(each.n for each in by_task)
    mean = math.fsum(each.passed for each in by_task) / n if n else 0.0
    if k in (n, 1) or mean in (0.0, 1.0):
        return k
    spread = math.fsum(((each.passed - each.n * mean) / (n / k)) ** 2 for each in by_task) / (k * (k - 1))
    return min(n, max(mean * (1 - mean) / spread, 1.0)) if spread else n


def _share(outcomes: Counter[Outcome], tried_again: Sequence[Attempts]) -> dict[str, Any]:
    """All other tasks were tried once."""
    n = sum(outcomes[outcome] for outcome in COUNTED)
    passed = outcomes[Outcome.passed]
    worth: float = n
    if tried_again:
        once_passed = passed - round(sum(each.passed for each in tried_again))
        once_failed = n - sum(each.n for each in tried_again) - once_passed
        worth = independent_attempts([*tried_again, *[Attempts(1, 1)] * once_passed, *[Attempts(1, 0)] * once_failed])
    return {
        "total": n,
        "passed": passed,
        "not_passed": n - passed,
        "accuracy": passed / n if n else None,
        "interval": wilson(passed * worth / n if n else 0, worth),
        "left_out": outcomes.total() - n,
    }
