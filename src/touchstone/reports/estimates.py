"""Means over episodes with their n and 95% interval, and what a benchmark adds to the page of a run.

Attempts at one task are alike, so with epochs tasks are what counts: for a share Wilson's interval with the number of attempts
that are independent, for the rest a bootstrap that draws whole tasks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from math import fsum

from msgspec import Struct

from ..runs.aggregate import Attempts, independent_attempts, wilson
from ..types import Record
from .statistics import bootstrap

RESAMPLES = 2_000


class Estimate(Struct, frozen=True):
    """A mean over episodes. Without any, its value is None."""

    n: int
    value: float | None
    low: float = 0.0
    high: float = 0.0


class StepLine(Struct, frozen=True):
    """Shares between 0 and 1, one at each place of the chart."""

    name: str
    values: Sequence[float]
    style: str = ""
    """"faint" or "dotted"; a full line otherwise."""


class StepChart(Struct, frozen=True):
    """Shares of episodes by what they had spent: steps, since each episode gets there at one moment."""

    caption: str
    title: str
    """What is read out in place of the drawing."""
    at: Sequence[float]
    lines: Sequence[StepLine]


class ShownFigure(Struct, frozen=True):
    """A figure in words, with its interval if it has one."""

    value: str
    interval: str = ""

    def __str__(self) -> str:
        return f"{self.value} ({self.interval})" if self.interval else self.value


class RunTable(Struct, frozen=True):
    """Figures that are no shares."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[str, Sequence[ShownFigure]]]


class RunSection(Struct, frozen=True):
    """What a benchmark has to say on the page of a run: a table of estimates, charts, and further tables."""

    title: str
    columns: Sequence[str]
    """The first is above the names of the rows."""
    rows: Sequence[tuple[str, Sequence[Estimate]]]
    charts: Sequence[StepChart] = ()
    tables: Sequence[RunTable] = ()


def estimate(records: Sequence[Record], value: Callable[[Record], float | None], *, share: bool = True) -> Estimate:
    """Over the records that have the value. `share` says that it lies between 0 and 1."""
    return estimate_of([(record.task, known) for record in records if (known := value(record)) is not None], share=share)


def estimate_of(pairs: Sequence[tuple[str, float]], *, share: bool = True) -> Estimate:
    """Of values, each with the task that it is from."""
    if not pairs:
        return Estimate(0, None)
    tasks, values = [task for task, _ in pairs], [value for _, value in pairs]
    mean = fsum(values) / len(values)
    if share and all(value in (0.0, 1.0) for value in values):
        by_task: defaultdict[str, Attempts] = defaultdict(Attempts)
        for task, value in pairs:
            by_task[task].n += 1
            by_task[task].passed += value
        worth = independent_attempts(by_task.values())
        low, high = wilson(mean * worth, worth)
    else:
        low, high = bootstrap(values, tasks, resamples=RESAMPLES)
    return Estimate(len(values), mean, low, high)


def percent(mean: Estimate) -> str:
    if mean.value is None:
        return "–"
    return f"{100 * mean.value:.1f} ({100 * mean.low:.1f} to {100 * mean.high:.1f})"
