"""Numbers in words, the same on every page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from math import isfinite
from typing import Any

from ...phrases import plural
from ...types import Usage

ORDER = {name: rank for rank, name in enumerate(("simple", "moderate", "challenging", "easy", "medium", "hard"))}
"""Of values of a facet that have an order of their own."""


def percent(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.1f}%"


def interval(share: Mapping[str, Any]) -> str:
    """Where the true share lies, 95%."""
    low, high = share["interval"]
    return f"{100 * low:.1f} to {100 * high:.1f}" if share["total"] else "–"


def money(cost: float | None) -> str:
    if cost is None:
        return "unknown"
    return "$0" if cost == 0 else f"${cost:,.4f}" if cost < 1 else f"${cost:,.2f}"


def seconds(value: float) -> str:
    if not isfinite(value) or value < 0:
        return "–"
    if value < 1:
        return f"{1000 * value:.3g} ms"
    if value < 60:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h" if hours else f"{minutes}:{rest:02} min"


def tokens(usage: Usage) -> str:
    cached = f" ({usage.cached_tokens:,} cached)" if usage.cached_tokens else ""
    return f"{plural(usage.calls, 'call')}, {usage.input_tokens:,} tokens in{cached}, {usage.output_tokens:,} out"


def used(usage: Usage, usage_by: Mapping[str, Usage]) -> list[tuple[str, str]]:
    """What the agent's model took, and what others did."""
    others = [(f"The {who}", f"{tokens(each)}, cost {money(each.cost)}") for who, each in usage_by.items() if each.calls]
    return [("Model", tokens(usage) if usage.calls else "no calls"), ("Cost", money(usage.cost)), *others]


def moment(iso: str) -> str:
    """A time stamp to the minute; text that is none as it is."""
    try:
        return f"{datetime.fromisoformat(iso):%Y-%m-%d %H:%M}"
    except ValueError:
        return iso[:32]


def readable(name: str) -> str:
    """A kind or a metric as words."""
    return name.replace("_", " ")


def in_order(value: str) -> tuple[int, float, str]:
    """Sorts the values of a facet: known orders first, numbers by size, then by name."""
    try:
        size = float(value)
    except ValueError:
        size = 0.0
    return ORDER.get(value, 9), size if isfinite(size) else 0.0, value
