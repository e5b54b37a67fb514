"""Scores over time: the runs of one benchmark by one agent with one model, in the order in which they began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ..terminal import one_line
from .web.library import Run
from .web.words import interval, money, percent

_WIDE = 20


@dataclass(frozen=True)
class Point:
    run: Run
    began: datetime
    share: Mapping[str, Any]
    """Accuracy, interval, passed and total, as in overall.json."""


@dataclass(frozen=True)
class Series:
    benchmark: str
    agent: str
    model: str
    points: Sequence[Point]

    @property
    def name(self) -> str:
        return ", ".join(part for part in (self.benchmark, self.agent, self.model) if part != "–")


def history(runs: Sequence[Run]) -> list[Series]:
    """Runs in which nothing was counted are left out. The series with the newest run comes first."""
    groups: dict[tuple[str, str, str], list[Point]] = {}
    for run in runs:
        share = run.index.aggregate.overall()["overall"]
        if share["total"] and run.index.began:
            groups.setdefault((run.benchmark, run.agent, run.model), []).append(Point(run, run.index.began, share))
    all_series = [Series(*key, sorted(points, key=lambda point: point.began.timestamp())) for key, points in groups.items()]
    return sorted(all_series, key=lambda series: series.points[-1].began.timestamp(), reverse=True)


def history_text(all_series: Sequence[Series]) -> str:
    lines: list[str] = []
    for series in all_series:
        lines += ["", one_line(series.name)] if lines else [one_line(series.name)]
        lines += [_line(point) for point in series.points]
    return "\n".join(lines)


def _line(point: Point) -> str:
    accuracy = point.share["accuracy"]
    filled = round(_WIDE * accuracy)
    bar = "█" * filled + "·" * (_WIDE - filled)
    score = f"{percent(accuracy):>6}  {interval(point.share):<13}  n = {point.share['total']:<6,}"
    return f"  {point.began:%Y-%m-%d %H:%M}  {bar}  {score}  {money(point.run.index.cost):>9}  {one_line(point.run.label)}"


def history_rows(all_series: Sequence[Series]) -> list[dict[str, Any]]:
    """For JSON: a row per run."""
    return [
        {
            "benchmark": series.benchmark,
            "agent": series.agent,
            "model": series.model,
            "run": str(point.run.path),
            "began": point.began.isoformat(),
            **point.share,
            "cost": point.run.index.cost,
            "tags": list(point.run.labels.tags),
        }
        for series in all_series
        for point in series.points
    ]
