"""Along a sweep: success at each level of patience, and what the steps between levels and between agents are worth.

A sweep is a directory with one run for each level (`patience-6/latest`) and perhaps the unambiguous requests in a single turn,
the line to reach. All its runs play the same tasks, so levels are compared task by task: McNemar's exact test for both phases,
sign flips for the reward (and for shares of attempts, with epochs), and Holm's correction over all steps for each of the two.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from textwrap import fill
from typing import Any

import msgspec
from msgspec import Struct

from ...errors import InputError
from ...reports.comparison import compare, load
from ...reports.comparison.results import Measure
from ...reports.comparison.runs import RunData
from ...reports.estimates import Estimate, percent
from ...reports.statistics import holm
from .report import interact_report
from .report_tables import add_legend, escaped, labels, new_figure, save, told_apart

REFERENCE = "unambiguous"
_PREFIX = "patience-"
_WIDEST = 70


@dataclass(frozen=True)
class Level:
    patience: float | None
    """None for the reference."""
    accuracy: Estimate
    reward: Estimate
    run: RunData

    @property
    def name(self) -> str:
        return REFERENCE if self.patience is None else f"patience {self.patience:g}"


@dataclass(frozen=True)
class SweepResults:
    path: Path
    title: str
    levels: list[Level]

    @property
    def points(self) -> list[Level]:
        return [level for level in self.levels if level.patience is not None]

    @property
    def reference(self) -> Level | None:
        return next((level for level in self.levels if level.patience is None), None)


class Step(Struct, frozen=True):
    """Two runs on the same tasks: the second against the first."""

    what: str
    tasks: int
    accuracy: Measure
    reward: Measure


def is_sweep(path: Path) -> bool:
    return any(path.glob(f"{_PREFIX}*/latest/config.json"))


def load_sweeps(paths: Sequence[Path]) -> list[SweepResults]:
    sweeps = [_load(path) for path in paths]
    titles = told_apart([(sweep.title, sweep.path) for sweep in sweeps])
    return [replace(sweep, title=title) for sweep, title in zip(sweeps, titles, strict=True)]


def _load(path: Path) -> SweepResults:
    """A level whose run has no counted task is left out. Raises InputError if none has one."""
    folders = [(float(folder.name.removeprefix(_PREFIX)), folder) for folder in path.glob(f"{_PREFIX}*")]
    ordered = [_level(folder, patience) for patience, folder in sorted(folders)]
    reference = _level(path / REFERENCE, None) if (path / REFERENCE).is_dir() else None
    levels = [level for level in (*ordered, reference) if level]
    if not any(level.patience is not None for level in levels):
        raise InputError(f"{path}: there is nothing to show, since no run of this sweep has a counted task")
    return SweepResults(path, _title(levels[0].run), levels)


def steps(sweeps: Sequence[SweepResults]) -> list[Step]:
    """From each level to the next, from the last to the reference, and between agents at the same level."""
    compared: list[Step] = []
    named = list(zip(labels([sweep.title for sweep in sweeps]), sweeps, strict=True))
    for label, sweep in named:
        who = f"{label}, " if len(sweeps) > 1 else ""
        for one, other in pairwise(sweep.levels):
            compared.append(_step(f"{who}{one.name} to {other.name}", one.run, other.run))
    for (first, ours), (second, others) in combinations(named, 2):
        theirs = {level.patience: level for level in others.levels}
        compared += [
            _step(f"{first} to {second}, {level.name}", level.run, theirs[level.patience].run)
            for level in ours.levels
            if level.patience in theirs
        ]
    return _adjusted(compared)


def sweep_text(sweeps: Sequence[SweepResults], compared: Sequence[Step]) -> str:
    lines: list[str] = []
    for sweep in sweeps:
        lines += [sweep.title, "  level, both phases and reward in percent with 95% intervals:"]
        for level in sweep.levels:
            both, reward = percent(level.accuracy), percent(level.reward)
            lines.append(f"  {level.name:<14} {both:>22}  {reward:>22}  n = {level.accuracy.n}")
        lines.append("")
    if compared:
        lines.append(
            "Steps on the same tasks, in points (p: exact; adjusted over all steps, for each measure, by Holm's method):"
        )
    for step in compared:
        lines.append(f"  {step.what}, {step.tasks} tasks")
        lines.append(f"    both phases {_change(step.accuracy)}   reward {_change(step.reward)}")
    return "\n".join(lines).rstrip() + "\n"


def sweep_csv(sweeps: Sequence[SweepResults], compared: Sequence[Step]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("sweep", "row", "metric", "n", "value", "low", "high", "p", "p_adjusted"))
    for sweep in sweeps:
        for level in sweep.levels:
            for metric, mean in (("passed", level.accuracy), ("reward", level.reward)):
                writer.writerow((sweep.title, level.name, metric, mean.n, mean.value, mean.low, mean.high, "", ""))
    for step in compared:
        for metric, by in (("passed", step.accuracy), ("reward", step.reward)):
            writer.writerow(("step", step.what, metric, by.tasks, by.difference, *by.interval, by.p, by.adjusted))
    return out.getvalue()


def sweep_latex(sweeps: Sequence[SweepResults]) -> str:
    several = len(sweeps) > 1
    lines = [f"% {sweep.title}" for sweep in sweeps]
    lines += [rf"\begin{{tabular}}{{{'l' * several}lrrr}}", r"\toprule"]
    lines.append(f"{'Agent & ' * several}Level & $n$ & Both phases & Reward \\\\")
    for label, sweep in zip(labels([sweep.title for sweep in sweeps]), sweeps, strict=True):
        lines.append(r"\midrule")
        for number, level in enumerate(sweep.levels):
            both, reward = (percent(mean).replace(" to ", "--") for mean in (level.accuracy, level.reward))
            cells = [escaped(level.name), str(level.accuracy.n), both, reward]
            lines.append(" & ".join([*[escaped(label) * (number == 0)] * several, *cells]) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def plot(sweeps: Sequence[SweepResults], directory: Path, compared: Sequence[Step] = ()) -> list[Path]:
    """Writes scaling.png, .svg, .json, .csv and .tex."""
    figure = new_figure()
    axes = figure.subplots()
    ticks = sorted({level.patience or 0.0 for sweep in sweeps for level in sweep.points})
    handles: list[Any] = []
    for at, (label, sweep) in enumerate(zip(labels([sweep.title for sweep in sweeps]), sweeps, strict=True)):
        aside = (at - (len(sweeps) - 1) / 2) * 0.01 * (ticks[-1] - ticks[0])  # so that no interval hides another
        handles += _draw(axes, sweep, f"C{at}", f"{fill(label, _WIDEST)}: " if len(sweeps) > 1 else "", aside)
    axes.set_title(fill(sweeps[0].title, _WIDEST) if len(sweeps) == 1 else "Interaction-time scaling")
    axes.set_xlabel("patience")
    axes.set_ylabel("percent")
    axes.set_xticks(ticks)
    axes.set_ylim(-3, 103)
    axes.grid(alpha=0.3)
    add_legend(figure, handles)
    written = save(figure, directory, "scaling")
    levels = [
        {"sweep": sweep.title, "patience": level.patience, "passed": level.accuracy, "reward": level.reward}
        for sweep in sweeps
        for level in sweep.levels
    ]
    texts = {
        "json": msgspec.json.format(msgspec.json.encode({"levels": levels, "steps": list(compared)})).decode(),
        "csv": sweep_csv(sweeps, compared),
        "tex": sweep_latex(sweeps),
    }
    for kind, text in texts.items():
        path = directory / f"scaling.{kind}"
        path.write_text(text, encoding="utf-8")
        written.append(path)
    return written


def _draw(axes: Any, sweep: SweepResults, color: str, who: str, aside: float) -> Iterator[Any]:
    at = [(level.patience or 0.0) + aside for level in sweep.points]
    shares = [level.accuracy for level in sweep.points]
    values = [100 * (mean.value or 0.0) for mean in shares]
    error = [[value - 100 * mean.low for value, mean in zip(values, shares, strict=True)]]
    error.append([100 * mean.high - value for value, mean in zip(values, shares, strict=True)])
    yield axes.errorbar(
        at, values, yerr=error, marker="o", capsize=3, color=color, label=f"{who}both phases passed (95% interval)"
    )
    rewards = [100 * (level.reward.value or 0.0) for level in sweep.points]
    yield from axes.plot(at, rewards, marker="s", linestyle=":", color=color, label=f"{who}normalised reward")
    if sweep.reference is not None:
        line = 100 * (sweep.reference.accuracy.value or 0.0)
        yield axes.axhline(line, linestyle="--", color=color, alpha=0.5, label=f"{who}unambiguous, single turn")


def _level(folder: Path, patience: float | None) -> Level | None:
    latest = folder / "latest"
    if not (latest / "config.json").is_file():
        return None
    report = interact_report(latest)
    row = report.categories[0]
    return Level(patience, report.passed, row.reward, load(latest)) if row.reward.n else None


def _title(run: RunData) -> str:
    """Who plays: the run's title without the benchmark and the level."""
    words = run.title.partition(": ")[2] or run.title
    return ", ".join(part for part in words.split(", ") if not part.startswith("patience "))


def _step(what: str, first: RunData, second: RunData) -> Step:
    pair = compare([first, second], force=True).pairs[0]
    return Step(what, pair.tasks, pair.accuracy, pair.score)


def _adjusted(compared: list[Step]) -> list[Step]:
    both = holm([_p(step.accuracy) for step in compared])
    rewards = holm([_p(step.reward) for step in compared])
    return [
        Step(step.what, step.tasks, _with(step.accuracy, a), _with(step.reward, b))
        for step, a, b in zip(compared, both, rewards, strict=True)
    ]


def _p(measure: Measure) -> float:
    return 1.0 if measure.p is None else measure.p


def _with(measure: Measure, adjusted: float) -> Measure:
    return msgspec.structs.replace(measure, adjusted=adjusted)


def _change(measure: Measure) -> str:
    low, high = measure.interval
    between = f"{100 * measure.difference:+.1f} ({100 * low:+.1f} to {100 * high:+.1f})"
    return f"{between}, p = {_p(measure):.3g}, adjusted {measure.adjusted:.3g}"
