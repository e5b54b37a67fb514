"""A run as flat names and numbers, as trackers of experiments take it."""

from __future__ import annotations

from typing import Any

from ..reports.web.library import Run
from ..runs.config import stored_options


def figures(run: Run) -> dict[str, float]:
    """What was measured: shares with their intervals, also by facet, means of metrics, what it took."""
    overall = run.index.aggregate.overall()
    used = sum(run.index.aggregate.usage_by.values(), run.index.aggregate.usage)
    values: dict[str, Any] = {
        **_share("accuracy", overall["overall"]),
        "score": overall["score"],
        **{f"outcomes/{name}": count for name, count in overall["outcomes"].items()},
        **{f"metrics/{name}": value for name, value in overall["metrics"].items()},
        "calls": used.calls,
        "input_tokens": used.input_tokens,
        "output_tokens": used.output_tokens,
        "cost": used.cost,
        "seconds": overall["seconds"],
    }
    for facet, shares in overall.items():
        if facet.startswith("by_"):
            for value, share in shares.items():
                values[f"{facet}/{_plain(value)}"] = share["accuracy"]
    return {name: float(value) for name, value in values.items() if value is not None}


def parameters(run: Run) -> dict[str, Any]:
    """What was set: who played what, and the options that are not left at nothing."""
    options = {name: value for name, value in stored_options(run.config).items() if value not in (None, [], {}, "")}
    return {**options, "benchmark": run.benchmark, "agent": run.agent, "model": run.model}


def _share(name: str, share: dict[str, Any]) -> dict[str, Any]:
    low, high = share["interval"]
    return {name: share["accuracy"], f"{name}_low": low, f"{name}_high": high, "n": share["total"]}


def _plain(value: str) -> str:
    """In characters that every tracker takes in a name."""
    return "".join(char if char.isalnum() or char in "_-. " else "_" for char in value) or "none"
