"""Scores over time, a chart for each benchmark, agent and model."""

from __future__ import annotations

from ..history import Point, Series, history
from .charts import BOTTOM, LEFT, TOP, WIDE, chart, foot, polyline
from .layout import Html, View, h, notice, page, table
from .library import Library
from .words import interval, percent

_TITLE = "Scores over time"


def history_page(library: Library, view: View) -> Html:
    all_series = history(library.runs())
    content = [_section(series) for series in all_series] or [notice("No run with a counted task yet.")]
    return page(_TITLE, [("Runs", "index.html"), (_TITLE, None)], h("h1", _TITLE), *content, depth=0, view=view)


def _section(series: Series) -> Html:
    rows = [
        (
            f"{point.began:%Y-%m-%d %H:%M}",
            (h("a", point.run.label, href=f"runs/{point.run.name}/index.html"), " ", " ".join(point.run.labels.tags)),
            (percent(point.share["accuracy"]), " ", h("span", interval(point.share), class_="dim")),
            f"{point.share['total']:,}",
        )
        for point in reversed(series.points)
    ]
    shown = table(("Started", "Run", "Score", "n"), rows, numbers=("Score", "n"))
    return h("section", h("h2", series.name), _chart(series) if len(rows) > 1 else None, shown, class_="card")


def _chart(series: Series) -> Html:
    across = (WIDE - LEFT - 20) / max(len(series.points) - 1, 1)

    def at(position: int, share: float) -> tuple[float, float]:
        return LEFT + 10 + position * across, TOP + (BOTTOM - TOP) * (1 - share)

    def drawn(position: int, point: Point) -> list[Html]:
        x, y = at(position, point.share["accuracy"])
        low, high = (at(position, end)[1] for end in point.share["interval"])
        words = f"{point.began:%Y-%m-%d}: {percent(point.share['accuracy'])}, 95% interval {interval(point.share)}"
        return [
            h("rect", x=x - 0.75, y=high, width=1.5, height=max(low - high, 1.0), class_="whisker"),
            h("circle", h("title", words), cx=x, cy=y, r=4, class_="point"),
        ]

    line = [at(position, point.share["accuracy"]) for position, point in enumerate(series.points)]
    return chart(
        f"{series.name}: accuracy of {len(series.points)} runs over time, with 95% intervals",
        {TOP: "100%", BOTTOM: "0%"},
        polyline(line),
        [drawn(position, point) for position, point in enumerate(series.points)],
        [foot(f"{series.points[end].began:%Y-%m-%d}", line[end][0], anchor) for end, anchor in ((0, "start"), (-1, "end"))],
    )
