"""Small drawings in SVG. Sizes are attributes, since pages allow no style of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from ...phrases import clipped
from ...types import Outcome
from ..estimates import StepChart
from .layout import NOTHING, Child, Html, h
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


def _bar(title: str, *parts: Child) -> Html:
    """Without a title it says nothing that is not said beside it."""
    named = (h("title", title) if title else None, h("rect", width=100, height=10, class_="track"))
    kind = {"role": "img"} if title else {"aria_hidden": "true"}
    return h("svg", *named, *parts, class_="bar", viewBox="0 0 100 10", preserveAspectRatio="none", **kind)


def share_bar(share: Mapping[str, Any]) -> Html:
    """A share as a bar, with a whisker for its interval."""
    if not share["total"]:
        return NOTHING
    low, high = (100 * end for end in share["interval"])
    return _bar(
        f"{percent(share['accuracy'])}, 95% interval {interval(share)}, n = {share['total']}",
        h("rect", width=100 * share["accuracy"], height=10, class_="fill"),
        h("rect", x=low, y=4, width=max(high - low, 0.4), height=2, class_="whisker"),
        [h("rect", x=x, y=1.5, width=0.4, height=7, class_="whisker") for x in (low, max(high - 0.4, 0.0))],
    )


def part_bar(part: int, whole: int) -> Html:
    width = 100 * part / whole if whole else 0.0
    return _bar("", h("rect", width=width, height=10, class_="fill quiet"))


def outcome_bar(outcomes: Mapping[Outcome, int] | Mapping[str, int], planned: int | None = None) -> Html:
    """All outcomes in one bar; with `planned`, what is still to come is left empty."""
    counts = {str(name): count for name, count in outcomes.items() if count}
    whole = max(planned or 0, sum(counts.values()), 1)
    title = ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "nothing yet"
    parts: list[Html] = []
    start = 0.0
    for outcome in Outcome:
        width = 100 * counts.get(outcome.value, 0) / whole
        parts.append(h("rect", x=start, width=width, height=10, class_=f"of-{outcome.value}"))
        start += width
    return _bar(title, parts)


WIDE, _HIGH, LEFT, _FOOT = 640.0, 150.0, 34.0, 24.0
TOP, BOTTOM = 8.0, _HIGH - _FOOT
_LONGEST_LABEL = 60


def chart(title: str, axes: Mapping[float, str], *parts: Child) -> Html:
    """A drawing with lines across at some heights, each with what it stands for."""
    return h(
        "svg",
        h("title", title),
        [h("line", x1=LEFT, x2=WIDE - 4, y1=y, y2=y, class_="axis") for y in axes],
        [h("text", words, x=LEFT - 6, y=max(y + 4, 14), text_anchor="end") for y, words in axes.items() if words],
        *parts,
        class_="coins",
        viewBox=f"0 0 {WIDE:g} {_HIGH:g}",
        role="img",
    )


def foot(words: str, x: float, anchor: str = "middle") -> Html:
    """A text below the drawing."""
    return h("text", words, x=x, y=_HIGH - 6, text_anchor=anchor)


def polyline(points: Sequence[tuple[float, float]], *inside: Child, steps: bool = False, style: str = "") -> Html:
    """With `steps` it goes across before it goes up or down."""
    corners = list(points[:1])
    for before, after in pairwise(points):
        corners += [(after[0], before[1]), after] if steps else [after]
    drawn = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return h("polyline", *inside, points=drawn, class_=f"line {style}".strip(), fill="none")


def coins(budget: float, charges: Sequence[Mapping[str, Any]]) -> Html:
    """What was left after each action."""
    left = [budget, *(number(charge.get("after")) for charge in charges)]
    top, bottom = max(*left, 1.0), min(*left, 0.0)
    across = (WIDE - LEFT - 10) / max(len(left) - 1, 1)

    def height(coins: float) -> float:
        return TOP + (BOTTOM - TOP) * (top - coins) / (top - bottom)

    points = [(LEFT + position * across, height(coins)) for position, coins in enumerate(left)]
    return chart(
        f"Coins left: from {budget:g} to {left[-1]:g} in {len(charges)} actions",
        {height(0): "0"},
        h("text", f"{top:g}", x=LEFT - 6, y=14, text_anchor="end"),
        polyline(points, steps=True),
        [_point(point, charge) for point, charge in zip(points[1:], charges, strict=False)],
        _labels(points[1:], charges, across),
    )


def step_chart(drawn: StepChart) -> Html:
    last = drawn.at[-1]
    most = 1.05 * (last or 1.0)  # so that the last step is seen

    def across(at: float) -> float:
        return LEFT + (WIDE - LEFT - 10) * at / most

    def points(values: Sequence[float]) -> list[tuple[float, float]]:
        heights = [TOP + (BOTTOM - TOP) * (1 - value) for value in values]
        return [*zip(map(across, drawn.at), heights, strict=True), (WIDE - 10, heights[-1])]

    marks = sorted({round(last * part / 4) for part in range(5)})
    return chart(
        drawn.title,
        {TOP: "100", (TOP + BOTTOM) / 2: "", BOTTOM: "0"},
        [foot(f"{at:g}", across(at)) for at in marks],
        [polyline(points(line.values), h("title", line.name), steps=True, style=line.style) for line in drawn.lines],
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
    return [foot(clipped(name, most), min(x, WIDE - 24)) for (x, _), name in zip(points, words, strict=False)]
