"""What a benchmark adds to the page of its runs, by `run_section` of its struct: a table of estimates, and charts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ...plugins import structs_with
from ...runs.aggregate import COUNTED
from ...types import Record
from ..estimates import Estimate, RunSection
from .charts import step_chart
from .layout import Child, h, table
from .library import Run


def section(run: Run) -> Child:
    """Nothing for a benchmark that adds nothing, or is not installed."""
    if _adding(run.benchmark) is None:
        return None
    counted = tuple(entry.record for entry in run.index.entries if entry.record.outcome in COUNTED)
    added = _computed(run.benchmark, _Counted(f"{run.name} {run.index.stamp}", counted)) if counted else None
    if added is None:
        return None
    rows = [(name, *map(_cell, means)) for name, means in added.rows]
    shown = table(added.columns, rows, "", numbers=added.columns[1:], headed=True)
    figures = [h("figure", h("figcaption", chart.caption), step_chart(chart)) for chart in added.charts]
    words = "Percent with 95% intervals, attempts at one task taken together; n counts episodes."
    return h("section", h("h2", added.title), h("p", words, class_="dim"), shown, figures, class_="card estimates")


class _Counted:
    """Records by the state of the run that they were read from, so that a page need not resample again."""

    def __init__(self, key: str, records: Sequence[Record]) -> None:
        self.key = key
        self.records = records

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Counted) and other.key == self.key


@lru_cache(maxsize=32)
def _adding(benchmark: str) -> Any:
    """The struct of a benchmark that adds something."""
    return next(structs_with("benchmarks", "run_section", named=benchmark), None)


@lru_cache(maxsize=8)
def _computed(benchmark: str, counted: _Counted) -> RunSection | None:
    struct = _adding(benchmark)
    return struct.run_section(counted.records) if struct else None


def _cell(mean: Estimate) -> Child:
    if mean.value is None:
        return "–"
    lines = (f" {100 * mean.low:.1f}–{100 * mean.high:.1f}", f" n = {mean.n:,}")
    return (f"{100 * mean.value:.1f}%", [h("span", line, class_="dim interval") for line in lines])
