"""Interaction-time scaling: success against patience, with the single-turn unambiguous run as the line to reach."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import msgspec

from ..distribution import pip_install
from ..failures import InputError

REFERENCE = "unambiguous"


@dataclass(frozen=True)
class Level:
    patience: float | None
    """None for the reference."""
    accuracy: float
    interval: tuple[float, float]
    reward: float
    n: int


def levels_of(sweep: Path) -> list[Level]:
    """One for each run of a sweep, in order; a level whose run has no result is left out."""
    found = [_level(path, float(path.name.removeprefix("patience-"))) for path in sweep.glob("patience-*")]
    reference = [_level(path, None) for path in sweep.glob(REFERENCE)]
    ordered = sorted((level for level in found if level), key=lambda level: level.patience or 0.0)
    return [*ordered, *(level for level in reference if level)]


def plot(levels: list[Level], directory: Path, *, title: str) -> list[Path]:
    """Writes scaling.png, scaling.svg and scaling.json."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(f"the plot needs matplotlib: {pip_install('plot')}; the runs are in place") from None
    points = [level for level in levels if level.patience is not None]
    if not points:
        raise InputError(f"{directory}: there is nothing to plot, since no run has a counted task")
    figure = cast(Any, Figure)(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    _draw(axes, points, next((level for level in levels if level.patience is None), None))
    axes.set_title(title)
    paths = [directory / f"scaling.{kind}" for kind in ("png", "svg")]
    for path in paths:
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    data = directory / "scaling.json"
    data.write_bytes(msgspec.json.format(msgspec.json.encode(levels)))
    return [*paths, data]


def _draw(axes: Any, points: list[Level], reference: Level | None) -> None:
    at = [level.patience for level in points]
    shares = [100 * level.accuracy for level in points]
    below = [100 * (level.accuracy - level.interval[0]) for level in points]
    above = [100 * (level.interval[1] - level.accuracy) for level in points]
    axes.errorbar(at, shares, yerr=[below, above], marker="o", capsize=3, label="both phases passed (95% interval)")
    axes.plot(at, [100 * level.reward for level in points], marker="s", linestyle=":", label="normalised reward")
    if reference is not None:
        axes.axhline(100 * reference.accuracy, linestyle="--", color="gray", label="unambiguous, single turn")
    axes.set_xlabel("patience")
    axes.set_ylabel("percent")
    axes.set_xticks(at)
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    axes.legend()


def _level(base: Path, patience: float | None) -> Level | None:
    try:
        overall = msgspec.json.decode((base / "latest" / "overall.json").read_bytes())
    except (OSError, msgspec.DecodeError):
        return None
    share = overall["overall"]
    if not share["total"]:
        return None
    low, high = share["interval"]
    return Level(patience, share["accuracy"], (low, high), overall["score"], share["total"])
