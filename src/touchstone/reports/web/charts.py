"""Small drawings in SVG. Sizes are attributes, since pages allow no style of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from ...types import Outcome
from ..estimates import StepChart
from .layout import NOTHING, Html, h, join
from .words import interval, percent

# What JSON holds, as a page needs it: of the expected shape, or else empty. Records may come from anywhere.


def mapping(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def listed(value: Any) -> Sequence[Any]:
    return cast("Sequence[Any]", value) if isinstance(value, list) else ()


def objects(value: Any) -> list[Mapping[str, Any]]:
    return [mapping(each) for each in listed(value) if isinstance(each, dict)]


def names(value: Any) -> list[str]:
    return [str(each) for each in listed(value)]


def rows(value: Any) -> list[Sequence[Any]]:
    return [listed(each) for each in listed(value) if isinstance(each, list)]


def number(value: Any) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300 else 0.0


_WIDE, _HIGH, _LEFT, _FOOT = 640.0, 150.0, 34.0, 24.0
_LONGEST_LABEL = 60


def share_bar(share: Mapping[str, Any]) -> Html:
    """A share as a bar, with a whisker for its interval."""
    if not share["total"]:
        return NOTHING
    low, high = (100 * end for end in share["interval"])
    return h(
        "svg",
        h("title", f"{percent(share['accuracy'])}, 95% interval {interval(share)}, n = {share['total']}"),
        h("rect", width=100, height=10, class_="track"),
        h("rect", width=100 * share["accuracy"], height=10, class_="fill"),
        h("rect", x=low, y=4, width=max(high - low, 0.4), height=2, class_="whisker"),
        h("rect", x=low, y=1.5, width=0.4, height=7, class_="whisker"),
        h("rect", x=max(high - 0.4, 0.0), y=1.5, width=0.4, height=7, class_="whisker"),
        class_="bar",
        viewBox="0 0 100 10",
        preserveAspectRatio="none",
        role="img",
    )


def part_bar(part: int, whole: int) -> Html:
    width = 100 * part / whole if whole else 0.0
    bars = join(h("rect", width=100, height=10, class_="track"), h("rect", width=width, height=10, class_="fill quiet"))
    return h("svg", bars, class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", aria_hidden="true")


def outcome_bar(outcomes: Mapping[Outcome, int] | Mapping[str, int], planned: int | None = None) -> Html:
    """All outcomes in one bar; with `planned`, what is still to come is left empty."""
    counts = {str(name): count for name, count in outcomes.items() if count}
    whole = max(planned or 0, sum(counts.values()), 1)
    parts: list[Html] = [h("title", ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "nothing yet")]
    parts.append(h("rect", width=100, height=10, class_="track"))
    start = 0.0
    for outcome in Outcome:
        width = 100 * counts.get(outcome.value, 0) / whole
        parts.append(h("rect", x=start, width=width, height=10, class_=f"of-{outcome.value}"))
        start += width
    return h("svg", parts, class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", role="img")


def coins(budget: float, charges: Sequence[Mapping[str, Any]]) -> Html:
    """What was left after each action."""
    left = [budget, *(number(charge.get("after")) for charge in charges)]
    top, bottom = max(*left, 1.0), min(*left, 0.0)
    across = (_WIDE - _LEFT - 10) / max(len(left) - 1, 1)

    def at(position: int) -> tuple[float, float]:
        return _LEFT + position * across, 8 + (_HIGH - _FOOT - 8) * (top - left[position]) / (top - bottom)

    points = [at(position) for position in range(len(left))]
    steps = [f"{_LEFT:.1f},{points[0][1]:.1f}"]
    for (_, before), (x, y) in pairwise(points):
        steps += [f"{x:.1f},{before:.1f}", f"{x:.1f},{y:.1f}"]
    zero = 8 + (_HIGH - _FOOT - 8) * top / (top - bottom)
    return h(
        "svg",
        h("title", f"Coins left: from {budget:g} to {left[-1]:g} in {len(charges)} actions"),
        h("line", x1=_LEFT, x2=_WIDE - 4, y1=zero, y2=zero, class_="axis"),
        h("text", f"{top:g}", x=_LEFT - 6, y=14, text_anchor="end"),
        h("text", "0", x=_LEFT - 6, y=zero + 4, text_anchor="end"),
        h("polyline", points=" ".join(steps), class_="line", fill="none"),
        [_point(point, charge) for point, charge in zip(points[1:], charges, strict=False)],
        _labels(points[1:], charges, across),
        class_="coins",
        viewBox=f"0 0 {_WIDE:g} {_HIGH:g}",
        role="img",
    )


def step_chart(chart: StepChart) -> Html:
    last = chart.at[-1]
    most = 1.05 * (last or 1.0)  # so that the last step is seen
    bottom = _HIGH - _FOOT

    def steps(values: Sequence[float]) -> str:
        points = [
            (_LEFT + (_WIDE - _LEFT - 10) * at / most, 8 + (bottom - 8) * (1 - value))
            for at, value in zip(chart.at, values, strict=True)
        ]
        corners = [f"{points[0][0]:.1f},{points[0][1]:.1f}"]
        for (_, before), (x, y) in pairwise(points):
            corners += [f"{x:.1f},{before:.1f}", f"{x:.1f},{y:.1f}"]
        return " ".join([*corners, f"{_WIDE - 10:.1f},{points[-1][1]:.1f}"])

    marks = sorted({round(last * part / 4) for part in range(5)})
    return h(
        "svg",
        h("title", chart.title),
        [h("line", x1=_LEFT, x2=_WIDE - 4, y1=y, y2=y, class_="axis") for y in (8.0, (8 + bottom) / 2, bottom)],
        [h("text", words, x=_LEFT - 6, y=y, text_anchor="end") for words, y in (("100", 14), ("0", bottom + 4))],
        [h("text", f"{at:g}", x=_LEFT + (_WIDE - _LEFT - 10) * at / most, y=_HIGH - 6, text_anchor="middle") for at in marks],
        [
            h("polyline", h("title", line.name), points=steps(line.values), class_=f"line {line.style}".strip(), fill="none")
            for line in chart.lines
        ],
        class_="coins",
        viewBox=f"0 0 {_WIDE:g} {_HIGH:g}",
        role="img",
    )


def _point(point: tuple[float, float], charge: Mapping[str, Any]) -> Html:
    action = str(charge.get("action"))[:_LONGEST_LABEL]
    words = f"{action}: costs {number(charge.get('price')):g}, {number(charge.get('after')):g} left"
    kind = f"point is-{action}" if action in ("ask", "submit") else "point"
    return h("circle", h("title", words), cx=point[0], cy=point[1], r=4, class_=kind)


def _labels(points: Sequence[tuple[float, float]], charges: Sequence[Mapping[str, Any]], across: float) -> list[Html]:
    """Names of the actions, where there is room for them."""
    if across < 40:
        return []
    most = int(across / 6.5)
    words = [str(mapping(charge).get("action")).replace("get_", "") for charge in charges]
    cut = [name if len(name) <= most else f"{name[: most - 1]}…" for name in words]
    return [
        h("text", name, x=min(x, _WIDE - 24), y=_HIGH - 6, text_anchor="middle")
        for (x, _), name in zip(points, cut, strict=False)
    ]
