"""What a comparison says, as data: the terminal, the JSON file and the web app all show these values.

A pair has a first and a second run; every difference is the second minus the first, so a positive one speaks for the second.
Shares and scores are fractions (0.05 is five points). Intervals are 95%, not adjusted for the number of pairs; p-values are,
by Holm's method, in `adjusted`.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from ...types import Outcome, Usage

Interval = tuple[float, float]


class RunDifference(Struct, frozen=True):
    """Something in which the runs differ, besides their results."""

    name: str
    """As in the run's configuration: `metric`, `limits.seconds`, `databases.shop`; or `task contents`."""
    values: list[Any]
    """One for each run; null where a run has none."""
    decisive: bool
    """It makes the numbers incomparable."""
    detail: str = ""
    """In words, where the values alone would not say it."""


class RunSummary(Struct, frozen=True, kw_only=True):
    """One run by itself, before any pairing."""

    label: str
    """A, B, C, …"""
    path: str
    title: str
    tasks: int
    attempts: int
    epochs: int
    counted: int
    """Attempts that are not unscorable or skipped."""
    passed: int
    accuracy: float | None
    interval: Interval | None
    """Wilson's. Null with several epochs, since attempts at one task are alike and it would be too narrow."""
    score: float | None
    outcomes: dict[str, int]
    usage: Usage
    proof: dict[str, int] | None = None
    """With proof: how many are right by EX, and how many of these are same, upheld, refuted and open."""
    corrected: tuple[float, float] | None = None
    """With an overlay: EX by the corrected golds, and by the published ones."""
    gold_reachable: str | None = None
    """Whether the agent could have read the gold. Null for a run of before this was asked."""


class Measure(Struct, frozen=True, kw_only=True):
    """One quantity in both runs, over the paired tasks."""

    tasks: int
    first: float
    second: float
    difference: float
    interval: Interval
    """As if the tasks were drawn one by one."""
    method: str
    """How the interval was made: `Tango` or `bootstrap`."""
    clustered: Interval | None = None
    """As if whole databases were drawn: what holds beyond the databases at hand. By bootstrap."""
    p: float | None = None
    """Two-sided, against no difference."""
    test: str = ""
    """What p comes from: `McNemar, exact` or `sign flips`."""
    mid_p: float | None = None
    """McNemar's mid-p, which is less cautious than the exact one."""
    adjusted: float | None = None
    """p after Holm's correction over all pairs; null when there is one pair."""


class PassK(Struct, frozen=True):
    """Several attempts at each task, taken k at a time."""

    k: int
    at: Measure
    """pass@k: at least one of k attempts passes."""
    hat: Measure
    """pass^k: all of k attempts pass."""


class Side(Struct, frozen=True, kw_only=True):
    """What one run made of a task."""

    passed: int
    attempts: int
    score: float
    """Mean over the attempts."""
    outcome: Outcome
    reason: str
    epoch: int
    """Of the attempt that outcome and reason are taken from: the first that shows what the flip is about."""


class Flip(Struct, frozen=True):
    """A task that one run does better than the other."""

    task: str
    facets: dict[str, str]
    first: Side
    second: Side


class LeftOut(Struct, frozen=True):
    """An attempt that both runs have and that is not compared."""

    task: str
    epoch: int
    kind: str
    """unscorable, skipped, error or changed."""
    why: str


class Group(Struct, frozen=True):
    """The paired tasks that have one value of a facet."""

    value: str
    tasks: int
    first: float
    second: float
    first_wins: int
    second_wins: int


class Power(Struct, frozen=True, kw_only=True):
    """How large a test must be, if tasks go on to differ between the two runs as they do here."""

    detect: float
    """The difference in accuracy that is asked about."""
    needed: int | None
    """Tasks needed to see it in 80 of 100 cases, at 5%. Null if no task differs yet."""
    smallest: float | None
    """The smallest difference that this many tasks show in 80 of 100 cases. Null if not even the largest possible one."""
    discordance: float
    """The share of tasks in which the runs differ: what both depend on."""


class RunPair(Struct, frozen=True, kw_only=True):
    """Two runs, task by task."""

    first: int
    second: int
    """Positions in `Comparison.runs`."""
    tasks: int
    attempts: int
    """Pairs of attempts; equal to `tasks` with one epoch each."""
    epochs: int
    """The most paired attempts that a task has."""
    clusters: int | None
    """Databases among the paired tasks. Null where tasks have no database, or all the same one."""
    first_wins: int
    second_wins: int
    ties: int
    both_passed: int
    """Ties in which every attempt passed."""
    errors: tuple[int, int]
    """Paired attempts of each run that ended in an infrastructure error and count as failed."""
    accuracy: Measure
    score: Measure
    metrics: dict[str, Measure]
    passes: list[PassK]
    """Empty with one epoch."""
    power: Power
    by: dict[str, list[Group]]
    """By facet."""
    only_first_right: list[Flip]
    only_second_right: list[Flip]
    """With several epochs: tasks that this run passes more often."""
    only_in_first: list[str]
    only_in_second: list[str]
    """Tasks that the other run has no record of."""
    unpaired_attempts: int
    """Attempts at tasks of both runs, at an epoch that only one of them has."""
    left_out: list[LeftOut]
    warnings: list[str]


class PairAccuracy(Struct, frozen=True):
    """Two of many runs: what share each passes of the tasks of both, and how many tasks it alone gets right."""

    first: int
    second: int
    """Positions in the list of runs."""
    first_wins: int
    second_wins: int
    accuracy: Measure


class Comparison(Struct, frozen=True, kw_only=True):
    runs: list[RunSummary]
    pairs: list[RunPair]
    differences: list[RunDifference]
    forced: bool
    """The runs cannot be compared, and were all the same."""
    seed: int
    resamples: int
    without_errors: bool
    baseline: bool
    """Each run was compared with the first only."""
    confidence: float = 0.95
    version: int = 1
    """Of this format."""
