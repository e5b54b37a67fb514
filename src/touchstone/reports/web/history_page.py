"""Scores over time, a chart for each benchmark, agent and model."""

from __future__ import annotations

from ..history import Point, Series, history
from .layout import Html, View, h, notice, page
from .library import Library
from .words import interval, percent

_TITLE = "Scores over time"
_WIDE, _HIGH, _LEFT, _FOOT = 640.0, 150.0, 34.0, 24.0


def history_page(library: Library, view: View) -> Html:
    all_series = history(library.runs())
    content = [_section(series) for series in all_series] or [notice("No run with a counted task yet.")]
    return page(_TITLE, [("Runs", "index.html"), (_TITLE, None)], h("h1", _TITLE), *content, depth=0, view=view)


def _section(series: Series) -> Html:
    rows = [
        h(
            "tr",
            h("td", f"{point.began:%Y-%m-%d %H:%M}"),
            h("td", h("a", point.run.label, href=f"runs/{point.run.name}/index.html"), " ", " ".join(point.run.labels.tags)),
            h("td", percent(point.share["accuracy"]), " ", h("span", interval(point.share), class_="dim"), class_="number"),
            h("td", f"{point.share['total']:,}", class_="number"),
        )
        for point in reversed(series.points)
    ]
    names = [h("th", name, scope="col") for name in ("Started", "Run", "Score", "n")]
    table = h("table", h("thead", h("tr", names)), h("tbody", rows), class_="wide")
    chart = _chart(series) if len(series.points) > 1 else None
    return h("section", h("h2", series.name), chart, h("div", table, class_="scroll", tabindex="0"), class_="card")


def _chart(series: Series) -> Html:
    bottom = _HIGH - _FOOT
    across = (_WIDE - _LEFT - 20) / max(len(series.points) - 1, 1)

    def at(position: int, share: float) -> tuple[float, float]:
        return _LEFT + 10 + position * across, 8 + (bottom - 8) * (1 - share)

    def drawn(position: int, point: Point) -> list[Html]:
        x, y = at(position, point.share["accuracy"])
        low, high = (at(position, end)[1] for end in point.share["interval"])
        words = f"{point.began:%Y-%m-%d}: {percent(point.share['accuracy'])}, 95% interval {interval(point.share)}"
        return [
            h("rect", x=x - 0.75, y=high, width=1.5, height=max(low - high, 1.0), class_="whisker"),
            h("circle", h("title", words), cx=x, cy=y, r=4, class_="point"),
        ]

    line = [at(position, point.share["accuracy"]) for position, point in enumerate(series.points)]
    ends = {0: "start"} | ({len(line) - 1: "end"} if len(line) > 1 else {})
    return h(
        "svg",
        h("title", f"{series.name}: accuracy of {len(series.points)} runs over time, with 95% intervals"),
        [h("line", x1=_LEFT, x2=_WIDE - 4, y1=y, y2=y, class_="axis") for y in (8.0, bottom)],
        [h("text", words, x=_LEFT - 6, y=y, text_anchor="end") for words, y in (("100%", 14), ("0%", bottom + 4))],
        h("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in line), class_="line", fill="none"),
        [drawn(position, point) for position, point in enumerate(series.points)],
        [
            h("text", f"{series.points[position].began:%Y-%m-%d}", x=line[position][0], y=_HIGH - 6, text_anchor=anchor)
            for position, anchor in ends.items()
        ],
        class_="coins",
        viewBox=f"0 0 {_WIDE:g} {_HIGH:g}",
        role="img",
    )
